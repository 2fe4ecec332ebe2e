// Allow-lists of options: a fast path names the options that it supports, and all others must have their default.
#pragma once

namespace ceiba::base {

// Do these options differ from the defaults in the listed members only? An option added later is not listed, so no fast
// path is taken with it until it is reviewed.
template <class Options, class... Member>
bool differs_only_in(Options options, Member... known) {
    const Options plain;
    ((options.*known = plain.*known), ...);
    return options == plain;
}

}  // namespace ceiba::base

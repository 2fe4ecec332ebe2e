// Allow-lists of options. A fast path lists the options that it supports; all others must have their default.
#pragma once

namespace ceiba::base {

// Whether these options differ from the defaults in the listed members only. An option that is added later is not
// listed, so it disables the fast path until the path has been reviewed.
template <class Options, class... Member>
bool differs_only_in(Options options, Member... member) {
    const Options plain;
    ((options.*member = plain.*member), ...);
    return options == plain;
}

}  // namespace ceiba::base

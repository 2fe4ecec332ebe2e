// What a fast path serves is stated by an allow-list of options: one that the list does not name must have its default.
#pragma once

namespace ceiba::base {

// Do these options ask for nothing but what the listed members say? An option added later is not listed, so a path that
// does not know it steps aside until somebody has looked.
template <class Options, class... Member>
bool differs_only_in(Options options, Member... known) {
    const Options plain;
    ((options.*known = plain.*known), ...);
    return options == plain;
}

}  // namespace ceiba::base

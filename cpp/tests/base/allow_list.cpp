// Tests that an option that is not in a list must have its default.
#include "base/allow_list.hpp"

#include <vector>

#include "check.hpp"

namespace ceiba::tests {

namespace {

struct Base {
    int width = 3;
    bool operator==(const Base&) const = default;
};
struct Options : Base {
    double depth = 1.0;
    std::vector<int> signs;
    bool added_later = false;
    bool operator==(const Options&) const = default;
};

bool supports(const Options& options) { return base::differs_only_in(options, &Options::width, &Options::depth); }

const Suite suite("allow_list", [] {
    Options options;
    check(supports(options), "the defaults are served");
    options.width = 7;
    options.depth = 2.0;
    check(supports(options), "and so are listed options, inherited ones too");
    options.added_later = true;
    check(!supports(options), "an option nobody listed is not");
    options = {};
    options.signs = {1};
    check(!supports(options), "nor one with a value of any length");
});

}  // namespace

}  // namespace ceiba::tests

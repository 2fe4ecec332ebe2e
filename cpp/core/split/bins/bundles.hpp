// Exclusive bundles: columns of two values that share a byte, which undoes one-hot encoding. Columns whose rare values
// never occur in the same row share one byte: 0, or the code of the one column that has its rare value. The counts of a
// common value are those of all rows minus those of the code.
#pragma once

#include "data/table.hpp"
#include "data/target.hpp"

namespace ceiba::split {

// A column with these two values and no other; `rare` is NaN as long as no row had it.
struct TwoValues {
    std::size_t column = 0;
    double common = 0.0, rare = 0.0;
};

// Columns that can share a byte according to a sample; at most 254 of them, at least two.
using Bundle = std::vector<TwoValues>;

// `alone`: columns that are not to be bundled.
std::vector<Bundle> propose_bundles(const data::Table& table, const data::TargetRows& target,
                                    const std::vector<std::size_t>& sample, const std::vector<bool>& alone);

// A bundle on its way into bytes. What the sample did not show is found out here: a third value, a missing one, two
// rare values in a row; the later column then `failed`.
class BundleWriter {
public:
    BundleWriter(const data::Table& table, Bundle bundle, std::size_t slot)
        : table_(table), bundle_(std::move(bundle)), slot_(slot), failed_(bundle_.size(), 0) {}

    // Rows [from, to), by any thread; their bytes are 0.
    void run(const std::uint32_t* row, std::size_t from, std::size_t to, std::size_t stride, std::uint8_t* bytes);

    const Bundle& bundle() const { return bundle_; }
    bool failed(std::size_t member) const { return failed_[member] != 0; }

private:
    bool rare_value(std::size_t member, double x);

    const data::Table& table_;
    Bundle bundle_;
    std::size_t slot_;
    std::mutex busy_;
    std::vector<std::uint8_t> failed_;
};

}  // namespace ceiba::split

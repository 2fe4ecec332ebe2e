// Exclusive bundles: columns with two values that share a byte, which reverses one-hot encoding. Columns whose rare
// values never occur in the same row share one byte: 0, or the code of the only column with its rare value. The counts
// of a common value are those of all rows minus those of the code.
#pragma once

#include "data/table.hpp"
#include "data/target.hpp"

namespace ceiba::split {

// A column with these two values only. `rare` is NaN until a row with it is found.
struct TwoValues {
    std::size_t column = 0;
    double common = 0.0, rare = 0.0;
};

// Columns that can share a byte according to a sample: at least two and at most 254.
using Bundle = std::vector<TwoValues>;

// `alone`: columns that must not be bundled.
std::vector<Bundle> propose_bundles(const data::Table& table, const data::TargetRows& target,
                                    const std::vector<std::size_t>& sample, const std::vector<bool>& alone);

// Writes a bundle as bytes. It detects what the sample missed: a third value, a missing value, or two rare values in a
// row. The (later) column has then `failed`.
class BundleWriter {
public:
    BundleWriter(const data::Table& table, Bundle bundle, std::size_t slot)
        : table_(table), bundle_(std::move(bundle)), slot_(slot), failed_(bundle_.size(), 0) {}

    // Writes the rows [from, to), in any thread. Their bytes must be 0.
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

#include "split/bins/bundles.hpp"

namespace ceiba::split {

namespace {

constexpr std::size_t most_members = 254;  // codes of a byte except 0 and that of missing values
constexpr std::size_t most_tries = 8;      // bundles with which a column is compared
constexpr std::size_t at_once = 16;        // rows read together: usually none of them is rare

struct TwoValuedColumn {
    TwoValues values;
    std::vector<std::uint32_t> rare;  // positions in the sample
};

std::optional<TwoValuedColumn> two_values(const data::Table& table, std::size_t c, const data::TargetRows& target,
                                          const std::vector<std::size_t>& sample) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    const data::Column& column = table.columns[c];
    double first = column.number(target.row[sample[0]]), second = unknown;
    std::size_t n_second = 0;
    for (std::size_t at : sample) {
        const double x = column.number(target.row[at]);
        if (x == first) continue;
        if (std::isnan(x) || std::isnan(first) || (x != second && !std::isnan(second))) return std::nullopt;
        second = x;
        ++n_second;
    }
    if (std::isnan(first)) return std::nullopt;
    if (2 * n_second > sample.size()) std::swap(first, second);
    TwoValuedColumn out{{c, first, second}, {}};
    for (std::size_t i = 0; i < sample.size(); ++i)
        if (column.number(target.row[sample[i]]) != first) out.rare.push_back(static_cast<std::uint32_t>(i));
    return out;
}

}  // namespace

std::vector<Bundle> propose_bundles(const data::Table& table, const data::TargetRows& target,
                                    const std::vector<std::size_t>& sample, const std::vector<bool>& alone) {
    std::vector<Bundle> bundles;
    if (sample.empty()) return bundles;
    std::vector<std::vector<bool>> occupied;  // per bundle: sample positions in which a member is rare
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (alone[c] || table.columns[c].kind() == data::ColumnKind::levels) continue;
        const std::optional<TwoValuedColumn> seen = two_values(table, c, target, sample);
        if (!seen) continue;
        // The latest bundle comes first, because related columns are usually adjacent.
        std::size_t b = bundles.size();
        const std::size_t end = bundles.size() > most_tries ? bundles.size() - most_tries : 0;
        for (std::size_t i = bundles.size(); i-- > end && b == bundles.size();)
            if (bundles[i].size() < most_members &&
                std::none_of(seen->rare.begin(), seen->rare.end(), [&](std::uint32_t r) { return occupied[i][r]; }))
                b = i;
        if (b == bundles.size()) {
            bundles.emplace_back();
            occupied.emplace_back(sample.size(), false);
        }
        bundles[b].push_back(seen->values);
        for (std::uint32_t r : seen->rare) occupied[b][r] = true;
    }
    std::erase_if(bundles, [](const Bundle& b) { return b.size() < 2; });
    return bundles;
}

// The first rare value that any thread finds is the only one allowed.
bool BundleWriter::rare_value(std::size_t member, double x) {
    if (std::isnan(x)) return false;
    const std::lock_guard lock(busy_);
    double& rare = bundle_[member].rare;
    if (std::isnan(rare)) rare = x;
    return x == rare;
}

void BundleWriter::run(const std::uint32_t* row, std::size_t from, std::size_t to, std::size_t stride,
                       std::uint8_t* bytes) {
    const auto gap = [](std::uint32_t a, std::uint32_t b) { return b != a + 1; };
    const bool in_table_order = std::adjacent_find(row + from, row + to, gap) == row + to;
    for (std::size_t m = 0; m < bundle_.size(); ++m) {
        const double common = bundle_[m].common;
        double rare = std::numeric_limits<double>::quiet_NaN();
        bool fine = true;
        const auto take = [&](std::size_t i, double x) {
            std::uint8_t& byte = bytes[i * stride + slot_];
            if (x != rare && fine && (fine = rare_value(m, x))) rare = x;
            fine = fine && byte == 0;
            byte = static_cast<std::uint8_t>(m + 1);
        };
        const data::Column& column = table_.columns[bundle_[m].column];
        // Most runs of adjacent numbers repeat the common value bit for bit.
        const bool adjacent = in_table_order && column.is<double>() && column.stride() == sizeof(double);
        std::array<double, at_once> repeated;
        repeated.fill(common);
        column.with_reader([&](auto number) {
            std::size_t i = from;
            for (; i + at_once <= to; i += at_once) {
                bool any = false;
                if (adjacent)
                    any = std::memcmp(column.data() + row[i] * sizeof(double), &repeated, sizeof(repeated)) != 0;
                else
                    for (std::size_t j = 0; j < at_once; ++j) any |= number(row[i + j]) != common;
                if (!any) continue;
                for (std::size_t j = 0; j < at_once; ++j)
                    if (const double x = number(row[i + j]); x != common) take(i + j, x);
            }
            for (; i < to; ++i)
                if (const double x = number(row[i]); x != common) take(i, x);
        });
        if (fine) continue;
        const std::lock_guard lock(busy_);
        failed_[m] = 1;
    }
}

}  // namespace ceiba::split


#include <list>

#include "base/shared_buffer.hpp"
#include "base/sort.hpp"
#include "split/bins/bundles.hpp"
#include "split/bins/edge_search.hpp"
#include "split/candidate.hpp"

namespace ceiba::split {

namespace {

// Rows per task: if rows are contiguous, 512 with 20 columns fit the L2 cache; if columns are, only bytes have to fit.
constexpr std::size_t block = 512, block_of_columns = 4096;

// The values of a column that one pass over its rows has found.
struct ObservedValues {
    bool missing = false;
    bool unfit = false;                                      // a value is not among the SmallIntegers
    std::uint16_t first = SmallIntegers::missing, last = 0;  // range of the SmallIntegers
    std::vector<double> others;  // values other than that of their bin, ascending; incomplete above most_bins

    void note(double x) {
        if (others.size() > most_bins) return;
        const auto at = std::lower_bound(others.begin(), others.end(), x);
        if (at == others.end() || *at != x) others.insert(at, x);
    }
};

std::uint32_t bin_of(const ColumnBins& bins, double x) {
    return static_cast<std::uint32_t>(std::lower_bound(bins.edge.begin(), bins.edge.end(), x) - bins.edge.begin());
}

template <class T, class Read>
void fill(const ColumnBins& bins, const EdgeSearch<T>& edges, Read read, const std::uint32_t* row, std::size_t from,
          std::size_t to, std::size_t stride, std::uint8_t* bytes, ObservedValues& observed) {
    constexpr std::size_t lanes = EdgeSearch<T>::lanes;
    bool missing = false;
    T x[lanes];
    std::uint32_t bin[lanes];
    std::uint8_t* out = bytes + from * stride + bins.slot;
    for (std::size_t i = from; i < to; i += lanes) {
        const std::size_t n = std::min(lanes, to - i);
        for (std::size_t j = 0; j < lanes; ++j) x[j] = read(row[i + (j < n ? j : 0)]);
        edges.find(x, bin);
        for (std::size_t j = 0; j < n; ++j, out += stride) {
            *out = static_cast<std::uint8_t>(bin[j]);
            missing |= bin[j] == missing_bin;
        }
        if (bins.lossless())
            for (std::size_t j = 0; j < n; ++j)
                if (bin[j] != missing_bin && static_cast<double>(x[j]) != bins.value[bin[j]])
                    observed.note(static_cast<double>(x[j]));
    }
    observed.missing |= missing;
}

// Whether the integers of a column are looked up.
bool is_number(const data::Column& column) {
    return column.kind() == data::ColumnKind::numeric && !column.is_sparse();
}

// The same for integers, which are looked up in a table. `Stores`: the column has SmallIntegers, which are stored.
template <class T, bool Stores>
[[gnu::noinline]] void fill_whole(const ColumnBins& bins, const WholeNumbers::View whole, const data::Column column,
                const std::uint32_t* row, std::size_t from, std::size_t to, std::size_t stride, std::uint8_t* bytes,
                ObservedValues& observed) {
    bool missing = false;
    std::uint8_t* out = bytes + from * stride + bins.slot;
    const SmallIntegers small = Stores ? *bins.integers : SmallIntegers{};
    const std::ptrdiff_t to_integer = static_cast<std::ptrdiff_t>(small.offset - bins.slot);
    const std::int64_t low = static_cast<std::int64_t>(small.low);
    std::uint16_t first = observed.first, last = observed.last;
    for (std::size_t i = from; i < to; ++i, out += stride) {
        const T x = column.fast<T>(row[i]);
        std::uint32_t bin = whole.find(x);
        if constexpr (Stores) {
            std::uint16_t integer = SmallIntegers::missing;
            if (bin < WholeNumbers::another) {
                integer = static_cast<std::uint16_t>(static_cast<std::int64_t>(x) - low);
            } else {
                const std::optional<std::uint16_t> found = small.find(static_cast<double>(x));
                observed.unfit |= !found;
                integer = found.value_or(0);
            }
            first = std::min(first, integer);
            last = std::max(last, integer == SmallIntegers::missing ? std::uint16_t{0} : integer);
            std::memcpy(out + to_integer, &integer, sizeof(integer));
        }
        if (bin >= WholeNumbers::another) {
            const double value = static_cast<double>(x);
            bin = std::isnan(value) ? missing_bin : bin_of(bins, value);
            missing |= bin == missing_bin;
            if (bins.lossless() && bin != missing_bin && value != bins.value[bin]) observed.note(value);
        }
        *out = static_cast<std::uint8_t>(bin);
    }
    observed.missing |= missing;
    if (Stores) observed.first = first, observed.last = last;
}

// Writes the bins of a column as bytes.
class ColumnWriter {
public:
    // `low`, `high`: the expected range of the values.
    ColumnWriter(const data::Column& column, const ColumnBins& bins, double low, double high)
        : column_(column), bins_(bins) {
        if (is_number(column)) whole_ = WholeNumbers(bins, low, high);
        if (column.is<float>())
            single_.emplace(bins.edge);
        else
            double_.emplace(bins.edge);
    }
    void run(const std::uint32_t* row, std::size_t from, std::size_t to, std::size_t stride, std::uint8_t* bytes,
             ObservedValues& observed) const {
        const auto look_up = [&]<class T>(const T*) {
            if (bins_.integers)
                fill_whole<T, true>(bins_, whole_.view(), column_, row, from, to, stride, bytes, observed);
            else
                fill_whole<T, false>(bins_, whole_.view(), column_, row, from, to, stride, bytes, observed);
        };
        if (!whole_.empty()) {
            if (single_) return look_up(static_cast<const float*>(nullptr));
            if (column_.is<double>()) return look_up(static_cast<const double*>(nullptr));
            if (column_.with_integers(look_up)) return;
        }
        const auto with = [&](const auto& edges, auto read) {
            fill(bins_, edges, read, row, from, to, stride, bytes, observed);
        };
        if (single_)
            with(*single_, [this](std::size_t r) { return column_.fast<float>(r); });
        else if (column_.is<double>())
            with(*double_, [this](std::size_t r) { return column_.fast<double>(r); });
        else
            with(*double_, [this](std::size_t r) { return column_.number(r); });
    }

private:
    const data::Column& column_;
    const ColumnBins& bins_;
    WholeNumbers whole_;  // empty: values are searched
    std::optional<EdgeSearch<float>> single_;
    std::optional<EdgeSearch<double>> double_;
};

struct Weighted {
    double value, weight;
};

struct Span {
    double low = 0.5, high = 0.5;  // the values are not integers
};

// The range of the values of a sorted sample, if all are integers.
Span range_of_whole(const std::vector<Weighted>& sample) {
    for (const Weighted& s : sample)
        if (s.value != std::floor(s.value)) return {};
    return sample.empty() ? Span{} : Span{sample.front().value, sample.back().value};
}

// Small integers get their bins in advance if the sample has gaps and values that occur once, because it then probably
// misses some integers. Without these bins, the column would be read twice.
void add_small_integers(std::vector<Weighted>& sample, int n) {
    std::vector<std::uint32_t> count(static_cast<std::size_t>(n), 0);
    for (const Weighted& s : sample) {
        if (!(s.value >= 0.0 && s.value < n) || s.value != std::floor(s.value)) return;
        ++count[static_cast<std::size_t>(s.value)];
    }
    const auto seen = [](std::uint32_t c) { return c > 0; };
    const auto low = std::find_if(count.begin(), count.end(), seen),
               high = std::find_if(count.rbegin(), count.rend(), seen).base();
    if (std::find(low, high, 0u) == high || std::find(low, high, 1u) == high) return;
    for (int value = 0; value < n; ++value) sample.push_back({static_cast<double>(value), 0.0});
}

// An edge between two neighbouring values, representable as float32 if `single`.
double edge_between(double lower, double upper, bool single) {
    double edge = cut_between(lower, upper, false);
    if (!single) return edge;
    edge = static_cast<double>(static_cast<float>(edge));
    return edge >= lower && edge < upper ? edge : lower;
}

// A radix sort takes a fifth of the time of a comparison sort, which would be a third of the time to place edges.
void sort_by_value(std::vector<Weighted>& sample) {
    std::vector<std::uint64_t> key(sample.size());
    std::vector<std::uint32_t> order(sample.size());
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = 0; i < sample.size(); ++i) key[i] = base::sort_key(sample[i].value + 0.0);
    base::SortSpace space;
    base::sort_rows(key, order, space);
    std::vector<Weighted> sorted;
    sorted.reserve(sample.size());
    for (const std::uint32_t i : order) sorted.push_back(sample[i]);
    sample.swap(sorted);
}

// Creates at most max_bins bins of about equal weight from (value, weight) in any order.
void place_edges(std::vector<Weighted>& sample, int max_bins, bool single, ColumnBins& out) {
    sort_by_value(sample);
    std::vector<Weighted> distinct;
    for (const Weighted& s : sample) {
        if (!distinct.empty() && distinct.back().value == s.value)
            distinct.back().weight += s.weight;
        else
            distinct.push_back(s);
    }
    out.edge.clear();
    out.value.clear();
    if (distinct.empty()) return;
    if (static_cast<int>(distinct.size()) <= max_bins) {
        out.value.push_back(distinct[0].value + 0.0);
        for (std::size_t i = 1; i < distinct.size(); ++i) {
            out.edge.push_back(edge_between(distinct[i - 1].value, distinct[i].value, single));
            out.value.push_back(distinct[i].value + 0.0);
        }
        return;
    }
    double rest = 0.0;
    for (const Weighted& d : distinct) rest += d.weight;
    // A value heavier than a whole bin takes a single bin; the other values share the remaining bins.
    double in_bin = 0.0;
    int left = max_bins;
    for (std::size_t i = 0; i + 1 < distinct.size() && left > 1; ++i) {
        in_bin += distinct[i].weight;
        if (in_bin * left < rest) continue;
        out.edge.push_back(edge_between(distinct[i].value, distinct[i + 1].value, single));
        rest -= in_bin;
        in_bin = 0.0;
        --left;
    }
}

// One row from each of equal ranges, at a pseudorandom position because a table may be periodic.
std::vector<std::size_t> sample_rows(std::size_t n, std::size_t most) {
    std::vector<std::size_t> rows(std::min(n, most));
    for (std::uint64_t i = 0; i < rows.size(); ++i) {  // 64-bit products on any machine
        const std::uint64_t from = i * n / rows.size(), to = (i + 1) * n / rows.size();
        rows[i] = static_cast<std::size_t>(from + (i * 2654435761u >> 7) % std::max<std::uint64_t>(1, to - from));
    }
    return rows;
}

// The values of some columns in these rows, column after column. They are read in blocks of rows: the columns of a
// matrix whose rows are contiguous share cache lines.
base::Buffer<double> read_sample(const data::Table& table, const std::vector<std::size_t>& columns,
                                 const data::TargetRows& target, const std::vector<std::size_t>& rows,
                                 base::ThreadPool& pool) {
    constexpr std::size_t rows_at_once = 256;
    base::Buffer<double> values(columns.size() * rows.size());
    const auto read = [&](std::size_t, std::size_t from, std::size_t to, int) {
        for (std::size_t c = 0; c < columns.size(); ++c)
            table.columns[columns[c]].with_reader([&](auto number) {
                double* const out = values.data() + c * rows.size();
                for (std::size_t i = from; i < to; ++i) out[i] = number(target.row[rows[i]]);
            });
    };
    base::for_blocks(&pool, rows.size(), read, rows_at_once);
    return values;
}

}  // namespace

std::uint8_t ColumnBins::bin_of_cut(double cut) const {
    // Lossless bins are searched by value: a cut between two values of a node need not be an edge, and edges of float
    // columns are rounded.
    if (lossless())
        return static_cast<std::uint8_t>(std::upper_bound(value.begin(), value.end(), cut) - value.begin() - 1);
    return static_cast<std::uint8_t>(std::lower_bound(edge.begin(), edge.end(), cut) - edge.begin());
}

std::pair<std::uint16_t, std::uint16_t> ColumnBins::integers_of(std::size_t bin) const {
    return {bin == 0 ? integers->first : std::max<std::uint16_t>(integers->up_to(edge[bin - 1]) + 1, integers->first),
            bin == edge.size() ? integers->last : std::min(integers->up_to(edge[bin]), integers->last)};
}

std::array<std::uint8_t, 256> ColumnBins::bin_of_byte() const {
    std::array<std::uint8_t, 256> bin;
    std::iota(bin.begin(), bin.end(), std::uint8_t{0});
    if (!bundled()) return bin;
    bin.fill(1 - rare);
    bin[code] = rare;
    return bin;
}

namespace {

// Bins with several values are divided into 256 equal parts. The first and the last bin have no outer edge; they are
// assumed to be four times as wide as their neighbours.
void measure_parts(ColumnBins& bins) {
    if (bins.lossless()) return;
    bins.part_start.assign(256, 0.0f);
    bins.parts_per_width.assign(256, 0.0f);
    if (bins.edge.empty()) return;
    const std::size_t n = bins.edge.size();
    const auto part = [&](std::size_t b, double low, double width) {
        bins.part_start[b] = static_cast<float>(low);
        bins.parts_per_width[b] = 256.0f / static_cast<float>(width);
    };
    for (std::size_t b = 1; b < n; ++b) part(b, bins.edge[b - 1], bins.edge[b] - bins.edge[b - 1]);
    const double first = n > 1 ? 4.0 * (bins.edge[1] - bins.edge[0]) : 1.0;
    const double last = n > 1 ? 4.0 * (bins.edge[n - 1] - bins.edge[n - 2]) : 1.0;
    part(0, bins.edge[0] - first, first);
    part(n, bins.edge[n - 1], last);
}

// The number of rows from which edges are computed.
std::size_t sample_size(std::size_t n_rows, const BinOptions& options) {
    return options.approximate ? 16384 : std::clamp<std::size_t>(n_rows / 32, 2048, 8192);
}

// Computes the bins of all numeric columns and the bytes of all rows.
class Binner {
public:
    Binner(const data::Table& table, const data::TargetRows& target, const BinOptions& options, base::ThreadPool& pool,
           base::Interrupt& interrupt)
        : table_(table),
          target_(target),
          options_(options),
          pool_(pool),
          interrupt_(interrupt),
          sample_(sample_rows(target.size(), sample_size(target.size(), options))),
          few_(sample_rows(target.size(), 2048)) {}

    Binning run(base::Buffer<std::uint8_t>& bytes) {
        // The sample may be wrong about a bundle. In this case its columns get separate bytes and everything is
        // repeated, at most twice.
        std::vector<bool> alone(table_.columns.size(), options_.max_bins < 2);
        while (true) {
            begin();
            bundle(alone);
            place_all_edges();
            place_integers();
            base::resize(bytes, target_.size() * out_.stride, &pool_);
            observed_.assign(static_cast<std::size_t>(pool_.size()), std::vector<ObservedValues>(single_.size()));
            std::vector<std::size_t> all(single_.size());
            std::iota(all.begin(), all.end(), std::size_t{0});
            fill(all, true, bytes);
            if (!bundles_hold(alone)) continue;
            if (const std::vector<std::size_t> wider = widen(); !wider.empty()) fill(wider, false, bytes);
            for (std::size_t c : single_) measure_parts(out_.column[c]);
            return std::move(out_);
        }
    }

private:
    void begin() {
        out_ = {};
        out_.approximate = options_.approximate;
        out_.column.resize(table_.columns.size());
        for (std::size_t c = 0; c < table_.columns.size(); ++c)
            if (table_.columns[c].kind() != data::ColumnKind::levels) out_.numeric.push_back(c);
        bundles_.clear();
        single_.clear();
    }

    void bundle(const std::vector<bool>& alone) {
        for (Bundle& members : propose_bundles(table_, target_, few_, alone)) {
            std::vector<std::size_t>& columns = out_.bundles.emplace_back();
            for (std::size_t m = 0; m < members.size(); ++m) {
                columns.push_back(members[m].column);
                ColumnBins& bins = out_.column[members[m].column];
                bins.slot = out_.n_slots;
                bins.code = static_cast<std::uint8_t>(m + 1);
            }
            bundles_.emplace_back(table_, std::move(members), out_.n_slots++);
        }
        for (std::size_t c : out_.numeric) {
            if (out_.column[c].bundled()) continue;
            out_.column[c].slot = out_.n_slots++;
            single_.push_back(c);
        }
        out_.stride = (out_.n_slots + 3) / 4 * 4;
    }

    void place_all_edges() {
        range_.assign(single_.size(), {});
        const base::Buffer<double> values = read_sample(table_, single_, target_, sample_, pool_);
        pool_.run(single_.size(), [&](std::size_t i, int) {
            std::vector<Weighted> sample;
            sample.reserve(sample_.size());
            for (std::size_t k = 0; k < sample_.size(); ++k)
                if (const double x = values[i * sample_.size() + k]; !std::isnan(x))
                    sample.push_back({x, target_.weight_of(sample_[k])});
            if (!options_.approximate) add_small_integers(sample, options_.max_bins);
            place_edges(sample, options_.max_bins, table_.columns[single_[i]].is<float>(), out_.column[single_[i]]);
            range_[i] = range_of_whole(sample);
        });
    }

    // Reserves two bytes per row for each column of small integers.
    void place_integers() {
        std::size_t end = (out_.n_slots + 1) / 2 * 2;
        for (std::size_t i = 0; i < single_.size(); ++i) {
            ColumnBins& bins = out_.column[single_[i]];
            const auto [low, high] = range_[i];
            const bool wanted = !options_.approximate && !bins.lossless() && is_number(table_.columns[single_[i]]);
            if (!wanted || !WholeNumbers::fits(low, high)) continue;
            // The sample may have missed the smallest and the largest integers.
            constexpr double more = (SmallIntegers::missing - WholeNumbers::most) / 2;
            bins.integers = {std::ceil(0.5 * low + 0.5 * high) - 0.5 * WholeNumbers::most - more, end};
            end += sizeof(std::uint16_t);
        }
        out_.stride = (end + 3) / 4 * 4;
    }

    std::size_t rows_at_once() const {
        const auto contiguous = [this](std::size_t c) { return std::abs(table_.columns[c].stride()) <= 8; };
        return std::all_of(out_.numeric.begin(), out_.numeric.end(), contiguous) ? block_of_columns : block;
    }

    // Writes the bytes of some of the single columns, and optionally those of the bundles.
    void fill(const std::vector<std::size_t>& some, bool with_bundles, base::Buffer<std::uint8_t>& bytes) {
        std::vector<ColumnWriter> writers;
        for (std::size_t i : some)
            writers.emplace_back(table_.columns[single_[i]], out_.column[single_[i]], range_[i].low, range_[i].high);
        const auto fill_block = [&](std::size_t b, std::size_t from, std::size_t to, int thread) {
            if (b % 64 == 0) interrupt_.poll(thread);
            if (with_bundles && !bundles_.empty())
                std::fill(&bytes[from * out_.stride], &bytes[0] + to * out_.stride, std::uint8_t{0});
            for (std::size_t i = 0; i < some.size(); ++i)
                writers[i].run(target_.row.data(), from, to, out_.stride, bytes.data(), observed_[thread][some[i]]);
            if (!with_bundles) return;
            for (BundleWriter& writer : bundles_) writer.run(target_.row.data(), from, to, out_.stride, bytes.data());
        };
        base::for_blocks(&pool_, target_.size(), fill_block, rows_at_once());
        for (const std::size_t i : some) {
            std::optional<SmallIntegers>& integers = out_.column[single_[i]].integers;
            for (const auto& of_thread : observed_) {
                if (!integers) break;
                integers->first = std::min(integers->first, of_thread[i].first);
                integers->last = std::max(integers->last, of_thread[i].last);
                if (of_thread[i].unfit) integers.reset();
            }
        }
    }

    // Stores the values of bundled columns. Returns false if some column cannot be bundled and all must be repeated.
    bool bundles_hold(std::vector<bool>& alone) {
        bool hold = true;
        for (const BundleWriter& writer : bundles_) {
            for (std::size_t m = 0; m < writer.bundle().size(); ++m) {
                const TwoValues& two = writer.bundle()[m];
                if (writer.failed(m)) hold = false, alone[two.column] = true;
                ColumnBins& bins = out_.column[two.column];
                const double common = two.common + 0.0, rare = two.rare + 0.0;
                if (std::isnan(rare)) {  // a single value: no row has the code
                    bins.value = {common};
                    bins.rare = 1;
                    continue;
                }
                bins.rare = rare > common;
                bins.value = {std::min(common, rare), std::max(common, rare)};
                bins.edge = {edge_between(bins.value[0], bins.value[1], table_.columns[two.column].is<float>())};
            }
        }
        if (!hold && ++n_failures_ > 1) alone.assign(alone.size(), true);
        return hold;
    }

    // Adds values that the sample missed to lossless bins, or makes them lossy. Returns the columns to write again.
    std::vector<std::size_t> widen() {
        std::vector<std::uint8_t> again(single_.size(), 0);
        pool_.run(single_.size(), [&](std::size_t i, int) {
            ColumnBins& bins = out_.column[single_[i]];
            ObservedValues all;
            for (const auto& of_thread : observed_) {
                bins.any_missing |= of_thread[i].missing;
                for (double x : of_thread[i].others) all.note(x);
            }
            if (all.others.empty()) return;
            std::vector<Weighted> values;
            for (double x : bins.value) values.push_back({x, 1.0});
            for (double x : all.others) values.push_back({x, 1.0});
            bins.value.clear();
            if (static_cast<int>(values.size()) > options_.max_bins) return;
            place_edges(values, options_.max_bins, table_.columns[single_[i]].is<float>(), bins);
            range_[i] = {values.front().value, values.back().value};
            again[i] = 1;
        });
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < again.size(); ++i)
            if (again[i]) out.push_back(i);
        return out;
    }

    const data::Table& table_;
    const data::TargetRows& target_;
    const BinOptions& options_;
    base::ThreadPool& pool_;
    base::Interrupt& interrupt_;
    std::vector<std::size_t> sample_, few_;  // rows of the target from which edges and bundles are computed
    Binning out_;
    std::list<BundleWriter> bundles_;
    std::vector<std::size_t> single_;                    // columns with a byte of their own
    std::vector<Span> range_;                            // range of the sampled values of each, if they are integers
    std::vector<std::vector<ObservedValues>> observed_;  // per thread
    int n_failures_ = 0;
};

struct BinnedTable {
    int max_bins = 0;
    Binning binning;
    base::Buffer<std::uint8_t> bytes;
};

std::shared_ptr<const BinnedTable> whole_table(const data::Table& table, const BinOptions& options,
                                               base::ThreadPool& pool, base::Interrupt& interrupt) {
    const std::lock_guard lock(table.derived->busy);
    auto whole = std::static_pointer_cast<const BinnedTable>(table.derived->value);
    if (whole && whole->max_bins == options.max_bins) return whole;
    data::TargetRows all;
    all.row.resize(table.n_rows);
    std::iota(all.row.begin(), all.row.end(), 0u);
    auto binned = std::make_shared<BinnedTable>();
    binned->max_bins = options.max_bins;
    binned->binning = Binner(table, all, options, pool, interrupt).run(binned->bytes);
    table.derived->value = binned;
    return binned;
}

}  // namespace

Binning make_bins(const data::Table& table, const data::TargetRows& target, const BinOptions& options,
                  base::Buffer<std::uint8_t>& bytes, base::ThreadPool& pool, base::Interrupt& interrupt) {
    if (options.approximate || target.size() == table.n_rows)
        return Binner(table, target, options, pool, interrupt).run(bytes);
    const auto whole = whole_table(table, options, pool, interrupt);
    const std::size_t stride = whole->binning.stride;
    bytes.resize(target.size() * stride);
    for (std::size_t i = 0; i < target.size(); ++i)
        std::memcpy(bytes.data() + i * stride, whole->bytes.data() + target.row[i] * stride, stride);
    return whole->binning;
}

std::vector<double> edges_of(const std::vector<double>& values, const std::vector<double>& weights, int max_bins,
                             bool single) {
    std::vector<Weighted> sample;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isnan(values[i])) sample.push_back({values[i], weights.empty() ? 1.0 : weights[i]});
    ColumnBins bins;
    place_edges(sample, max_bins, single, bins);
    return bins.edge;
}

std::vector<std::size_t> approximate_sample(std::size_t n_rows) {
    BinOptions options;
    options.approximate = true;
    return sample_rows(n_rows, sample_size(n_rows, options));
}

}  // namespace ceiba::split

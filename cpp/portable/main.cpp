// Grows trees with every criterion from generated numbers and prints two digests of each: one of the tree (nodes,
// columns, cuts, level sets, rows) and one of its figures (impurity, gain, values, surrogate agreement). For criteria
// whose last bits depend on the logarithm of the C library, it prints the sum of all gains.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "grow/grow.hpp"

namespace {

using namespace ceiba;

class Digest {  // FNV-1a over 64-bit words
public:
    void add(std::uint64_t word) { state_ = (state_ ^ word) * 0x100000001B3ull; }
    void add(double x) { add(std::isnan(x) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(x)); }
    template <class T>
    void add(const std::vector<T>& values) {
        add(static_cast<std::uint64_t>(values.size()));
        for (const T& x : values)
            if constexpr (std::is_same_v<T, double>)
                add(x);
            else
                add(static_cast<std::uint64_t>(x));
    }
    void add(const tree::SplitTable& s) {
        add(s.kind), add(s.column), add(s.cut), add(s.low_branch);
        add(s.level_start), add(s.level_code), add(s.level_branch);
    }
    unsigned long long value() const { return state_; }

private:
    std::uint64_t state_ = 0xCBF29CE484222325ull;
};

// Columns with and without ties, with missing values, and two columns of levels. They use only sums and products,
// because library functions may differ between platforms.
struct Rows {
    explicit Rows(std::size_t n) : n_rows(n), x(4, std::vector<double>(n)), level(2, std::vector<std::int32_t>(n)) {
        base::Random random(n);
        const auto bell = [&] { return random.uniform() + random.uniform() + random.uniform() - 1.5; };
        for (std::size_t i = 0; i < n; ++i) {
            x[0][i] = bell();
            x[1][i] = static_cast<double>(random.below(40)) / 8.0;
            x[2][i] = random.uniform() < 0.2 ? std::numeric_limits<double>::quiet_NaN() : bell() * 1e-3;
            x[3][i] = 1.0 / (0.01 + random.uniform());
            level[0][i] = static_cast<std::int32_t>(random.below(7)) - (random.uniform() < 0.05 ? 8 : 0);
            if (level[0][i] < 0) level[0][i] = -1;
            level[1][i] = static_cast<std::int32_t>(random.below(3));
            const double signal = x[0][i] + 0.3 * x[1][i] + (level[0][i] % 3 == 1) + bell();
            label.push_back(signal > 1.6 ? 2 : signal > 0.8 ? 1 : 0);
            number.push_back(signal);
            count.push_back(signal > 0.0 ? static_cast<double>(static_cast<int>(signal * 2.0)) : 0.0);
            weight.push_back(0.25 + random.uniform());
        }
    }
    data::Table table() const {
        data::Table out;
        out.n_rows = n_rows;
        for (const auto& values : x) out.columns.push_back(data::Column::numeric(values.data(), sizeof(double)));
        const std::int32_t n_levels[] = {7, 3};
        for (std::size_t j = 0; j < 2; ++j)
            out.columns.push_back(data::Column::levels(level[j].data(), sizeof(std::int32_t), n_levels[j], j == 1));
        return out;
    }

    std::size_t n_rows;
    std::vector<std::vector<double>> x;
    std::vector<std::vector<std::int32_t>> level;
    std::vector<std::int32_t> label;
    std::vector<double> number, count, weight;
};

struct Problem {
    std::string criterion;
    bool classification, weighted;
    split::Missing missing;
    int n_threads;
};

void grow_one(const Rows& rows, const Problem& problem) {
    data::Target target;
    target.n_rows = rows.n_rows;
    if (problem.classification) {
        target.n_classes = {3};
        target.labels = rows.label.data();
    } else {
        target.numbers = (problem.criterion == "poisson" ? rows.count : rows.number).data();
    }
    if (problem.weighted) target.weight = rows.weight.data();
    grow::GrowOptions options;
    options.search.criterion = criteria::criterion_from(problem.criterion);
    options.search.missing = problem.missing;
    options.use_surrogate = problem.missing == split::Missing::surrogate;
    options.max_depth = 8;
    options.search.min_rows = 3;
    options.n_threads = problem.n_threads;
    base::Interrupt interrupt;
    const tree::TreeArrays t = grow::grow(rows.table(), target, options, interrupt);
    Digest shape, figures;
    shape.add(t.parent), shape.add(t.branch_start), shape.add(t.branch_node), shape.add(t.splits);
    shape.add(t.default_branch), shape.add(t.n_rows), shape.add(t.surrogate_start), shape.add(t.surrogates);
    figures.add(t.weight), figures.add(t.impurity), figures.add(t.gain), figures.add(t.value);
    figures.add(t.agreement), figures.add(t.adjusted);
    double sum = 0.0;
    for (const double gain : t.gain) sum += gain;
    std::printf("%-15s %6zu rows%s missing %d threads %d: %4zu nodes, tree %016llx gains %.9e figures %016llx\n",
                problem.criterion.c_str(), rows.n_rows, problem.weighted ? " weighted" : "",
                static_cast<int>(problem.missing), problem.n_threads, t.n_nodes(), shape.value(), sum, figures.value());
}

}  // namespace

int main() {
    const std::vector<std::string> of_classes = {"gini", "entropy", "error", "twoing", "hellinger", "gain_ratio"};
    const std::vector<std::string> of_numbers = {"squared_error", "absolute_error", "poisson"};
    for (const std::size_t n : {300u, 1500u, 9000u}) {  // a small table, presorted columns, binned columns
        const Rows rows(n);
        for (const bool weighted : {false, true})
            for (const auto missing : {split::Missing::learn, split::Missing::majority, split::Missing::surrogate})
                for (const int n_threads : {1, 2}) {
                    for (const auto& name : of_classes)
                        if (name != "gain_ratio" || missing == split::Missing::majority)
                            grow_one(rows, {name, true, weighted, missing, n_threads});
                    for (const auto& name : of_numbers) grow_one(rows, {name, false, weighted, missing, n_threads});
                }
    }
    // A product of two row counts of this table needs more than 32 bits.
    const Rows many(600000);
    grow_one(many, {"gini", true, false, split::Missing::learn, 1});
    grow_one(many, {"squared_error", false, true, split::Missing::learn, 1});
}

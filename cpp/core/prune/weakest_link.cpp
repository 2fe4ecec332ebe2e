#include "prune/weakest_link.hpp"

namespace ceiba::prune {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// A leftist max-heap of breakpoints. Node i of the tree is element i of the heap.
class Breakpoints {
public:
    explicit Breakpoints(std::size_t n)
        : at(n, 0.0), fall(n, 0.0), leaves(n, 0.0), left_(n, -1), right_(n, -1), rank_(n, 1) {}

    std::vector<double> at;      // alpha
    std::vector<double> fall;    // change of the intercept when passing the breakpoint upwards
    std::vector<double> leaves;  // change of the slope

    // Merges two heaps without recursion: the right spine (at most log n nodes) is collected first.
    std::int32_t merge(std::int32_t a, std::int32_t b) {
        spine_.clear();
        while (a >= 0 && b >= 0) {
            if (at[index(a)] < at[index(b)]) std::swap(a, b);
            spine_.push_back(a);
            a = right_[index(a)];
        }
        std::int32_t rest = a >= 0 ? a : b;
        while (!spine_.empty()) {
            const std::int32_t top = spine_.back();
            spine_.pop_back();
            right_[index(top)] = rest;
            if (rank(left_[index(top)]) < rank(rest)) std::swap(left_[index(top)], right_[index(top)]);
            rank_[index(top)] = rank(right_[index(top)]) + 1;
            rest = top;
        }
        return rest;
    }
    std::int32_t pop(std::int32_t heap) { return merge(left_[index(heap)], right_[index(heap)]); }

private:
    static std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }
    std::int32_t rank(std::int32_t i) const { return i < 0 ? 0 : rank_[index(i)]; }

    std::vector<std::int32_t> left_, right_, rank_, spine_;
};

// Makes alphas equal that differ by less than their rounding noise: in ascending order, each takes the value of the
// previous one.
void join_neighbours(std::vector<double>& alpha, const std::vector<double>& noise) {
    std::vector<std::uint32_t> order;
    for (std::size_t i = 0; i < alpha.size(); ++i)
        if (alpha[i] < never) order.push_back(static_cast<std::uint32_t>(i));
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return alpha[a] < alpha[b]; });
    double before = -never, shared = -never, slack = 0.0;
    for (const std::uint32_t i : order) {
        const double value = alpha[i];
        if (value - before > std::max(noise[i], slack)) shared = value;
        before = value;
        slack = noise[i];
        alpha[i] = shared;
    }
}

}  // namespace

std::vector<double> collapse_alphas(std::span<const std::int32_t> parent, std::span<const double> risk,
                                    const LinkOptions& options) {
    const std::size_t n = parent.size();
    std::vector<double> alpha(n, never), intercept(n, 0.0), slope(n, 0.0), noise(n, 0.0);
    std::vector<std::int32_t> heap(n, -1);
    std::vector<char> inner(n, 0);
    Breakpoints points(n);
    for (std::size_t i = n; i-- > 0;) {  // reverse pre-order: branches before their parent
        if (inner[i]) {
            // Invariant: a + s alpha is the cost of the branches to the right of all breakpoints in the heap. Initially
            // all branches are collapsed; each breakpoint passed to the left restores the branches that collapse there.
            // The node collapses at the alpha where risk + alpha, its cost as a leaf, meets this line.
            double a = intercept[i] + (options.split.empty() ? 0.0 : options.split[i]), s = slope[i];
            const auto cut = [&] { return (risk[i] - a) / ((s - 1.0) * options.whole); };
            double crossing = cut();
            while (heap[i] >= 0 && crossing < points.at[heap[i]]) {
                const std::size_t top = static_cast<std::size_t>(heap[i]);
                a -= points.fall[top];
                s -= points.leaves[top];
                heap[i] = points.pop(heap[i]);
                crossing = cut();
            }
            noise[i] = options.tolerance * std::abs(risk[i]) / ((s - 1.0) * options.whole);
            if (std::abs(crossing) <= noise[i]) crossing = 0.0;
            alpha[i] = points.at[i] = crossing;
            points.fall[i] = risk[i] - a;
            points.leaves[i] = 1.0 - s;
            heap[i] = points.merge(heap[i], static_cast<std::int32_t>(i));
        }
        if (i == 0) break;
        const std::size_t p = static_cast<std::size_t>(parent[i]);
        inner[p] = 1;
        intercept[p] += risk[i];
        slope[p] += 1.0;
        heap[p] = points.merge(heap[p], heap[i]);
    }
    for (std::size_t i = 1; i < n; ++i)
        if (inner[i]) alpha[i] = std::min(alpha[i], alpha[parent[i]]);
    if (options.tolerance > 0.0) join_neighbours(alpha, noise);
    return alpha;
}

}  // namespace ceiba::prune

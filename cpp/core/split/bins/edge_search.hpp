// The edges as the type of the values, and how to find the place of a value among them.
//
// A value is first looked up by where it lies between the first edge and the last: the table says how many edges lie
// below that stretch, and a binary search among the few inside it does the rest. That stretches are never mistaken for
// each other follows from rounding, which keeps the order: x <= y means stretch(x) <= stretch(y). Edges so uneven that
// a stretch holds many are searched as a whole.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "split/bins/binning.hpp"
#include "split/wide/edges.hpp"

namespace ceiba::split {

template <class T>
class EdgeSearch {
public:
    static constexpr std::size_t lanes = 16;  // searches in flight: one alone waits for the memory at every step

    explicit EdgeSearch(const std::vector<double>& edges) : edge_(512, std::numeric_limits<T>::infinity()) {
        for (std::size_t i = 0; i < edges.size(); ++i) edge_[i] = static_cast<T>(edges[i]);
        if (edges.empty()) return;
        top_ = static_cast<unsigned>(std::bit_ceil(edges.size() + 1) / 2);
        if (edges.size() > 7) shorten(edges.size());
    }

    // How many edges lie below each of `lanes` values; missing_bin for NaN. No branch depends on the data. 20M values
    // among 254 edges of about equal weight take 0.06 s, without the table 0.09 s, one by one 0.33 s.
    void find(const T* x, std::uint32_t* bin) const {
        if (is_wide_) return find_wide({edge_.data(), n_below_.data(), low_, scale_, top_}, x, bin);
        constexpr std::size_t half = lanes / 2;  // for more, there are too few registers
        find_half(x, bin);
        find_half(x + half, bin + half);
    }

private:
    static constexpr std::size_t n_stretches = WideEdges<T>::n_stretches;
    static constexpr std::uint8_t unused = WideEdges<T>::unused;

    void find_half(const T* x, std::uint32_t* bin) const {
        constexpr std::size_t half = lanes / 2;
        std::uint32_t b[half] = {};
        if (n_below_[0] == 0)
            for (std::size_t i = 0; i < half; ++i) b[i] = n_below_[stretch(x[i])];
        const T* const e = edge_.data();
        for (unsigned step = top_; step > 0; step /= 2) {
#if defined(__GNUC__)
#pragma GCC unroll 8
#endif
            for (std::size_t i = 0; i < half; ++i) b[i] += e[b[i] + step - 1] < x[i] ? step : 0;
        }
        for (std::size_t i = 0; i < half; ++i) bin[i] = x[i] == x[i] ? b[i] : missing_bin;
    }

    std::size_t stretch(T x) const {
        T at = (x - low_) * scale_;
        at = at > T{0} ? at : T{0};  // NaN too
        return static_cast<std::size_t>(static_cast<std::int32_t>(std::min(at, static_cast<T>(n_stretches - 1))));
    }
    void shorten(std::size_t n_edges) {
        low_ = edge_[0];
        scale_ = static_cast<T>(n_stretches) / (edge_[n_edges - 1] - low_);
        if (!std::isnormal(scale_)) return;
        std::array<std::uint32_t, n_stretches> inside{};
        for (std::size_t i = 0; i < n_edges; ++i) ++inside[stretch(edge_[i])];
        const unsigned most = *std::max_element(inside.begin(), inside.end());
        if (most > 7) return;
        top_ = std::bit_ceil(most + 1) / 2;
        std::uint32_t below = 0;
        for (std::size_t s = 0; s < n_stretches; ++s) {
            n_below_[s] = static_cast<std::uint8_t>(below);
            below += inside[s];
        }
    }

    std::vector<T> edge_;  // padded with infinities
    unsigned top_ = 0;     // first step of the search; 0: one bin
    T low_ = 0, scale_ = 0;
    std::array<std::uint8_t, n_stretches + 3> n_below_{unused};  // edges below a stretch; four are read at once
    bool is_wide_ = base::has_fast_gathers();
};

}  // namespace ceiba::split

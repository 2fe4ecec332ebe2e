// Messages between a survey and the shards: flat 64-bit words, nothing that points anywhere.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace ceiba::shards {

using Words = std::vector<std::uint64_t>;

// Shards that contradict each other or themselves: their source changed, or a message was damaged on its way.
struct Contradiction : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void put_real(Words& out, double x) { out.push_back(std::bit_cast<std::uint64_t>(x)); }
inline void put_all(Words& out, std::span<const std::uint64_t> words) {
    out.insert(out.end(), words.begin(), words.end());
}

// Reads a message from front to back.
class Reader {
public:
    explicit Reader(std::span<const std::uint64_t> words) : words_(words) {}

    std::uint64_t word() { return take(1)[0]; }
    std::size_t size() { return static_cast<std::size_t>(word()); }
    double real() { return std::bit_cast<double>(word()); }
    std::span<const std::uint64_t> take(std::size_t n) {
        if (n > words_.size() - at_) throw Contradiction("a message between shards is too short");
        at_ += n;
        return words_.subspan(at_ - n, n);
    }
    std::span<const std::uint64_t> rest() { return take(words_.size() - at_); }
    bool done() const { return at_ == words_.size(); }

private:
    std::span<const std::uint64_t> words_;
    std::size_t at_ = 0;
};

}  // namespace ceiba::shards

// A test suite in a hundred lines: a suite is a static object, a check reports the line that failed. There is no
// framework, so a machine with only a compiler and cmake can run it.
#pragma once

#include <concepts>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>

namespace ceiba::tests {

// Registers the tests of one file under a name. Instances must be created before main() starts.
struct Suite {
    Suite(const char* name, void (*run)());
};

// Counts checks and reports those that fail.
void check(bool holds, std::string_view what, std::source_location where = std::source_location::current());

// Checks |a - b| <= tolerance * max(1, |a|, |b|).
void check_near(double a, double b, double tolerance, std::string_view what,
                std::source_location where = std::source_location::current());

// Pseudorandom numbers that are the same on every machine (splitmix64).
class Numbers {
public:
    explicit Numbers(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(bits() % n); }
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    // A number of either sign with a magnitude between 2^-exponent and 2^exponent.
    double spread(int exponent);

private:
    std::uint64_t state_;
};

}  // namespace ceiba::tests

// ceiba_tests [suite ...]: runs the named suites, or all. Fails if a check fails, a suite is unknown, or a suite checks
// nothing.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>

#include "check.hpp"

namespace ceiba::tests {

namespace {

std::map<std::string, void (*)()>& suites() {
    static std::map<std::string, void (*)()> all;
    return all;
}
long checked = 0, failed = 0;

bool run(const std::string& name) {
    const auto suite = suites().find(name);
    if (suite == suites().end()) {
        std::printf("%s: no such suite\n", name.c_str());
        return false;
    }
    checked = failed = 0;
    try {
        suite->second();
    } catch (const std::exception& e) {
        std::printf("%s: %s\n", name.c_str(), e.what());
        ++failed;
    }
    std::printf("%s: %ld checks, %ld failed\n", name.c_str(), checked, failed);
    return checked > 0 && failed == 0;
}

}  // namespace

Suite::Suite(const char* name, void (*run)()) { suites().emplace(name, run); }

void check(bool holds, std::string_view what, std::source_location where) {
    ++checked;
    if (holds) return;
    if (++failed <= 20)
        std::printf("%s:%u: %.*s\n", where.file_name(), static_cast<unsigned>(where.line()),
                    static_cast<int>(what.size()), what.data());
}

void check_near(double a, double b, double tolerance, std::string_view what, std::source_location where) {
    const bool holds = a == b || std::fabs(a - b) <= tolerance * std::max({1.0, std::fabs(a), std::fabs(b)});
    if (!holds) std::printf("%.17g is not %.17g\n", a, b);
    check(holds, what, where);
}

double Numbers::spread(int exponent) {
    const int e = static_cast<int>(below(static_cast<std::uint32_t>(2 * exponent + 1))) - exponent;
    return std::ldexp(1.0 + uniform(), e) * (bits() & 1 ? 1.0 : -1.0);
}

}  // namespace ceiba::tests

int main(int n, char** words) {
    bool good = true;
    for (int i = 1; i < n; ++i) good = ceiba::tests::run(words[i]) && good;
    if (n == 1)
        for (const auto& suite : ceiba::tests::suites()) good = ceiba::tests::run(suite.first) && good;
    return good ? 0 : 1;
}

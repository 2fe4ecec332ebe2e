// The interface of a criterion, and how to read the lists of criteria (class_criteria.hpp, number_criteria.hpp).
//
// The split search is column scanner x target statistic x criterion. A criterion is a function of the statistics on
// both sides of a cut (a division, *_division.hpp) with these members:
//   begin(d)     called once when the total is known, before any cut is evaluated
//   below(d, t)  whether the gain is certainly below t; called for every cut, so it must be cheap (no division)
//   upper(d)     an upper bound of the gain
//   lower(d)     a lower bound of the gain: a cut whose lower() exceeds the best cut's upper() is certainly better
//   gain(d)      the gain to about 30 digits (15 where logarithms or roots are involved)
//   tolerance()  gains that differ by less are tied, unless the criterion is rational and has
//   exact(d)     the gain as an exact fraction, which decides such ties
// A gain is a decrease of impurity mass: weight x impurity of the node, minus that of its branches.
#pragma once

#include "base/double_double.hpp"

namespace ceiba::criteria {

template <class C, class D>
concept Criterion = requires(C& fresh, const C& c, const D& d, double t) {
    fresh.begin(d);
    { c.below(d, t) } -> std::same_as<bool>;
    { c.upper(d) } -> std::same_as<double>;
    { c.lower(d) } -> std::same_as<double>;
    { c.gain(d) } -> std::same_as<base::DoubleDouble>;
    { c.tolerance() } -> std::same_as<double>;
};

// Base of criteria whose upper() is cheap and exceeds the gain by 0 to 2 x `slack`.
template <class Derived>
struct SlackCriterion {
    double slack = 0.0, tie = 0.0;

    template <class D>
    bool below(const D& d, double t) const {
        return static_cast<const Derived&>(*this).upper(d) < t;
    }
    template <class D>
    double lower(const D& d) const {
        return static_cast<const Derived&>(*this).upper(d) - 2.0 * slack;
    }
    double tolerance() const { return tie; }
};

// Parameters that some criteria need before the first node.
struct Setting {
    std::size_t n_rows = 0;
    bool allow_zero_rate = false;  // poisson: a side without events is allowed
};
template <class C>
C make_criterion(const Setting& setting) {
    if constexpr (std::is_constructible_v<C, const Setting&>)
        return C(setting);
    else
        return C();
}

// A list of criteria. The position of a criterion is its number; its `name` is the word of the public API.
template <class... C>
struct List {};

template <class Alternative, class... C>
constexpr bool is_listed(List<C...>) {
    return (std::is_same_v<Alternative, C> || ...);
}

template <class... A, class... B>
List<A..., B...> operator+(List<A...>, List<B...>) {
    return {};
}

// One criterion of a list, chosen at run time, so that a search is compiled once instead of once per criterion. It is
// chosen anew for each call, or once for a loop over cuts if that overhead matters; the loop is then compiled for each
// criterion (with_chosen). Bounds of criteria (split/survey/bounds.hpp) are chosen in the same way.
enum class ChosenPer { call, loop };

template <class Of, ChosenPer = ChosenPer::call>
class Chosen;
template <class... C, ChosenPer Per>
class Chosen<List<C...>, Per> {
public:
    template <class Alternative>
    explicit Chosen(const Alternative& alternative) : alternative_(alternative) {}

    template <class... D>
    void begin(const D&... d) {
        std::visit([&](auto& c) { c.begin(d...); }, alternative_);
    }
    template <class D>
    bool below(const D& d, double t) const {
        return std::visit([&](const auto& c) { return c.below(d, t); }, alternative_);
    }
    template <class D>
    double upper(const D& d) const {
        return std::visit([&](const auto& c) { return c.upper(d); }, alternative_);
    }
    template <class D>
    double lower(const D& d) const {
        return std::visit([&](const auto& c) { return c.lower(d); }, alternative_);
    }
    template <class D>
    base::DoubleDouble gain(const D& d) const {
        return std::visit([&](const auto& c) { return c.gain(d); }, alternative_);
    }
    double tolerance() const {
        return std::visit([](const auto& c) { return c.tolerance(); }, alternative_);
    }

    template <class F>
    decltype(auto) with(F f) const {
        return std::visit(f, alternative_);
    }

private:
    std::variant<C...> alternative_;
};

// Calls f with the criterion; a criterion that is chosen per loop is passed as its own type.
template <class C, class F>
decltype(auto) with_chosen(const C& alternative, F f) {
    return f(alternative);
}
template <class Of, class F>
decltype(auto) with_chosen(const Chosen<Of, ChosenPer::loop>& alternative, F f) {
    return alternative.with(f);
}

// A criterion in the options: its position in the list of all criteria (registry.hpp).
enum class Name : int {};

// Calls f.operator()<C>() for the criterion of the list that has this name. A criterion that is missing from the list
// is a programming error, and no other may replace it.
template <class R, class Same, class F, class... C>
R visit(List<C...>, Same is_it, F f) {
    R result{};
    if (!((is_it.template operator()<C>() && (result = f.template operator()<C>(), true)) || ...))
        throw std::logic_error("this criterion is not in the list that is searched");
    return result;
}

}  // namespace ceiba::criteria

// What a criterion is, and how the lists of criteria (class_criteria.hpp, number_criteria.hpp) are read.
//
// The split search is column scanner x target statistic x criterion. A criterion is a function of the statistic on both
// sides of a cut (a division, *_division.hpp) and answers these questions about it:
//   begin(d)     called once the total is known, before any cut is looked at
//   below(d, t)  is the gain below t, beyond doubt? Asked of every cut, so it must be cheap: no division
//   upper(d)     a number not below the gain
//   lower(d)     a number not above the gain: a cut whose lower() exceeds the best cut's upper() is better, no doubt
//   gain(d)      the gain to some 30 digits (15 where logarithms or roots are involved)
//   tolerance()  two gains closer than this are tied, unless the criterion is rational and has
//   exact(d)     the gain as a fraction without any rounding, which then decides
// A gain is a decrease of impurity mass: weight x impurity of the node, less that of its branches.
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

// What criteria have in common whose upper() is cheap and at most `slack` above the gain, and `slack` below it
// otherwise.
template <class Own>
struct SlackCriterion {
    double slack = 0.0, tie = 0.0;

    template <class D>
    bool below(const D& d, double t) const {
        return static_cast<const Own&>(*this).upper(d) < t;
    }
    template <class D>
    double lower(const D& d) const {
        return static_cast<const Own&>(*this).upper(d) - 2.0 * slack;
    }
    double tolerance() const { return tie; }
};

// What some criteria must know before the first node.
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

// A list of criteria: their order is their number, their `name` the word that users know.
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

// One criterion of a list, chosen at run time, so that a search is compiled once and not for each of them. It is chosen
// anew for every question; or, where that would cost something beside the rest, once for a loop over cuts, which is
// then compiled for each of them (with_chosen). Bounds of criteria (split/survey/bounds.hpp) are chosen alike.
enum class ChosenPer { question, loop };

template <class Of, ChosenPer = ChosenPer::question>
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

// f(one), in which a criterion that was chosen per loop is the one that was chosen.
template <class C, class F>
decltype(auto) with_chosen(const C& alternative, F f) {
    return f(alternative);
}
template <class Of, class F>
decltype(auto) with_chosen(const Chosen<Of, ChosenPer::loop>& alternative, F f) {
    return alternative.with(f);
}

// A criterion as options carry it: the place in the list of all criteria (registry.hpp).
enum class Name : int {};

// Calls f.operator()<C>() for the one criterion of the list that has this name. One that is in no list is a mistake of
// ours, and no other may stand in for it.
template <class R, class Same, class F, class... C>
R visit(List<C...>, Same is_it, F f) {
    R result{};
    if (!((is_it.template operator()<C>() && (result = f.template operator()<C>(), true)) || ...))
        throw std::logic_error("this criterion is not in the list that is searched");
    return result;
}

}  // namespace ceiba::criteria

// All criteria by name. Each criterion is in one list, at the end of the file that defines its struct. Everything that
// depends on a criterion (its name, the search, the impurity of nodes) uses these lists, so none can be forgotten.
#pragma once

#include "criteria/class_criteria.hpp"
#include "criteria/number_criteria.hpp"

namespace ceiba::criteria {

using AllCriteria = decltype(ClassCriteria{} + NumberCriteria{});

namespace detail {
template <class C, class... All>
constexpr int place_of(List<All...>) {
    int place = 0;
    const bool listed = ((std::is_same_v<C, All> || (++place, false)) || ...);
    return listed ? place : -1;
}
}  // namespace detail

template <class C>
constexpr Name name_of() {
    constexpr int place = detail::place_of<C>(AllCriteria{});
    static_assert(place >= 0, "write the criterion into ClassCriteria or NumberCriteria");
    return static_cast<Name>(place);
}

// Returns f<C>() for the criterion of this name, which must be in the list. R must have a default constructor.
template <class R, class Of, class F>
R for_criterion(Name name, F f) {
    return visit<R>(
        Of{}, [name]<class C>() { return name_of<C>() == name; }, f);
}

// Throws std::invalid_argument for an unknown name.
Name criterion_from(const std::string& word);

}  // namespace ceiba::criteria

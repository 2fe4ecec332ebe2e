// The criteria of numeric targets, one row each.
#pragma once

#include "criteria/absolute_error.hpp"
#include "criteria/criterion.hpp"
#include "criteria/moment_criteria.hpp"

namespace ceiba::criteria {

using MomentCriteria = List<SquaredError, Poisson>;  // searched by weight and sum (moment_division.hpp)
using NumberCriteria = decltype(MomentCriteria{} + List<AbsoluteError>{});

}  // namespace ceiba::criteria

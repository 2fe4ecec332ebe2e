// The best tree so far and the bound below it, told to the outside.
#pragma once

#include <algorithm>

#include "optimal/clock.hpp"
#include "optimal/optimal.hpp"
#include "optimal/plan.hpp"
#include "optimal/search.hpp"

namespace ceiba::optimal {

class Incumbent : public Watch {
public:
    Incumbent(double gap, Clock& clock, const Progress& progress) : gap_(gap), clock_(clock), progress_(progress) {}

    void improved(double value, const PlanPtr& plan) override {
        if (!(value < this->value)) return;
        this->value = value;
        this->plan = plan;
    }
    void bounded(double lower) override {
        this->lower = std::max(this->lower, std::min(lower, keep_below(value)));
        if (progress_) progress_(value, this->lower, clock_.seconds());
    }
    double keep_below(double bound) const override { return gap_ > 0.0 ? bound - gap_ * bound : bound; }

    double value = infinite, lower = 0.0;
    PlanPtr plan;

private:
    double gap_;
    Clock& clock_;
    const Progress& progress_;
};

}  // namespace ceiba::optimal

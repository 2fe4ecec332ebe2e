"""Event rates shrunk towards the overall rate: values and risks of rpart's poisson trees.

A leaf with few events says little, and one without any would predict "never". So the rate of a
node is the mean of a gamma distribution: with d events in time t, k the coefficient of variation
of the prior ("shrink") and D / T the overall rate,

    rate = (d + a) / (t + b),    a = 1 / k^2,    b = a / (D / T)

and R(t) is half the deviance about that rate, not about the node's own d / t: with m = d / t and
I(t) the impurity (half the mean deviance about m), I(t) + m log(m / rate) - m + rate per unit of
time (Therneau and Atkinson, An Introduction to Recursive Partitioning Using the RPART Routines).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ceiba.grow.limits import added_loss

Array = npt.NDArray[np.float64]


def shrunken_rates(own: Array, time: Array, impurity: Array, shrink: float) -> tuple[Array, Array]:
    """Give the rate that each node predicts, and its risk per unit of its own time.

    Parameters
    ----------
    own : float64 array of shape (n,)
        Events per time of each node, the root first.
    time : float64 array of shape (n,)
        Observation time in each node, weighted.
    impurity : float64 array of shape (n,)
        Half the mean deviance about `own`.
    shrink : float
        Coefficient of variation of the rates; the smaller, the closer to the overall rate. 0: no
        shrinking.

    Examples
    --------
    >>> import numpy as np
    >>> own, time = np.array([0.5, 0.0, 1.0]), np.array([8.0, 4.0, 4.0])
    >>> shrunken_rates(own, time, np.zeros(3), shrink=1.0)[0].round(3).tolist()
    [0.5, 0.167, 0.833]
    """
    if shrink == 0:
        return own, impurity
    events = 1.0 / shrink**2
    own = np.where(time > 0, own, 0.0)  # a node whose rows weigh nothing has seen no events
    rate = (own * time + events) / (time + events / own[0])
    return rate, impurity + added_loss("poisson", own, rate)

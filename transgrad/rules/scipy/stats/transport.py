"""The distance of two distributions of several variables: the cost of the cheapest plan that moves one onto the other."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize as so
import scipy.stats as st

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Num
from ...registry import constant, definition, rule
from ...static import lifted
from .figures_of_samples import wasserstein_distance


def solved(cost: Any, p: Any, q: Any) -> Any:
    """The solution of the linear problem: how much is moved from each place to each."""
    m, n = np.shape(cost)
    sums = np.concatenate((np.kron(np.eye(m), np.ones(n)), np.kron(np.ones(m), np.eye(n))))
    found = so.linprog(np.ravel(cost), A_eq=sums, b_eq=np.concatenate((p, q)), method="highs")
    if found.x is None:
        raise ValueError("no plan moves one distribution onto the other: do their weights have the same sum?")
    return found


def plan_of(cost: Any, p: Any, q: Any) -> Any:
    return solved(cost, p, q).x.reshape(np.shape(cost))


def prices_of(cost: Any, p: Any, q: Any) -> Any:
    """The marginal costs of mass at each place, up to a constant that does not matter, because the sums of the weights are fixed."""
    return solved(cost, p, q).eqlin.marginals


def cheapest(cost: Any, p: Any, q: Any) -> Any:
    """The cost of the cheapest plan."""
    return float(np.sum(cost * plan_of(cost, p, q)))


plan, prices = lifted(plan_of), lifted(prices_of)
constant(plan_of, prices_of)
SHAPES.update({cheapest: lambda *args: Num("float"), prices_of: lambda *args: Arr("float64", (ANY,)),
               plan_of: lambda cost, *rest: cost.type})


def along_prices(t: Any, y: Any, cost: Any, p: Any, q: Any) -> Any:
    return np.sum(t * prices(cost, p, q)[:p.shape[0]])


@rule(cheapest, kind="general", jvp=(
    lambda t, y, cost, p, q: np.sum(t * plan(cost, p, q)), along_prices,
    lambda t, y, cost, p, q: np.sum(t * prices(cost, p, q)[p.shape[0]:])))
def _(g, y, cost, p, q):
    """The plan is constant if it is unique."""
    return g * plan(cost, p, q), g * prices(cost, p, q)[:p.shape[0]], g * prices(cost, p, q)[p.shape[0]:]


@definition(st.wasserstein_distance_nd)
def wasserstein_distance_nd(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None) -> Any:
    """With respect to places and weights; the plan that moves one onto the other is constant, two places that meet have derivative 0."""
    if np.ndim(u_values) == 1:
        return wasserstein_distance(u_values, v_values, u_weights, v_weights)
    apart = u_values[:, None, :] - v_values
    square = np.sum(apart * apart, axis=-1)
    cost = np.where(square > 0.0, np.sqrt(np.where(square > 0.0, square, 1.0)), 0.0)
    m, n = u_values.shape[0], v_values.shape[0]
    p = np.ones(m) / m if u_weights is None else u_weights / np.sum(u_weights)
    q = np.ones(n) / n if v_weights is None else v_weights / np.sum(v_weights)
    return cheapest(cost, p, q)

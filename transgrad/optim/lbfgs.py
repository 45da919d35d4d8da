"""Limited-memory BFGS (Nocedal & Wright, *Numerical Optimization*, algorithms 7.4, 3.5 and 3.6)."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.grad_mode import enable_grad, unrecorded
from .optimizer import Array, Optimizer, checked

__all__ = ["LBFGS"]

Phi = Callable[[float, Array], tuple[float, Array]]


class LBFGS(Optimizer):
    """Quasi-Newton steps; `step` takes a closure that computes the loss and its gradients, and calls it several times.

    Parameters
    ----------
    params : iterable of Tensor
        The parameters, in one group.
    lr : float
        The length of a step (the first guess of a line search).
    max_iter, max_eval : int
        How many iterations a step makes, and how many evaluations (by default 5/4 of that).
    tolerance_grad, tolerance_change : float
        A step ends where no gradient, or no change, is larger.
    history_size : int
        How many changes are remembered.
    line_search_fn : {None, "strong_wolfe"}
        How the length of each iteration is found.

    Examples
    --------
    >>> import transgrad as tg
    >>> x = tg.tensor([3.0], requires_grad=True)
    >>> optimizer = LBFGS([x])
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((x - 1.0) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(4., grad_fn=<SumBackward0>)
    >>> x.detach()
    tensor([1.])
    """

    def __init__(self, params: Any, lr: float = 1, max_iter: int = 20, max_eval: int | None = None, tolerance_grad: float = 1e-7,
                 tolerance_change: float = 1e-9, history_size: int = 100, line_search_fn: str | None = None):
        checked(learning_rate=(lr, lr >= 0.0))
        super().__init__(params, {"lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                                  "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
                                  "line_search_fn": line_search_fn})
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        if self._form is not None:
            raise TypeError("LBFGS takes Tensors: its steps evaluate the function. Hint: for nested parameters, use "
                            "transgrad.interop.scipy.minimize.")
        if line_search_fn not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        self._params = self.param_groups[0]["params"]

    def _gather(self) -> Array:
        """The gradients as one vector."""
        parts = [np.zeros(p._array.size, p._array.dtype) if p._grad is None else
                 (p._grad.to_dense() if p._grad.is_sparse else p._grad)._array.reshape(-1) for p in self._params]
        return np.concatenate([x.view(x.real.dtype) if x.dtype.kind == "c" else x for x in parts])

    def _move(self, t: float, direction: Array, start: list[Array] | None = None) -> None:
        """Move the parameters by ``t`` times a direction from their current or earlier values."""
        begin = 0
        for k, p in enumerate(self._params):
            real = p._array.view(p._array.real.dtype) if p._array.dtype.kind == "c" else p._array
            end = begin + real.size
            if start is not None:
                p._array[...] = start[k]
            real += t * direction[begin:end].reshape(real.shape)
            begin = end
            p.counter()[0] += 1

    @unrecorded
    def step(self, closure: Any = None) -> Any:
        """Make up to ``max_iter`` iterations; returns the loss before the first."""
        group, state = self.param_groups[0], self.state[self._params[0]]
        with enable_grad():
            first = closure()
        loss, evaluations = float(first), 1
        state["func_evals"] = state.get("func_evals", 0) + 1
        state.setdefault("n_iter", 0)
        g = self._gather()
        if np.max(np.abs(g), initial=0.0) <= group["tolerance_grad"]:
            return first
        d, t, before = state.get("d"), state.get("t"), loss
        iteration = 0
        while iteration < group["max_iter"]:
            iteration += 1
            state["n_iter"] += 1
            d = self._direction(state, g, d, t, group["history_size"])
            state["prev_flat_grad"], before = g.copy(), loss
            t = min(1.0, 1.0 / float(np.sum(np.abs(g)))) * group["lr"] if state["n_iter"] == 1 else group["lr"]
            slope = float(g @ d)
            if slope > -group["tolerance_change"]:
                break
            evaluated = 0
            if group["line_search_fn"] is not None:
                start = [p._array.copy() for p in self._params]

                def phi(length: float, direction: Array, start: list[Array] = start) -> tuple[float, Array]:
                    self._move(length, direction, start)
                    with enable_grad():
                        value = float(closure())
                    found = self._gather()
                    for p, kept in zip(self._params, start):
                        p._array[...] = kept
                    return value, found
                loss, g, t, evaluated = strong_wolfe(phi, t, d, loss, g, slope, group["tolerance_change"])
                self._move(t, d)
                done = np.max(np.abs(g)) <= group["tolerance_grad"]
            else:
                self._move(t, d)
                done = False
                if iteration != group["max_iter"]:
                    with enable_grad():
                        loss = float(closure())
                    g = self._gather()
                    done = np.max(np.abs(g)) <= group["tolerance_grad"]
                    evaluated = 1
            evaluations += evaluated
            state["func_evals"] += evaluated
            if (iteration == group["max_iter"] or evaluations >= group["max_eval"] or done
                    or np.max(np.abs(d * t)) <= group["tolerance_change"] or abs(loss - before) < group["tolerance_change"]):
                break
        state.update(d=d, t=t, prev_loss=before)
        return first

    @staticmethod
    def _direction(state: dict[str, Any], g: Array, d: Any, t: Any, most: int) -> Array:
        """The direction of an iteration, by the two-loop recursion."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
            return -g
        y, s = g - state["prev_flat_grad"], d * t
        ys = float(y @ s)
        changes, steps, inverses = state["old_dirs"], state["old_stps"], state["ro"]
        if ys > 1e-10:
            if len(changes) == most:
                for kept in (changes, steps, inverses):
                    kept.pop(0)
            changes.append(y)
            steps.append(s)
            inverses.append(1.0 / ys)
            state["H_diag"] = ys / float(y @ y)
        q, factors = -g, []
        for y, s, inverse in zip(reversed(changes), reversed(steps), reversed(inverses)):
            factors.append(float(s @ q) * inverse)
            q = q - factors[-1] * y
        found = q * state["H_diag"]
        for y, s, inverse, factor in zip(changes, steps, inverses, reversed(factors)):
            found = found + s * (factor - float(y @ found) * inverse)
        return np.asarray(found)


def _cubic(x1: float, f1: float, g1: float, x2: float, f2: float, g2: float, bounds: tuple[float, float] | None = None) -> float:
    """The minimum, within bounds, of the cubic with these values and derivatives."""
    low, high = bounds if bounds is not None else (x1, x2) if x1 <= x2 else (x2, x1)
    a = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = a ** 2 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    b = math.sqrt(square)
    found = x2 - (x2 - x1) * ((g2 + b - a) / (g2 - g1 + 2 * b)) if x1 <= x2 else x1 - (x1 - x2) * ((g1 + b - a) / (g1 - g2 + 2 * b))
    return min(max(found, low), high)


def strong_wolfe(phi: Phi, t: float, d: Array, f: float, g: Array, slope: float, tolerance: float, c1: float = 1e-4, c2: float = 0.9,
                 most: int = 25) -> tuple[float, Array, float, int]:
    """Find a step length that satisfies the strong Wolfe conditions; return loss, gradient, length and number of evaluations."""
    size = float(np.max(np.abs(d)))
    new, g_new = phi(t, d)
    evaluated, slope_new = 1, float(g_new @ d)
    last_t, last_f, last_g, last_slope = 0.0, f, g, slope
    done, count = False, 0
    bracket: list[tuple[float, float, Array, float]] = []
    while count < most:
        here, last = (t, new, g_new.copy(), slope_new), (last_t, last_f, last_g.copy(), last_slope)
        if new > f + c1 * t * slope or count > 1 and new >= last_f:
            bracket = [last, here]
            break
        if abs(slope_new) <= -c2 * slope:
            bracket, done = [here], True
            break
        if slope_new >= 0:
            bracket = [last, here]
            break
        least, largest = t + 0.01 * (t - last_t), t * 10
        following = _cubic(last_t, last_f, last_slope, t, new, slope_new, (least, largest))
        last_t, last_f, last_g, last_slope = here
        t = following
        new, g_new = phi(t, d)
        evaluated += 1
        slope_new = float(g_new @ d)
        count += 1
    if count == most:
        bracket = [(0.0, f, g, slope), (t, new, g_new, slope_new)]
    return _zoomed(phi, d, bracket, done, count, most, (f, slope, c1, c2), size, tolerance, evaluated)


def _zoomed(phi: Phi, d: Array, bracket: list[tuple[float, float, Array, float]], done: bool, count: int, most: int,
            conditions: tuple[float, float, float, float], size: float, tolerance: float,
            evaluated: int) -> tuple[float, Array, float, int]:
    """The zoom phase: narrow the bracket until a point in it satisfies the conditions."""
    f, slope, c1, c2 = conditions
    stuck = False
    low, high = (0, 1) if bracket[0][1] <= bracket[-1][1] else (1, 0)
    while not done and count < most:
        ends = sorted((bracket[0][0], bracket[1][0]))
        if abs(bracket[1][0] - bracket[0][0]) * size < tolerance:
            break
        (t0, f0, _, s0), (t1, f1, _, s1) = bracket
        t = _cubic(t0, f0, s0, t1, f1, s1)
        margin = 0.1 * (ends[1] - ends[0])
        if min(ends[1] - t, t - ends[0]) < margin:
            if stuck or t >= ends[1] or t <= ends[0]:
                t = ends[1] - margin if abs(t - ends[1]) < abs(t - ends[0]) else ends[0] + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        new, g_new = phi(t, d)
        evaluated += 1
        slope_new = float(g_new @ d)
        count += 1
        here = (t, new, g_new.copy(), slope_new)
        if new > f + c1 * t * slope or new >= bracket[low][1]:
            bracket[high] = here
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
        else:
            if abs(slope_new) <= -c2 * slope:
                done = True
            elif slope_new * (bracket[high][0] - bracket[low][0]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = here
    found = bracket[low] if len(bracket) > 1 else bracket[0]
    return found[1], found[2], found[0], evaluated

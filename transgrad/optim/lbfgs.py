"""Limited-memory BFGS (Nocedal & Wright, *Numerical Optimization*, algorithms 7.4, 3.5 and 3.6)."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..autograd.grad_mode import enable_grad, unrecorded
from .optimizer import Array, Optimizer, as_real, options

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """Quasi-Newton steps; `step` expects a closure that computes the loss and its gradients, and calls it several times.

    Parameters
    ----------
    params : iterable of Tensor
        The parameters, in one group.
    lr : float
        The step length (the first trial length of a line search).
    max_iter, max_eval : int
        The numbers of iterations and of evaluations in a step (by default 5/4 evaluations for each iteration).
    tolerance_grad, tolerance_change : float
        A step ends if no component of the gradient, or of the change, is larger.
    history_size : int
        The number of changes that approximate the Hessian.
    line_search_fn : {None, "strong_wolfe"}
        The line search, if any.

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
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        super().__init__(params, options(locals()))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        if self._form is not None:
            raise TypeError("LBFGS takes Tensors: its steps evaluate the function. Hint: for nested parameters, use "
                            "transgrad.interop.scipy.minimize.")
        if line_search_fn not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        self._params = self.param_groups[0]["params"]

    def _flat_gradient(self) -> Array:
        """Return the gradients as one vector."""
        parts = [np.zeros_like(p._array) if p._grad is None else (p._grad.to_dense() if p._grad.is_sparse else p._grad)._array
                 for p in self._params]
        return np.concatenate([as_real(np.ascontiguousarray(g)).reshape(-1) for g in parts])

    def _move(self, t: float, direction: Array) -> None:
        """Add ``t`` times a direction to the parameters."""
        begin = 0
        for p in self._params:
            x = as_real(p._array)
            x += t * direction[begin:begin + x.size].reshape(x.shape)
            begin += x.size
            p.counter()[0] += 1

    @unrecorded
    def step(self, closure: Any = None) -> Any:
        """Make up to ``max_iter`` iterations; return the loss before the first."""
        group, state = self.param_groups[0], self.state[self._params[0]]

        def evaluate() -> tuple[Any, Array]:
            with enable_grad():
                value = closure()
            state["func_evals"] = state.get("func_evals", 0) + 1
            return value, self._flat_gradient()

        def probe(length: float, direction: Array) -> Point:
            before = [p._array.copy() for p in self._params]
            self._move(length, direction)
            value, found = evaluate()
            for p, array in zip(self._params, before):
                p._array[...] = array
            return Point(length, float(value), found, float(found @ direction))

        first, g = evaluate()
        loss, begin = float(first), state["func_evals"] - 1
        state.setdefault("n_iter", 0)
        if np.max(np.abs(g), initial=0.0) <= group["tolerance_grad"]:
            return first
        d, t, before = state.get("d"), state.get("t"), loss
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            d = self._direction(state, g, d, t, group["history_size"])
            state["prev_flat_grad"], before = g.copy(), loss
            t = min(1.0, 1.0 / float(np.sum(np.abs(g)))) * group["lr"] if state["n_iter"] == 1 else group["lr"]
            slope = float(g @ d)
            if slope > -group["tolerance_change"]:
                break
            if group["line_search_fn"] is not None:
                t, loss, g, _ = strong_wolfe(probe, t, d, Point(0.0, loss, g, slope), group["tolerance_change"])
                self._move(t, d)
            else:
                self._move(t, d)
                if iteration != group["max_iter"]:
                    value, g = evaluate()
                    loss = float(value)
            if (state["func_evals"] - begin >= group["max_eval"] or np.max(np.abs(g)) <= group["tolerance_grad"]
                    or np.max(np.abs(d * t)) <= group["tolerance_change"] or abs(loss - before) < group["tolerance_change"]):
                break
        state.update(d=d, t=t, prev_loss=before)
        return first

    @staticmethod
    def _direction(state: dict[str, Any], g: Array, d: Any, t: Any, most: int) -> Array:
        """Return the direction of an iteration, by the two-loop recursion."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
            return -g
        y, s = g - state["prev_flat_grad"], d * t
        ys = float(y @ s)
        changes, steps, inverses = history = state["old_dirs"], state["old_stps"], state["ro"]
        if ys > 1e-10:
            for entries, entry in zip(history, (y, s, 1.0 / ys)):
                entries.append(entry)
                del entries[:-most]
            state["H_diag"] = ys / float(y @ y)
        q, factors = -g, []
        for y, s, inverse in zip(reversed(changes), reversed(steps), reversed(inverses)):
            factors.append(float(s @ q) * inverse)
            q = q - factors[-1] * y
        found = q * state["H_diag"]
        for y, s, inverse, factor in zip(changes, steps, inverses, reversed(factors)):
            found = found + s * (factor - float(y @ found) * inverse)
        return np.asarray(found)


class Point(NamedTuple):
    """A step length with the loss there, its gradient, and its derivative along the direction."""

    t: float
    loss: float
    gradient: Array
    slope: float


def _cubic(a: Point, b: Point, bounds: tuple[float, float] | None = None) -> float:
    """Return the minimum, within bounds, of the cubic that interpolates losses and derivatives at two points."""
    a, b = sorted((a, b), key=lambda point: point.t)
    low, high = bounds or (a.t, b.t)
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1 ** 2 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2.0
    d2 = math.sqrt(square)
    return min(max(b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2)), low), high)


def strong_wolfe(probe: Callable[[float, Array], Point], t: float, d: Array, start: Point, tolerance: float, c1: float = 1e-4,
                 c2: float = 0.9, most: int = 25) -> Point:
    """Find a step length that satisfies the strong Wolfe conditions: bracket it, then narrow the bracket."""
    last, new, count = start, probe(t, d), 0
    while count < most:
        if new.loss > start.loss + c1 * new.t * start.slope or count > 1 and new.loss >= last.loss:
            break
        if abs(new.slope) <= -c2 * start.slope:
            return new
        if new.slope >= 0:
            break
        t = _cubic(last, new, (new.t + 0.01 * (new.t - last.t), new.t * 10))
        last, new, count = new, probe(t, d), count + 1
    else:
        last = start
    bracket = [last, new]
    low, high = (0, 1) if last.loss <= new.loss else (1, 0)
    size, stuck = float(np.max(np.abs(d))), False
    while count < most and abs(bracket[1].t - bracket[0].t) * size >= tolerance:
        t, (left, right) = _cubic(bracket[0], bracket[1]), sorted((bracket[0].t, bracket[1].t))
        margin = 0.1 * (right - left)
        near = min(right - t, t - left) < margin
        if near and (stuck or t >= right or t <= left):
            t = right - margin if abs(t - right) < abs(t - left) else left + margin
            near = False
        stuck = near
        new, count = probe(t, d), count + 1
        if new.loss > start.loss + c1 * new.t * start.slope or new.loss >= bracket[low].loss:
            bracket[high] = new
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
        elif abs(new.slope) <= -c2 * start.slope:
            return new
        else:
            if new.slope * (bracket[high].t - bracket[low].t) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = new
    return bracket[low]

"""Compares derivatives, reverse and forward, with central differences of their function."""
from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import tree
from ..transforms.arguments import name_of, signature_of
from ..transforms.compiling import unknown
from ..transforms.derivative import Derivative
from ..transforms.kinds import Forward, Split
from ..transforms.leaves import is_active
from ..transforms.options import Options
from . import arguments
from .target import TargetError

__all__ = ["Row", "check"]


@dataclass(frozen=True)
class Row:
    """A derivative and its distance from the differences, relative to their size."""

    mode: str
    path: str
    error: float

    def holds(self, tolerance: float) -> bool:
        """Whether the two agree; NaN does not."""
        return self.error <= tolerance


def check(f: Callable[..., Any], names: Mapping[str, Any], text: str | None, wrt: Sequence[str] | None, step: float) -> list[Row]:
    """Each leaf of the differentiated arguments in reverse mode, and a direction through all of them in forward mode."""
    signature = signature_of(f)
    values = arguments.values_of(f, signature, text, names)
    missing = unknown(values)
    if missing:
        raise TargetError(f"a check runs {name_of(f)}{signature}, so it needs --args: nothing is known of {', '.join(missing)}")
    if wrt is None:
        wrt = [name for name, value in values.items() if (leaves := tree.flatten(value)[0]) and all(map(is_active, leaves))]
    if not wrt:
        raise TargetError(f"no argument of {name_of(f)}{signature} holds floats")
    probe = _Probe(f, signature, values, tuple(wrt), step)
    return [*probe.reverse(), probe.forward()]


class _Probe:
    """A function at one point, weighed down to one number: the sum of its outputs times fixed random weights."""

    def __init__(self, f: Any, signature: inspect.Signature, values: dict[str, Any], wrt: tuple[str, ...], step: float):
        self.f, self.signature, self.values, self.wrt, self.step = f, signature, values, wrt, step
        #: Differences are taken in double precision, whatever the precision of the derivative.
        self.wide = {**values, **{name: tree.map_leaves(_double, values[name]) for name in wrt}}
        self.rng = np.random.default_rng(0)
        self.out = self.run(values)
        self.weights = self.random_like(self.out)

    def run(self, values: Mapping[str, Any]) -> Any:
        bound = inspect.BoundArguments(self.signature, copy.deepcopy(dict(values)))
        return self.f(*bound.args, **bound.kwargs)

    def random_like(self, value: Any) -> Any:
        """Random numbers in the structure of a value."""
        def draw(leaf: Any) -> Any:
            if not is_active(leaf):
                return leaf
            drawn = self.rng.uniform(0.5, 1.5, size=np.shape(leaf)) * self.rng.choice([-1.0, 1.0], size=np.shape(leaf))
            if np.iscomplexobj(leaf):
                raise TargetError("complex values are not checked: split them into real and imaginary parts")
            return drawn.astype(np.asarray(leaf).dtype) if isinstance(leaf, np.ndarray) else type(leaf)(drawn)
        return tree.map_leaves(draw, value)

    def weighed(self, out: Any) -> float:
        pairs = zip(tree.flatten(self.weights)[0], tree.flatten(out)[0])
        return float(sum(np.sum(np.multiply(w, v)) for w, v in pairs if is_active(v)))

    def along(self, direction: Mapping[str, Any], h: float) -> float:
        """Central difference of the weighed output along a direction."""
        sides = []
        for sign in (1.0, -1.0):
            moved = {n: tree.map_leaves(lambda v, d, s=sign: v + s * h * d, self.wide[n], d) for n, d in direction.items()}
            sides.append(self.weighed(self.run({**self.wide, **moved})))
        return (sides[0] - sides[1]) / (2.0 * h)

    def reverse(self) -> list[Row]:
        derivative = Derivative(Split(), self.f, 0, self.wrt, Options(fallback="error"))
        values = copy.deepcopy(self.values)
        _, pullback = derivative.split_with(values)
        rows = []
        for name, gradient in zip(self.wrt, pullback(self.weights)):
            leaves, form = tree.flatten(self.values[name])
            for k, ((path, leaf), entry) in enumerate(zip(tree.leaves_with_paths(self.values[name], name), tree.flatten(gradient)[0])):
                reference = np.zeros(np.shape(leaf))
                for index in np.ndindex(reference.shape):
                    unit = np.zeros_like(reference)
                    unit[index] = 1.0
                    direction = tree.unflatten(form, [unit if j == k else np.zeros(np.shape(v)) for j, v in enumerate(leaves)])
                    direction = tree.map_leaves(lambda d, v: d if isinstance(v, np.ndarray) else type(v)(d), direction, self.values[name])
                    reference[index] = self.along({name: direction}, self.step * max(1.0, float(abs(np.asarray(leaf)[index]))))
                rows.append(Row("reverse", path, _distance(entry, reference)))
        return rows

    def forward(self) -> Row:
        derivative = Derivative(Forward(), self.f, 0, self.wrt, Options(fallback="error"))
        direction = {name: self.random_like(self.values[name]) for name in self.wrt}
        dots = {f"{name}_dot": d for name, d in direction.items()}
        out_dot = derivative.call_with({**copy.deepcopy(self.values), **dots})[1]
        return Row("forward", "a direction", _distance(self.weighed(out_dot), self.along(direction, self.step)))


def _double(leaf: Any) -> Any:
    return np.asarray(leaf, dtype=float)[()] if isinstance(leaf, (np.ndarray, np.generic)) else leaf


def _distance(entry: Any, reference: Any) -> float:
    scale = max(1.0, float(np.max(np.abs(reference), initial=0.0)))
    return float(np.max(np.abs(np.asarray(entry, dtype=float) - reference), initial=0.0) / scale)

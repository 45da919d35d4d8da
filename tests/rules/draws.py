"""Element-wise rules at arguments drawn from their domains: numbers, broadcasting, no dimensions, nothing, strides, single precision."""
from __future__ import annotations

import itertools
import math
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from transgrad.rules.advice import name_of
from transgrad.rules.classes import classify
from transgrad.rules.registry import Rule, table

from .cases import Case

#: Pairs of shapes of two arguments; the first alone for one argument.
SHAPES = [((), ()), ((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2, 3)), ((0, 3), (3,)), ((0,), ())]
_SMALL = frozenset(("iadd", "isub", "imul", "itruediv", "imatmul", "imod", "ipow"))     # which write into their argument


def number(rng: np.random.Generator, interval: tuple[float, float] | None, shape: tuple[int, ...]) -> Any:
    """Numbers well inside of an open interval."""
    low, high = interval or (-math.inf, math.inf)
    if math.isinf(low) and math.isinf(high):
        low, high = -2.0, 2.0
    elif math.isinf(high):
        low, high = low + 0.3, low + 2.0
    elif math.isinf(low):
        low, high = high - 2.0, high - 0.3
    else:
        low, high = low + 0.1 * (high - low), high - 0.1 * (high - low)
    return rng.uniform(low, high, size=shape)


def drawable(fn: Any, rule: Rule) -> bool:
    """Whether the arguments of a function are real numbers, all of which its rule names."""
    return (rule.kind == "elementwise" and classify(fn) is not None and not name_of(fn).startswith("scipy") and not isinstance(fn, type) and getattr(fn, "__name__", "") not in _SMALL
            and rule.vjp is not None and not rule.vjp.__module__.endswith("rules.random")
            and not any(p.kind is p.VAR_POSITIONAL for p in rule.parameters)
            and (isinstance(fn, np.ufunc) and fn.nout == 1 and "d" * fn.nin + "->d" in fn.types or _of_numbers(fn) and rule.most == 1))


def _of_numbers(fn: Any) -> bool:
    return isinstance(fn, types.BuiltinFunctionType) and getattr(fn, "__module__", "") == "math"


def drawn() -> Iterator[Case]:
    """A case for each function and form."""
    rng = np.random.default_rng(11)
    for fn, rule in table().items():
        if not drawable(fn, rule):
            continue
        count = fn.nin if isinstance(fn, np.ufunc) else 1
        domain = [*rule.domain, *[None] * count][:count]
        if not isinstance(fn, np.ufunc):
            yield Case(fn, tuple(float(number(rng, d, ())) for d in domain))
            continue
        for shapes in SHAPES if count > 1 else [((),), ((3,),), ((2, 3),), ((0, 3),)]:
            shapes = [*shapes, *itertools.repeat(shapes[0], count - len(shapes))]
            yield Case(fn, tuple(number(rng, d, s) for d, s in zip(domain, shapes)))
        yield Case(fn, tuple(float(number(rng, d, ())) for d in domain))
        yield Case(fn, tuple(np.asarray(number(rng, d, ())) for d in domain))
        yield Case(fn, tuple(number(rng, d, (6, 4))[::2, ::-1].T for d in domain))
        yield Case(fn, tuple(number(rng, d, (2, 3)).astype(np.float32) for d in domain))

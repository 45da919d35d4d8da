"""Special methods of instances that are arguments, made inside the function, or items of an argument: called as Python calls them."""
from __future__ import annotations

import copy
import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.array([1.0, 2.0, 3.0])


@dataclass
class Record:
    w: Any

    def __iter__(self):
        return iter([2.0 * v for v in self.w])

    def __contains__(self, k):
        return k == "yes"

    def __len__(self):
        return 7

    def __getitem__(self, k):
        return self.w[k] * 3.0

    def __float__(self):
        return float(self.w[0]) * 5.0

    def __abs__(self):
        return self.w[1] * 2.0

    def __bool__(self):
        return False

    def __neg__(self):
        return self.w[0] * 11.0

    def __round__(self, n=None):
        return self.w[0] * 13.0

    def __call__(self, y):
        return self.w[0] * y

    def __enter__(self):
        return self.w[2]

    def __exit__(self, *error):
        return False

    def __eq__(self, other):
        return True

    def __lt__(self, other):
        return True

    def __matmul__(self, other):
        return self.w @ other

    def __rsub__(self, other):
        return other - self.w[1] * 2

    def __reversed__(self):
        return iter([self.w[2], self.w[0]])

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.w) * 2.0


class Plain(Record):
    def __init__(self, w):
        self.w = w


def three(o):
    a, b, c = o
    return a * b + c


def starred(o):
    a, *b = o
    return a * b[1]


def entered(o):
    with o as v:
        return v ** 2


PROGRAMS = {
    "list": lambda o: sum(list(o)), "tuple": lambda o: sum(tuple(o)), "sorted": lambda o: sorted(o)[0], "min": lambda o: min(o),
    "sum": lambda o: sum(o), "enumerate": lambda o: sum(i * v for i, v in enumerate(o)), "zip": lambda o: sum(a * b for a, b in zip(o, o)),
    "map": lambda o: sum(map(lambda v: v * v, o)), "three": three, "starred": starred, "spread": lambda o: max(*o),
    "in": lambda o: o.w[0] * (2.0 if "yes" in o else 1.0), "not in": lambda o: o.w[0] * (2.0 if "no" not in o else 1.0),
    "len": lambda o: o.w[0] * len(o), "getitem": lambda o: o[1] ** 2, "float": float, "abs": abs, "round": round, "neg": lambda o: -o,
    "truth": lambda o: o.w[0] * (2.0 if o else 3.0), "not": lambda o: o.w[0] * (2.0 if not o else 3.0), "call": lambda o: o(3.0),
    "with": entered, "eq": lambda o: o.w[0] * (2.0 if o == 3 else 1.0), "lt": lambda o: o.w[0] * (2.0 if o < 3 else 1.0),
    "matmul": lambda o: o @ np.arange(3.0), "rsub": lambda o: 2.0 - o, "reversed": lambda o: sum(reversed(o)), "next": lambda o: next(iter(o)),
    "np.array": lambda o: np.sum(np.array(o) ** 2), "np.asarray": lambda o: np.sum(np.asarray(list(o)) ** 2), "np.sum": lambda o: np.sum(o),
    "np.dot": lambda o: np.dot(o, np.arange(3.0)), "fsum": math.fsum, "copy": lambda o: copy.copy(o).w[0] ** 2, "display": lambda o: sum([*o]),
    "any": lambda o: o.w[0] * (2.0 if any(v > 3 for v in o) else 1.0),
}
WAYS = {
    "argument": lambda f, cls: tg.grad(f)(cls(X)).w,
    "made inside": lambda f, cls: tg.grad(lambda x: f(cls(x)))(X),
    "item": lambda f, cls: tg.grad(lambda items: f(items[0]))([cls(X)])[0].w,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("cls", "name"), [pytest.param(cls, name, id=f"{cls.__name__}-{name}", marks=[pytest.mark.slow] if k % 3 else [])
                                           for cls in (Record, Plain) for k, name in enumerate(PROGRAMS)])
def test_called_as_python_does_or_refused(cls, name, way):
    """A gradient of zero, where the method was not called, would be wrong."""
    f = PROGRAMS[name]
    expected = [(float(f(cls(X + h))) - float(f(cls(X - h)))) / 2e-6 for h in 1e-6 * np.eye(3)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        try:
            found = WAYS[way](f, cls)
        except (tg.UnsupportedSyntax, tg.UnsupportedCall, TypeError):
            assert name in ("np.sum", "np.dot", "fsum", "display", "np.array")
            return
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)

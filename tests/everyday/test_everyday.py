"""Programs as people write them, in reverse and forward mode, against differences: right, compiled or on the tape."""
from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad import tree

from . import control, methods, models  # noqa: F401  they register their programs
from .registry import PROGRAMS

#: of which the compiler refuses a part, and in forward mode those whose arguments have no fixed number of entries
TAPED = {"enums", "polygon_area", "shapes", "property_setter", "raise_custom", "generator_send", "walrus_loop", "chained"}
OPEN = {"mlp_layers", "nested"}


def _differences(f: Any, args: tuple[Any, ...], k: int) -> list[np.ndarray]:
    """Central differences by each leaf of an argument."""
    leaves, form = tree.flatten(args[k])
    found = []
    for place, leaf in enumerate(leaves):
        single = np.asarray(leaf).dtype == np.float32
        h = 1e-3 if single else 1e-6
        steps = np.zeros(np.shape(leaf))
        for i in np.ndindex(steps.shape):
            values = []
            for sign in (1, -1):
                moved = np.array(leaf)
                moved[i] += sign * h
                parts = [*leaves[:place], moved if isinstance(leaf, np.ndarray) else float(moved), *leaves[place + 1:]]
                values.append(float(f(*copy.deepcopy(args[:k]), tree.unflatten(form, parts), *copy.deepcopy(args[k + 1:]))))
            steps[i] = (values[0] - values[1]) / (2 * h)
        found.append(steps)
    return found


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_derivatives(f: Any, args: tuple[Any, ...]) -> None:
    places = tuple(range(len(args)))
    fallback = "tape" if f.__name__ in TAPED else "error"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        want = [_differences(f, args, k) for k in places]
        single = any(np.asarray(leaf).dtype == np.float32 for leaf in tree.flatten(args)[0])
        for transformation in (tg.grad, tg.jacfwd)[:1 if f.__name__ in OPEN else 2]:
            got = transformation(f, places, fallback=fallback)(*copy.deepcopy(args))
            for g, w in zip(got, want):
                for p, q in zip(tree.flatten(g)[0], w):
                    assert np.max(np.abs(p - q), initial=0.0) <= (2e-2 if single else 2e-5) * max(1.0, np.max(np.abs(q), initial=0.0))

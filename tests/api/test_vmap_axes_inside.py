"""Axes of examples inside of arguments that are dicts, lists and tuples: each part has its own, or is the same for all examples."""
from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

import transgrad as tg
from transgrad import tree

RNG = np.random.default_rng(0)
W, B, Y = (RNG.normal(size=(4, 4)) for _ in range(3))       # as many examples as numbers, so that nothing tells them apart
Pair = namedtuple("Pair", "w b")


def of_dict(p, y):
    return np.sum(p["w"] * y + p["b"] * y ** 2)


def of_items(p, y):
    return np.sum(p[0] * y + p[1] * y ** 2)


def of_names(p, y):
    return np.sum(p.w * y + p.b * y ** 2)


def looped(p, y):
    total = 0.0
    for part in p:
        total = total + np.sum(part * y) ** 2
    return total


def nested(p, y):
    return np.sum(p["a"][0] * y) * p["a"][1] + np.sum(p["c"]["d"] * y)


FORMS = {
    "dict": (of_dict, lambda a, b, n: {"w": a, "b": b}),
    "tuple": (of_items, lambda a, b, n: (a, b)),
    "list": (of_items, lambda a, b, n: [a, b]),
    "named tuple": (of_names, lambda a, b, n: Pair(a, b)),
    "list in a loop": (looped, lambda a, b, n: [a, b]),
    "nested": (nested, lambda a, b, n: {"c": {"d": b}, "a": [a, n]}),
}


@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning")
@pytest.mark.parametrize("axes", [(0, 0), (0, 1), (1, 0), (1, 1), (0, None), (None, 0), (1, None), (None, 1)], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_values_and_gradients(form, axes):
    f, made = FORMS[form]
    parts = [x if a is not None else x[0] for x, a in zip((W, B), axes)]
    args, in_axes = made(*parts, 2.0), (made(*axes, None), 0)
    examples = [made(*(x if a is None else np.take(x, k, axis=a) for x, a in zip(parts, axes)), 2.0) for k in range(4)]
    np.testing.assert_allclose(tg.vmap(f, in_axes=in_axes)(args, Y), [f(p, y) for p, y in zip(examples, Y)], rtol=1e-12)
    found = tree.flatten(tg.vmap(tg.grad(f), in_axes=in_axes)(args, Y))[0]
    for k, p in enumerate(examples):
        for leaf, want in zip(found, tree.flatten(tg.grad(f)(p, Y[k]))[0]):
            np.testing.assert_allclose(leaf[k], want, rtol=1e-12)


def test_gradient_through_what_is_the_same_for_all():
    def total(b):
        return np.sum(tg.vmap(of_items, in_axes=((0, None), 0))((W, b), Y) ** 2)

    values = np.array([of_items((w, B[0]), y) for w, y in zip(W, Y)])
    np.testing.assert_allclose(tg.grad(total)(B[0]), 2.0 * values @ Y ** 2, rtol=1e-12)

"""linearize of functions that return lists whose lengths are known at run time only: the same as jvp."""
from __future__ import annotations

import collections

import numpy as np
import pytest

import transgrad as tg

ARRAY = np.array([0.418, 0.385, 0.386])
NUMBERS = ARRAY.tolist()

FORMS = {
    "sorted": (lambda a: sorted(a, key=lambda t: -t), NUMBERS), "sorted in reverse": (lambda a: sorted(a, reverse=True), NUMBERS),
    "reversed": (lambda a: list(reversed(a)), ARRAY), "list": (lambda a: list(a), ARRAY), "tuple": (lambda a: tuple(a), ARRAY),
    "tolist": (lambda a: a.tolist(), ARRAY), "filtered": (lambda a: [t * t for t in a if t > 0.386], ARRAY),
    "in a dict": (lambda a: {"a": [t * t for t in a]}, ARRAY), "repeated": (lambda a: [a * 2.0] * int(a[0] + 3), ARRAY),
    "empty": (lambda a: [t for t in a if t > 9.0], ARRAY),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_tangent_of_a_list(name):
    f, x = FORMS[name]
    tangent = [1.0, 2.0, 3.0] if isinstance(x, list) else np.array([1.0, 2.0, 3.0])
    y, along = tg.linearize(f, x)
    want_y, want = tg.jvp(f, (x,), (tangent,))
    for got in (along(tangent), along(tangent)):
        assert type(got) is type(want) and len(got) == len(want)
        np.testing.assert_equal(got, want)
    np.testing.assert_equal(y, want_y)


def test_a_batch_in_a_container_of_another_class_is_looped_over():
    def sine_of_the_first(p):       # a warning is given once for each name
        return np.sin(p[0])

    x = np.arange(6.0).reshape(3, 2)
    with pytest.warns(tg.TapeFallbackWarning):
        got = tg.vmap(sine_of_the_first)(collections.deque([x]))
    np.testing.assert_allclose(got, np.sin(x))


@pytest.mark.parametrize("jacobian", [tg.jacfwd, tg.jacrev])
def test_a_jacobian_of_nothing_on_the_tape(jacobian):
    got = jacobian(lambda p: [d["w"] * 2.0 for d in p])([{"w": np.zeros((2, 0))}])
    assert got[0][0]["w"].shape == (2, 0, 2, 0)


@pytest.mark.parametrize("f", [
    lambda a, b: (np.where(np.isfinite(a), a, 0.0) + b, b), lambda a, b: np.where(a > 0, b, 0.0) * 2.0 + b, lambda a, b: a + b * 2.0 + a * b,
])
def test_tangents_without_dimensions_are_not_written_to(f):
    x, tangents = (np.array(1.5), np.array(0.3)), (np.array(2.0), np.array(3.0))
    _, along = tg.linearize(f, *x)
    for _ in range(2):
        np.testing.assert_equal(along(*tangents), tg.jvp(f, x, tangents)[1])
        np.testing.assert_equal(tangents, (2.0, 3.0))

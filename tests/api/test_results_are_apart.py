"""Gradients and tangents share memory neither with what was given nor with each other."""
import numpy as np
import pytest

import transgrad as tg


def arrays(x):
    return [leaf for leaf in tg.tree.flatten(x)[0] if isinstance(leaf, np.ndarray)]


def check_apart(found, *given):
    found, held = arrays(found), arrays(list(given))
    for k, a in enumerate(found):
        assert not any(np.shares_memory(a, b) for b in (*held, *found[:k]))


PROGRAMS = {
    "array": lambda p: np.array(p), "stack": lambda p: np.stack(p), "concatenate": lambda p: np.concatenate(p), "itself": lambda p: p,
    "twice": lambda p: [p[0], p[0]], "parts": lambda p: np.split(p[0], 3), "items": lambda p: [list(a) for a in p],
    "views": lambda p: (p[0][1:], p[0][::-1], p[0]), "reversed": lambda p: list(reversed(p)), "dict": lambda p: {"a": p[1], "b": p[1]},
    "nested": lambda p: np.array([np.stack(p), np.stack(p)]), "evaluated": lambda p: eval("[p[0], p[0][:2]]"),
}


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_lists(name):
    f, p, t = PROGRAMS[name], [np.arange(3.0), np.ones(3)], [np.ones(3), np.arange(3.0)]
    value, pullback = tg.vjp(f, p)
    cotangent = tg.tree.map_leaves(lambda x: x * 1, value)
    check_apart(pullback(cotangent), p, cotangent)
    check_apart(tg.jvp(f, (p,), (t,))[1], p, t)
    push = tg.linearize(f, p)[1]
    check_apart([push(t), push(t)], p, t)


def test_tuples_with_lists():
    x = [np.ones(3), np.ones(3)]
    _, pullback = tg.vjp(lambda p: np.stack(p[1]), (x, x))
    cotangent = np.ones((2, 3))
    found, = pullback(cotangent)
    assert type(found) is tuple and [len(part) for part in found] == [2, 2]
    np.testing.assert_array_equal(found[0], np.zeros((2, 3)))
    np.testing.assert_array_equal(found[1], cotangent)
    check_apart(found, x, cotangent)

"""Items of a list or dict that are used in parts after something else has come into their place."""
import numpy as np
import pytest

import transgrad as tg

from .by_differences import Programs, check

tried = Programs()


@tried
def replaced_by_zeros(x):
    rows = []
    for k in range(3):
        rows.append(x * (k + 1.0))
    s = 0.0
    for k in range(3):
        q = rows[k]
        rows[k] = np.zeros(3)
        s = s + q[0] * q[k]
    return s + np.sum(rows[0])


@tried
def replaced_by_the_next(x):
    rows = []
    for k in range(3):
        rows.append(x * (k + 1.0))
    s = 0.0
    for k in range(2):
        q = rows[k]
        rows[k] = rows[k + 1] * 2.0
        s = s + q[0] * q[k] + np.sum(q)
    return s + np.sum(rows[0] * x)


@tried
def replaced_in_places(x):
    rows = [None] * 3
    for k in range(3):
        rows[k] = x * (k + 1.0)
    s = 0.0
    for k in range(2):
        q = rows[k]
        rows[k] = rows[k + 1] * 2.0
        s = s + q[0] * q[k] + np.sum(q)
    return s + np.sum(rows[0] * x)


@tried
def replaced_in_a_dict(x):
    rows = {}
    for k in range(3):
        rows[k] = x * (k + 1.0)
    s = 0.0
    for k in range(2):
        q = rows[k]
        rows[k] = rows[k + 1] * 2.0
        s = s + q[0] * q[k] + np.sum(q)
    return s + np.sum(rows[0] * x)


@tried
def inserted_before(x):
    rows = []
    for k in range(3):
        rows.append(x * (k + 1.0))
    s = 0.0
    q = rows[0]
    rows.insert(0, x * x)
    s = s + q[0] * q[1]
    p = rows.pop(1)
    return s + np.sum(rows[0] * x) + p[1] ** 2


@tried
def reversed_in_place(x):
    rows = []
    for k in range(3):
        rows.append(x * (k + 1.0))
    q = rows[0]
    rows.reverse()
    s = q[0] * q[1]
    return s + np.sum(rows[0] * x)


@tried
def appended_behind_the_last(x):
    rows = []
    for k in range(3):
        rows.append(x * (k + 1.0))
    q = rows[-1]
    rows.append(x * x)
    s = q[0] * q[1]
    return s + np.sum(rows[0] * x)


@tried
def deleted_before(x):
    rows = []
    for k in range(3):
        rows.append(x * (k + 1.0))
    q = rows[1]
    del rows[0]
    s = q[0] * q[1]
    return s + np.sum(rows[0] * x)


@tried
def another_place_is_written(x):
    states = [x * 1.0]
    for _ in range(3):
        states.append(x * 0.0)
    energy = 0.0
    for i in range(3):
        s = states[i]
        states[i + 1] = np.array([s[1], s[2] * 0.5, s[0]])
        energy = energy + s[0] * s[1]
    return energy + np.sum(states[-1])


X = np.array([0.31, 0.5, 0.2])


@pytest.mark.parametrize("f", tried, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(f):
    check(f, X)


def test_what_is_compiled():
    tg.grad(another_place_is_written, fallback="error")(X)
    with pytest.raises(tg.TransgradError, match="after its place in the container was given to something else"):
        tg.grad(appended_behind_the_last, fallback="error")(X)

"""Arrays in tuples and dicts that are arguments, which are written to under names of their own or by helpers."""
import numpy as np
import pytest

from .by_differences import Programs, check_nested

tried = Programs()


def scale(x, y):
    x[1:] *= y[0]
    return np.sum(x ** 3 * y)


@tried
def by_a_helper(p):
    return scale(p[0], p[1])


@tried
def unpacked_for_a_helper(p):
    x, y = p
    return scale(x, y) * np.sum(x)


@tried
def by_a_helper_in_a_loop(p):
    s = 0.0
    for _ in range(2):
        s += scale(p[0], p[1])
    return s * np.sum(p[0])


@tried
def by_a_helper_in_either_branch(p):
    if p[0][0] > 0.0:
        return scale(p[1], p[0])
    return scale(p[0], p[1]) * np.sum(p[0])


@tried
def chosen_by_data(p):
    a = p[0] if p[1][0] > 0.0 else p[1]
    a *= 2.0
    return np.sum(p[0] ** 2 * p[1])


@tried
def in_a_list(p):
    held = [p[0], p[1]]
    for k in range(2):
        held[k] *= held[1 - k]
    return np.sum(p[0] * p[1])


def pick(t, k):
    return t[k]


def change(t, k):
    t[k][1:] *= t[1 - k][:-1]
    return t[k]


@tried
def picked_by_a_helper(p):
    u = pick(p, 1)
    u += p[0]
    return np.sum(p[0] * p[1])


@tried
def changed_and_picked_by_a_helper(p):
    u = change(p, 1)
    u += p[0]
    return np.sum(p[0] * p[1])


@tried
def picked_of_what_is_made_here(p):
    t = p[0] * 2.0, p[1] * 3.0
    u = pick(t, 0)
    u *= p[1]
    return np.sum(t[0] * t[1])


def energy(t):
    return np.sum(t[0] ** 2 * t[1])


def damp(t, k):
    t[k][1:] *= t[1 - k][:-1]


@tried
def read_by_a_helper_and_changed(p):
    s = energy(p)
    p[0][:] *= 3.0
    return s * np.sum(p[0])


@tried
def changed_between_two_helpers(p):
    s = energy(p)
    damp(p, 0)
    return (s + energy(p)) * np.sum(p[0])


@tried
def changed_by_a_helper_in_a_loop(p):
    while p[0][0] < 3.0:
        u = pick(p, 0)
        u *= 1.5
        damp(p, 1)
    return np.sum(p[0] * p[1] ** 2)


@tried
def added_tuples(p):
    t = p + (p[0] * p[1],) + p
    t[2][1:] *= t[4][:-1]
    return sum(np.sum(v * v * t[2]) for v in t)


X, Y = np.array([0.3, 0.7, 1.1]), np.array([0.5, -0.4, 0.9])


@pytest.mark.parametrize("f", tried, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_tuples(f):
    check_nested(f, ((X, Y),))


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_other_structures():
    def starred(*a):
        return scale(*a)

    def named(p):
        return scale(p["x"], p["y"]) * np.sum(p["x"])

    def nested(p):
        (x, y), z = p
        return scale(x, y) * np.sum(z * x)
    check_nested(starred, (X, Y))
    check_nested(named, ({"x": X, "y": Y},))
    check_nested(nested, (((X, Y), X - Y),))

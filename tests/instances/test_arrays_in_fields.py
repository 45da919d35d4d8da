"""Arrays in fields of objects that are arguments, written to in place: of an attribute, a dict, a list, a nested instance."""
import numpy as np
import pytest

import transgrad as tg

from .oracle import assert_same_state


class Inner:
    def __init__(self):
        self.v, self.count = np.array([0.5, 0.25, 0.125]), 0


class State:
    def __init__(self):
        self.u, self.table, self.rows, self.inner = np.array([1.0, 2.0, 3.0]), {"p": np.zeros(3), "q": 1.0}, [np.ones(3), np.zeros(3)], Inner()
        self.name, self.gain = "state", 2.0

    def push(self, x):
        self.u[1:] += self.gain * x[:-1]
        self.inner.count += 1


def by_slice(x, s):
    s.u[:] = x ** 2
    return np.sum(s.u * s.inner.v)


def by_operator(x, s):
    s.u += x
    s.u *= s.u
    return s.u.sum()


def in_a_dict(x, s):
    s.table["p"][:] = x
    s.table["p"][0] = x[1] ** 2
    return np.sum(s.table["p"] ** 2) * s.table["q"]


def in_a_list(x, s):
    s.rows[0][:] = x
    s.rows[1][1] = s.rows[0][2] * x[0]
    return s.rows[0].sum() * s.rows[1].sum()


def in_an_instance(x, s):
    for k in range(3):
        s.inner.v[k] = s.inner.v[k - 1] * x[k]
    return np.sum(s.inner.v)


def by_a_method(x, s):
    for _ in range(4):
        s.push(x)
    return np.sum(s.u ** 2) + s.inner.count


def on_one_path(x, s):
    if x[0] > 0:
        s.u[0] = x[1]
    return np.prod(s.u)


def replaced_then_written(x, s):
    s.u = x * 2
    s.u[0] = x[1] * x[2]
    old = s.u
    s.u = s.u * 3
    old[1] = 7.0
    return np.sum(s.u) + np.sum(old)


PROGRAMS = [by_slice, by_operator, in_a_dict, in_a_list, in_an_instance, by_a_method, on_one_path]


@pytest.mark.parametrize("f", PROGRAMS)
def test_written_in_place(f):
    x, step = np.array([0.7, 1.3, -0.4]), 1e-6
    want = [(f(x + e, State()) - f(x - e, State())) / (2 * step) for e in np.eye(3) * step]
    direction, after = np.array([0.3, -1.0, 0.5]), State()
    f(x, after)
    state = State()
    np.testing.assert_allclose(tg.grad(f, fallback="error")(x, state), want, atol=1e-7)
    assert_same_state(state, after)
    state = State()
    np.testing.assert_allclose(tg.vjp(f, x, state, fallback="error")[1](1.0)[0], want, atol=1e-7)
    derivative = tg.grad(lambda x, s: f(x, s))
    for _ in range(2):
        state = State()
        np.testing.assert_allclose(derivative(x, state), want, atol=1e-7)
        assert_same_state(state, after)
    assert tg.jvp(lambda x: f(x, State()), (x,), (direction,))[1] == pytest.approx(np.dot(want, direction))


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_arrays_that_are_one():
    state = State()
    state.inner.v = state.u
    with pytest.raises(tg.TransgradError):
        tg.grad(by_slice, fallback="error")(np.ones(3), state)
    x, step = np.array([0.7, 1.3, -0.4]), 1e-6

    def plain(x):
        state = State()
        state.inner.v = state.u
        return by_slice(x, state), state
    want = [(plain(x + e)[0] - plain(x - e)[0]) / (2 * step) for e in np.eye(3) * step]
    np.testing.assert_allclose(tg.grad(by_slice)(x, state), want, atol=1e-7)
    assert state.inner.v is state.u
    assert_same_state(state, plain(x)[1])


def test_an_array_that_has_replaced_another_one():
    with pytest.raises(tg.UnsupportedSyntax, match="is written to in place, so that it is not known which array is meant"):
        tg.grad(replaced_then_written, fallback="error")(np.ones(3), State())

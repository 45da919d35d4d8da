"""Derivatives read as a careful colleague would write them, and compute what their IR does."""
import numpy as np
import pytest

from tests.emit import derivatives
from transgrad import emit
from transgrad.ir.interp import call
from transgrad.ir.verify import verify

NEWTON = '''\
def grad_newton_sqrt(a, tol):
    """Gradient of newton_sqrt with respect to a."""
    saved_x = []
    x = a
    while abs(x * x - a) > tol:
        saved_x.append(x)
        x = 0.5 * (x + a / x)

    # return x
    x_bar = 1.0
    a_bar = 0.0
    for x in reversed(saved_x):
        # x = 0.5 * (x + a / x)
        s_bar = 0.5 * x_bar
        q_bar = s_bar / x
        a_bar += q_bar
        x_bar = s_bar - q_bar * a / x
    # x = a
    a_bar += x_bar
    return a_bar
'''

DENSE_LAYER = '''\
def grad_loss(x, w, b):
    """Gradient of loss with respect to w, b."""
    h = np.tanh(x @ w + b)

    # return np.sum(h ** 2)
    h_bar = 2.0 * h
    # h = np.tanh(x @ w + b)
    s_bar = h_bar * (1.0 - h ** 2)
    b_bar = np.sum(s_bar, axis=0)
    w_bar = x.T @ s_bar
    return w_bar, b_bar
'''

STENCIL = '''\
def grad_heat(u0, c, steps):
    """Gradient of heat with respect to u0, c."""
    u = u0.copy()
    saved_s = []
    for _ in range(steps):
        t = u[2:] - 2.0 * u[1:-1] + u[:-2]
        saved_s.append(t)
        u[1:-1] += c * t

    # return np.sum(u ** 2)
    u_bar = 2.0 * u
    c_bar = 0.0
    for s in reversed(saved_s):
        # u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        c_bar += np.vdot(s, u_bar[1:-1])
        s_bar = c * u_bar[1:-1]
        u_bar[2:] += s_bar
        u_bar[1:-1] -= 2.0 * s_bar
        u_bar[:-2] += s_bar
    return u_bar, c_bar
'''

BRANCHES = '''\
def grad_huber_path(y, delta):
    """Gradient of huber_path with respect to y, delta."""
    saved_r = []
    level = 0.0
    cost = 0.0
    for i in range(len(y)):
        r = y[i] - level
        saved_r.append(r)
        if abs(r) <= delta:
            cost += 0.5 * r * r
        else:
            cost += delta * (abs(r) - 0.5 * delta)
        level += 0.3 * r

    # return cost
    y_bar = np.zeros_like(y)
    level_bar = 0.0
    delta_bar = 0.0
    for i in reversed(range(len(y))):
        r = saved_r[i]
        # level += 0.3 * r
        r_bar = 0.3 * level_bar
        if abs(r) <= delta:
            # cost += 0.5 * r * r
            r_bar += r
        else:
            # cost += delta * (abs(r) - 0.5 * delta)
            delta_bar += abs(r) - delta
            r_bar += delta * np.sign(r)
        # r = y[i] - level
        y_bar[i] += r_bar
        level_bar -= r_bar
    return y_bar, delta_bar
'''

rng = np.random.default_rng(0)
CASES = [
    (derivatives.newton, NEWTON, (7.3, 1e-14)),
    (derivatives.dense_layer, DENSE_LAYER, (rng.normal(size=(5, 3)), rng.normal(size=(3, 4)), rng.normal(size=4))),
    (derivatives.stencil, STENCIL, (rng.normal(size=30), 0.2, 25)),
    (derivatives.branches, BRANCHES, (rng.normal(size=40), 0.6)),
]


@pytest.mark.parametrize("make, text, args", CASES, ids=[c[0].__name__ for c in CASES])
def test_text_and_values(make, text, args):
    fn = make()
    verify(fn)
    module = emit.emit(fn)
    assert module.text == text
    got, expected = emit.load(module)(*args), call(fn, args)
    for g, e in zip(np.atleast_1d(got) if not isinstance(got, tuple) else got, np.atleast_1d(expected) if not isinstance(got, tuple) else expected):
        np.testing.assert_array_equal(g, e)


def test_lines_know_the_statement_they_come_from():
    module = emit.emit(derivatives.newton())
    lines = module.text.splitlines()
    for number, loc in module.locs.items():
        assert loc.file == "user.py" and not lines[number - 1].lstrip().startswith("#")
    assert module.locs[lines.index("    a_bar += x_bar") + 1].text == "x = a"

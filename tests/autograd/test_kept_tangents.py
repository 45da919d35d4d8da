"""What hooks pack keeps the tangents of that time, whatever is written to the tensor, or to what it is a view of, afterwards."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
import transgrad.autograd as ag
from transgrad.autograd import forward_ad as fw
from transgrad.autograd.graph import saved_tensors_hooks

X, T = np.array([0.3, 0.7]), np.array([1.0, -2.0])


def result(x):
    y = x.exp()
    y.mul_(2.0)
    return y


def operand(x):
    b = x * 1.0
    c = b * b
    b *= 5.0
    return c + b


def views(x):
    b = x * 1.0
    c = b[:1] * b[1:]
    b *= 5.0
    return c + b


def through_a_view(x):
    b, a = x * 1.0, x * 3.0
    a[1:] *= b[:-1]
    b -= 0.5 * a
    return a * b


def several(x):
    w, v = tg.linalg.eigh(tg.tensor(np.eye(2)) * x + 0.1)
    y = w * (v * v).sum(0) + v[0] ** 2
    w.mul_(3.0)
    return y + w


def copied_hooks():
    return saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t)


def gradient(f, x):
    with copied_hooks():
        leaf = tg.tensor(x).requires_grad_()
        return np.asarray(ag.grad(f(leaf).sum(), (leaf,))[0])


@pytest.mark.parametrize("f", (result, operand, views, through_a_view, several), ids=lambda f: f.__name__)
def test_forward_over_reverse(f):
    h = 1e-6
    want = (gradient(f, X + h * T) - gradient(f, X - h * T)) / (2 * h)
    with fw.dual_level(), copied_hooks():
        x = fw.make_dual(tg.tensor(X).requires_grad_(), tg.tensor(T))
        found = fw.unpack_dual(ag.grad(f(x).sum(), (x,), create_graph=True)[0]).tangent
    np.testing.assert_allclose(np.asarray(found.detach()), want, rtol=1e-6, atol=1e-6)


def test_numpy_code_that_writes_into_what_it_has_read():
    def drift(q):
        q["b"] -= 0.1 * q["a"]

    def loss(p):
        q = {k: v.copy() for k, v in p.items()}
        q["a"][1:] *= q["b"][:-1]
        drift(q)
        return np.sum(q["a"] * q["b"] ** 2)

    inner = tg.grad(loss)

    def curved(x, y):
        g = inner({"a": x, "b": y})
        return np.sum(g["a"] * x) + np.sum(g["b"] ** 2)

    slope = tg.grad(curved, (0, 1))
    rng = np.random.default_rng(1)
    x, y, s, t = rng.normal(size=(4, 4))
    h = 1e-5
    want = [(a - b) / (2 * h) for a, b in zip(slope(x + h * s, y + h * t), slope(x - h * s, y - h * t))]
    np.testing.assert_allclose(tg.jvp(slope, (x, y), (s, t))[1], want, rtol=1e-6, atol=1e-6)

"""A compiled function that is called with Tensors is one node of the tape."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg


def model(x, w):
    s = 0.0
    for i in range(len(x)):
        s += np.sin(x[i]) * w
    return s, x * w


def loss(x, w):
    s, y = model(x, w)
    return s * s + np.sum(y ** 2)


def _tensors() -> tuple[Any, Any]:
    return (tg.tensor([0.1, 0.2, 0.3], dtype=tg.float64, requires_grad=True), tg.tensor(2.0, dtype=tg.float64, requires_grad=True))


X, W = np.array([0.1, 0.2, 0.3]), 2.0


def test_one_node_with_the_compiled_gradient() -> None:
    x, w = _tensors()
    s, y = tg.compile(model)(x, w)
    assert s.grad_fn is y.grad_fn and s.grad_fn.name() == "CompiledBackward"
    assert [n[0].name() for n in s.grad_fn.next_functions if n[0] is not None] == ["torch::autograd::AccumulateGrad"] * 2
    (s * s + (y ** 2).sum()).backward()
    dx, dw = tg.grad(loss, (0, 1))(X, W)
    assert np.allclose(x.grad.numpy(), dx) and np.isclose(w.grad.item(), dw)


def test_higher_orders() -> None:
    x, w = _tensors()
    out = tg.compile(loss)(x, w)
    dx, dw = tg.autograd.grad(out, (x, w), create_graph=True)
    second = tg.autograd.grad(dx.sum() + dw, (x, w), create_graph=True)

    def slope(x, w):
        dx, dw = tg.grad(loss, (0, 1))(x, w)
        return np.sum(dx) + dw

    want = tg.grad(slope, (0, 1))(X, W)
    assert np.allclose(second[0].detach().numpy(), want[0]) and np.isclose(second[1].item(), want[1])
    third = tg.autograd.grad(second[1], w)[0]
    assert np.isclose(third.item(), tg.grad(lambda w: tg.grad(slope, 1)(X, w))(W))


def test_gradients_called_with_tensors() -> None:
    x, w = _tensors()
    g = tg.grad(loss)(x, w)
    assert np.allclose(g.detach().numpy(), tg.grad(loss)(X, W))
    h = tg.autograd.grad(g.sum(), x)[0]
    assert np.allclose(h.numpy(), tg.hessian(loss)(X, W).sum(axis=0))


def test_modes_and_hooks() -> None:
    x, w = _tensors()
    with tg.no_grad():
        assert not tg.compile(loss)(x, w).requires_grad
    out = tg.compile(loss)(x, w)
    seen = []
    out.grad_fn.register_hook(lambda into, of: seen.append(of[0].item()))
    x.register_hook(lambda g: 10.0 * g)
    out.backward()
    assert seen == [1.0] and np.allclose(x.grad.numpy(), 10.0 * tg.grad(loss)(X, W))
    out = tg.compile(loss)(x, w.detach())
    assert out.requires_grad


def test_forward_mode() -> None:
    from transgrad.autograd import forward_ad
    x, w = _tensors()
    with forward_ad.dual_level():
        out = tg.compile(loss)(forward_ad.make_dual(x.detach(), tg.ones(3, dtype=tg.float64)), w.detach())
        tangent = forward_ad.unpack_dual(out).tangent
    assert np.isclose(tangent.item(), np.sum(tg.grad(loss)(X, W)))


def test_arguments_changed_before_backward_are_noticed() -> None:
    x, w = _tensors()
    y = x * 1.0
    out = tg.compile(loss)(y, w)
    y.add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


def test_what_cannot_be_compiled_is_recorded_call_by_call() -> None:
    def f(x, w):
        return np.sum(eval("x") * w)

    x, w = _tensors()
    with pytest.raises(tg.UnsupportedCall):
        tg.compile(f, fallback="error")(x, w)
    out = tg.compile(f)(x, w)
    out.backward()
    assert np.allclose(x.grad.numpy(), 2.0) and np.isclose(w.grad.item(), 0.6)

"""Views and in-place operations: histories are rewritten, gradients are right, and what would be wrong is refused."""
from __future__ import annotations

import numpy as np
import pytest

from .differences import gradient_by_differences


def programs():
    """Functions of a vector of six elements, full of writes."""
    def slices(torch, x):
        y = x * 1
        y[1:3] *= x[0]
        y[4] = x[1] * 3
        return y * y

    def of_views_of_views(torch, x):
        y = (x * 2).view(2, 3)
        z = y.t()[1:]
        z.mul_(z.clone())
        y[0] += x[:3] * y[1].clone()
        return y

    def masks(torch, x):
        y = x * 2
        y[y > 1.5] *= 2
        y[[0, 2]] = x[1]
        return y * y

    def siblings(torch, x):
        y = x * 1
        a, b = y[:4], y[2:]
        a.mul_(x[5])
        return b * b + a.sum()

    def in_turn(torch, x):
        y = x.clone()
        for k in range(1, 6):
            y[k] += y[k - 1].clone() * x[k]
        return y

    def into_a_constant(torch, x):
        y = torch.zeros(3, 2, dtype=torch.float64)
        y[:, 0] = x[:3]
        y.view(-1)[3] = x[4] * x[5]
        y.diagonal().mul_(x[:2])
        return y.sin()

    def repeated(torch, x):
        y = x.expand(2, 6).clone()
        y.mul_(y.clone())
        y.transpose(0, 1)[2:].mul_(x[0])
        y.add_(x).sub_(1).exp_()
        return y
    return [slices, of_views_of_views, masks, siblings, in_turn, into_a_constant, repeated]


POINT = np.array([0.7, 0.3, -1.2, 0.9, 1.4, -0.4])
WEIGHTS = np.cos(np.arange(24.0))


def weighted(torch, program, array):
    """A number that depends on all that a program makes."""
    out = program(torch, array)
    return (out.reshape(-1) * torch.tensor(WEIGHTS[:out.numel()])).sum()


@pytest.mark.parametrize("program", programs(), ids=lambda p: p.__name__)
def test_gradients_are_those_of_differences(torch, program):
    x = torch.tensor(POINT, requires_grad=True)
    weighted(torch, program, x).backward()
    expected = gradient_by_differences(lambda a: weighted(torch, program, torch.tensor(a)).item(), POINT)
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("program", programs(), ids=lambda p: p.__name__)
def test_second_derivatives_and_forward_mode_agree_with_differences(torch, program):
    direction = np.sin(np.arange(6.0))

    def gradient(a):
        x = torch.tensor(a, requires_grad=True)
        return torch.autograd.grad(weighted(torch, program, x), x, create_graph=True)[0], x
    g, x = gradient(POINT)
    hv, = torch.autograd.grad((g * torch.tensor(direction)).sum(), x)
    expected = gradient_by_differences(lambda a: float(gradient(a)[0].detach().numpy() @ direction), POINT)
    np.testing.assert_allclose(hv.numpy(), expected, rtol=1e-6, atol=1e-7)
    forward_ad = torch.autograd.forward_ad
    with forward_ad.dual_level():
        d = forward_ad.make_dual(torch.tensor(POINT), torch.tensor(direction))
        tangent = forward_ad.unpack_dual(weighted(torch, program, d)).tangent
    np.testing.assert_allclose(tangent.item(), g.detach().numpy() @ direction, rtol=1e-12)


def test_a_write_to_the_base_is_seen_by_the_view_when_it_is_next_asked(torch):
    x = torch.ones(4, requires_grad=True)
    y = x * 1
    v = y[1:]
    before = v.grad_fn
    y.mul_(2)
    assert before.name() == "SliceBackward0"
    assert v.grad_fn.name() == "AsStridedBackward0"
    assert v.grad_fn is v.grad_fn
    assert v.grad_fn.next_functions[0][0] is y.grad_fn


def test_versions_are_shared_by_views_and_detach_but_not_by_data(torch):
    x = torch.ones(4)
    v, d, data = x[:2], x.detach(), x.data
    with torch.no_grad():
        v.add_(1)
    d.add_(1)
    assert x._version == v._version == d._version == 2
    data.add_(1)
    assert x._version == 2


def test_a_base_given_another_shape_in_place(torch):
    """A view made before looks at the same elements of it, wherever they are now."""
    def weigh(a):
        x = torch.tensor(a, requires_grad=True)
        base = (x * x).view(2, 3).clone()
        row, turned = base[0], base.t()
        base.t_()
        base.mul_(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=torch.float64))
        row.add_(x[3:])
        turned.mul_(x[0])
        return x, (base * base).sum() + row.sin().sum() + turned.exp().sum()
    x, total = weigh(POINT)
    total.backward()
    np.testing.assert_allclose(x.grad.numpy(), gradient_by_differences(lambda a: weigh(a)[1].item(), POINT), rtol=1e-6, atol=1e-6)

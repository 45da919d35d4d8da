"""Recurrent layers as one operation: derivatives of all kinds, and the same numbers where modes forbid the one operation."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as torch
from transgrad.autograd.dispatch import apply
from transgrad.autograd.functions.gates import lstm_gates, lstm_layer


def tensors(*shapes):
    rng = np.random.default_rng(0)
    return tuple(torch.tensor(rng.normal(size=s), requires_grad=True) for s in shapes)


@pytest.mark.parametrize("operation, shapes", [(lstm_gates, ((2, 12), (2, 3))), (lstm_layer, ((3, 2, 8), (2, 2), (2, 2), (8, 2)))],
                         ids=["cell", "layer"])
def test_derivatives(operation, shapes):
    given = tensors(*shapes)
    assert torch.autograd.gradcheck(lambda *a: apply(operation, *a), given, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(lambda *a: apply(operation, *a), given)


@pytest.mark.parametrize("options", [{}, {"bidirectional": True, "num_layers": 2}, {"bias": False, "batch_first": True}, {"proj_size": 2}])
def test_the_same_in_every_mode(options):
    net = torch.nn.LSTM(3, 4, **options).double()
    (x,) = tensors((5, 2, 3))
    plain = net(x)[0].detach()
    with torch.no_grad():
        unrecorded = net(x)[0]
    with torch.inference_mode():
        inferred = net(x)[0].clone()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        packed = net(x)[0].detach()
    stacked = torch.func.vmap(lambda x: net(x)[0])(torch.stack([x.detach(), x.detach() * 2]))[0]
    for other in (unrecorded, inferred, packed, stacked):
        assert torch.allclose(plain, other.detach(), rtol=1e-12)
    gradient = torch.func.grad(lambda x: net(x)[0].sin().sum())(x.detach())
    net(x)[0].sin().sum().backward()
    assert torch.allclose(x.grad, gradient, rtol=1e-12)

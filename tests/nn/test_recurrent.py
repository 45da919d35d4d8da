"""Recurrent layers as one operation: derivatives of all kinds, and the same numbers where modes forbid the one operation."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as torch
from transgrad.autograd.dispatch import apply
from transgrad.autograd.functions.gates import lstm_gates
from transgrad.autograd.functions.recurrent import gru_layer, lstm_layer, rnn_layer


def tensors(*shapes):
    rng = np.random.default_rng(0)
    return tuple(torch.tensor(rng.normal(size=s), requires_grad=True) for s in shapes)


@pytest.mark.parametrize("operation, shapes, constants", [
    (lstm_gates, ((2, 12), (2, 3)), ()), (lstm_layer, ((3, 2, 8), (2, 2), (2, 2), (8, 2), (8,)), ()),
    (lstm_layer, ((3, 2, 8), (2, 2), (2, 2), (8, 2)), (None,)), (gru_layer, ((3, 2, 6), (2, 2), (6, 2), (6,)), ()),
    (gru_layer, ((3, 2, 6), (2, 2), (6, 2)), (None,)), (rnn_layer, ((3, 2, 2), (2, 2), (2, 2), (2,)), ("tanh",)),
    (rnn_layer, ((3, 2, 2), (2, 2), (2, 2), (2,)), ("relu",)), (rnn_layer, ((3, 2, 2), (2, 2), (2, 2)), (None, "tanh")),
], ids=["cell", "lstm", "lstm-no-bias", "gru", "gru-no-bias", "tanh", "relu", "tanh-no-bias"])
def test_derivatives(operation, shapes, constants):
    given = tensors(*shapes)
    assert torch.autograd.gradcheck(lambda *a: apply(operation, *a, *constants), given, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(lambda *a: apply(operation, *a, *constants), given)


@pytest.mark.parametrize("kind, options", [
    ("LSTM", {}), ("LSTM", {"bidirectional": True, "num_layers": 2}), ("LSTM", {"bias": False, "batch_first": True}),
    ("LSTM", {"proj_size": 2}), ("GRU", {}), ("GRU", {"bidirectional": True, "num_layers": 2, "bias": False}), ("RNN", {}),
    ("RNN", {"nonlinearity": "relu", "bidirectional": True, "batch_first": True})])
def test_the_same_in_every_mode(kind, options):
    net = getattr(torch.nn, kind)(3, 4, **options).double()
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

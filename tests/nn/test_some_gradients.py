"""Functions of several tensors where only some require grad: the same gradients as where all do."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

import transgrad as tg

F = tg.nn.functional


def _draw(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape)


CASES = {
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (4,), w, b), _draw(3, 4), _draw(4), _draw(4)),
    "layer_norm of two dimensions": (lambda x, w, b: F.layer_norm(x, (3, 4), w, b), _draw(2, 3, 4), _draw(3, 4), _draw(3, 4)),
    "batch_norm": (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), _draw(5, 3), _draw(3), _draw(3)),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), _draw(2, 4, 3), _draw(4), _draw(4)),
    "linear": (F.linear, _draw(5, 3), _draw(2, 3), _draw(2)),
    "conv2d": (F.conv2d, _draw(1, 2, 4, 4), _draw(3, 2, 3, 3), _draw(3)),
    "lstm": (lambda x, w, v: tg.lstm(x, (tg.zeros(1, 2, 3, dtype=tg.float64),) * 2, [w, v], False, 1, 0.0, True, False, False)[0],
             _draw(4, 2, 5), _draw(12, 5), _draw(12, 3)),
    "max": (lambda x, w, b: (x * w + b).max(0)[0], _draw(3, 4), _draw(4), _draw(4)),
    "stack": (lambda *xs: tg.stack(xs), _draw(3), _draw(3) + 1, _draw(3) - 1),
}


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_any_subset(name, recorded):
    function, *arrays = CASES[name]

    def gradients(wanted):
        tensors = [tg.tensor(a).requires_grad_(flag) for a, flag in zip(arrays, wanted, strict=True)]
        y = function(*tensors)
        scale = tg.tensor(np.cos(np.arange(y.numel())).reshape(y.shape))
        found = iter(tg.autograd.grad((y * scale).sum(), [t for t in tensors if t.requires_grad], create_graph=recorded))
        return [next(found).detach().numpy() if flag else None for flag in wanted]
    full = gradients((True,) * 3)
    for wanted in itertools.product((False, True), repeat=3):
        if any(wanted):
            for flag, some, whole in zip(wanted, gradients(wanted), full, strict=True):
                if flag:
                    np.testing.assert_allclose(some, whole, rtol=1e-10, atol=1e-12)

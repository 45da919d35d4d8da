"""Profilers, emitters and anomaly detection beside everything else the tape does: they change no result."""
from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np
import pytest

import transgrad as tg


def sparse_gradients() -> tg.Tensor:
    w = tg.ones(5, 2, requires_grad=True)
    tg.embedding(w, tg.tensor([1, 1]), sparse=True).sum().backward()
    return w.grad.to_dense()


def sparse_products() -> tg.Tensor:
    values = tg.tensor([1.0, 2.0], requires_grad=True)
    (tg.sparse_coo_tensor([[0, 1], [1, 0]], values) @ tg.ones(2, 2)).sum().backward()
    return values.grad


def batches() -> tg.Tensor:
    return tg.autograd.functional.jacobian(lambda a: a**3 * 2, tg.arange(3.0), vectorize=True)


def batches_forward() -> tg.Tensor:
    return tg.autograd.functional.jacobian(lambda a: a**3 * 2, tg.arange(3.0), vectorize=True, strategy="forward-mode")


def dual_numbers() -> tg.Tensor:
    with tg.autograd.forward_ad.dual_level():
        x = tg.autograd.forward_ad.make_dual(tg.ones(2, requires_grad=True), tg.ones(2))
        return tg.autograd.forward_ad.unpack_dual(x.exp() * x).tangent


def checkpoints() -> tg.Tensor:
    x = tg.ones(2, requires_grad=True)
    for reentrant in (True, False):
        tg.utils.checkpoint.checkpoint(lambda a: a.exp().sin(), x, use_reentrant=reentrant).sum().backward()
    return x.grad


def writes_and_views() -> tg.Tensor:
    x = tg.ones(4, requires_grad=True)
    y = x * 2
    y[1:].mul_(3)
    y.t()[0] = 7.0
    (y * y).sum().backward()
    return x.grad


def packed_on_disk() -> tg.Tensor:
    x = tg.ones(3, requires_grad=True)
    with tg.autograd.graph.save_on_cpu(pin_memory=True):
        y = (x * x).exp()
    y.sum().backward()
    return x.grad


def second_derivatives() -> tg.Tensor:
    return tg.autograd.functional.hessian(lambda a: (a.sin() * a).sum(), tg.ones(2))


def inference() -> tg.Tensor:
    with tg.inference_mode():
        return (tg.ones(2) * 2).exp()


LISTENERS: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "profile": lambda: tg.autograd.profiler.profile(record_shapes=True, profile_memory=True, with_stack=True, with_flops=True),
    "anomaly": lambda: tg.autograd.set_detect_anomaly(True),
    "nvtx": lambda: tg.autograd.profiler.emit_nvtx(record_shapes=True),
    "itt": lambda: tg.autograd.profiler.emit_itt(record_shapes=True),
}
PROGRAMS = [
    sparse_gradients, sparse_products, batches, batches_forward, dual_numbers, checkpoints, writes_and_views, packed_on_disk, second_derivatives,
    inference,
]


@pytest.mark.parametrize("listener", LISTENERS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_results_are_the_same(program: Callable[[], tg.Tensor], listener: str) -> None:
    if listener in ("nvtx", "itt"):
        pytest.importorskip({"nvtx": "nvtx", "itt": "ittapi"}[listener])
    expected = program().detach().numpy()
    with LISTENERS[listener]() as listening:
        found = program().detach().numpy()
    np.testing.assert_array_equal(found, expected)
    if isinstance(listening, tg.autograd.profiler.profile):
        assert len(listening.function_events) > 0
        assert "Self CPU time total" in listening.table()

"""With the collector of cycles off, checkpoints, sparse Tensors, samples and profiles go when the last reference to them goes."""
from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator

import pytest

import transgrad as tg

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.autograd.deprecated.OldNameWarning")


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def a_checkpoint(reentrant: bool) -> tuple[object, object]:
    x = tg.ones(3, requires_grad=True)
    inner = x * 2
    y = tg.utils.checkpoint.checkpoint(lambda a: a.exp().sin(), inner, use_reentrant=reentrant)
    return y, inner.grad_fn


def a_checkpoint_that_ran() -> tuple[object, object]:
    y, node = a_checkpoint(False)
    y.sum().backward(retain_graph=True)  # type: ignore[attr-defined]
    return y, node


def a_sparse_leaf_with_hooks() -> tuple[object, object]:
    s = tg.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], requires_grad=True)
    s.register_hook(lambda g: g * 2)
    s.register_post_accumulate_grad_hook(lambda leaf: None)
    s.to_dense().sum().backward()
    return s, s._stored


def a_sparse_gradient() -> tuple[object, object]:
    w = tg.ones(3, 2, requires_grad=True)
    out = tg.embedding(w * 1, tg.tensor([1]), sparse=True)
    out.sum().backward(retain_graph=True)
    return out, out.grad_fn


def a_rewarded_sample() -> tuple[object, object]:
    p = tg.full((3,), 0.5, requires_grad=True) * 1
    sample = p.bernoulli()
    sample.reinforce(1.0)
    return sample, p.grad_fn


def a_graph_made_under_anomaly_detection() -> tuple[object, object]:
    with tg.autograd.set_detect_anomaly(True):
        y = tg.ones(3, requires_grad=True) * 2
        return y.exp(), y.grad_fn


@pytest.mark.parametrize("make", [
    lambda: a_checkpoint(True), lambda: a_checkpoint(False), a_checkpoint_that_ran, a_sparse_leaf_with_hooks, a_sparse_gradient, a_rewarded_sample,
    a_graph_made_under_anomaly_detection,
])
def test_goes_with_its_last_reference(make: Callable[[], tuple[object, object]]) -> None:
    holder, held = make()
    reference = weakref.ref(held)
    del held
    assert reference() is not None
    del holder
    assert reference() is None


def test_a_profile_keeps_no_tensor() -> None:
    with tg.autograd.profiler.profile(record_shapes=True, profile_memory=True, with_stack=True) as prof:
        x = tg.ones(3, requires_grad=True)
        y = (x * 2).exp()
        y.sum().backward()
    references = [weakref.ref(x), weakref.ref(y), weakref.ref(x.grad)]
    del x, y
    assert [reference() for reference in references] == [None] * 3
    assert prof is not None and len(prof.function_events) > 0

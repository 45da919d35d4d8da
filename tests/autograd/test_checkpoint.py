"""Checkpoints: the same gradients from less memory. The same lines run on PyTorch."""
from __future__ import annotations

import gc
import weakref
from contextlib import contextmanager
from importlib import import_module

import pytest

BOTH = pytest.mark.parametrize("reentrant", [True, False])


@pytest.fixture
def checkpoint(torch):
    return import_module(f"{torch.__name__}.utils.checkpoint")


def block(a, b):
    return (a.sin() * b).exp() * a


def inputs(torch):
    return torch.linspace(0, 1, 5, dtype=torch.float64).requires_grad_(), torch.linspace(1, 2, 5, dtype=torch.float64).requires_grad_()


@BOTH
def test_gradients_are_those_without(torch, checkpoint, reentrant):
    a, b = inputs(torch)
    block(a, b).sum().backward()
    expected = a.grad, b.grad
    a.grad = b.grad = None
    checkpoint.checkpoint(block, a, b, use_reentrant=reentrant).sum().backward()
    assert torch.equal(a.grad, expected[0]) and torch.equal(b.grad, expected[1])


@BOTH
def test_the_function_runs_twice_and_keeps_nothing(torch, checkpoint, reentrant):
    runs, kept = [], []

    def counted(a):
        runs.append(torch.is_grad_enabled())
        inner = a.exp()
        kept.append(weakref.ref(inner))
        return inner.sin()

    a, _ = inputs(torch)
    y = checkpoint.checkpoint(counted, a, use_reentrant=reentrant)
    gc.collect()
    assert kept[0]() is None
    y.sum().backward()
    assert runs == [not reentrant, True]


@BOTH
def test_arguments_of_any_kind(torch, checkpoint, reentrant):
    a, b = inputs(torch)
    y, word, nothing = checkpoint.checkpoint(lambda a, k, b, c: (a * k + b, "word", c), a, 3, b, None, use_reentrant=reentrant)
    assert (word, nothing) == ("word", None)
    y.sum().backward()
    assert a.grad.tolist() == [3.0] * 5 and b.grad.tolist() == [1.0] * 5


@BOTH
def test_an_argument_that_needs_no_gradient(torch, checkpoint, reentrant):
    a, b = inputs(torch)
    checkpoint.checkpoint(block, a, b.detach(), use_reentrant=reentrant).sum().backward()
    assert a.grad is not None and b.grad is None


@BOTH
def test_random_numbers_are_drawn_again_the_same(torch, checkpoint, reentrant):
    def drop(a, masks):
        masks.append(torch.rand(5, dtype=torch.float64))
        return a * masks[-1]

    a, _ = inputs(torch)
    masks = []
    torch.manual_seed(0)
    y = checkpoint.checkpoint(drop, a, masks, use_reentrant=reentrant)
    after = torch.rand(3)
    y.sum().backward()
    following = torch.rand(3)
    assert torch.equal(masks[0], masks[1]) and torch.equal(a.grad, masks[0])
    torch.manual_seed(0)
    torch.rand(5, dtype=torch.float64)
    assert torch.equal(after, torch.rand(3)) and torch.equal(following, torch.rand(3))       # backward took none of the stream
    masks.clear()
    y = checkpoint.checkpoint(drop, a, masks, use_reentrant=reentrant, preserve_rng_state=False)
    y.sum().backward()
    assert not torch.equal(masks[0], masks[1])


@BOTH
def test_backward_twice(torch, checkpoint, reentrant):
    a, b = inputs(torch)
    y = checkpoint.checkpoint(block, a, b, use_reentrant=reentrant).sum()
    y.backward(retain_graph=True)
    once = a.grad.clone()
    y.backward()
    assert torch.allclose(a.grad, 2 * once)
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        y.backward()


@BOTH
def test_nested(torch, checkpoint, reentrant):
    def outer(a, b):
        return checkpoint.checkpoint(block, a.cos(), b, use_reentrant=reentrant).sin()

    a, b = inputs(torch)
    outer(a, b).sum().backward()
    expected = a.grad.clone(), b.grad.clone()
    a.grad = b.grad = None
    checkpoint.checkpoint(outer, a, b, use_reentrant=reentrant).sum().backward()
    assert torch.allclose(a.grad, expected[0]) and torch.allclose(b.grad, expected[1])


@BOTH
def test_an_input_that_is_written_to(torch, checkpoint, reentrant):
    a, b = inputs(torch)
    c = a * 1.0
    y = checkpoint.checkpoint(block, c, b, use_reentrant=reentrant)
    with torch.no_grad():
        c.add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@BOTH
def test_sequential(torch, checkpoint, reentrant):
    functions = [torch.sin, torch.exp, lambda t: t * 2, torch.cos, torch.tanh]
    for segments in (1, 2, 5):
        a, b = inputs(torch)
        y = checkpoint.checkpoint_sequential(functions, segments, a, use_reentrant=reentrant)
        y.sum().backward()
        z = b = a.detach().requires_grad_()
        for function in functions:
            z = function(z)
        z.sum().backward()
        assert torch.equal(y, z) and torch.allclose(a.grad, b.grad)
    with pytest.raises(ValueError):
        checkpoint.checkpoint_sequential(functions, 6, a, use_reentrant=reentrant)
    with pytest.raises(ValueError, match="Unexpected keyword arguments: colour"):
        checkpoint.checkpoint_sequential(functions, 2, a, use_reentrant=reentrant, colour=1)


def test_not_saying_which_warns(torch, checkpoint):
    a, b = inputs(torch)
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        y = checkpoint.checkpoint(block, a, b)
    assert y.grad_fn.name() == "CheckpointFunctionBackward"
    with pytest.warns(UserWarning, match="use_reentrant"):
        checkpoint.checkpoint_sequential([torch.sin, torch.exp], 1, a)


def test_limits_of_the_reentrant_one(torch, checkpoint):
    a, b = inputs(torch)
    y = checkpoint.checkpoint(block, a, b, use_reentrant=True)
    with pytest.raises(RuntimeError, match=r"incompatible with .grad\(\) or passing an `inputs` parameter"):
        torch.autograd.grad(y.sum(), a)
    y = checkpoint.checkpoint(block, a, b, use_reentrant=True)
    with pytest.raises(RuntimeError, match="incompatible with"):
        y.sum().backward(inputs=[a])
    with pytest.raises(ValueError, match="Unexpected keyword arguments: b"):
        checkpoint.checkpoint(block, a, b=b, use_reentrant=True)
    with pytest.raises(ValueError, match="only supported when use_reentrant=False"):
        checkpoint.checkpoint(block, a, b, use_reentrant=True, debug=True)
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        assert not checkpoint.checkpoint(block, a.detach(), b.detach(), use_reentrant=True).requires_grad
    y = checkpoint.checkpoint(lambda a: a.detach() * 2, a, use_reentrant=True)
    with pytest.raises(RuntimeError, match="none of output has requires_grad=True"):
        y.sum().backward()


def test_the_other_one_differentiates_in_every_way(torch, checkpoint):
    a, b = inputs(torch)
    y = checkpoint.checkpoint(lambda a, *, b: block(a, b), a, b=b, use_reentrant=False)
    assert y.grad_fn.name() == "MulBackward0"
    gradient, = torch.autograd.grad(y.sum(), a, create_graph=True)
    second, = torch.autograd.grad(gradient.sum(), a)
    first, = torch.autograd.grad(block(a, b).sum(), a, create_graph=True)
    assert torch.allclose(gradient, first)
    assert torch.allclose(second, torch.autograd.grad(first.sum(), a)[0])
    checkpoint.checkpoint(block, a, b, use_reentrant=False).sum().backward(inputs=[b])
    assert a.grad is None and b.grad is not None


def test_tensors_in_containers_and_closures(torch, checkpoint):
    a, b = inputs(torch)
    y = checkpoint.checkpoint(lambda pair: block(pair["a"], b) + pair["more"][0], {"a": a, "more": [b]}, use_reentrant=False)
    y.sum().backward()
    expected = torch.autograd.grad((block(a, b) + b).sum(), (a, b))
    assert torch.allclose(a.grad, expected[0]) and torch.allclose(b.grad, expected[1])


def test_recomputation_stops_early(torch, checkpoint):
    runs = []

    def long(a):
        y = a.exp()
        y = y * y
        runs.append("saved all")
        return y + 1

    a, _ = inputs(torch)
    checkpoint.checkpoint(long, a, use_reentrant=False).sum().backward()
    assert len(runs) == 1
    checkpoint.checkpoint(long, a, use_reentrant=False, early_stop=False).sum().backward()
    assert len(runs) == 3
    with checkpoint.set_checkpoint_early_stop(False):
        y = checkpoint.checkpoint(long, a, use_reentrant=False)
    y.sum().backward()
    assert len(runs) == 5


def test_another_number_of_tensors(torch, checkpoint):
    runs = []

    def fickle(a):
        runs.append(1)
        return a.exp().sin() if len(runs) == 1 else a.exp()

    a, _ = inputs(torch)
    y = checkpoint.checkpoint(fickle, a, use_reentrant=False)
    with pytest.raises(checkpoint.CheckpointError, match="A different number of tensors was saved during the original forward and recomputation"):
        y.sum().backward()
    assert issubclass(checkpoint.CheckpointError, RuntimeError)


def test_more_tensors_than_before(torch, checkpoint):
    runs = []

    def fickle(a):
        runs.append(1)
        return a.exp() if len(runs) == 1 else a.exp().sin()

    a, _ = inputs(torch)
    y = checkpoint.checkpoint(fickle, a, use_reentrant=False, early_stop=False)
    with pytest.raises(checkpoint.CheckpointError, match="trying to save more tensors during recomputation"):
        y.sum().backward()


def test_another_shape(torch, checkpoint):
    runs = []

    def fickle(a):
        runs.append(1)
        return (a if len(runs) == 1 else a[:2]).exp().sum()

    a, _ = inputs(torch)
    y = checkpoint.checkpoint(fickle, a, use_reentrant=False)
    with pytest.raises(checkpoint.CheckpointError, match=r"(?s)different metadata than during the forward pass.*position 0.*saved metadata"):
        y.backward()
    with pytest.raises(ValueError, match="determinism_check should be one of"):
        checkpoint.checkpoint(fickle, a, use_reentrant=False, determinism_check="strict").backward()
    runs.clear()
    same = checkpoint.checkpoint(lambda a: (runs.append(1), (a * len(runs)).exp().sum())[1], a, use_reentrant=False, determinism_check="none")
    same.backward()


def test_debug_lists_operations(torch, checkpoint):
    if torch.__name__ == "torch":
        pytest.skip("PyTorch needs a C++ toolchain to list them")
    runs = []

    def fickle(a):
        runs.append(1)
        return a.exp().sin() if len(runs) == 1 else a.exp()

    a, _ = inputs(torch)
    y = checkpoint.checkpoint(fickle, a, use_reentrant=False, debug=True)
    with pytest.raises(checkpoint.CheckpointError, match=r"(?s)during the forward:\naten::exp.*aten::sin.*during the recomputation:\naten::exp"):
        y.sum().backward()
    runs.clear()
    with checkpoint.set_checkpoint_debug_enabled(True):
        y = checkpoint.checkpoint(fickle, a, use_reentrant=False)
    with pytest.raises(checkpoint.CheckpointError, match="Operations executed"):
        y.sum().backward()


def test_context_managers_of_both_runs(torch, checkpoint):
    entered = []

    @contextmanager
    def noting(name):
        entered.append(name)
        yield
        entered.append(f"end of {name}")

    a, b = inputs(torch)
    y = checkpoint.checkpoint(block, a, b, use_reentrant=False, context_fn=lambda: (noting("forward"), noting("recomputation")))
    assert entered == ["forward", "end of forward"]
    y.sum().backward()
    assert "recomputation" in entered


def test_outside_grad_mode(torch, checkpoint):
    a, b = inputs(torch)
    with torch.no_grad():
        for reentrant in (True, False):
            assert not checkpoint.checkpoint(block, a, b, use_reentrant=reentrant).requires_grad


def test_gradcheck(torch, checkpoint):
    a, b = inputs(torch)
    assert torch.autograd.gradcheck(lambda a, b: checkpoint.checkpoint(block, a, b, use_reentrant=False), (a, b))
    assert torch.autograd.gradgradcheck(lambda a, b: checkpoint.checkpoint(block, a, b, use_reentrant=False), (a, b))


def test_a_tensor_in_a_container_that_is_written_to():
    """PyTorch computes again with the new numbers, which gives a wrong gradient; here it is refused."""
    import transgrad as torch
    a, b = inputs(torch)
    c = a * 1.0
    y = torch.utils.checkpoint.checkpoint(lambda pair: block(*pair), [c, b], use_reentrant=False)
    with torch.no_grad():
        c.add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()

"""What keeps what alive: nothing leaks where the collector is off, and backward frees as it goes; chains may be very long."""
from __future__ import annotations

import gc
import time
import tracemalloc
import weakref

import numpy as np
import pytest

import transgrad as torch


@pytest.fixture
def uncollected():
    """The garbage collector is off: only what nothing refers to is freed."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def graphs():
    """Programs that make a graph of some kind."""
    def saved_inputs(x):
        return (x * x).pow(2).sin()

    def saved_results(x):
        return x.exp().tanh().sqrt().sigmoid()

    def written_in_place(x):
        y = x * 2
        y.sin_().mul_(x)
        y[0] = x[1]
        return y

    def views(x):
        y = (x * 1).view(2, 2)
        v = y[0]
        y.mul_(2)
        v.add_(1)
        return v + y.t()[1]

    def of_lists(x):
        return torch.cat([x, x * 2]).reshape(2, 4).sort(1)[0]

    def of_a_function(x):
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a):
                y = a ** 3
                ctx.save_for_backward(a, y)
                return y

            @staticmethod
            def backward(ctx, g):
                a, _ = ctx.saved_tensors
                return 3 * a * a * g
        return Cube.apply(x * 1)

    def hooked(x):
        y = x * x
        y.register_hook(lambda g: g * 2)
        y.retain_grad()
        y.grad_fn.register_hook(lambda i, o: None)
        return y * y

    def packed(x):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
            return (x * x).exp()
    return [saved_inputs, saved_results, written_in_place, views, of_lists, of_a_function, hooked, packed]


@pytest.mark.parametrize("program", graphs(), ids=lambda p: p.__name__)
@pytest.mark.parametrize("end", ["dropped", "backward", "create_graph"])
def test_no_cycle_keeps_a_graph_alive(uncollected, program, end):
    x = torch.ones(4, requires_grad=True)
    y = program(x)
    node, tensor, array = weakref.ref(y.grad_fn), weakref.ref(y), weakref.ref(y._array)
    first = weakref.ref(y.grad_fn.next_functions[0][0])
    if end == "backward":
        y.sum().backward()
    elif end == "create_graph":
        g, = torch.autograd.grad(y.sum(), x, create_graph=True)
        if g.requires_grad:
            g.sum().backward()
        del g
    x.grad = None
    del y, x
    assert node() is None and tensor() is None and array() is None and first() is None


def test_an_input_is_saved_as_the_object_it_is_and_a_result_is_not():
    x = torch.ones(2, requires_grad=True)
    assert x.pow(2).grad_fn._saved_self is x
    y = x.exp()
    assert y.grad_fn._saved_result is not y
    assert y.grad_fn._saved_result.grad_fn is y.grad_fn


def test_backward_frees_what_was_saved_as_it_goes():
    x = torch.ones(1 << 17, dtype=torch.float64, requires_grad=True)

    def run(keep):
        y = x
        for _ in range(20):
            y = y.sin()
        y = y.sum()
        tracemalloc.start()
        y.backward(retain_graph=keep)
        held, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        x.grad = None
        return held, most
    held, most = run(False)
    assert most < 4 * x.nbytes      # a gradient, the next one, and the sine between them
    assert held < 1.1 * x.nbytes    # .grad


def test_saved_arrays_die_with_backward():
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    z = y.exp() * y
    array = z.grad_fn.next_functions[0][0]._saved_result.numpy(force=True)
    saved = weakref.ref(array)
    del y, array
    total = z.sum()
    del z
    assert saved() is not None
    total.backward()
    assert saved() is None


def chain(length):
    """A chain of operations, and how long backward and its destruction take."""
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    y = x
    for _ in range(length):
        y = y * 1.0
    y = y.sum()
    start = time.perf_counter()
    y.backward()
    del y
    return x.grad, time.perf_counter() - start


def test_a_million_nodes_neither_recurse_nor_slow_down(uncollected):
    grad, short = chain(20_000)
    many, long = chain(1_000_000)
    np.testing.assert_array_equal(grad.numpy(), np.ones(2))
    np.testing.assert_array_equal(many.numpy(), np.ones(2))
    assert long < 50 * 5 * short


def test_a_long_chain_is_destroyed_without_backward(uncollected):
    y = torch.ones(2, requires_grad=True)
    for _ in range(300_000):
        y = y + 1
    del y

"""The fast path of element-wise operations gives what the general one gives: values, dtypes, gradients and nodes."""
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transgrad as torch
from transgrad.autograd.fast import binary, unary
from transgrad.autograd.record import promoted

UNARY = [np.exp, np.sin, np.tanh, np.sqrt, np.log, np.negative, np.absolute, np.square, np.reciprocal, np.arctan]
BINARY = [np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, np.hypot, np.arctan2]
SHAPES = [(), (3,), (2, 3), (1, 3), (0,)]


def operands():
    """A Tensor of some shape and dtype that may require grad, or a number."""
    tensors = st.tuples(st.sampled_from(SHAPES), st.sampled_from(["float64", "float32", "int64"]), st.booleans(), st.integers(0, 9))
    return st.one_of(tensors, st.sampled_from([2, 0.5, 3.0, 0]))


def made(what):
    """The operand as described: the same each time."""
    if not isinstance(what, tuple):
        return what
    shape, dtype, requires_grad, seed = what
    array = (np.random.default_rng(seed).uniform(0.5, 2.0, shape) * 2).astype(dtype)
    return torch.tensor(array, requires_grad=requires_grad and dtype != "int64")


def seen(run, given):
    """Result, node and gradients of an operation; or its error."""
    args = [made(g) for g in given]
    try:
        with np.errstate(all="ignore"):
            out = run(*args)
            if out.requires_grad:
                (out * out).sum().backward()
    except (TypeError, ValueError, RuntimeError) as error:
        return type(error)
    grads = [a.grad.numpy() if isinstance(a, torch.Tensor) and a.grad is not None else None for a in args]
    return [out.detach().numpy(), out.dtype, out.shape, type(out.grad_fn).__name__, *grads]


def same(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return np.array_equal(a, b, equal_nan=True) and a.dtype == b.dtype if isinstance(a, np.ndarray) else a == b


@pytest.mark.parametrize("fn", UNARY, ids=lambda f: f.__name__)
@given(what=operands().filter(lambda w: isinstance(w, tuple)))
@settings(max_examples=20, deadline=None)
def test_one_operand(fn, what):
    assert same(seen(unary(fn), [what]), seen(lambda x: promoted(fn, x, floating=True), [what]))


@pytest.mark.parametrize("fn", BINARY, ids=lambda f: f.__name__)
@given(a=operands(), b=operands())
@settings(max_examples=60, deadline=None)
def test_two_operands(fn, a, b):
    if isinstance(a, tuple) or isinstance(b, tuple):
        floating = fn is np.divide
        assert same(seen(binary(fn, floating=floating), [a, b]), seen(lambda x, y: promoted(fn, x, y, floating=floating), [a, b]))

"""What a node saves follows from the text of its rule: values, shapes alone, or nothing."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as torch
from transgrad.autograd import reads
from transgrad.autograd.reads import DtypeOf, read_by
from transgrad.rules import lookup

FLOAT, COMPLEX = DtypeOf(np.dtype(float)), DtypeOf(np.dtype(complex))


@pytest.mark.parametrize("fn, wanted, known, expected", [
    (np.multiply, (True, True), {}, {"a", "b"}),
    (np.multiply, (True, False), {}, {"b"}),
    (np.add, (True, True), {}, set()),
    (np.exp, (True,), {}, {"y"}),
    (np.sin, (True,), {}, {"x"}),
    (np.reshape, (True,), {}, set()),
    (np.sum, (True,), {}, set()),
    (np.absolute, (True,), {"a": FLOAT}, {"a"}),
    (np.absolute, (True,), {"a": COMPLEX}, {"a", "y"}),
    (np.power, (True, False), {"x": FLOAT, "n": 2}, {"x"}),
    (np.power, (True, False), {"x": FLOAT, "n": 0.5}, {"y"}),
])
def test_values_that_a_text_reads(fn, wanted, known, expected):
    rule = lookup(fn)
    assert read_by(rule.vjp, wanted, known) & {"a", "b", "x", "y"} == expected


def test_a_test_on_more_than_dtypes_is_not_decided():
    """The number of dimensions of an argument is not known when the text is read, so both branches may run."""
    def text(g, y, a, b):
        return g * b if np.ndim(a) > 1 else g * a
    assert read_by(text, (True, False), {"a": FLOAT, "b": FLOAT}) == {"a", "b"}


def test_an_exponent_decides_and_a_factor_does_not():
    assert "n" in reads.tested_by(lookup(np.power).vjp)
    assert not {"a", "b"} & reads.tested_by(lookup(np.multiply).vjp)


@pytest.mark.parametrize("make, packed", [
    (lambda x, w: x * 2.0, 0), (lambda x, w: x * torch.ones(3), 1), (lambda x, w: x * w, 2), (lambda x, w: x + w, 0),
    (lambda x, w: x.exp(), 1), (lambda x, w: x ** 2, 1), (lambda x, w: x.sum(), 0), (lambda x, w: x.view(3, 1), 0),
    (lambda x, w: torch.cat([x, w]), 0), (lambda x, w: x / w, 2),
])
def test_how_many_tensors_are_packed(make, packed):
    seen = []
    x, w = (torch.ones(3, requires_grad=True) for _ in range(2))
    with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t) or t, lambda t: t):
        make(x, w)
    assert len(seen) == packed


def test_an_array_that_is_written_to_after_it_was_used_does_no_harm():
    """A plain array keeps no version: what is saved of it is a copy."""
    x, plain = torch.ones(3, dtype=torch.float64, requires_grad=True), np.array([1.0, 2.0, 3.0])
    y = (x * plain).sum()
    plain[:] = 0
    y.backward()
    np.testing.assert_array_equal(x.grad.numpy(), [1.0, 2.0, 3.0])

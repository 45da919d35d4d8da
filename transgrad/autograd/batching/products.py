"""Products of matrices and vectors, and what linear algebra does with the last two dimensions."""
from __future__ import annotations

from typing import Any

import numpy as np

from .call import Call, ndim_of
from .loop import loop

__all__ = ["dot", "einsum", "leading", "matmul", "outer", "plus_product", "solve"]


def leading(call: Call) -> Any:
    """A function of one Tensor that leaves any dimensions in front alone."""
    if not call.mapped(call.args[0]) or call.any_mapped([call.args[1:], call.kwargs]):
        return loop(call)
    return call.run(call.fn, call.args[0].physical, *call.args[1:], **call.kwargs)


def matmul(call: Call) -> Any:
    a, b = call.args
    most = max(a.ndim, b.ndim, 2)
    left = _with_axis(call, a, -2, most) if a.ndim == 1 else call.aligned(a, most)
    right = _with_axis(call, b, -1, most) if b.ndim == 1 else call.aligned(b, most)
    product = call.run(np.matmul, left, right)
    gone = tuple(axis for axis, x in ((-2, a), (-1, b)) if x.ndim == 1)
    return call.run(np.squeeze, product, gone) if gone else product


def _with_axis(call: Call, x: Any, axis: int, most: int) -> Any:
    """A vector as a matrix with one row or column."""
    if not call.mapped(x):
        return call.run(np.expand_dims, x, axis)
    matrix = call.run(np.expand_dims, x.physical, axis)
    return call.run(np.reshape, matrix, (call.level.size, *(1,) * (most - 2), *matrix.shape[1:]))


def dot(call: Call) -> Any:
    """As `matmul` for vectors and matrices, which is what there mostly is."""
    a, b = call.args
    return matmul(call) if 1 <= ndim_of(a) <= 2 and 1 <= ndim_of(b) <= 2 else loop(call)


def outer(call: Call) -> Any:
    a, b = call.args
    if ndim_of(a) != 1 or ndim_of(b) != 1:
        return loop(call)
    column = call.run(np.expand_dims, a.physical if call.mapped(a) else a, -1)
    row = call.run(np.expand_dims, b.physical if call.mapped(b) else b, -2)
    return call.run(np.multiply, column, row)


def einsum(call: Call) -> Any:
    """One more index, of the batch, on every operand that has it and on the result."""
    text, *operands = call.args
    if not isinstance(text, str) or call.kwargs:
        return loop(call)
    text = text.replace(" ", "")
    letter = next(c for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in text)
    inputs, arrow, result = text.partition("->")
    terms = [letter + term if call.mapped(x) else term for term, x in zip(inputs.split(","), operands)]
    if not arrow:       # what appears once, in alphabetical order
        once = sorted(c for c in set(inputs) - set(",.") if inputs.count(c) == 1)
        result = ("..." if "..." in inputs else "") + "".join(once)
    return call.run(np.einsum, f"{','.join(terms)}->{letter}{result}", *[x.physical if call.mapped(x) else x for x in operands])


def plus_product(call: Call) -> Any:
    """``beta * self + alpha * mat1 @ mat2``."""
    if call.any_mapped([call.args[3:], call.kwargs]):
        return loop(call)
    most = max(2, *(ndim_of(x) for x in call.args[:3]))
    return call.run(call.fn, *(call.aligned(x, most) for x in call.args[:3]), *call.args[3:], **call.kwargs)


def solve(call: Call) -> Any:
    a, b = call.args
    if a.ndim != 2 or b.ndim > 2:
        return loop(call)
    matrix = call.aligned(a, 2)
    if b.ndim == 2:
        return call.run(call.fn, matrix, call.aligned(b, 2))
    columns = call.run(np.expand_dims, b.physical if call.mapped(b) else b, -1)
    return call.run(np.squeeze, call.run(call.fn, matrix, columns), -1)

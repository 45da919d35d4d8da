"""`gradcheck` at sparse Tensors: the function is checked as one of the values they store."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .tensor import SparseTensor

__all__ = ["as_sparse_gradcheck", "of_stored_values", "refuse_sparse"]


def of_stored_values(func: Callable[..., Any], inputs: tuple[Any, ...], masked: bool) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function of dense Tensors, and where to check it.

    Raises
    ------
    ValueError
        If a sparse input does not store every place and `masked` is not set: its gradient is not that of a dense one.
    """
    if not any(isinstance(x, SparseTensor) for x in inputs):
        return func, inputs
    whole = [x.coalesce() if isinstance(x, SparseTensor) else x for x in inputs]
    if not masked and any(isinstance(x, SparseTensor) and x._stored.numel() < x.numel() for x in whole):
        raise ValueError("gradcheck expects all tensor inputs are dense when masked is set to False: masked=True varies stored values only")

    def of_values(*values: Any) -> Any:
        return func(*[x._like(v) if isinstance(x, SparseTensor) else v for x, v in zip(whole, values, strict=True)])

    return of_values, tuple(_dense(x) for x in whole)


def _dense(x: Any) -> Any:
    return x._stored.detach().clone().requires_grad_(x.requires_grad) if isinstance(x, SparseTensor) else x


def refuse_sparse(outputs: Sequence[Any]) -> None:
    """ValueError for a sparse output, whose Jacobian cannot be compared."""
    if any(isinstance(y, SparseTensor) for y in outputs):
        raise ValueError("Sparse output is not supported at gradcheck yet. Please call to_dense() on the output of fn for gradcheck.")


def as_sparse_gradcheck(gradcheck: Callable[..., bool]) -> Callable[..., bool]:
    """A `gradcheck` that takes sparse results, which are compared as dense ones; sparse inputs it takes as it is."""
    @functools.wraps(gradcheck)
    def check(func: Callable[..., Any], inputs: Any, **options: Any) -> bool:
        def dense(*xs: Any) -> Any:
            out = func(*xs)
            one = not isinstance(out, (tuple, list))
            made = tuple(y.to_dense() if isinstance(y, SparseTensor) else y for y in ((out,) if one else out))
            return made[0] if one else made
        return gradcheck(dense, inputs, **options)
    return check

"""`vmap`: a function of single examples, applied to a batch of them at once."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import optree

from ...tree import flatten, unflatten
from ..dispatch import apply
from ..generator import DEFAULT
from ..tensor import Tensor
from ..transformed import picklable
from .levels import opened
from .values import BatchedTensor, Level, mapped_at, under

__all__ = ["vmap"]


@picklable
def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *,
         chunk_size: int | None = None) -> Callable[..., Any]:
    """Map a function over a dimension of its inputs.

    The function is called once: operations on its Tensors are carried out for the whole batch.  Gradients go through.

    Parameters
    ----------
    func : callable
        Takes Tensors, or nested tuples, lists and dicts of them, and returns such.
    in_dims : int or nested structure
        The dimension of each input that is mapped over; None for inputs that are the same for all.  A structure may stop short of that of
        the inputs: it then holds for all below.
    out_dims : int, None or nested structure
        Where the dimension goes in each output; None for outputs that do not have it.
    randomness : {"error", "different", "same"}
        What random operations in the function do: raise, draw for each example, or draw once for all.
    chunk_size : int, optional
        How many examples are computed at a time; all by default.

    Returns
    -------
    callable
        Takes the inputs with the additional dimension; keyword arguments are the same for all examples.

    Raises
    ------
    ValueError
        For dimensions that do not fit the inputs or outputs, and for outputs that are no Tensors.
    RuntimeError
        The error for operations without meaning for a batch: values of a Tensor in control flow, data-dependent shapes.

    Examples
    --------
    >>> import transgrad as tg
    >>> vmap(tg.dot)(tg.ones(2, 3), tg.ones(2, 3))
    tensor([3., 3.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size < 1:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, form, dims, size = _inputs(func, in_dims, args)
        step = chunk_size or max(size, 1)
        starts = range(0, max(size, 1), step)
        if len(starts) == 1:
            return _run(func, leaves, form, dims, size, out_dims, randomness, kwargs)
        return _in_chunks(func, leaves, form, dims, [(s, min(step, size - s)) for s in starts], out_dims, randomness, kwargs)

    return mapped


def _name(func: Callable[..., Any]) -> str:
    if isinstance(func, functools.partial):
        return f"functools.partial({_name(func.func)}, ...)"
    return getattr(func, "__name__", None) or repr(func)


def _inputs(func: Callable[..., Any], in_dims: Any, args: tuple[Any, ...]) -> tuple[list[Any], Any, list[int | None], int]:
    """The leaves of the arguments, their structure, the dimension of each that is mapped, and the size of the batch."""
    where = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(f"{where}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: "
                         f"{type(in_dims)}.")
    if not args:
        raise ValueError(f"vmap({_name(func)})(<inputs>): got no inputs. A function without inputs has nothing to be mapped over.")
    leaves, form = flatten(args)
    dims = _spread(in_dims, args)
    if dims is None:
        raise ValueError(f"{where}in_dims is not compatible with the structure of `inputs`. in_dims has structure {flatten(in_dims)[1]} "
                         f"but inputs has structure {form}.")
    for i, (leaf, dim) in enumerate(zip(leaves, dims)):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(f"{where}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None.")
        if not isinstance(leaf, Tensor):
            raise ValueError(f"{where}Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over non-Tensor "
                             f"arguments, please use None as the respective in_dim")
        if not -leaf.ndim <= dim < leaf.ndim:
            raise ValueError(f"{where}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {leaf.ndim} so "
                             f"expected in_dim to satisfy -{leaf.ndim} <= in_dim < {leaf.ndim}.")
        dims[i] = dim % leaf.ndim
    sizes = [leaf.shape[dim] for leaf, dim in zip(leaves, dims) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError(f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped "
                         f"dimension")
    return leaves, form, dims, sizes[0]


def _spread(dims: Any, tree: Any) -> list[Any] | None:
    """One entry of ``dims`` a leaf of ``tree``; None if their structures differ."""
    try:
        return list(optree.broadcast_prefix(dims, tree, none_is_leaf=True, namespace="transgrad"))
    except ValueError:
        return None


def _run(func: Callable[..., Any], leaves: Sequence[Any], form: Any, dims: Sequence[int | None], size: int, out_dims: Any,
         randomness: str, kwargs: dict[str, Any]) -> Any:
    results, out_form, _ = _outputs(func, leaves, form, dims, size, out_dims, randomness, kwargs)
    return unflatten(out_form, results)


def _outputs(func: Callable[..., Any], leaves: Sequence[Any], form: Any, dims: Sequence[int | None], size: int, out_dims: Any,
             randomness: str, kwargs: dict[str, Any]) -> tuple[list[Any], Any, list[Any]]:
    """The leaves of the function's result for the batch, their structure, and the batch dimension of each."""
    with opened(size, randomness) as level:
        given = [leaf if dim is None else BatchedTensor(leaf.movedim(dim, 0) if dim else leaf, level, (leaf, dim))
                 for leaf, dim in zip(leaves, dims)]
        returned = func(*unflatten(form, given), **kwargs)
        found, out_form = flatten(returned)
        places = _out_dims(func, out_dims, returned, out_form)
        return [_unmapped(func, leaf, dim, level) for leaf, dim in zip(found, places)], out_form, places


def _out_dims(func: Callable[..., Any], out_dims: Any, returned: Any, out_form: Any) -> list[Any]:
    if any(dim is not None and not isinstance(dim, int) for dim in flatten(out_dims)[0]):
        raise ValueError(f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
                         f"representing where in the outputs the vmapped dimension should appear.")
    places = _spread(out_dims, returned)
    if places is None and isinstance(out_dims, tuple) and len(out_dims) == 1 and isinstance(returned, Tensor):
        places = list(out_dims)
    if places is None:
        raise ValueError(f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
                         f"`outputs`. out_dims has structure {flatten(out_dims)[1]} but outputs has structure {out_form}.")
    return places


def _unmapped(func: Callable[..., Any], leaf: Any, dim: int | None, level: Level) -> Any:
    """Move the batch dimension of a result to the requested position."""
    if dim is None:
        if mapped_at(leaf, level):
            raise ValueError(f"vmap({_name(func)}, ...): `{_name(func)}` can not return a BatchedTensor when out_dim is None")
        return leaf
    if not isinstance(leaf, Tensor):
        raise ValueError(f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, got type {type(leaf)}. Did you mean to set "
                         f"out_dims= to None for output?")
    whole = under(leaf, level)
    return whole if dim == 0 else whole.movedim(0, dim)


def _in_chunks(func: Callable[..., Any], leaves: Sequence[Any], form: Any, dims: Sequence[int | None], chunks: Sequence[tuple[int, int]],
               out_dims: Any, randomness: str, kwargs: dict[str, Any]) -> Any:
    parts = []
    state = DEFAULT.get_state() if randomness == "same" else None
    for start, length in chunks:
        if state is not None:       # every chunk draws the same numbers
            DEFAULT.set_state(state)
        piece = [leaf if dim is None else leaf.narrow(dim, start, length) for leaf, dim in zip(leaves, dims)]
        found, out_form, places = _outputs(func, piece, form, dims, length, out_dims, randomness, kwargs)
        parts.append(found)
    joined = [column[0] if dim is None else apply(np.concatenate, list(column), dim) for column, dim in zip(zip(*parts), places)]
    return unflatten(out_form, joined)

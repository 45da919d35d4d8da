"""Inputs and outputs of the functional API: Tensors or tuples of Tensors, connected to the caller's graph or detached from it."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..tensor import Tensor

__all__ = ["Tensors", "call", "detached", "given_inputs", "like_given", "vector"]

Tensors = tuple[Tensor, ...]


def as_tuple(given: Any, what: str, where: str) -> tuple[Tensors, bool]:
    """The Tensors of ``given``, and whether it was a tuple; a TypeError where it holds anything else."""
    was_tuple = isinstance(given, tuple)
    found = given if was_tuple else (given,)
    for i, element in enumerate(found):
        if not isinstance(element, Tensor):
            which = f"value at index {i}" if was_tuple else f"given {what}"
            raise TypeError(f"The {what} given to {where} must be either a Tensor or a tuple of Tensors but the {which} has type "
                            f"{type(element)}.")
    return found, was_tuple


def like_given(results: Sequence[Any], was_tuple: bool) -> Any:
    """The bare result where the user gave a bare Tensor."""
    return results if was_tuple else results[0]


def _prepared(tensors: Tensors, create_graph: bool, requires_grad: bool) -> Tensors:
    return tuple(t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_(requires_grad) for t in tensors)


def given_inputs(inputs: Any, where: str, create_graph: bool) -> tuple[Tensors, bool]:
    """Copy the inputs: to new leaves, or connected to the caller's graph with ``create_graph``."""
    tensors, was_tuple = as_tuple(inputs, "inputs", where)
    return _prepared(tensors, create_graph, requires_grad=True), was_tuple


def call(func: Callable[..., Any], inputs: Tensors, where: str) -> tuple[Tensors, bool]:
    """The result of the user's function as a tuple, and whether it was one."""
    return as_tuple(func(*inputs), "outputs of the user-provided function", where)


def vector(v: Any, where: str, like: Sequence[Tensor], were_tuple: bool, create_graph: bool, otherwise: str) -> Tensors | None:
    """The vector of a product, checked against the Tensors it goes with; None, which stands for 1, only where these are one number.

    ``otherwise`` is what to say of a None that cannot stand for 1.
    """
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(otherwise)
        return None
    tensors, _ = as_tuple(v, "v", where)
    entries = _prepared(tensors, create_graph, requires_grad=False)
    if len(entries) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(entries)}." if were_tuple
                           else "The given v should contain a single Tensor.")
    for i, (entry, other) in enumerate(zip(entries, like)):
        if entry.size() != other.size():
            which = f"Entry {i} in v" if were_tuple else "v"
            raise RuntimeError(f"{which} has invalid size: should be {other.size()} but got {entry.size()}.")
    return entries


def detached(result: Any, create_graph: bool) -> Any:
    """The result, of nested tuples perhaps, without its graph unless that was asked for."""
    if create_graph:
        return result
    return result.detach() if isinstance(result, Tensor) else tuple(detached(r, False) for r in result)

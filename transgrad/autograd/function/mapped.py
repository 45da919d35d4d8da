"""What `Function.apply` does inside `vmap`: by the function's own ``vmap``, or by its other methods for the whole batch."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import optree

from ..batching.call import map_leaves
from ..batching.interpret import innermost
from ..batching.values import BatchedTensor, Level, mapped_at
from ..dispatch import apply
from ..tensor import Tensor
from .generated import generated

__all__ = ["VmapInfo", "run_mapped"]


class VmapInfo(NamedTuple):
    """What `Function.vmap` is told of the `vmap` it is in."""

    batch_size: int
    randomness: str


def run_mapped(cls: Any, args: tuple[Any, ...], separate: bool) -> Any:
    """The function on arguments of which some are mapped over."""
    if not separate:
        raise RuntimeError("In order to use an autograd.Function with vmap, it must override the setup_context staticmethod: its forward "
                           "must not take ctx.")
    overridden = cls.vmap is not cls._undefined.vmap
    if overridden and cls.generate_vmap_rule:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap "
                           f"staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid "
                           f"ambiguity.")
    if not overridden and not cls.generate_vmap_rule:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement the "
                           f"vmap staticmethod or set generate_vmap_rule=True.")
    level = innermost(args)
    assert level is not None
    return _by_its_own(cls, args, level) if overridden else generated(cls, args, level)


def _by_its_own(cls: Any, args: tuple[Any, ...], level: Level) -> Any:
    in_dims = map_leaves(lambda x: x.given[1] if mapped_at(x, level) else None, args)
    physical = map_leaves(lambda x: x.given[0] if mapped_at(x, level) else x, args)
    returned = cls.vmap(VmapInfo(level.size, level.randomness), in_dims, *physical)
    expected = ("Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible with the "
                "output. ")
    if not isinstance(returned, tuple):
        raise RuntimeError(f"{expected}Got a {type(returned)} instead")
    if len(returned) != 2:
        raise RuntimeError(f"{expected}Got {len(returned)} returns instead")
    output, out_dims = returned
    try:
        dims = optree.broadcast_prefix(out_dims, output, none_is_leaf=True)
    except ValueError as error:
        raise RuntimeError(f"The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
                           f"out_dims={out_dims} to be compatible with the structure of `output`: {error}") from error
    leaves, form = optree.tree_flatten(output, none_is_leaf=True)
    return optree.tree_unflatten(form, [_wrapped(x, dim, level) for x, dim in zip(leaves, dims)])


def _wrapped(x: Any, dim: int | None, level: Level) -> Any:
    if dim is None or not isinstance(x, Tensor):
        return x
    return BatchedTensor(apply(np.moveaxis, x, dim, 0), level)

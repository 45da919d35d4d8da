"""`vmap` on several workers: pieces of a batch, joined again."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..api import vmap as vmap_here
from .engine import Task, called, collect, require, shared

__all__ = ["vmap"]


class _Piece:
    """The vectorized function for some of the examples."""

    def __init__(self, mapped: Any):
        self.mapped = mapped
        self.__name__ = mapped.__name__

    def __call__(self, *args: Any) -> Any:
        return self.mapped(*args)


def vmap(f: Callable[..., Any], in_axes: int | None | Sequence[int | None] = 0, *, chunk_size: int | None = None, client: Any = None,
         **options: Any) -> Callable[..., Any]:
    """Return a function that runs another one for every example of a batch, in pieces on several workers.

    Parameters
    ----------
    f : callable
        The function of one example, for example a derivative.
    in_axes : int, None or tuple
        The batch axis of each argument, or None for one that all examples share.
    chunk_size : int, optional
        How many examples a task computes; by default an eighth of the examples, at least one.
    client : distributed.Client, optional
        The cluster, as for `value_and_grad`.
    **options
        As for `transgrad.vmap`.

    Returns
    -------
    callable
        A function of batches. The results have the batch along their first axis.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> def energy(x, k):
    ...     return k * np.sum(x ** 2)
    >>> tg.distributed.vmap(tg.grad(energy), in_axes=(0, None), chunk_size=2)(np.arange(6.0).reshape(3, 2), 0.5)
    array([[0., 1.],
           [2., 3.],
           [4., 5.]])
    """
    if chunk_size is not None and chunk_size < 1:
        raise ValueError(f"chunk_size is the number of examples that a task computes, not {chunk_size}")
    mapped = vmap_here(f, in_axes if in_axes is None or isinstance(in_axes, int) else tuple(in_axes), **options)
    require("dask")

    def run(*args: Any) -> Any:
        """Run the function for every example of a batch."""
        axes: Sequence[int | None] = [in_axes] * len(args) if in_axes is None or isinstance(in_axes, int) else in_axes
        if len(axes) != len(args):
            raise ValueError(f"vmap in_axes has {len(axes)} entries, but {mapped.__name__} was called with {len(args)} arguments")
        sizes = {np.shape(leaf)[axis] for x, axis in zip(args, axes) if axis is not None for leaf in tree.flatten(x)[0]}
        if len(sizes) != 1:
            raise ValueError(f"vmap of {mapped.__name__} needs arguments with as many examples each, not {sorted(sizes) or 'none'}")
        size, = sizes
        step = chunk_size or max(1, -(-size // 8))
        task = shared(Task(_Piece(mapped)), "derivative")
        given = [(x, axis, shared(x, "shared") if axis is None else None) for x, axis in zip(args, axes)]
        pieces = [called(task, mapped.__name__, *(whole if axis is None else _cut(x, axis, slice(k, k + step)) for x, axis, whole in given))
                  for k in range(0, max(size, 1), step)]
        return _joined(collect(pieces, client))
    run.__name__ = run.__qualname__ = f"distributed_{mapped.__name__}"
    return run


def _cut(x: Any, axis: int, piece: slice) -> Any:
    return tree.map_leaves(lambda leaf: np.asarray(leaf)[(slice(None),) * (axis % np.ndim(leaf)) + (piece,)], x)


def _joined(pieces: Sequence[Any]) -> Any:
    rows, forms = zip(*map(tree.flatten, pieces))
    return tree.unflatten(forms[0], [np.concatenate(column) for column in zip(*rows)])

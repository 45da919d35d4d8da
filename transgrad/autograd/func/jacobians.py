"""Whole Jacobians and Hessians, by products with all unit vectors at once."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from ...tree import flatten, unflatten
from ..batching import vmap
from ..batching.writes import UnmappedWrite
from ..tensor import Tensor
from ..transformed import picklable
from .forward import jvp, with_tangents
from .leaves import ArgNums, chosen, of_chosen, tensors
from .reverse import vjp

__all__ = ["hessian", "jacfwd", "jacrev"]


@picklable
def jacrev(func: Callable[..., Any], argnums: ArgNums = 0, *, has_aux: bool = False, chunk_size: int | None = None) -> Callable[..., Any]:
    """The Jacobian of a function of Tensors, by reverse mode.

    Parameters
    ----------
    func : callable
        Takes Tensors, or nested tuples, lists and dicts of them, and returns such.
    argnums : int or tuple of int
        The arguments to differentiate with respect to.
    has_aux : bool
        Whether the function returns a pair, of its result and something else, which is returned after the Jacobian.
    chunk_size : int, optional
        How many rows are computed at a time; all by default.

    Returns
    -------
    callable
        Its result has the structure of the function's, with that of the arguments in place of each Tensor; shapes are joined.

    Examples
    --------
    >>> import transgrad as tg
    >>> jacrev(lambda x: x ** 2)(tg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        refuse_complex(tensors(chosen(args, argnums))[0], "jacrev", "inputs")
        value, pull, *aux = vjp(of_chosen(func, args, argnums, kwargs), chosen(args, argnums), has_aux=has_aux)
        outputs, form = flatten(value)
        refuse_complex(outputs, "jacrev", "outputs")
        rows = vmap(lambda *vs: pull(unflatten(form, list(vs)))[0], chunk_size=chunk_size)(*_units(outputs))
        entries, in_form = flatten(rows)
        blocks = [unflatten(in_form, [block.reshape((*y.shape, *e.shape[1:])) for e, block in zip(entries, parts)])
                  for y, parts in zip(outputs, zip(*(_parts(e, outputs) for e in entries)))]
        found = unflatten(form, blocks)
        return (found, aux[0]) if has_aux else found
    return jacobian


@picklable
def jacfwd(func: Callable[..., Any], argnums: ArgNums = 0, has_aux: bool = False, *, randomness: str = "error") -> Callable[..., Any]:
    """The Jacobian of a function of Tensors in forward mode; cheaper than `jacrev` if there are more results than arguments.

    Parameters
    ----------
    func, argnums, has_aux
        As in `jacrev`.
    randomness : str
        As in `vmap`.

    Returns
    -------
    callable
        As `jacrev`.

    Examples
    --------
    >>> import transgrad as tg
    >>> jacfwd(lambda x: x ** 2)(tg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        points, form = tensors(chosen(args, argnums))
        refuse_complex(points, "jacfwd", "inputs")
        of = of_chosen(func, args, argnums, kwargs)
        rest: list[Any] = []

        def push(*directions: Tensor) -> Any:
            _, tangent, *aux = jvp(of, (unflatten(form, points),), (unflatten(form, list(directions)),), has_aux=has_aux)
            rest.extend(aux)
            return tangent

        with with_tangents():
            columns = vmap(push, out_dims=-1, randomness=randomness)(*_units(points))
        entries, out_form = flatten(columns)
        refuse_complex(entries, "jacfwd", "outputs")
        blocks = [unflatten(form, [part.reshape((*e.shape[:-1], *x.shape)) for x, part in zip(points, _parts(e, points,
                                                                                                             -1))]) for e in entries]
        found = unflatten(out_form, blocks)
        return (found, rest[0]) if has_aux else found
    return jacobian


@picklable
def hessian(func: Callable[..., Any], argnums: ArgNums = 0) -> Callable[..., Any]:
    """The Hessian of a function of Tensors: forward over reverse mode.

    Examples
    --------
    >>> import transgrad as tg
    >>> hessian(lambda x: (x ** 3).sum())(tg.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    by_rows, by_columns = jacfwd(jacrev(func, argnums), argnums), jacrev(jacrev(func, argnums), argnums)

    @functools.wraps(func)
    def matrix(*args: Any, **kwargs: Any) -> Any:
        try:
            return by_rows(*args, **kwargs)
        except UnmappedWrite:       # into a buffer of the function's own, which is one for all columns
            return by_columns(*args, **kwargs)
    return matrix


def refuse_complex(values: Sequence[Tensor], api: str, what: str) -> None:
    """Raise RuntimeError for a complex Tensor: these Jacobians are of real numbers."""
    for k, x in enumerate(values):
        if x.is_complex():
            raise RuntimeError(f"{api}: Expected all {what} to be real but received complex tensor at flattened input idx: {k}. "
                               "Hint: torch.autograd.functional.jacobian takes complex inputs, and jvp gives one directional derivative.")


def _units(values: Sequence[Tensor]) -> list[Tensor]:
    """The unit vectors of the space of all these Tensors together, each Tensor with a row for each of them."""
    sizes = [x.numel() for x in values]
    made = []
    for x, end in zip(values, accumulate(sizes)):
        rows = x.detach().new_zeros((sum(sizes), x.numel()))
        rows.diagonal(x.numel() - end).fill_(1)
        made.append(rows.reshape((sum(sizes), *x.shape)))
    return made


def _parts(rows: Tensor, values: Sequence[Tensor], dim: int = 0) -> Sequence[Tensor]:
    return rows.split([x.numel() for x in values], dim=dim)     # type: ignore[no-any-return]

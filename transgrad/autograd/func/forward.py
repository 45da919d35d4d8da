"""Jacobian-vector products."""
from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ...tree import flatten, unflatten
from ..forward_ad import dual_level, make_dual, unpack_dual, unpacked
from ..functions.shape import alias_of
from ..grad_mode import inference_mode
from ..state import STATE
from ..tensor import Tensor
from .leaves import tensors

__all__ = ["jvp", "linearize", "with_tangents"]


def with_tangents() -> AbstractContextManager[None]:
    """Outside of inference mode, which has none."""
    return inference_mode(False) if STATE.inference else nullcontext()


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The function's value at ``primals`` and its derivative along ``tangents``, by forward mode.

    Parameters
    ----------
    func : callable
        Takes Tensors, or nested tuples, lists and dicts of them, and returns such.
    primals, tangents : tuple
        The arguments and the direction, of the same structure.
    strict : bool
        Whether a result that does not depend on the primals is an error instead of having zeros.
    has_aux : bool
        Whether the function returns a pair, of its result and something else, which comes third.

    Returns
    -------
    tuple
        ``(value, tangent)``, alike.

    Raises
    ------
    RuntimeError
        For primals that are no tuple, tangents of another structure, and what ``strict`` refuses.

    Examples
    --------
    >>> import transgrad as tg
    >>> jvp(lambda x: x ** 2, (tg.tensor([1.0, 2.0]),), (tg.ones(2),))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    if not isinstance(primals, tuple):
        raise RuntimeError("jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    points, form = tensors(primals)
    directions, other = tensors(tangents)
    if form != other:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals and tangents to have the same python structure. For example, if "
                           f"primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {form} and tangents with "
                           f"structure {other}")
    with with_tangents(), dual_level():
        returned = func(*unflatten(form, [make_dual(x, t) for x, t in zip(points, directions)]))
        if has_aux and (not isinstance(returned, tuple) or len(returned) != 2):
            raise RuntimeError("jvp(f, primals, tangents): output of function f should be a tuple: (output, aux) if has_aux is True")
        output, aux = returned if has_aux else (returned, None)
        leaves, out_form = flatten(output)
        pairs = [_unpacked(y, strict) for y in leaves]
        rest, rest_form = flatten(aux)
        rest = [unpack_dual(t).primal if isinstance(t, Tensor) else t for t in rest]
    found = unflatten(out_form, [p for p, _ in pairs]), unflatten(out_form, [t for _, t in pairs])
    return (*found, unflatten(rest_form, rest)) if has_aux else found


def _unpacked(y: Any, strict: bool) -> tuple[Tensor, Tensor]:
    if not isinstance(y, Tensor):
        raise RuntimeError(f"jvp(f, primals, tangents): Expected f(*primals) to return only tensors, got unsupported type {type(y)}")
    primal, tangent = unpacked(y, None, alias_of)
    if tangent is None and strict:
        raise RuntimeError("jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed with "
                           "strict=True.")
    return primal, primal.new_zeros(primal.shape) if tangent is None else tangent


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The function's value at ``primals``, and the linear function from tangents to its derivative along them.

    Examples
    --------
    >>> import transgrad as tg
    >>> value, push = linearize(lambda x: x ** 2, tg.tensor([1.0, 2.0]))
    >>> push(tg.ones(2))
    tensor([2., 4.])
    """
    return func(*primals), functools.partial(_along, func, primals)


def _along(func: Callable[..., Any], primals: tuple[Any, ...], *tangents: Any) -> Any:
    return jvp(func, primals, tangents)[1]

"""Gradients and vector-Jacobian products."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...tree import flatten, unflatten
from .. import dtypes
from ..backward import grad as gradients
from ..grad_mode import enable_grad
from ..tensor import Tensor
from ..transformed import picklable
from .leaves import ArgNums, changed, chosen, of_chosen, tensors
from .tracking import Tracked, settled, tracking

__all__ = ["grad", "grad_and_value", "vjp"]


@picklable
def grad(func: Callable[..., Any], argnums: ArgNums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The gradient of a function of Tensors with one number for its result.

    Parameters
    ----------
    func : callable
        Takes Tensors, or nested tuples, lists and dicts of them, and returns a Tensor without dimensions.
    argnums : int or tuple of int
        The arguments to differentiate with respect to.
    has_aux : bool
        Whether the function returns a pair, of its result and something else.

    Returns
    -------
    callable
        Takes the arguments of ``func``; returns a gradient like the argument, or a tuple of them, and with ``has_aux`` the something else.

    Raises
    ------
    RuntimeError
        For results that are no number, and arguments that are not there.

    Examples
    --------
    >>> import transgrad as tg
    >>> grad(lambda x: (x ** 3).sum())(tg.tensor([1.0, 2.0]))
    tensor([ 3., 12.])
    """
    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (found, value[1]) if has_aux else found
    return gradient


@picklable
def grad_and_value(func: Callable[..., Any], argnums: ArgNums = 0, has_aux: bool = False) -> Callable[..., tuple[Any, Any]]:
    """As `grad`, with the value of the function after the gradient.

    Examples
    --------
    >>> import transgrad as tg
    >>> grad_and_value(lambda x: (x ** 3).sum())(tg.tensor([1.0, 2.0]))
    (tensor([ 3., 12.]), tensor(9.))
    """
    @functools.wraps(func)
    def both(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        leaves, form = tensors(chosen(args, argnums))
        tracked = Tracked(leaves)
        with tracking() as around:
            output = of_chosen(func, args, argnums, kwargs)(unflatten(form, tracked.shown))
            value, aux = _parts(output, has_aux, "grad_and_value(f)(*args)")
            _check_number(value)
            plain = tracked.lowered(value)
            keep = tracked.wanted and (around or tracked.depends_on_others([plain]))
            entries: Any = [None] * len(leaves)
            if plain.requires_grad:
                entries = gradients(plain.sum(), tracked.plain, create_graph=keep, allow_unused=True)
            found = [tracked.raised(x.new_zeros(x.shape) if g is None else settled(g, keep)) for g, x in zip(entries, tracked.plain)]
        value = settled(value, keep)
        return unflatten(form, found), (value, changed(lambda t: settled(t, keep), aux)) if has_aux else value
    return both


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The function's value at ``primals``, and the function from cotangents of it to those of the primals.

    Parameters
    ----------
    func : callable
        Takes Tensors, or nested tuples, lists and dicts of them, and returns such.
    *primals
        The point.
    has_aux : bool
        Whether the function returns a pair, of its result and something else, which comes third.

    Returns
    -------
    tuple
        ``(value, pull)``; ``pull(cotangents)`` takes cotangents in the structure of the value and returns a tuple with an entry
        for each primal. It can be called several times, also under `vmap`.

    Raises
    ------
    RuntimeError
        If a result is not a Tensor, or the cotangents do not match the results.

    Examples
    --------
    >>> import transgrad as tg
    >>> value, pull = vjp(lambda x: x ** 2, tg.tensor([1.0, 2.0]))
    >>> value, pull(tg.ones(2))
    (tensor([1., 4.]), (tensor([2., 4.]),))
    """
    leaves, form = tensors(primals)
    tracked = Tracked(leaves)
    with tracking() as around:
        value, aux = _parts(func(*unflatten(form, tracked.shown)), has_aux, "vjp(f, *primals)")
        outputs, out_form = flatten(value)
        for y in outputs:
            if not isinstance(y, Tensor):
                raise RuntimeError(f"vjp(f, *primals): Expected f(*primals) to return only tensors, got unsupported type {type(y)}")
        plain = [tracked.lowered(y) for y in outputs]
        keep = tracked.wanted and (around or tracked.depends_on_others(plain))

    def pull(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        given, given_form = flatten(cotangents)
        if given_form != out_form:
            raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                               f"cotangents: {given_form}, primal output: {out_form}")
        again = keep or any(isinstance(v, Tensor) and v.requires_grad for v in given) if create_graph is None else create_graph
        with enable_grad():
            pairs = [(y, tracked.lowered(v)) for y, v in zip(plain, given) if y.requires_grad]
            entries: Any = [None] * len(leaves)
            if pairs:
                entries = gradients([y for y, _ in pairs], tracked.plain, [v for _, v in pairs], retain_graph, again, allow_unused=True)
            found = [tracked.raised(x.new_zeros(x.shape) if g is None else g) for g, x in zip(entries, tracked.plain)]
        return unflatten(form, found)

    shown = changed(lambda y: settled(y, keep), value)
    return (shown, pull, changed(lambda t: settled(t, keep), aux)) if has_aux else (shown, pull)


def _parts(output: Any, has_aux: bool, where: str) -> tuple[Any, Any]:
    if not has_aux:
        return output, None
    if not isinstance(output, tuple) or len(output) != 2:
        raise RuntimeError(f"{where}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def _check_number(value: Any) -> None:
    if not isinstance(value, Tensor):
        raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(value)}")
    if value.ndim:
        raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {value.ndim} dims. "
                           f"Maybe you wanted to use the vjp or jacrev APIs instead?")
    if dtypes.category(value.dtype) != dtypes.FLOATING:
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {dtypes.title(value.dtype)}")

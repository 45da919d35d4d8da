"""`jet`, as the user calls it."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import tree
from ...ir import interp
from ...ir.ops import Value
from ...passes.abstract_interpretation import lift
from ...passes.abstract_interpretation.caller import GENERATORS
from ..arguments import bind, name_of
from ..at_arguments import derivative_of
from ..fallback import TapedVariant
from ..options import Options
from ..seeds import fit, is_active
from ..transformations import Forward
from .calls import Taylor
from .series import Series, refuse

__all__ = ["jet"]


def jet(f: Callable[..., Any], primals: Sequence[Any], series: Sequence[Sequence[Any]], **options: Any) -> Any:
    """Compute the derivatives of a function along a curve, to any order (Taylor mode).

    For arguments that move along a curve ``x(t)`` with given derivatives at 0, ``jet`` computes the derivatives of
    ``f(x(t))`` at 0. The IR of the function is interpreted once, on truncated Taylor polynomials. Order ``n`` costs about
    ``n**2`` times the function, while nested `jvp` costs ``2**n``. A loop over elements is slower than in generated code.

    Parameters
    ----------
    f : callable
        The function of real numbers and arrays.
    primals : tuple
        Its arguments.
    series : tuple
        For each argument a list of its derivatives ``[x', x'', ...]``, each with the structure and the shapes of the
        argument. All lists have the same length.
    **options
        ``backend`` and ``optimize``, as for `grad`.

    Returns
    -------
    out
        The value.
    series_out
        The structure of ``out`` with a list of derivatives in place of each number or array.

    Raises
    ------
    UnsupportedCall
        If a function that is called has no series. The error names it.

    References
    ----------
    A. Griewank and A. Walther, *Evaluating Derivatives*, 2nd edition, SIAM 2008, chapter 13.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> out, series = tg.jet(np.sin, (0.5,), ([1.0, 0.0, 0.0],))
    >>> bool(np.allclose(series, [np.cos(0.5), -np.sin(0.5), -np.cos(0.5)]))
    True
    """
    order = _order(f, primals, series)
    derivative = derivative_of(Forward(False), f, len(primals), Options(**{"fallback": "error", **options}))
    values = bind(f, derivative.primal_signature, primals, {})
    dots = {f"{slot.name}_dot": value for slot, value in zip(derivative.target.slots, primals) if slot.key is None}
    more = {f"{name}_dot": values[name] for name in {slot.name for slot in derivative.target.slots if slot.key is not None}}
    variant = derivative.variant({**values, **dots, **more})
    if isinstance(variant, TapedVariant):
        raise refuse(f"{name_of(f)} runs on the tape")
    taylor = Taylor(order)
    curves = [_curve(p, terms, str(slot), taylor) for p, terms, slot in zip(primals, series, derivative.target.slots)]
    bound = bind(f, derivative.primal_signature, curves, {})
    lifted = lift(variant.primal, taylor)
    given = {p.value: bound[p.name] for p in lifted.signature if isinstance(p.value, Value)}
    try:
        out = interp.rebuild(variant.primal.returns, interp.run(lifted, [given[p] for p in lifted.params]))
    except (TypeError, AttributeError) as error:
        raise refuse(f"{name_of(f)} contains operations without Taylor series ({error})") from error
    return tree.map_leaves(_value, out), tree.map_leaves(lambda leaf: _derivatives(leaf, order), out)


def _order(f: Any, primals: Any, series: Any) -> int:
    """How many derivatives are given of each argument."""
    if not isinstance(primals, (tuple, list)) or not isinstance(series, (tuple, list)) or len(primals) != len(series) or not primals:
        raise TypeError(f"jet({name_of(f)}, primals, series) takes a tuple of arguments, and a tuple with a list of derivatives for each")
    if not all(isinstance(terms, (tuple, list)) for terms in series) or len({len(terms) for terms in series}) > 1:
        raise ValueError(f"jet({name_of(f)}, primals, series) takes as many derivatives of each argument, in a list")
    return len(series[0])


def _curve(primal: Any, terms: Sequence[Any], name: str, taylor: Taylor) -> Any:
    """An argument, with a series in place of each number."""
    leaves, form = tree.flatten(primal, objects=True)
    rows = [tree.flatten(fit(term, primal, f"derivative {k} of {name}"), objects=True)[0] for k, term in enumerate(terms, 1)]
    return tree.unflatten(form, [_leaf(leaf, [row[n] for row in rows], name, taylor) for n, leaf in enumerate(leaves)])


def _leaf(leaf: Any, terms: list[Any], name: str, taylor: Taylor) -> Any:
    if isinstance(leaf, GENERATORS):
        return taylor.own(leaf)
    if not is_active(leaf):
        return leaf
    if np.iscomplexobj(leaf):
        raise TypeError(f"jet: {name} is complex; take its real and imaginary parts as two arguments")
    coefficients = [leaf, *(term / math.factorial(k) for k, term in enumerate(terms, 1))]
    return Series([_laid_out(c, leaf) if isinstance(leaf, np.ndarray) else c for c in coefficients])


def _laid_out(x: Any, like: Any) -> Any:
    """A copy that lies in memory as another array does."""
    out = np.empty_like(like, subok=False)
    out[...] = x
    return out


def _value(leaf: Any) -> Any:
    return leaf.value if isinstance(leaf, Series) else leaf


def _derivatives(leaf: Any, order: int) -> list[Any]:
    if isinstance(leaf, Series):
        return [math.factorial(k) * c for k, c in enumerate(leaf.coefficients[1:], 1)]
    return [leaf * 0 for _ in range(order)] if is_active(leaf) else [leaf] * order

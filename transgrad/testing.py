"""Checks of derivatives against finite differences: of a rule, and of a whole function (see also `transgrad.check`)."""
from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .api import grad, jacobian
from .comparison import check
from .comparison.api import differentiable
from .rules import lookup
from .runtime import fit
from .transforms.arguments import bind, signature_of

__all__ = ["check_grad", "check_rule", "numeric_grad", "numeric_jvp"]


def __dir__() -> list[str]:
    return sorted(__all__)


def _is_leaf(x: Any) -> bool:
    return isinstance(x, (float, complex)) or isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "fc"


def _leaves(x: Any) -> list[Any]:
    if isinstance(x, (list, tuple)):
        return [leaf for item in x for leaf in _leaves(item)]
    return [x] if _is_leaf(x) else []


def _map(fn: Callable[[Any], Any], x: Any) -> Any:
    """Apply ``fn`` to every differentiable leaf; other leaves become None."""
    if isinstance(x, (list, tuple)):
        items = [_map(fn, v) for v in x]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    return fn(x) if _is_leaf(x) else None


def _replace(x: Any, values: list[Any]) -> Any:
    """Return ``x`` with its leaves replaced in order."""
    if isinstance(x, (list, tuple)):
        return type(x)([_replace(v, values) for v in x])
    return values.pop(0) if _is_leaf(x) else x


def _dot(g: Any, y: Any) -> float:
    """Return the pairing of a cotangent with a value: the real part of the sum of products."""
    if isinstance(y, (list, tuple)):
        return sum((_dot(p, q) for p, q in zip(g, y) if p is not None), 0.0)
    return float(np.real(np.sum(np.asarray(g) * np.asarray(y))))


def _random_like(x: Any, rng: np.random.Generator) -> Any:
    shape = np.shape(x)
    out = rng.normal(size=shape)
    if np.iscomplexobj(x):
        out = out + 1j * rng.normal(size=shape)
    if isinstance(x, (np.ndarray, np.generic)):
        return np.asarray(out, x.dtype) if isinstance(x, np.ndarray) else x.dtype.type(out)
    return complex(out) if isinstance(x, complex) else float(out)


def _step(x: Any) -> float:
    return 1e-2 if getattr(x, "dtype", None) in (np.float32, np.complex64) else 1e-6


def numeric_grad(s: Callable[..., float], leaves: Sequence[Any]) -> list[Any]:
    """Return central differences of a real function of several arguments.

    Parameters
    ----------
    s : callable
        The function. It returns a real number.
    leaves : sequence of float, complex or ndarray
        Its arguments.

    Returns
    -------
    list of ndarray
        The derivative with respect to each argument. For a complex argument it is d/dRe - i d/dIm.

    Examples
    --------
    >>> import numpy as np
    >>> numeric_grad(lambda x: float(np.sum(x ** 2)), [np.array([1.0, 2.0])])[0].round(6)
    array([2., 4.])
    """
    out = []
    for k, x in enumerate(leaves):
        x = np.array(x)
        wide: Any = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
        grad: Any = np.zeros_like(wide)
        for i in np.ndindex(x.shape):
            for unit in (1.0, 1j) if x.dtype.kind == "c" else (1.0,):
                ends = []
                for sign in (1.0, -1.0):
                    moved: Any = wide.copy()
                    moved[i] += sign * _step(x) * unit
                    value = moved.astype(x.dtype)
                    ends.append(s(*leaves[:k], value if isinstance(leaves[k], np.ndarray) else value[()].item() if isinstance(leaves[k], (
                        float, complex)) and not isinstance(leaves[k], np.generic) else value[()], *leaves[k + 1:]))
                slope = (ends[0] - ends[1]) / (2 * _step(x))
                grad[i] += slope if unit == 1.0 else -1j * slope
        out.append(grad)
    return out


def numeric_jvp(f: Callable[..., Any], leaves: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Return the central difference of a function along tangents.

    Parameters
    ----------
    f : callable
        The function.
    leaves, tangents : sequence of float, complex or ndarray
        Its arguments, and the direction.

    Returns
    -------
    ndarray, or list of them
        The difference quotient, with the structure of the result.

    Examples
    --------
    >>> import numpy as np
    >>> numeric_jvp(np.sin, [0.0], [1.0]).round(6)
    np.float64(1.0)
    """
    eps = max(map(_step, leaves), default=1e-6)
    up, down = (f(*[_like(x + sign * eps * t, x) for x, t in zip(leaves, tangents)]) for sign in (1, -1))
    return _difference(up, down, 2 * eps)


def _like(moved: Any, x: Any) -> Any:
    """Return ``moved`` as an array if ``x`` is one; NumPy converts arrays without dimensions to numbers."""
    return np.asarray(moved, x.dtype) if isinstance(x, np.ndarray) else moved


def _difference(a: Any, b: Any, h: float) -> Any:
    if isinstance(a, (list, tuple)):
        return [_difference(p, q, h) for p, q in zip(a, b)]
    if a is None:
        return None
    a, b = np.asarray(a), np.asarray(b)
    return (a - b) / h if a.dtype.kind in "fc" else None


def _close(got: Any, want: Any, rtol: float, what: str) -> None:
    if isinstance(want, (list, tuple)):
        for k, (p, q) in enumerate(zip(got, want, strict=True)):
            if q is not None:
                _close(np.zeros_like(q) if p is None else p, q, rtol, f"{what}[{k}]")
        return
    want = np.asarray(want)
    scale = max(1.0, float(np.max(np.abs(want[np.isfinite(want)]), initial=0.0)))
    np.testing.assert_allclose(np.broadcast_to(got, want.shape), want, rtol=rtol, atol=rtol * scale, err_msg=what)


def check_rule(fn: Callable[..., Any], *args: Any, rtol: float = 2e-6, modes: Sequence[str] = ("reverse", "forward"),
               precision: bool = True, fixed: Sequence[int | str] = (), without: Sequence[int] = (), **kwargs: Any) -> None:
    """Compare the rule of a function with central differences, in reverse and forward mode.

    Every float or complex leaf of the arguments is differentiated, for a random cotangent and random tangents.

    Parameters
    ----------
    fn : callable
        A function with a rule.
    *args, **kwargs
        Its arguments.
    rtol : float, default 2e-6
        The tolerance relative to the largest derivative.
    modes : sequence of str, default ('reverse', 'forward')
        The modes to check.
    precision : bool, default True
        Whether to check that a cotangent is not wider than its argument.
    fixed : sequence of int or str
        Positions and keywords of arguments that are held constant.
    without : sequence of int
        Positions of results that are ignored.

    Raises
    ------
    AssertionError
        If the rule and the differences disagree.

    Examples
    --------
    >>> import numpy as np
    >>> check_rule(np.hypot, 3.0, np.array([1.0, -2.0]))
    """
    rule = lookup(fn)
    assert rule is not None, f"no rule for {fn}"
    bound, options = rule.bind(args, kwargs)
    rng = np.random.default_rng(len(args))

    def flat(*leaves: Any) -> Any:
        values = list(leaves)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            new = [a if k in fixed else _replace(a, values) for k, a in enumerate(args)]
            out = fn(*new, **{k: v if k in fixed else _replace(v, values) for k, v in kwargs.items()})
            return tuple(None if k in without else r for k, r in enumerate(out)) if without else out

    given = _leaves([*(a for k, a in enumerate(args) if k not in fixed), *(v for k, v in kwargs.items() if k not in fixed)])
    y = fn(*args, **kwargs)
    g = _map(lambda v: _random_like(v, rng), flat(*given))
    wanted = [bool(_leaves(a)) and k not in fixed for k, a in enumerate(bound)]
    if "reverse" in modes:
        entries = rule.pullback(g, y, bound, options, wanted)
        got = _leaves_of_entries(entries, [a if w else None for a, w in zip(bound, wanted)])
        want = numeric_grad(lambda *xs: _dot(g, flat(*xs)), given)
        assert len(got) == len(want)
        for k, (p, q, x) in enumerate(zip(got, want, given)):
            p = np.zeros_like(q) if p is None else p
            if precision and isinstance(x, np.ndarray) and np.asarray(p).dtype.itemsize > x.dtype.itemsize * (1 + (x.dtype.kind == "f")):
                raise AssertionError(f"entry {k} is {np.asarray(p).dtype} for an argument of {x.dtype}")
            _close(fit(p, x) if isinstance(x, (np.ndarray, np.generic)) else _number(p, x), q, rtol, f"{fn} reverse, leaf {k}")
    if "forward" in modes:
        tangents = [_map(lambda v: _random_like(v, rng), a) if w else None for a, w in zip(bound, wanted)]
        want = numeric_jvp(flat, given, _leaves([t for t, w in zip(tangents, wanted) if w]))
        t = rule.pushforward(y, bound, [a if w else None for a, w in zip(tangents, wanted)], options)
        if t is None:
            t = _map(np.zeros_like, flat(*given))
        _close(_real_where(t, want), want, rtol, f"{fn} forward")


def _number(p: Any, x: Any) -> Any:
    total = np.sum(p)
    return total if isinstance(x, complex) else np.real(total)


def _real_where(t: Any, like: Any) -> Any:
    if isinstance(like, (list, tuple)):
        return [None if p is None else _real_where(p, q) for p, q in zip(t, like)]
    return t if like is None or np.iscomplexobj(like) else np.real(t)


def _leaves_of_entries(entries: Any, args: Any) -> list[Any]:
    out: list[Any] = []
    for e, a in zip(entries, args):
        if isinstance(a, (list, tuple)):
            out += _leaves_of_entries(e if e is not None else [None] * len(a), a)
        elif _is_leaf(a):
            out.append(e)
    return out


def check_grad(f: Callable[..., Any], args: Any, argnums: Sequence[int] | None = None, rtol: float = 1e-5, *, order: int = 1) -> None:
    """Compare the derivatives of a function with finite differences, entry by entry, and with each other.

    Parameters
    ----------
    f : callable
        The function. It may return any structure.
    args : sequence
        Its arguments. A value that is neither a list nor a tuple is the only argument.
    argnums : sequence of int, optional
        The arguments to differentiate; by default those that hold floats and no integers.
    rtol : float
        The tolerance relative to the size of the derivative, which counts as at least 1.
    order : {1, 2}
        With 2, the second derivatives are compared as well: the first ones are differentiated again, in both modes.

    Raises
    ------
    DerivativeError
        If a derivative differs in structure, shape, dtype or value.
    NothingCompared
        If no number was compared.

    Examples
    --------
    >>> check_grad(lambda x: np.sum(x ** 2), np.array([1.0, 2.0]))
    """
    if order not in (1, 2):
        raise ValueError(f"order is 1 or 2, not {order!r}")
    given = args if isinstance(args, (list, tuple)) else (args,)
    check(f, argnums, rtol=rtol, entries=True)(*given)
    if order == 2:
        check(_first_derivative(f, given, argnums), argnums, rtol=rtol, entries=True)(*given)


def _first_derivative(f: Callable[..., Any], args: Sequence[Any], argnums: Sequence[int] | None) -> Any:
    """Return the gradient of a function that returns a number, and otherwise the Jacobian."""
    chosen = argnums
    if chosen is None:
        signature = signature_of(f)
        names = differentiable(bind(f, signature, tuple(args), {}))
        chosen = [k for k, name in enumerate(signature.parameters) if name in names]
    numbers = chosen if isinstance(chosen, int) else tuple(chosen) if len(chosen) != 1 else chosen[0]
    value = f(*copy.deepcopy(tuple(args)))
    is_number = isinstance(value, (float, np.floating)) or isinstance(value, np.ndarray) and not value.ndim
    return (grad if is_number else jacobian)(f, argnums=numbers)

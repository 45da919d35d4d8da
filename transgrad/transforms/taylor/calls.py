"""Calls with series: products by Cauchy's rule, everything else from the forward derivatives of the table of rules."""
from __future__ import annotations

import contextlib
import contextvars
import dis
import functools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ... import rules
from ...ir.effects import WRITES_FIRST, is_known_pure
from ...passes.abstract_interpretation.caller import INPLACE, Caller
from ...passes.abstract_interpretation.value import lifted_in, strip
from ...rules.forward import pushforward
from ...rules.registry import definition_of
from ...rules.static import NoDerivative
from .elementary import ELEMENTARY
from .series import Series, constant, refuse, viewed

__all__ = ["Taylor", "compute"]

_PLAIN = {operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul, operator.itruediv: operator.truediv,
          operator.ipow: operator.pow, operator.imod: operator.mod, operator.imatmul: operator.matmul}


class Taylor(Caller):
    """Computes calls with series of one order."""

    def __init__(self, order: int):
        super().__init__()
        self.order = order

    def refuse(self, what: str) -> Exception:  # type: ignore[override]
        return refuse(what)

    def array(self, x: Any, varies: bool, outside: bool = False) -> Any:
        if np.asarray(x).dtype.kind not in "fc":
            return x
        found = constant(x, self.order)
        if outside:     # a write would stay there
            for c in found.coefficients:
                c.flags.writeable = False
        return found

    def compute(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._lift(compute(fn, args, kwargs))

    def _lift(self, result: Any) -> Any:
        """What came out as a plain array may be written to."""
        if isinstance(result, np.ndarray):
            return self.array(result, True)
        return type(result)(map(self._lift, result)) if type(result) in (list, tuple) else result

    def update(self, base: Any, index: Any, value: Any, op: Callable[..., Any]) -> None:
        base[index]     # an index that does not fit is an error as ever
        compute(operator.setitem, (base, index, compute(_PLAIN.get(op, op), (base[index], value), {})), {})


def part(x: Any, k: int) -> Any:
    """The coefficient of a power, inside containers; constants have only the first."""
    if isinstance(x, Series):
        return x.coefficients[k]
    if isinstance(x, (list, tuple)):
        return type(x)(part(i, k) for i in x)
    return x if k == 0 else np.zeros_like(x)[()]


def _tangent(x: Any, of: Callable[[Series], Any]) -> Any:
    """Of each series in an argument something, None for the rest."""
    if isinstance(x, Series):
        return of(x)
    if isinstance(x, (list, tuple)) and any(True for _ in lifted_in(x)):
        return type(x)(_tangent(i, of) for i in x)
    return None


def _each(x: Any, of: Callable[[Series], Any]) -> Any:
    """An argument, with something in place of each series."""
    if isinstance(x, Series):
        return of(x)
    return type(x)(_each(i, of) for i in x) if type(x) in (list, tuple) else x


def compute(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call with series among its arguments, as far as the shortest of them goes."""
    order = min(s.order for s in lifted_in((args, kwargs)))
    args = tuple(_each(list(args), lambda s: s.cut(order) if s.order > order else s))
    if fn is operator.setitem:
        return _set(*args)
    if fn in _PLAIN:
        return _augment(fn, *args)
    if fn in WRITES_FIRST or fn in INPLACE or kwargs.get("out") is not None:
        raise refuse(f"{_name(fn)} writes to its argument")
    if fn in ELEMENTARY and not kwargs:
        return ELEMENTARY[fn](fn, *args)
    rule = rules.lookup(fn)
    defined = definition_of(fn)
    if defined is not None and (rule is None or not rule.accepts(args, kwargs)):
        return defined(*args, **kwargs)
    if rule is not None and rule.kind == "constant":
        _check_special(fn, args, order)
        return fn(*strip(args), **strip(kwargs))
    if rule is None:
        return _constant(fn, args, kwargs)
    if any(True for _ in lifted_in(kwargs)):
        positional, kwargs = rule.bind(args, kwargs)
        args = tuple(positional)
    if any(True for _ in lifted_in(kwargs)):
        raise refuse(f"{_name(fn)} by one of its options")
    try:
        return _by_rule(rule, fn, args, kwargs, order)
    except (NoDerivative, TypeError, AttributeError) as error:
        raise refuse(f"{_name(fn)} ({error})") from error


#: The rules whose texts are running, the innermost last.
_RUNNING: contextvars.ContextVar[tuple[Any, ...]] = contextvars.ContextVar("running", default=())


@contextlib.contextmanager
def _inside(rule: Any) -> Iterator[None]:
    token = _RUNNING.set((*_RUNNING.get(), rule))
    try:
        yield
    finally:
        _RUNNING.reset(token)


def _check_special(fn: Callable[..., Any], args: tuple[Any, ...], order: int) -> None:
    """Refuse non-differentiable points, for which a rule defines only the first and second derivatives."""
    running = _RUNNING.get()
    if order > 1 and running and fn in (operator.eq, operator.ne, np.equal, np.not_equal):
        a, b = args
        if not (isinstance(a, Series) and isinstance(b, Series)) and np.any(strip(a) == strip(b)):
            what = f"{_name(running[0].fn)} at a point where its formula has no value, beyond the second derivative"
            raise refuse(what, "move the point a little")


def _constant(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function without rule, which is allowed if it does not return a number."""
    found = fn(*strip(args), **strip(kwargs)) if is_known_pure(fn) or fn is format else NotImplemented
    if isinstance(found, (bool, np.bool_, str)) or found is None:
        return found
    raise refuse(f"{_name(fn)} has no rule")


def _by_rule(rule: Any, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], order: int) -> Any:
    y = fn(*strip(args), **strip(kwargs))
    if order == 0:
        return _joined(y, [], [])
    if rule.kind != "linear" and not rule.lists:
        args = tuple(compute(np.array, (a,), {}) if isinstance(a, (list, tuple)) and any(True for _ in lifted_in(a)) else a for a in args)
    if rule.kind == "multilinear" and sum(isinstance(a, Series) for a in args) > 1:
        return _product(fn, y, args, kwargs, order)
    bound, options = rule.bind(args, kwargs)
    sources = list(lifted_in(bound))
    if rule.kind in ("linear", "multilinear") or rule.kind == "elementwise" and rule.linear_in:
        return _joined(y, [pushforward(rule, y, strip(bound), _tangents(bound, k), options) for k in range(1, order + 1)], sources)
    if any(np.iscomplexobj(x) for x in (*strip(sources), *(y if isinstance(y, (tuple, list)) else [y]))):
        raise refuse(f"{_name(fn)} of complex numbers")
    if not _reads_result(rule):
        return _joined(y, _slopes(rule, None, bound, options, order), sources)
    dots: list[Any] = []
    for k in range(1, order + 1):
        dots.append(_slopes(rule, _joined(y, dots, sources), bound, options, k)[-1])
    return _joined(y, dots, sources)


def _slopes(rule: Any, y: Any, args: Sequence[Any], kwargs: dict[str, Any], order: int) -> list[Any]:
    """Coefficients 1 … ``order`` of the result: those of its derivative, which is the rule's, divided by their powers."""
    with _inside(rule):
        return _derived(rule, y, args, kwargs, order)


def _derived(rule: Any, y: Any, args: Sequence[Any], kwargs: dict[str, Any], order: int) -> list[Any]:
    cut = _each(list(args), lambda s: s.cut(order - 1))
    t = pushforward(rule, y, cut, [_tangent(a, lambda s: s.slope(order - 1)) for a in args], kwargs)
    return [_share(t, k) for k in range(1, order + 1)]


def _tangents(args: Sequence[Any], k: int) -> list[Any]:
    """The coefficients of a power, None for constants."""
    return [_tangent(a, lambda s: s.coefficients[k]) for a in args]


def _share(t: Any, k: int) -> Any:
    """Coefficient ``k`` of the antiderivative of ``t``, part by part."""
    if isinstance(t, (tuple, list)):
        return [_share(i, k) for i in t]
    return None if t is None else part(t, k - 1) / k


def _joined(y: Any, dots: Sequence[Any], sources: list[Series]) -> Any:
    """The value and its coefficients as one series, or a container of them."""
    if isinstance(y, (list, tuple)):
        items = [_joined(v, [None if d is None else d[n] for d in dots], sources) for n, v in enumerate(y)]
        return type(y)(*items) if hasattr(y, "_fields") else type(y)(items)
    return viewed(sources, [y, *(_fitted(d, y) for d in dots)])


def _fitted(dot: Any, y: Any) -> Any:
    """A coefficient in the shape of the value: that of ``x + c`` is that of ``x``."""
    if dot is None:
        return np.zeros_like(y)[()] if not isinstance(y, np.ndarray) else np.zeros_like(y)
    return np.array(np.broadcast_to(dot, np.shape(y))) if np.shape(dot) != np.shape(y) else dot


def _product(fn: Callable[..., Any], y: Any, args: tuple[Any, ...], kwargs: dict[str, Any], order: int) -> Series:
    """The Cauchy product, for bilinear functions."""
    a, b = (k for k, x in enumerate(args) if isinstance(x, Series))

    def term(i: int, j: int) -> Any:
        return fn(*(part(x, i) if n == a else part(x, j) if n == b else x for n, x in enumerate(args)), **kwargs)
    return Series([y, *(functools.reduce(operator.add, (term(i, k - i) for i in range(k + 1))) for k in range(1, order + 1))])


def _set(base: Any, index: Any, item: Any) -> None:
    if not isinstance(base, Series):
        raise refuse("a write into an array of integers, or into one that is not looked through")
    if not base.value.flags.writeable:
        raise refuse("a write into an array that the function holds from elsewhere")
    for k, c in enumerate(base.coefficients):
        c[strip(index)] = part(item, k)


def _augment(fn: Callable[..., Any], base: Any, other: Any) -> Any:
    """``base op= other``."""
    found = compute(_PLAIN[fn], (base, other), {})
    if isinstance(base, Series) and isinstance(base.value, np.ndarray):
        _set(base, ..., found)
        return base
    return found


@functools.lru_cache(maxsize=1024)
def _loads(fn: Any) -> bool:
    """Return whether the source of a rule reads its second parameter, the result."""
    code = getattr(fn, "__code__", None)
    if code is None or code.co_argcount < 2:
        return True
    name = code.co_varnames[1]
    return any(i.argval == name or isinstance(i.argval, tuple) and name in i.argval for i in dis.get_instructions(code))


def _reads_result(rule: Any) -> bool:
    return any(map(_loads, rule.jvp or (rule.vjp,)))


def _name(fn: Any) -> str:
    module = getattr(fn, "__module__", None) or ("numpy" if isinstance(fn, np.ufunc) else "math" if fn in vars(math).values() else "")
    return f"{module.strip('_')}.{getattr(fn, '__qualname__', None) or getattr(fn, '__name__', fn)}".lstrip(".")

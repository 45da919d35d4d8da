"""Observe the results of functions called on the tape, so that only the refused ones have to run there next time."""
from __future__ import annotations

import contextlib
import contextvars
import functools
import gc
import inspect
import itertools
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..ir.observed import Site
from .array import TapedArray, following
from .forms import NoForm, check_apart, check_outside, find_written, form_of, items_of, join_forms, snapshot
from .outside import tensors as outside_tensors

if TYPE_CHECKING:
    from ..autograd.tensor import Tensor
    from ..ir.observed import Observed, Site

__all__ = ["observing", "watched"]

_current: contextvars.ContextVar[Observed | None] = contextvars.ContextVar("observing", default=None)
_wrappers: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_CONTAINERS = (list, tuple, dict)
_MANY = 100     # calls from one place, of which each but the first few is like another


@contextlib.contextmanager
def observing(observed: Observed | None) -> Iterator[None]:
    """Record the calls of functions in the body."""
    token = _current.set(observed)
    try:
        yield
    finally:
        _current.reset(token)


def watched(fn: types.FunctionType, copy: Any, always: bool = False) -> Any:
    """``copy``, which runs ``fn`` on the tape, or, while calls are observed or may be observed later, a function that also records its
    calls."""
    if copy is fn or _current.get() is None and not always or fn.__code__.co_flags & _SUSPENDED:
        return copy
    found = _wrappers.get(copy)
    if found is None:
        @functools.wraps(copy)
        def found(*args: Any, **kwargs: Any) -> Any:
            observed = _current.get()
            if observed is None:
                return copy(*args, **kwargs)
            site = _site(fn.__code__, sys._getframe(1))
            if site is None or observed.calls.get(site, ()) is None or observed.counts.get(site, 0) >= _MANY:
                return copy(*args, **kwargs)
            observed.counts[site] = observed.counts.get(site, 0) + 1
            return _call(observed, site, copy, args, kwargs)
        _wrappers[copy] = found
    return found


def _site(code: Any, caller: types.FrameType) -> Site | None:
    """The place that a frame is at."""
    line, end_line, col, end_col = next(itertools.islice(caller.f_code.co_positions(), caller.f_lasti // 2, None))
    if line is None or col is None or end_col is None:
        return None
    return Site(code, caller.f_code.co_filename, line, end_col - col if end_line == line else None)


def _call(observed: Observed, site: Site, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    named: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
    arrays = [(key, x, x.tensor._version) for key, x in named.items() if isinstance(x, TapedArray) and not x.number]
    inner = [(x, x.tensor._version) for v in named.values() if isinstance(v, _CONTAINERS) for x in items_of(v)
             if isinstance(x, TapedArray)]
    before = [(x, snapshot(x)) for x in named.values() if isinstance(x, _CONTAINERS)]
    with following() as made:
        out = _with_own(f, args, kwargs)
    try:
        form, written = form_of(out), tuple(find_written(arrays))
        if any(x.tensor._version != version for x, version in inner) or any(snapshot(x) != was for x, was in before):
            raise NoForm("it changes a container that it is given")
        results = [x for x in items_of(out) if isinstance(x, TapedArray)]
        outside = outside_tensors()
        check_outside(outside)
        check_apart([*(x.tensor for x in results if not x.number), *(x.tensor for _, x, _ in arrays)])
        _check_not_among([x.tensor for x in results if not x.number], outside)
        if _escaped(made, results):
            raise NoForm("it caches its results")
        known = observed.calls.get(site)
        if known is not None:
            form, written = join_forms(known[0], form), tuple(dict.fromkeys((*known[1], *written)))
        observed.calls[site] = form, written
    except NoForm as reason:
        observed.calls[site] = None
        observed.reasons[site] = str(reason)
    return out


def _with_own(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function with recorded arguments made for this call, so that one which the function stores is seen to escape."""
    own: dict[int, TapedArray] = {}

    def given(x: Any) -> Any:
        return own.setdefault(id(x), TapedArray(x.tensor, x.number)) if type(x) is TapedArray else x
    return f(*map(given, args), **{k: given(v) for k, v in kwargs.items()})


def _check_not_among(results: list[Tensor], outside: list[Tensor]) -> None:
    """Refuse results that share memory with arrays from outside."""
    for x in results:
        for y in outside:
            check_apart([x, y])


def _escaped(made: list[weakref.ref[TapedArray]], results: list[TapedArray]) -> bool:
    """Whether anything that was made is still held, besides the results."""
    known = set(map(id, results))

    def alive() -> bool:
        return any((x := ref()) is not None and id(x) not in known for ref in made)
    for generation in range(3):     # new objects are in the young generations: scanning all objects of a large process takes seconds
        if not alive():
            return False
        gc.collect(generation)
    return alive()

"""Transfer functions of calls: by the structure of the function, or else a dense dependence."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import rules
from ...errors import UnsupportedCall
from ...ir.effects import WRITES_FIRST, is_known_pure
from ..abstract_interpretation.caller import INPLACE, Caller
from ..abstract_interpretation.value import lifted_in, strip
from .graph import Graph
from .structure import HANDLERS, QUIET, SHAPED, SHAPES, elementwise, written
from .tracked import Tracked, fresh, ids_of, number, refuse

__all__ = ["Tracker"]


class Tracker(Caller):
    """Computes calls with tracked values.

    Parameters
    ----------
    graph : Graph
        Where the sets of inputs are kept.
    """

    def __init__(self, graph: Graph):
        super().__init__()
        self.graph = graph

    def refuse(self, what: str) -> UnsupportedCall:
        return refuse(what)

    def array(self, x: Any, varies: bool, outside: bool = False) -> Tracked:
        found = fresh(self.graph, x, 0, varies)
        found.state.outside |= outside
        return found

    def through(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        if not _is_elementwise(fn):
            return super().through(fn)

        def run(*args: Any, **kwargs: Any) -> Any:
            """An elementwise function; of numbers, as loops over elements are full of, without detours."""
            ids, varies, plain = 0, False, []
            for a in args:
                if type(a) is Tracked and type(a.ids) is int:
                    ids, varies = self.graph.union(ids, a.ids), varies or a.state.varies
                    plain.append(a.value)
                elif type(a) is int or type(a) is float:
                    plain.append(a)
                else:
                    return self.call(fn, args, kwargs)
            if kwargs:
                return self.call(fn, args, kwargs)
            value = fn(*plain)
            return number(self.graph, value, ids, varies) if ids or varies else value
        return run

    def compute(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if fn in INPLACE and type(args[0]) is Tracked and isinstance(args[0].value, np.ndarray):
            return self._augment(fn, *args)
        handler = HANDLERS.get(fn) if "out" not in kwargs else None
        found = handler(self.graph, fn, args, kwargs) if handler is not None else NotImplemented
        return found if found is not NotImplemented else self._by_rule(fn, args, kwargs)

    def update(self, base: Any, index: Any, value: Any, op: Callable[..., Any]) -> None:
        ids = written(base).ids[index]
        base.value[index] = op(base.value[index], strip(value))
        base.ids[index] = self.graph.union(ids if isinstance(ids, np.ndarray) else int(ids), ids_of(value))
        base.state.varies |= _varies(value)

    def _augment(self, fn: Callable[..., Any], base: Tracked, other: Any) -> Tracked:
        """``base op= other``, in place."""
        base.value = fn(written(base).value, strip(other))
        base.ids[...] = self.graph.union(base.ids, ids_of(other))
        base.state.varies |= _varies(other)
        return base

    def _by_rule(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        rule = rules.lookup(fn)
        varies = _varies((args, kwargs))
        if fn in SHAPES:
            value = fn(*strip(args), **strip(kwargs))
            return self.array(value, False) if isinstance(value, np.ndarray) else value
        if fn in WRITES_FIRST and fn not in INPLACE or "out" in kwargs:
            return self._writes(fn, args, kwargs)
        if not is_known_pure(fn) and rule is None:
            raise refuse(f"{getattr(fn, '__qualname__', fn)} may do anything")
        if _is_elementwise(fn) or fn in INPLACE:
            value = fn(*strip(args), **strip(kwargs))
            if isinstance(value, tuple):
                return self._spread(value, self.graph.all_of(*(t.ids for t in lifted_in((args, kwargs)))), varies)
            for source in lifted_in(args):
                if _shares(value, source) and value.strides == source.strides:      # np.real of a real array
                    return Tracked(self.graph, value, source.ids[...], source.state)
            _check_apart(value, args)
            return fresh(self.graph, value, elementwise(self.graph, value, (*args, *kwargs.values())), varies)
        if getattr(rule, "kind", None) == "constant" or fn in QUIET:
            quiet = isinstance(fn, np.ufunc) or fn in QUIET
            return self._spread(fn(*strip(args, not quiet), **strip(kwargs, not quiet)), 0, varies)
        given = list(lifted_in((args, kwargs)))
        if fn in SHAPED or any(np.asarray(t.value).dtype.kind in "bui" for t in given):     # they may decide its shape
            self.graph.decided |= varies
        value = fn(*strip(args), **strip(kwargs))
        _check_apart(value, given)
        return self._spread(value, self.graph.all_of(*(t.ids for t in given)), varies)

    def _spread(self, value: Any, node: int, varies: bool) -> Any:
        """A result of which every entry depends on the same."""
        if isinstance(value, dict):
            return {k: self._spread(v, node, varies) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            items = [self._spread(v, node, varies) for v in value]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        if isinstance(value, (np.ndarray, np.generic, float, int, complex)):
            return fresh(self.graph, value, node, varies)
        if value is None or isinstance(value, (str, slice, range)):
            return value
        raise refuse(f"a result of type {type(value).__name__}")

    def _writes(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Every entry of a written array depends on its whole old contents."""
        target = written(kwargs["out"] if "out" in kwargs else args[0])
        node = self.graph.all_of(*(t.ids for t in lifted_in((args, kwargs))))
        value = fn(*strip(args), **strip(kwargs))
        target.ids[...] = node
        target.state.varies |= _varies((args, kwargs))
        return target if value is target.value else self._spread(value, node, True)


def _shares(value: Any, source: Tracked) -> bool:
    return isinstance(value, np.ndarray) and isinstance(source.value, np.ndarray) and np.may_share_memory(value, source.value)


def _check_apart(value: Any, args: Any) -> None:
    """Refuse a view that is not known to be one: a write to either would be missed."""
    if isinstance(value, (list, tuple)):
        for item in value:
            _check_apart(item, args)
    elif any(_shares(value, source) for source in lifted_in(args)):
        raise refuse("a function that returns a view of its argument")


def _varies(x: Any) -> bool:
    return any(t.state.varies for t in lifted_in(x))


def _is_elementwise(fn: Any) -> bool:
    """Whether an entry of the result depends on the entries of the arguments at its place, and nothing else happens."""
    rule = rules.lookup(fn)
    return rule is not None and rule.kind == "elementwise" and fn not in HANDLERS and fn not in INPLACE and is_known_pure(fn)

"""A call, of tracked values: by what is known of the function, or else everything depends on everything."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import rules
from ...ir.effects import WRITES_FIRST, is_known_pure
from ...ir.prims import inplace_at, unpack
from .structure import HANDLERS, QUIET, SHAPED, SHAPES, elementwise, written
from .tracked import Tracked, fresh, ids_of, refuse, strip, tracked_in

__all__ = ["Caller"]

_INPLACE = {operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ipow, operator.imod, operator.ifloordiv}
#: Functions that move objects about without looking into them.
_CONTAINERS = frozenset((
    unpack, list, tuple, dict, zip, enumerate, reversed, list.append, list.extend, list.insert, list.pop, list.clear, list.reverse,
    list.copy, dict.update, dict.clear, dict.copy, dict.items, dict.keys, dict.values))
#: Those that find something by an index or a key, where their first argument is a container.
_LOOKUPS = frozenset((operator.getitem, operator.setitem, operator.delitem, dict.get, dict.pop, dict.setdefault))
#: Those that join or repeat lists, where their first argument is one.
_JOINS = frozenset((operator.add, operator.iadd, operator.mul, operator.imul))
_GENERATORS = (np.random.Generator, np.random.RandomState)


def _draws(fn: Any) -> bool:
    """Whether a function is one of random numbers."""
    return "random" in (getattr(fn, "__module__", None) or "") or getattr(fn, "__objclass__", None) in _GENERATORS


class Caller:
    """Computes calls with tracked values.

    Parameters
    ----------
    graph : Graph
        Where the sets of inputs are kept.
    """

    def __init__(self, graph: Any):
        self.graph = graph
        self._outside: dict[int, Tracked] = {}
        self._owned: dict[int, Any] = {}
        self._kept: list[Any] = []

    def outside(self, x: Any) -> Any:
        """An array from outside as a tracked one, the same each time."""
        if type(x) is not np.ndarray:
            return x
        found = self._outside.get(id(x))
        if found is None:
            self._kept.append(x)        # its id is not given to another one
            found = self._outside[id(x)] = fresh(self.graph, x, 0, True)
            found.state.outside = True
        return found

    def call(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call, tracked."""
        args = tuple(map(self.outside, args))
        if fn in _CONTAINERS:
            return self._native(fn, args, kwargs)
        if fn is operator.getitem and type(args[0]) is Tracked and type(args[1]) is int:
            return args[0][args[1]]
        if fn is inplace_at:
            return self._update(*args)
        if _draws(fn):
            self._check_generator(fn, args)
        if not any(True for _ in tracked_in((args, kwargs))):
            return self._native(fn, args, kwargs)
        if fn in _JOINS and isinstance(args[0], (list, tuple)):
            return fn(args[0], strip(args[1], decide=True) if type(args[1]) is Tracked else args[1])
        if fn in _LOOKUPS and isinstance(args[0], (list, tuple, dict)):
            return self.outside(fn(args[0], strip(args[1], decide=True), *args[2:], **kwargs))
        if fn in _INPLACE and type(args[0]) is Tracked and isinstance(args[0].value, np.ndarray):
            return self._augment(fn, *args)
        handler = HANDLERS.get(fn) if "out" not in kwargs else None
        if handler is not None:
            found = handler(self.graph, fn, args, kwargs)
            if found is not NotImplemented:
                return found
        return self._by_rule(fn, args, kwargs)

    def _native(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value = fn(*args, **kwargs)
        if isinstance(value, _GENERATORS):
            return self.own(value)
        if isinstance(value, np.ndarray):
            return fresh(self.graph, value, 0, not is_known_pure(fn))
        if isinstance(value, float) and not is_known_pure(fn):
            return fresh(self.graph, value, 0, True)
        return value

    def _check_generator(self, fn: Any, args: tuple[Any, ...]) -> None:
        """Refuses random numbers that are others at each sweep."""
        seeded = fn in (np.random.default_rng, np.random.RandomState) and args and args[0] is not None
        if not seeded and not (args and id(args[0]) in self._owned):
            raise refuse("random numbers come from a generator that outlives the call, and each sweep would see others; "
                         "make it in the function with a seed, or pass it as an argument")

    def _update(self, base: Any, index: Any, value: Any, op: Callable[..., Any]) -> None:
        """``base[index] op= value``."""
        index = strip(index, decide=True)
        if type(base) is not Tracked:
            base[index] = self.call(op, (base[index], value), {})
            return
        ids = written(base).ids[index]
        base.value[index] = op(base.value[index], strip(value))
        base.ids[index] = self.graph.union(ids if isinstance(ids, np.ndarray) else int(ids), ids_of(value))
        base.state.varies |= any(t.state.varies for t in tracked_in(value))

    def _augment(self, fn: Callable[..., Any], base: Tracked, other: Any) -> Tracked:
        """``base op= other``, in place."""
        base.value = fn(base.value, strip(other))
        base.ids[...] = self.graph.union(base.ids, ids_of(other))
        base.state.varies |= any(t.state.varies for t in tracked_in(other))
        return base

    def _by_rule(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        rule = rules.lookup(fn)
        varies = any(t.state.varies for t in tracked_in((args, kwargs)))
        if fn in SHAPES:
            value = fn(*strip(args), **strip(kwargs))
            return fresh(self.graph, value, 0, False) if isinstance(value, np.ndarray) else value
        if fn in WRITES_FIRST and fn not in _INPLACE or "out" in kwargs:
            return self._writes(fn, args, kwargs)
        if not is_known_pure(fn) and rule is None:
            raise refuse(f"{getattr(fn, '__qualname__', fn)} may do anything")
        if self.is_elementwise(fn) or fn in _INPLACE:
            value = fn(*strip(args), **strip(kwargs))
            return fresh(self.graph, value, elementwise(self.graph, value, (*args, *kwargs.values())), varies)
        if getattr(rule, "kind", None) == "constant" or fn in QUIET:
            quiet = isinstance(fn, np.ufunc) or fn in QUIET
            return self._spread(fn(*strip(args, not quiet), **strip(kwargs, not quiet)), 0, varies)
        given = list(tracked_in((args, kwargs)))
        if fn in SHAPED or any(np.asarray(t.value).dtype.kind in "bui" for t in given):     # they may decide its shape
            self.graph.decided |= varies
        return self._spread(fn(*strip(args), **strip(kwargs)), self.graph.all_of(*(t.ids for t in given)), varies)

    @staticmethod
    def is_elementwise(fn: Any) -> bool:
        """Whether an entry of the result depends on the entries of the arguments at its place, and nothing else happens."""
        rule = rules.lookup(fn)
        return rule is not None and rule.kind == "elementwise" and fn not in HANDLERS and fn not in _INPLACE and is_known_pure(fn)

    def _spread(self, value: Any, node: int, varies: bool) -> Any:
        """A result of which every entry depends on the same."""
        if isinstance(value, (list, tuple)):
            items = [self._spread(v, node, varies) for v in value]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        if isinstance(value, (np.ndarray, np.generic, float, int, complex)):
            return fresh(self.graph, value, node, varies)
        if value is None or isinstance(value, (str, slice, range)):
            return value
        raise refuse(f"a result of type {type(value).__name__}")

    def _writes(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What is written to depends, with each of its entries, on all that is there."""
        target = written(kwargs["out"] if "out" in kwargs else args[0])
        node = self.graph.all_of(*(t.ids for t in tracked_in((args, kwargs))))
        value = fn(*strip(args), **strip(kwargs))
        target.ids[...] = node
        target.state.varies |= any(t.state.varies for t in tracked_in((args, kwargs)))
        return target if value is target.value else self._spread(value, node, True)

    def call_value(self, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any], method: str | None) -> Any:
        """A call of what is only known now."""
        if type(callee) is Tracked and method is not None:
            return self.call(getattr(type(callee.value), method), (callee, *args), kwargs)
        if method is not None and isinstance(callee, (list, dict, tuple, str)):
            return self.call(getattr(type(callee), method), (callee, *args), kwargs)
        if isinstance(callee, _GENERATORS):
            self._check_generator(callee, (callee,))
        fn = getattr(callee, method) if method else callee
        if type(callee) is Tracked or any(True for _ in tracked_in((args, kwargs))):
            if rules.lookup(fn) is not None:
                return self.call(fn, args, kwargs)
            raise refuse(f"{method or fn} may do anything")
        return self._native(fn, args, kwargs)

    def set_attribute(self, obj: Any, name: str, value: Any) -> None:
        """An attribute is set of what the function itself has made."""
        if id(obj) not in self._owned:
            raise refuse(f"the attribute {name!r} of an object is written to")
        setattr(obj, name, value)

    def own(self, obj: Any) -> Any:
        """Remembers what the function has made."""
        self._owned[id(obj)] = obj
        return obj


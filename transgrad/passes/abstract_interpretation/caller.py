"""Calls of the abstract interpreter: containers behave as in Python, and a subclass defines the calls on abstract values."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import rules
from ...errors import UnsupportedCall
from ...ir.effects import is_known_pure
from ...ir.prims import inplace_at, unpack
from .value import Lifted, lifted_in, strip

__all__ = ["GENERATORS", "INPLACE", "Caller"]

INPLACE = frozenset((operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ipow, operator.imod, operator.ifloordiv))
GENERATORS = (np.random.Generator, np.random.RandomState)
#: Functions that move objects about without looking into them.
_CONTAINERS = frozenset((
    unpack, list, tuple, dict, zip, enumerate, reversed, list.append, list.extend, list.insert, list.pop, list.clear, list.reverse,
    list.copy, dict.update, dict.clear, dict.copy, dict.items, dict.keys, dict.values))
#: Those that find something by an index or a key, where their first argument is a container.
_LOOKUPS = frozenset((operator.getitem, operator.setitem, operator.delitem, dict.get, dict.pop, dict.setdefault))
#: Those that join or repeat lists, where their first argument is one.
_JOINS = frozenset((operator.add, operator.iadd, operator.mul, operator.imul))


class Caller:
    """Computes calls."""

    def __init__(self) -> None:
        self._outside: dict[int, Any] = {}
        self._owned: dict[int, Any] = {}
        self._kept: list[Any] = []

    # -- interface of subclasses

    def refuse(self, what: str) -> UnsupportedCall:
        """The error for an unsupported operation."""
        raise NotImplementedError

    def array(self, x: Any, varies: bool, outside: bool = False) -> Any:
        """A number or array that depends on no argument; it may differ at the next call, or be there before and after this one."""
        raise NotImplementedError

    def compute(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call with lifted values among the arguments."""
        raise NotImplementedError

    def update(self, base: Any, index: Any, value: Any, op: Callable[..., Any]) -> None:
        """``base[index] op= value``, of a lifted array."""
        raise NotImplementedError

    # -- common to all subclasses

    def through(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """The function, for the interpreter to call."""
        return lambda *args, **kwargs: self.call(fn, args, kwargs)

    def outside(self, x: Any) -> Any:
        """An array from outside lifted, the same one each time."""
        if type(x) is not np.ndarray:
            return x
        found = self._outside.get(id(x))
        if found is None:
            self._kept.append(x)        # its id is not given to another one
            found = self._outside[id(x)] = self.array(x, True, outside=True)
        return found

    def call(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call."""
        args = tuple(map(self.outside, args))
        if fn in _CONTAINERS:
            return self._native(fn, args, kwargs)
        first = args[0] if args else None
        if fn is operator.getitem and isinstance(first, Lifted) and type(args[1]) is int:
            return first[args[1]]
        if fn is inplace_at:
            return self._update(*args)
        if _draws(fn):
            self._check_generator(fn, args)
        if not any(True for _ in lifted_in((args, kwargs))):
            return self._native(fn, args, kwargs)
        if fn in _JOINS and isinstance(first, (list, tuple)):
            return fn(first, strip(args[1], decide=True) if isinstance(args[1], Lifted) else args[1])
        if fn in _LOOKUPS and isinstance(first, (list, tuple, dict)):
            return self.outside(fn(first, strip(args[1], decide=True), *args[2:], **kwargs))
        return self.compute(fn, args, kwargs)

    def _native(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value = fn(*args, **kwargs)
        if isinstance(value, GENERATORS):
            return self.own(value)
        pure = is_known_pure(fn)
        return self.array(value, not pure) if isinstance(value, np.ndarray) or isinstance(value, float) and not pure else value

    def _check_generator(self, fn: Any, args: tuple[Any, ...]) -> None:
        """Refuse random numbers that are others at each sweep."""
        seeded = fn in (np.random.default_rng, np.random.RandomState) and args and args[0] is not None
        if not seeded and not (args and id(args[0]) in self._owned):
            raise self.refuse("random numbers come from a generator that outlives the call, and each sweep would see others; "
                              "make it in the function with a seed, or pass it as an argument")

    def _update(self, base: Any, index: Any, value: Any, op: Callable[..., Any]) -> None:
        index = strip(index, decide=True)
        if isinstance(base, Lifted):
            self.update(base, index, value, op)
        else:
            base[index] = self.call(op, (base[index], value), {})

    def call_value(self, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any], method: str | None) -> Any:
        """A call of a callee that is only known now."""
        if method is not None and isinstance(callee, Lifted):
            return self.call(getattr(type(callee.value), method), (callee, *args), kwargs)
        if method is not None and isinstance(callee, (list, dict, tuple, str)):
            return self.call(getattr(type(callee), method), (callee, *args), kwargs)
        if isinstance(callee, GENERATORS):
            self._check_generator(callee, (callee,))
        fn = getattr(callee, method) if method else callee
        if any(True for _ in lifted_in((callee, args, kwargs))):
            if rules.lookup(fn) is not None:
                return self.call(fn, args, kwargs)
            raise self.refuse(f"{method or fn} may do anything")
        return self._native(fn, args, kwargs)

    def set_attribute(self, obj: Any, name: str, value: Any) -> None:
        """Set an attribute of an object that the function itself has created."""
        if id(obj) not in self._owned:
            raise self.refuse(f"the attribute {name!r} of an object is written to")
        setattr(obj, name, value)

    def own(self, obj: Any) -> Any:
        """Record an object that the function has created or may change."""
        self._owned[id(obj)] = obj
        return obj


def _draws(fn: Any) -> bool:
    """Whether a function is one of random numbers."""
    return "random" in (getattr(fn, "__module__", None) or "") or getattr(fn, "__objclass__", None) in GENERATORS

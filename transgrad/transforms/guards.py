"""Whether a variant still holds: the facts from outside of its arguments' types that were compiled in, checked at each call.

The front end notes them in ``Function.attrs.guards`` as (kind, container, key, expected).  The check is written as a function
of its own, for it runs at every call: mostly a few identity tests.
"""
from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..ir.attributes import Guard
from ..ir.keys import fields_key, key_of
from ..ir.types import Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT, Type
from ..rules.views import view_key
from .sharing import share, share_inside

__all__ = ["Guards"]

Holds = Callable[[Any, Any], bool]
_TYPES = (Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT)
_READS: dict[str, Callable[[Any, Any], Any]] = {
    "global": lambda container, key: container[key], "item": lambda container, key: container[key],
    "attr": getattr, "cell": lambda container, key: container.cell_contents,
}
_PLAIN = (bool, int, float, complex, str, bytes, slice)


class Guards:
    """The assumptions of a variant; ``codes`` maps the source of checks to their compiled code."""

    def __init__(self, facts: Iterable[Guard], names: Mapping[str, Any], codes: dict[str, types.CodeType] | None = None):
        self.facts, self.names, self.codes = list(facts), names, {} if codes is None else codes
        self._bound: dict[tuple[tuple[str, str], ...], Holds | None] = {}

    def __bool__(self) -> bool:
        return bool(self.facts)

    def changed_numbers(self) -> set[tuple[str, int, Any]]:
        """The numbers in globals, closures, tables and classes that are constants of the code, and have other values now."""
        found = set()
        for kind, container, key, expected in self.facts:
            read = _READS.get(kind)
            if read is not None and type(expected) in (int, float, complex) and not isinstance(container, (str, tuple)):
                with contextlib.suppress(Exception):
                    now = read(container, key)
                    if type(now) is type(expected) and now != expected:
                        found.add((kind, id(container), key))
        return found

    def bind(self, roots: Mapping[str, str], scope: Mapping[str, Any] | None = None) -> Holds | None:
        """The check, for calls in which ``roots`` says where an argument is found: an expression in ``args``, ``kwargs`` and
        the names of ``scope``."""
        if not self.facts:
            return None
        if not scope:       # as by position, which is how most calls are made
            key = tuple(roots.items())
            if key not in self._bound:
                self._bound[key] = self._written(roots, {})
            return self._bound[key]
        return self._written(roots, scope)

    def _written(self, roots: Mapping[str, str], scope: Mapping[str, Any]) -> Holds | None:
        written = self.written(roots, scope)
        if written is None:
            return None
        text, names = written
        exec(self.codes[text], names)
        holds: Holds = names["holds"]
        return holds

    def written(self, roots: Mapping[str, str], scope: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """The source of the check, whose code is in `codes`, and the objects that it names; None if there is nothing to check."""
        scope = {"same": _same, "step": _step, "may_share": np.may_share_memory, "share": share, "share_inside": share_inside,
                 "fields_key": fields_key, "view_key": view_key, "names": self.names, **scope}
        roots = _Roots(roots)
        tests = []
        for k, fact in enumerate(self.facts):
            _, scope[f"c{k}"], scope[f"k{k}"], scope[f"e{k}"] = fact
            test = self._test(k, fact, roots, scope)
            if test is not None:
                tests.append(f"({test})")
        if not tests:
            return None
        fixed = "".join(f", {name}={name}" for name in scope)      # read as locals, the fastest way
        text = f"def holds(args, kwargs{fixed}):\n    try:\n        return {' and '.join(tests)}\n"
        text += "    except Exception:\n        return False\n"
        if text not in self.codes:
            self.codes[text] = _compiled(text)
        return text, scope

    @staticmethod
    def _code(k: int, func: Any, scope: dict[str, Any]) -> str:
        """Return whether a function still has the code and the defaults that it has now."""
        tests = [f"c{k}.__code__ is k{k}"]
        scope[f"k{k}"] = func.__code__
        if func.__defaults__ is not None:
            scope[f"e{k}"] = func.__defaults__
            tests.append(f"c{k}.__defaults__ is e{k}")
        for n, (name, value) in enumerate((func.__kwdefaults__ or {}).items()):
            scope[f"d{k}_{n}"] = value
            tests.append(f"c{k}.__kwdefaults__[{name!r}] is d{k}_{n}")
        return " and ".join(tests)

    def _test(self, k: int, fact: Guard, roots: Mapping[str, str], scope: dict[str, Any]) -> str | None:
        """One fact as an expression; None if it cannot change."""
        kind, container, key, expected = fact
        if kind == "hasattr":
            found = _path(k, container, roots, scope) if isinstance(container, (str, tuple)) else f"c{k}"
            return f"hasattr({found}, k{k}) is e{k}"
        if kind == "code":
            return self._code(k, container, scope)
        if kind == "ordered":
            return f"tuple({_path(k, container, roots, scope) if isinstance(container, (str, tuple)) else f'c{k}'}) == e{k}"
        if kind == "uncached":
            found = _path(k, container, roots, scope) if isinstance(container, (str, tuple)) else f"c{k}"
            return f"(k{k} not in vars({found})) is e{k}"
        if kind == "apart":
            if container == key:
                return f"not share_inside({roots[container]})"
            return f"not {'may_share' if expected else 'share'}({roots[container]}, {roots[key]})"
        if kind == "apart outside":
            return f"not share(c{k}, k{k})"
        if kind == "apart from":
            return f"not share({roots[container]}, k{k})"
        if kind == "fields":
            return f"fields_key({roots[container]}) == e{k}"
        if kind == "length":
            return f"len({roots[container]}) == {expected}"
        if kind == "shape":     # without the axis of a batch
            return f"{roots[container]}.shape[{key}:] == {expected}" if key else f"{roots[container]}.shape == {expected}"
        if kind in ("unlike", "alike"):
            shape = f"{_path(k, container, roots, scope)}.shape"
            return f"{expected} not in {shape}" if key is None else f"{shape}[{key}] {'!=' if kind == 'unlike' else '=='} {expected}"
        if kind == "at most":
            return f"len({roots[container]}) <= 2 * len({roots[key]}) + 16"
        if kind == "narrow":
            return f"{_path(k, container, roots, scope)}.shape[{key}] <= {expected}"
        if kind == "times":
            other, axis, times = expected
            return f"{_path(k, container, roots, scope)}.shape[{key}] == {times} * {_path(k, other, roots, scope)}.shape[{axis}]"
        if kind == "product":
            return f"{' * '.join(f'{_path(k, name, roots, scope)}.shape[{axis}]' for name, axis in container)} <= {expected}"
        if kind == "above":
            return f"{_path(k, container, roots, scope)} > {expected}"
        if kind == "many":
            return f"{_path(k, container, roots, scope)}.shape[{key}] >= {expected}"
        if kind == "contains":
            return f"(k{k} in c{k}) is e{k}"
        if kind == "cell":
            read = f"c{k}.cell_contents"
        elif kind == "attr":
            read = f"c{k}.{key}" if isinstance(key, str) and key.isidentifier() else f"getattr(c{k}, k{k})"
        elif kind in ("global", "item"):
            read = f"c{k}[k{k}]"
        elif kind == "view":
            return f"view_key({_path(k, container, roots, scope)}) == e{k}"
        elif kind == "argattr":
            read = _path(k, container, roots, scope)
        else:
            raise ValueError(f"unknown kind of guard {kind!r}")
        if isinstance(scope[f"e{k}"], _TYPES):
            scope[f"e{k}"] = _type_is(scope[f"e{k}"])
            return f"e{k}({read})"
        return f"{read} is e{k} or same({read}, e{k})"


class _Roots(dict[str, str]):
    """The expressions for arguments; other names are objects of the user's module."""

    def __missing__(self, name: str) -> str:
        return f"names[{name!r}]"


@functools.lru_cache(maxsize=256)
def _compiled(text: str) -> types.CodeType:
    """A check, compiled: it names nothing of the function's own, so that many functions have the same."""
    return compile(text, "<guards>", "exec")


def _path(k: int, path: Any, roots: Mapping[str, str], scope: dict[str, Any]) -> str:
    """The expression for an argument or something inside one: a path of keys, or as the symbols of dimensions have it, pairs in pairs."""
    name, *parts = path if isinstance(path, tuple) else (path,)
    while isinstance(name, tuple):
        name, *first = name
        parts = [*first, *parts]
    if name in roots:
        read = roots[name]
    else:       # an object of the user's module, by its name in the source
        root, _, rest = str(name).partition(".")
        read = f"names[{root!r}].{rest}" if rest else f"names[{root!r}]"
    for n, part in enumerate(parts):
        if type(part) is int:       # only containers have those
            read = f"{read}[{part}]"
        elif type(part) is str:
            read = f"step({read}, {part!r})"
        else:
            scope[f"p{k}_{n}"] = part
            read = f"step({read}, p{k}_{n})"
    return read


def _type_is(expected: Type) -> Callable[[Any], bool]:
    """Return whether an object is of a type; remembered by its key."""
    known: dict[Any, bool] = {}

    def test(found: Any) -> bool:
        key = key_of(found)
        if key not in known:
            from ..frontend.specialize.argument_types import argument_type
            known[key] = argument_type(found, None) == expected
        return known[key]
    return test


def _step(container: Any, key: Any) -> Any:
    """An item of a container, or an attribute of an object."""
    if isinstance(container, (dict, list)) or isinstance(container, tuple) and isinstance(key, int):
        return container[key]
    return getattr(container, key)


def _same(found: Any, expected: Any) -> bool:
    """Return whether a fact still holds though it is another object: numbers and strings are compared, methods too."""
    kind = type(expected)
    if type(found) is not kind:
        return False
    if kind in _PLAIN:
        return bool(found == expected)
    return kind.__name__ in ("method", "builtin_function_or_method", "method-wrapper") and bool(found == expected)

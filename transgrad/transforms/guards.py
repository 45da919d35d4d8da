"""Whether a variant still holds: the facts from outside of its arguments' types that were compiled in, checked at each call.

The front end notes them in ``Function.attrs['guards']`` as (kind, container, key, expected).  The check is written as a function
of its own, for it runs at every call: mostly a few identity tests.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..ir.ops import Function

__all__ = ["Guards"]

Holds = Callable[[Any, Any], bool]
_PLAIN = (bool, int, float, complex, str, bytes)


class Guards:
    """The assumptions of a variant."""

    def __init__(self, fn: Function):
        self.facts: list[tuple[str, Any, Any, Any]] = list(fn.attrs.get("guards", ()))

    def __bool__(self) -> bool:
        return bool(self.facts)

    def bind(self, roots: Mapping[str, str], scope: Mapping[str, Any] | None = None) -> Holds | None:
        """The check, for calls in which ``roots`` says where an argument is found: an expression in ``args``, ``kwargs`` and
        the names of ``scope``."""
        if not self.facts:
            return None
        scope = {"same": _same, "step": _step, **(scope or {})}
        tests = []
        for k, (kind, container, key, expected) in enumerate(self.facts):
            scope[f"c{k}"], scope[f"k{k}"], scope[f"e{k}"] = container, key, expected
            read = self._read(k, kind, container, key, roots, scope)
            tests.append(f"({read} is e{k} or same({read}, e{k}))")
        text = f"def holds(args, kwargs):\n    try:\n        return {' and '.join(tests)}\n    except Exception:\n        return False\n"
        exec(text, scope)
        holds: Holds = scope["holds"]
        return holds

    def _read(self, k: int, kind: str, container: Any, key: Any, roots: Mapping[str, str], scope: dict[str, Any]) -> str:
        if kind == "cell":
            return f"c{k}.cell_contents"
        if kind == "attr":
            return f"c{k}.{key}" if isinstance(key, str) and key.isidentifier() else f"getattr(c{k}, k{k})"
        if kind in ("global", "item", "builtin"):
            return f"c{k}[k{k}]"
        if kind == "argattr":
            name, *path = container if isinstance(container, tuple) else (container,)
            read = roots[name]
            for n, part in enumerate(path):
                scope[f"p{k}_{n}"] = part
                read = f"step({read}, p{k}_{n})"
            return read if key is None else f"step({read}, k{k})"
        raise ValueError(f"unknown kind of guard {kind!r}")


def _step(container: Any, key: Any) -> Any:
    """An item of a container, or an attribute of an object."""
    if isinstance(container, (dict, list)) or isinstance(container, tuple) and isinstance(key, int):
        return container[key]
    return getattr(container, key)


def _same(found: Any, expected: Any) -> bool:
    """Whether a fact still holds though it is another object: numbers and strings are compared, methods too."""
    kind = type(expected)
    if type(found) is not kind:
        return False
    if kind in _PLAIN:
        return bool(found == expected)
    return kind.__name__ in ("method", "builtin_function_or_method", "method-wrapper") and bool(found == expected)

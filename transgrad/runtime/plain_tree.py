"""`transgrad.tree` without libraries, and instances by their attributes: and functions that do nothing: for exported modules."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from .fields import instance

__all__ = ["flatten", "instance", "map_leaves", "unchanged", "unflatten"]


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """The leaves of a nested argument, and a function that makes the same structure of as many others."""
    leaves: list[Any] = []

    def visit(value: Any) -> Callable[[Any], Any]:
        if isinstance(value, dict):
            keys = list(value)
            parts = {key: visit(value[key]) for key in sorted(keys, key=lambda key: (str(type(key)), key))}
            return lambda given: dict.fromkeys(keys) | {key: part(given) for key, part in parts.items()}
        if isinstance(value, (list, tuple)):
            items = [visit(item) for item in value]
            if hasattr(value, "_fields"):
                return lambda given: type(value)(*(item(given) for item in items))
            return lambda given: type(value)(item(given) for item in items)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in dataclasses.fields(value)]
            fields = [visit(getattr(value, name, None)) for name in names]
            return lambda given: of_fields(type(value), {name: field(given) for name, field in zip(names, fields)})
        leaves.append(value)
        return lambda given: next(given)

    return leaves, visit(tree)


def unflatten(form: Any, leaves: Sequence[Any]) -> Any:
    """A nested value of a structure."""
    return form(iter(leaves))


def map_leaves(fn: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """``fn`` of each leaf, and of the leaves of ``others`` at the same places."""
    leaves, form = flatten(tree)
    return unflatten(form, [fn(*row) for row in zip(leaves, *(flatten(other)[0] for other in others))])


def of_fields(cls: type, fields: dict[str, Any]) -> Any:
    """An instance of a class with these fields, which may be cotangents: only an initializer that stores them runs."""
    return cls(**fields) if stores_fields(cls) else instance(cls, fields)


def stores_fields(cls: type) -> bool:
    """Return whether a class is a dataclass whose initializer stores its arguments as the fields, and does nothing else."""
    if not dataclasses.is_dataclass(cls):
        return False
    code = getattr(getattr(cls, "__init__"), "__code__", None)  # noqa: B009
    return (code is not None and code.co_filename == "<string>" and not hasattr(cls, "__post_init__")
            and all(field.init for field in dataclasses.fields(cls)))


def unchanged(x: Any) -> Any:
    """The argument: outside of derivatives, that is what `transgrad.stop_gradient` returns."""
    return x

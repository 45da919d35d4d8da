"""Names, signatures and differentiated parameters of functions."""
from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from .numpy_signatures import library_signature

__all__ = ["Slot", "name_of", "signature_of"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A differentiated argument: the parameter ``name``, or the entry ``key`` of ``*name`` or ``**name``."""

    name: str
    key: int | str | None = None

    def __str__(self) -> str:
        return self.name if self.key is None else f"{self.name}[{self.key!r}]"


def name_of(f: Any) -> str:
    """The name of a callable, for messages and for the names of derivatives."""
    name = getattr(f, "__name__", None) or type(getattr(f, "func", f)).__name__
    return str(name) if str(name).isidentifier() else "function"


def signature_of(f: Any) -> inspect.Signature:
    """The signature of a callable; ``(*args, **kwargs)`` where it has none that Python can tell."""
    try:
        return library_signature(f)
    except (TypeError, ValueError):
        kinds = {"args": inspect.Parameter.VAR_POSITIONAL, "kwargs": inspect.Parameter.VAR_KEYWORD}
        return inspect.Signature([inspect.Parameter(name, kind) for name, kind in kinds.items()])

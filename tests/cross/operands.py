"""Kinds of operands: the same numbers as another type, in another memory layout, or of another size."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .literals import NoLiteral, literal

__all__ = ["KINDS", "NotForThis", "sources"]


class NotForThis(Exception):
    """A combination that makes no program."""


def _each(x: Any, fn: Callable[[Any], str]) -> str:
    if isinstance(x, list):
        return f"[{', '.join(_each(v, fn) for v in x)}]"
    if isinstance(x, tuple):
        return f"({', '.join(_each(v, fn) for v in x)}{',' if len(x) == 1 else ''})"
    return fn(x)


def _array(x: Any) -> np.ndarray:
    if not isinstance(x, np.ndarray) or not x.ndim:
        raise NotForThis
    return x


def _first(x: Any) -> Any:
    a = np.asarray(x)
    if not a.size:
        raise NotForThis
    return a.ravel()[0]


def _strided(x: Any) -> str:
    return f"np.repeat({literal(_array(x))}, 2, axis=-1)[..., ::2]"


def _reversed(x: Any) -> str:
    a = _array(x)
    back = (slice(None, None, -1),) * a.ndim
    return f"{literal(np.ascontiguousarray(a[back]))}[{', '.join(['::-1'] * a.ndim)}]"


def _fortran(x: Any) -> str:
    if _array(x).ndim < 2:
        raise NotForThis
    return f"np.asfortranarray({literal(x)})"


def _complex(x: Any) -> str:
    if np.iscomplexobj(x):
        raise NotForThis
    z = x * (1 + 0.25j) + 0.125j
    return literal(np.asarray(z) if isinstance(x, np.ndarray) else z)


def _single(x: Any) -> str:
    if isinstance(x, (np.ndarray, np.generic)):
        small = x.astype(np.complex64 if x.dtype.kind == "c" else np.float32)
        return literal(small)
    return f"np.float32({x!r})" if isinstance(x, float) else f"np.complex64({x!r})"


#: Of each kind, the source of an operand.
KINDS: dict[str, Callable[[Any], str]] = {
    "plain": literal,
    "number": lambda x: literal(_first(x).item()),
    "NumPy number": lambda x: literal(_first(x)),
    "0-d": lambda x: f"np.array({literal(_first(x).item())})",
    "float32": _single,
    "complex": _complex,
    "complex number": lambda x: _complex(_first(x).item()),
    "Fortran": _fortran,
    "strided": _strided,
    "reversed": _reversed,
    "read-only": lambda x: f"np.broadcast_to({literal(_array(x))}, {x.shape})",
    "transposed": lambda x: f"{literal(np.ascontiguousarray(_array(x).T))}.T" if _array(x).ndim > 1 else _fortran(x),
    "size 0": lambda x: literal(_array(x)[:0]),
    "last size 0": lambda x: literal(_array(x)[..., :0]),
    "size 1": lambda x: literal(_array(x)[:1].copy()),
    "all size 1": lambda x: literal(_array(x)[(slice(1),) * x.ndim].copy()),
    "longdouble": lambda x: f"np.asarray({literal(x)}, dtype=np.longdouble)" if isinstance(x, np.ndarray) else f"np.longdouble({literal(x)})",
    "int": lambda x: literal(_whole(x)),
}


def _whole(x: Any) -> Any:
    whole = np.where(np.rint(x) == 0, 1, np.rint(np.real(x))).astype(np.int64)
    return whole if isinstance(x, np.ndarray) else int(whole)


def sources(operands: tuple[Any, ...], kind: str, rng: np.random.Generator) -> tuple[list[str], list[bool]]:
    """The source of each operand, and whether it is differentiated; ``mixed`` draws a kind for each."""
    texts, wanted = [], []
    chosen = int(rng.integers(len(operands)))
    for k, x in enumerate(operands):
        if kind == "int beside":
            if len(operands) < 2:
                raise NotForThis
            name = "int" if k == chosen else "plain"
        elif kind == "mixed":
            name = str(rng.choice(["plain", "number", "float32", "NumPy number", "0-d", "strided", "size 1"]))
        elif kind == "one float32":
            name = "float32" if k == chosen else "plain"
        elif kind == "one number":
            name = "number" if k == chosen else "plain"
        else:
            name = kind
        try:
            texts.append(_each(x, KINDS[name]))
        except (NoLiteral, ValueError, TypeError, IndexError) as error:
            raise NotForThis from error
        wanted.append(name != "int")
    return texts, wanted

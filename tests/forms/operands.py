"""The same call with its numbers as another type, in another memory layout, or of another size."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.rules.cases import Case
from tests.rules.compiled import is_quantity

__all__ = ["KINDS", "NotForThis", "operands"]


class NotForThis(Exception):
    """A kind of operand that a case does not have."""


def first(x: Any) -> Any:
    a = np.asarray(x)
    if not a.size:
        raise NotForThis
    return a.ravel()[0]


def array(x: Any, least: int = 1) -> np.ndarray:
    if not isinstance(x, np.ndarray) or x.ndim < least:
        raise NotForThis
    return x


def read_only(x: Any) -> np.ndarray:
    out = array(x).copy()
    out.flags.writeable = False
    return out


def complex_like(x: Any) -> Any:
    if np.iscomplexobj(x):
        raise NotForThis
    return x * (1 + 0.25j) + 0.125j


def single(x: Any) -> Any:
    dtype = np.complex64 if np.iscomplexobj(x) else np.float32
    return x.astype(dtype) if isinstance(x, np.ndarray) else dtype(x)


def whole(x: Any) -> Any:
    out = np.where(np.rint(np.real(x)) == 0, 1, np.rint(np.real(x))).astype(int)
    return out if isinstance(x, np.ndarray) else int(out)


KINDS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda x: x, "number": lambda x: first(x).item(), "NumPy number": first, "0-d": lambda x: np.array(first(x)),
    "float32": single, "complex": complex_like, "size 0": lambda x: array(x)[:0], "size 1": lambda x: array(x)[(slice(1),) * x.ndim].copy(),
    "Fortran": lambda x: np.asfortranarray(array(x, 2)), "strided": lambda x: np.repeat(array(x), 2, axis=-1)[..., ::2], "read-only": read_only,
    "int beside": whole,
}


def operands(case: Case, kind: str) -> tuple[list[Any], list[Any], Callable[..., Any]]:
    """The differentiated operands of a case as ``kind``, the others, and a function of the first that makes the call.

    The function is written for the compiler: ``def call(a0, a1): return fn(a0, c1, a1, axis=0)``.
    """
    fixed = case.kwargs.get("fixed", ())
    given = [(k, x) for k, x in [*enumerate(case.args), *case.options.items()]]
    wanted = [k for k, x in given if is_quantity(x) and k not in fixed]
    if not wanted or kind == "int beside" and len(wanted) < 2:
        raise NotForThis
    moving, space, texts, names = [], {"fn": case.fn}, [], []
    for k, x in given:
        name = f"a{k}" if isinstance(k, int) else f"a_{k}"
        if k in wanted and (kind != "int beside" or k == wanted[0]):
            moving.append(x if kind == "int beside" else each(x, KINDS[kind]))
            names.append(name)
        else:
            space[name] = each(x, whole) if k in wanted else x
        texts.append(name if isinstance(k, int) else f"{k}={name}")
    return moving, names, written(f"fn({', '.join(texts)})", names, space)


def each(x: Any, fn: Callable[[Any], Any]) -> Any:
    if isinstance(x, (list, tuple)):
        items = [each(v, fn) for v in x]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    return fn(x)


def written(text: str, names: list[str], space: dict[str, Any], name: str = "call") -> Callable[..., Any]:
    """A function with source code that the compiler finds."""
    import linecache
    source = f"def {name}({', '.join(names)}):\n    return {text}\n"
    file = f"<form {abs(hash((source, id(space))))}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    space["__name__"] = "__main__"      # an exported module copies it
    exec(compile(source, file, "exec"), space)
    return space[name]

"""Write the guards of a variant as assertions on its arguments, each with a message."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Lit
from ...ir.types import Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT, Type
from ..sharing import share, share_inside
from ..variants import Variant

if TYPE_CHECKING:
    from .writer import Writer

__all__ = ["assertions"]

#: Guards up to which length the chosen form of the code is the faster one; it is right for any.
_LIMITS = ("narrow", "product", "at most")
_NUMBERS = {"float": "float", "int": "int", "bool": "bool", "complex": "complex"}


def assertions(variant: Variant, w: Writer) -> list[tuple[str, str]]:
    """Pair of a test, as an expression of the parameters, and the message where it does not hold."""
    out: list[tuple[str, str]] = []
    for p in variant.ir.signature:
        value = p.value
        if isinstance(value, Lit):
            test, expected = _known(p.name, value.value), f"{value.value!r}"
        else:
            test, expected = _is(p.name, value.type, w), str(value.type)
        if test:
            out.append((test, f"{p.name}: expected {expected}"))
    names = {p.name: p.value.type for p in variant.ir.signature}
    for fact in variant.guards.facts:
        found = _fact(fact, names, w)
        if found is not None and found not in out:
            out.append(found)
    return out


def _known(name: str, value: Any) -> str:
    """A test for an argument whose value was taken as known."""
    if value is None or value is Ellipsis:
        return f"{name} is {value!r}"
    if type(value) in (str, bool, int, float, bytes):
        return f"{name} == {value!r}"
    own = getattr(value, "__name__", None)
    return f"getattr({name}, '__name__', None) == {own!r}" if isinstance(own, str) else ""


def _is(e: str, t: Type, w: Writer) -> str:
    """A test of a type; an empty string where nothing is to be tested."""
    match t:
        case Num(kind):
            return f"isinstance({e}, {_NUMBERS[kind]})"
        case Arr(dtype, dims) if w.library is not None:
            tests = [f"hasattr({e}, 'dtype')", f"len({e}.shape) == {len(dims)}", f"str({e}.dtype).endswith({dtype!r})"]
            if not w.library.lazy:      # whose lengths may not be known
                tests += [f"{e}.shape[{k}] {'==' if d.one else '!='} 1" for k, d in enumerate(dims) if d.one is not None]
            return " and ".join(tests)
        case Arr(dtype, dims):
            np_ = w.reference(np, "np")
            tests = [f"{np_}.ndim({e}) == {len(dims)}", f"{e}.dtype == {dtype!r}"]
            tests += [f"{e}.shape[{k}] {'==' if d.one else '!='} 1" for k, d in enumerate(dims) if d.one is not None]
            return " and ".join([f"hasattr({e}, 'dtype')", *tests])
        case TupleT(elems, cls):
            tests = [f"isinstance({e}, {'list' if cls is list else 'tuple'})", f"len({e}) == {len(elems)}"]
            return " and ".join([*tests, *filter(None, (_is(f"{e}[{k}]", t, w) for k, t in enumerate(elems)))])
        case RecordT(keys, elems, cls):
            if cls is dict:
                tests = [f"isinstance({e}, dict)", f"{e}.keys() == {set(keys)!r}"] if all(isinstance(k, (str, int)) for k in keys) else []
                parts = [_is(f"{e}[{k!r}]", t, w) for k, t in zip(keys, elems)] if tests else []
            else:
                tests = [f"type({e}).__name__ == {cls.__name__!r}"]
                parts = [_is(f"{e}.{k}", t, w) for k, t in zip(keys, elems)]
            return " and ".join([*tests, *filter(None, parts)])
        case ListT():       # the function may put other things into it
            return f"isinstance({e}, list)"
        case DictT():
            return f"isinstance({e}, dict)"
        case SetT():
            return f"isinstance({e}, (set, frozenset))"
        case OptT(elem):
            inner = _is(e, elem, w)
            return f"({e} is None or {inner})" if inner else ""
        case Obj(cls) if cls is not None:
            return f"{cls.__name__!r} in [c.__name__ for c in type({e}).__mro__]"
    return ""


def _fact(fact: tuple[Any, ...], names: dict[str, Type], w: Writer) -> tuple[str, str] | None:
    """Write a guard as a test; None if it concerns an object other than the arguments, whose value is written into the module."""
    kind, container, key, expected = fact
    if kind in _LIMITS or kind == "apart" and w.library is not None:
        return None
    more = key if kind == "apart" else expected[0] if kind == "times" else None
    paths = [p for p in (container, more) if p is not None]
    spelled = {id(p): _path(p, names) for p in paths}
    if any(found is None for found in spelled.values()):
        return None
    read = spelled.get(id(container)) or ""
    match kind:
        case "apart" if container == key:
            return f"not {w.reference(share_inside, 'share_inside')}({read})", f"{container} holds the same memory twice"
        case "apart":
            function = f"{w.reference(np, 'np')}.may_share_memory" if expected else w.reference(share, "share")
            return f"not {function}({read}, {spelled[id(key)]})", f"{container} and {key} share memory"
        case "length":
            return f"len({read}) == {expected}", f"{read}: expected the length {expected}"
        case "shape":
            part = f"[{key}:]" if key else ""
            return f"{read}.shape{part} == {expected}", f"{read}: expected the shape {expected}"
        case "unlike" if key is None:
            return f"{expected} not in {read}.shape", f"{read}: expected no dimension of {expected}"
        case "unlike" | "alike":
            sign = "!=" if kind == "unlike" else "=="
            return f"{read}.shape[{key}] {sign} {expected}", f"{read}: expected {read}.shape[{key}] {sign} {expected}"
        case "above":
            return f"{read} > {expected}", f"{read}: expected more than {expected}"
        case "many":
            return f"{read}.shape[{key}] >= {expected}", f"{read}: expected {read}.shape[{key}] >= {expected}"
        case "times":
            test = f"{read}.shape[{key}] == {expected[2]} * {spelled[id(expected[0])]}.shape[{expected[1]}]"
            return test, f"expected {test}"
        case "hasattr" if isinstance(key, str):
            return f"hasattr({read}, {key!r}) is {bool(expected)}", f"{read}: expected {'an' if expected else 'no'} attribute {key!r}"
        case "argattr":
            test = _is(read, expected, w) if isinstance(expected, (Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT)) else \
                _known(read, expected)
            return (test, f"{read}: expected {expected}") if test else None
    return None


def _path(path: Any, names: dict[str, Type]) -> str | None:
    """The expression for an argument or a part of one; None for other objects."""
    if not isinstance(path, (str, tuple)):
        return None
    name, *parts = path if isinstance(path, tuple) else (path,)
    while isinstance(name, tuple):
        name, *first = name
        parts = [*first, *parts]
    if name not in names:
        return None
    return str(name) + "".join(_steps(names[name], parts))


def _steps(t: Type | None, parts: list[Any]) -> Iterator[str]:
    """Subscripts for items of containers, and attributes of objects."""
    for part in parts:
        is_item = isinstance(part, int) or isinstance(t, DictT) or isinstance(t, RecordT) and t.cls is dict
        yield f"[{part!r}]" if is_item else f".{part}"
        if isinstance(t, RecordT) and part in t.keys:
            t = t.elems[t.keys.index(part)]
        elif isinstance(t, TupleT) and isinstance(part, int) and -len(t.elems) <= part < len(t.elems):
            t = t.elems[part]
        else:
            t = t.elem if isinstance(t, ListT) else t.value if isinstance(t, DictT) else None

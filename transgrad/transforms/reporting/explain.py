"""The report of `Derivative.explain`: compiled functions, active values, and values saved for the reverse sweep."""
from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Call, Function, Value, functions_of, operands_of, walk
from ...ir.types import Arr, DictT, ListT, Num, RecordT, TupleT, Type, is_differentiable
from ...passes.analysis.activity import Activity
from ...passes.analysis.alias import AliasClasses
from ...services import explanation_html
from ..arguments import name_of
from ..fallback import TapedVariant, taped_calls
from ..variants import Variant
from .memory_use import footprint

if TYPE_CHECKING:
    from ..derivative import Derivative

__all__ = ["Explanation", "active_names", "as_table", "explain", "explain_call"]


class Explanation(str):
    """A string that a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        found: str = explanation_html(self)
        return found


def explain(derivative: Derivative) -> str:
    """Describe each variant in a few lines."""
    return "\n\n".join("\n".join(_variant(derivative, variant)) for variant in derivative.variants)


def explain_call(derivative: Derivative, values: Mapping[str, Any]) -> str:
    """Describe the variant for these arguments, with the memory that it uses for them."""
    variant = derivative.variant(values)
    lines = list(_variant(derivative, variant))
    if isinstance(variant, Variant):
        found = footprint(variant, values)
        lines.append(f"  stores     {found.total:,} bytes for these arguments: {found.lists:,} in lists, {found.arrays:,} in arrays, "
                     f"{found.shadows:,} in shadows")
    return "\n".join(lines)


def as_table(text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Split an explanation into rows: for each variant its title, and pairs of a heading and a description."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            found.append((line, []))
        elif line.strip():
            heading, said = line[2:13].strip(), line[13:]
            rows = found[-1][1]
            if heading or not rows:
                rows.append((heading, said))
            else:
                rows[-1] = rows[-1][0], f"{rows[-1][1]}; {said}"
    return found


def _variant(derivative: Derivative, variant: Variant | TapedVariant) -> Iterator[str]:
    if isinstance(variant, TapedVariant):
        types = ", ".join(f"{name}: {t}" for name, t in variant.types.items())
        yield f"{derivative.__name__}({types})"
        yield "  compiled   nothing"
        yield f"  taped      {variant.described()}"
        return
    types = ", ".join(f"{name}: {t}" for name, t in variant.types.items())
    yield f"{derivative.__name__}({types})"
    assert variant.primal is not None
    compiled = [_place(fn) for fn in functions_of(variant.primal)]
    yield f"  compiled   {'; '.join(compiled)}"
    taped = [f"{call.name} ({call.loc}): {call.reason.reason}{f' ({call.reason.loc})' if call.reason.loc is not None else ''}"
             for call in taped_calls(variant)]
    yield f"  taped      {taped[0] if taped else 'nothing'}"
    yield from (f"             {line}" for line in taped[1:])
    yield f"  active     {', '.join(active_names(derivative, variant.primal)) or 'nothing'}"
    if variant.native is not None:
        yield f"  machine    {variant.native.described()}"
    if (tiers := getattr(variant.function, "tiers", None)) is not None:
        first, *rest = tiers.described()
        yield f"  back end   {first}"
        yield from (f"             {line}" for line in rest)
    saved = list(_saved(variant))
    yield f"  saved      {saved[0] if saved else 'nothing'}"
    yield from (f"             {line}" for line in saved[1:])
    from ...frontend.statements.statement_outlining import is_statement
    facts = [_taken(variant.primal, kind, container, key) for kind, container, key, expected in variant.guards.facts
             if kind in ("global", "cell", "attr", "argattr") and not is_statement(expected)]
    if variant.uncached is not None:
        yield f"  cached     no: {variant.uncached}"
    if facts:
        yield f"  assumes    {', '.join(dict.fromkeys(map(str, facts)))} as found"


def _taken(fn: Function, kind: str, container: Any, key: Any) -> str:
    """The user's name of an assumption."""
    if kind != "cell":
        return f"{key or container}"
    origins = [inner.origin for inner in functions_of(fn)]
    names = [name for f in origins if isinstance(f, types.FunctionType) for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ())
             if cell is container]
    return names[0] if names else "a variable around a function"


def _place(fn: Function) -> str:
    where = f" ({fn.loc})" if fn.loc is not None else ""
    return f"{name_of(fn.origin) if fn.origin is not None else fn.name}{where}"


def active_names(derivative: Derivative, fn: Function) -> list[str]:
    """The user's names of values that depend on a differentiated argument and reach the result."""
    wrt = [p.value for p in fn.signature if p.name in derivative.target.names and isinstance(p.value, Value)]
    activity = Activity(fn, AliasClasses(fn), wrt, fn.body.yields)
    values = [*fn.params, *(r for op in walk(fn.body) for r in op.results)]
    return list(dict.fromkeys(v.name for v in values if v.name and is_differentiable(v.type) and activity.active(v)))


def _saved(variant: Variant) -> Iterator[str]:
    """The values saved for the reverse sweep: lists filled in loops, and values that it reads directly."""
    reverse: set[Value] = set()
    made: dict[Value, str] = {}
    lists: set[Value] = set()
    for op in walk(variant.ir.body):
        if op.part == "primal":
            for r in op.results:
                made[r] = r.name or (f"a value of line {op.loc.line}" if op.loc is not None else "a value")
        else:
            reverse.update(o for o in operands_of(op) if isinstance(o, Value))
        if isinstance(op, Call) and op.fn is list.append and isinstance(op.args[0], Value) and (op.args[0].name or "").startswith("saved_"):
            lists.add(op.args[0])
            yield f"{op.args[0].name}: {_size(op.args[1].type)} per iteration"
    for v, name in made.items():
        if v in reverse and v not in lists and is_differentiable(v.type):
            yield f"{name}: {_size(v.type)}"


def _size(t: Type) -> str:
    """The size of a value of this type; lengths are not known, so for an array it is the size of an element."""
    match t:
        case Num(kind):
            return f"{16 if kind == 'complex' else 8} bytes"
        case Arr(dtype, dims):
            size = np.dtype(dtype).itemsize
            return f"{size} bytes per element of {t}" if any(d.one is not True for d in dims) else f"{size} bytes"
        case TupleT(elems) | RecordT(_, elems):
            return " + ".join(_size(e) for e in elems)
        case ListT(elem):
            size_of_item = "8 bytes" if elem is None else f"({_size(elem)})" if isinstance(elem, (TupleT, RecordT)) else _size(elem)
            return f"{size_of_item} per item"
        case DictT(_, value):
            return f"{_size(value)} per item" if value is not None else "8 bytes per item"
    return f"{t}"

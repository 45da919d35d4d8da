"""Generate the source of one module: a function and the functions that it calls."""
from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..ir.libraries import Library
from ..ir.memory import Memory
from ..ir.ops import Function, Invoke, Lit, Value, operands_of, walk
from .coalesce import Variables
from .expressions import Expressions
from .fold import fold
from .globals import Globals
from .layout import Layout
from .liveness import Interference
from .naming import name_variables, unique
from .nodes import Loop, Plan, every
from .reads import Reads
from .release import release_arrays
from .signature import arguments, call_arguments, parameter_names, parameters
from .statements import Line, Statements
from .structure import structure
from .text import Module

if TYPE_CHECKING:
    from .foreign import Dialect

__all__ = ["Module", "emit"]


def emit(fn: Function, *, name: str | None = None, docstring: str | None = None, decorator: Callable[[Function], str] | None = None,
         header: Callable[[Mapping[str, Any]], list[str]] | None = None, library: Library | None = None) -> Module:
    """Write a function as Python.

    Parameters
    ----------
    fn : Function
        The function; functions it invokes that no user wrote are written above it.
    name, docstring : str, optional
        Instead of the function's own.
    decorator : callable, optional
        The line above a definition, for the function; an empty string for none.
    header : callable, optional
        The lines at the top of the module, for the names it refers to.
    library : Library, optional
        The library whose arrays the code is for; NumPy without one.

    Returns
    -------
    Module
    """
    order = _own_functions(fn)
    names = Globals(p for f in order for p in parameter_names(f).values())
    own: dict[int, str] = {}
    for f in [fn, *(f for f in order if f is not fn)]:
        own[id(f)] = names.define(name if f is fn and name else f.name, f)
    texts: list[tuple[list[str], list[Line], str | None]] = []
    for f in order:
        lines = _function(f, names, own, library)
        heads = [line] if decorator is not None and (line := decorator(f)) else []
        texts.append(([*heads, f"def {own[id(f)]}({arguments(f, names)}):"], lines, docstring if f is fn and docstring else f.doc))
    layout = Layout()
    for line in header(names.bindings) if header is not None else ():
        layout.put(line)
    for heads, lines, doc in texts:
        if layout.text:
            layout.put("")
            layout.put("")
        for head in heads:
            layout.put(head, 0, fn.loc)
        if doc:
            for part in _docstring(doc):
                layout.put(part, 1)
        layout.function(lines)
    return Module("\n".join(layout.text) + "\n", names.bindings, own[id(fn)], layout.locs, layout.parts)


def _own_functions(fn: Function) -> list[Function]:
    """The functions to be written, callees first."""
    order: list[Function] = []
    _visit(fn, order, set())
    return order


def _visit(fn: Function, order: list[Function], seen: set[int]) -> None:
    seen.add(id(fn))
    for op in walk(fn.body):
        named = [op.func] if type(op) is Invoke else [o.value for o in operands_of(op) if type(o) is Lit and type(o.value) is Function]
        for callee in named:
            if id(callee) not in seen and (callee.origin is None or callee.attrs.emit):
                _visit(callee, order, seen)
    order.append(fn)


def _docstring(doc: str) -> list[str]:
    if "\\" in doc or '"""' in doc or doc.endswith('"'):
        return [repr(doc)]
    lines = doc.strip().split("\n")
    if len(lines) == 1:
        return [f'"""{lines[0]}"""']
    return [f'"""{lines[0]}', *(line.rstrip() for line in lines[1:]), '"""']


def _function(fn: Function, names: Globals, own: dict[int, str], library: Library | None = None) -> list[Line]:
    """The lines of a function's body."""
    names.use(fn.names)
    plan = structure(fn)
    reads = Reads(plan)
    memory = Memory(fn)
    arms = dict(plan.folded)
    fold(plan, reads, memory, set())
    variables = Variables(plan, Interference(plan))
    into_copies = _into_copies(plan, variables, reads)
    if into_copies:
        plan.folded = arms
        fold(plan, reads, memory, into_copies)
        variables = Variables(plan, Interference(plan))

    def invoke(op: Invoke, args: list[ast.expr]) -> ast.expr:
        f = op.func
        positional, keywords = call_arguments(f, args, names)
        callee = ast.Name(own[id(f)], ast.Load()) if id(f) in own else names.expr(f.origin, f.name)
        return ast.Call(callee, positional, keywords)

    unread = _unread(plan, reads)
    expressions = Expressions(plan, variables, names, invoke, _dialect(library, fn))
    lines = Statements(expressions, unread).seq(plan.seq)
    while lines and lines[-1].pieces == ["return"]:
        lines.pop()
    first = next((line for line in lines if line.part == "adjoint"), None)
    if first is not None and first.loc is None and first.body is None:
        first.loc = fn.attrs.return_loc      # the cotangent of the result, if it is a number
    lines = lines or [Line(["pass"])]
    named = parameter_names(fn)
    fixed = {p.value: named[k] for k, p in enumerate(parameters(fn)) if isinstance(p.value, Value)}
    taken = {*names.taken, *own.values(), *named.values()}
    final = name_variables(variables, fixed, taken, expressions.mentions)
    for k, hint in expressions.hints.items():
        final[k] = unique(hint, {*taken, *final.values()})
    expressions.fill(final)
    large = {v: size for v, size in fn.attrs.large.items() if v not in plan.folded and reads.count.get(v)}
    return release_arrays(lines, _sizes(large, variables, final, set(named.values()))) if large else lines


def _dialect(library: Library | None, fn: Function) -> Dialect | None:
    """How calls are written for the arrays of a library."""
    if library is None:
        return None
    from .foreign import dialect_for
    return dialect_for(library, fn)


def _sizes(large: dict[Value, int], variables: Variables, final: dict[int, str], fixed: set[str]) -> dict[str, int]:
    """How large the arrays are of variables that hold nothing else, by name."""
    out: dict[str, int] = {}
    for k in {variables.class_of(v) for v in large}:
        held = variables.members(k)
        if k in final and final[k] not in fixed and all(v in large for v in held):
            out[final[k]] = max(map(large.__getitem__, held))
    return out


def _into_copies(plan: Plan, variables: Variables, reads: Reads) -> set[Value]:
    """Values that did not get the variable they are copied to, and may be computed at the copy instead."""
    out: set[Value] = set()
    for _, target, src in variables.remaining:
        if isinstance(src, Value) and src in plan.defs and src not in plan.folded and reads.count.get(src) == 1 \
                and src.name in (None, plan.hint(target)):
            out.add(src)
    return out


def _unread(plan: Plan, reads: Reads) -> set[Value]:
    """Loop variables and results without a name that nothing reads."""
    count = reads.count
    out = {v for v in plan.defs if v.name is None and not count.get(v)}
    for node in every(plan.seq):
        if type(node) is Loop:
            out.update(v for v in node.targets if not reads.count.get(v))
    return out

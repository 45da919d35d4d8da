"""The data behind the viewer: sources, corresponding lines, values, activity, saved values and paths."""
from __future__ import annotations

import copy
import inspect
import re
import textwrap
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import NoSourceError
from ..frontend.source.find import source_of
from ..ir.ops import Function, Invoke, Value, blocks_of, functions_of, operands_of, walk
from ..ir.printer import print_function
from ..passes.analysis.activity import Activity
from ..passes.analysis.alias import AliasClasses
from ..transforms.arguments import name_of
from ..transforms.fallback import TapedVariant
from ..transforms.reporting.explain import active_names
from .observe import Fact, assigned_names, bytes_of, described, observe, profiled, read_names

if TYPE_CHECKING:
    from ..emit.text import Origin
    from ..transforms.derivative import Derivative

__all__ = ["Model", "Pane", "Saved", "model_of"]


@dataclass
class Pane:
    """The source of the function, of one of its helpers, or of the derivative."""

    title: str
    file: str
    first: int
    source: str
    facts: dict[int, Fact] = field(default_factory=dict)

    @property
    def lines(self) -> range:
        """The line numbers."""
        return range(self.first, self.first + self.source.count("\n") + 1)


@dataclass
class Saved:
    """A value that the forward part saves for the reverse sweep."""

    name: str
    description: str
    bytes: int
    line: int | None


@dataclass
class Model:
    """The contents of a page."""

    title: str
    summary: str
    types: dict[str, str]
    panes: list[Pane]
    derivative: Pane
    #: For each line of the derivative: the file and line of its origin, and its part.
    origins: dict[int, tuple[str, int, str]]
    #: The active lines, which have an adjoint or a tangent, as (file, line).
    active: set[tuple[str, int]]
    active_names: list[str]
    saved: list[Saved]
    #: For each input, the lines on the path from it to the output, as (file, line).
    paths: dict[str, set[tuple[str, int]]]
    ir: list[tuple[str, str]]
    observed: bool
    profiled: bool
    note: str = ""


def model_of(derivative: Derivative, values: Mapping[str, Any] | None, profile: bool = False) -> Model:
    """Collect the data of the variant for some arguments, or of the last one; with arguments, both functions run."""
    variant = derivative.variant(values) if values is not None else derivative._current()
    signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(derivative.__signature__))        # annotations that are strings
    title = f"{derivative.__name__}{signature}"
    if isinstance(variant, TapedVariant):
        own = _pane(derivative.primal)
        source = Pane(derivative.__name__, "", 1, variant.source.rstrip())
        return Model(title, variant.described(), dict(variant.types), [own] if own else [], source, {}, set(), [], [], {}, [], False, False,
                     "This function runs on the tape: there is no generated code.")
    source_map = variant.source_map
    panes = _panes(derivative, variant, source_map)
    text = variant.source.rstrip()
    generated = Pane(derivative.__name__, inspect.unwrap(variant.function).__code__.co_filename, 1, text)
    known = {(pane.file, line) for pane in panes for line in pane.lines}
    origins = {k: (o.file, o.line, o.part) for k, o in _filled(source_map, text).items() if (o.file, o.line) in known}
    active = {(file, line) for file, line, part in origins.values() if part != "primal"}
    primal = variant.primal
    model = Model(title, derivative.__doc__.splitlines()[0] if derivative.__doc__ else "", dict(variant.types), panes, generated, origins,
                  active, [], [], {}, [], values is not None, profile and values is not None)
    if primal is not None:
        model.active_names = active_names(derivative, primal)
        model.paths = _paths(derivative, primal, model)
        model.ir = [("IR of the function", print_function(primal)), ("IR of the derivative", print_function(variant.ir))]
    if values is not None:
        _run(model, derivative, variant, values, profile)
    return model


def _filled(source_map: Mapping[int, Origin], text: str) -> dict[int, Origin]:
    """Return the origins; a comment that quotes a statement has the origin of the line below it."""
    found = dict(source_map)
    for k, line in enumerate(text.splitlines(), 1):
        if k not in found and line.lstrip().startswith("#") and k + 1 in source_map:
            found[k] = source_map[k + 1]
    return found


def _panes(derivative: Derivative, variant: Any, source_map: Mapping[int, Origin]) -> list[Pane]:
    """Return the function and the helpers whose lines occur in the derivative."""
    root = derivative.primal
    while not isinstance(root, types.FunctionType) and hasattr(root, "primal"):
        root = root.primal
    first = _pane(root)
    found = {first.title: first} if first else {}
    needed = {(origin.file, origin.line) for origin in source_map.values()}
    for fn in functions_of(variant.primal) if variant.primal is not None else ():
        pane = _pane(fn.origin) if fn.origin is not None else None
        if pane is not None and any((pane.file, line) in needed for line in pane.lines) and \
                not any(pane.file == other.file and pane.first == other.first for other in found.values()):
            found[f"{pane.title} {pane.first}"] = pane
    return list(found.values())


def _pane(f: Any) -> Pane | None:
    """Return the source of a user's function, or None."""
    f = inspect.unwrap(f) if callable(f) else f
    f = getattr(f, "__func__", f)
    if not isinstance(f, types.FunctionType) or (f.__module__ or "").startswith("transgrad."):
        return None
    try:
        source = source_of(f)
    except NoSourceError:
        return None
    first, last = source.node.lineno + source.offset, source.node.end_lineno + source.offset
    return Pane(name_of(f), source.file, first, textwrap.dedent("".join(source.lines[first - 1:last])).rstrip())


def _paths(derivative: Derivative, fn: Function, model: Model) -> dict[str, set[tuple[str, int]]]:
    """Return the lines on the path from each differentiated argument to the output."""
    classes = AliasClasses(fn)
    found: dict[str, set[tuple[str, int]]] = {}
    for p in fn.signature:
        if p.name not in derivative.target.names or not isinstance(p.value, Value):
            continue
        activity = Activity(fn, classes, [p.value], fn.body.yields)
        lines: set[tuple[str, int]] = set()
        for op in walk(fn.body):
            inside = [op, *(inner for block in blocks_of(op) for inner in walk(block))]
            if op.loc is None or not any(activity.active(v) for each in inside for v in (*each.results, *operands_of(each))
                                         if isinstance(v, Value)):
                continue
            loc = op.loc.caller or op.loc
            lines.add((loc.file, loc.line))
            if isinstance(op, Invoke):
                lines.update(place for pane in model.panes[1:] for place in model.active
                             if op.func.loc is not None and pane.first <= op.func.loc.line + 1 and place[0] == pane.file
                             and place[1] in pane.lines and op.func.loc.line in range(pane.first - 5, pane.first + 1))
        returned = fn.attrs.return_loc
        if returned is not None:
            lines.add((returned.file, returned.line))
        if fn.loc is not None:
            lines.add((fn.loc.file, fn.loc.line))
        found[p.name] = lines
    return found


def _run(model: Model, derivative: Derivative, variant: Any, values: Mapping[str, Any], profile: bool) -> None:
    """Run the function and the derivative, and observe their lines."""
    assigned: dict[str, dict[int, list[str]]] = {}
    for pane in model.panes:
        assigned.setdefault(pane.file, {}).update(_assigned(pane))
    names = derivative.kind.primal_names(tuple(values), derivative.target)
    bound = inspect.BoundArguments(derivative.primal_signature, {name: values[name] for name in names})

    def run_primal() -> Any:
        given = copy.deepcopy(bound)
        return derivative.primal(*given.args, **given.kwargs)
    if "vmap" not in derivative.__name__:
        facts = profiled(run_primal, assigned) if profile else observe(run_primal, assigned)[0]
        for pane in model.panes:
            pane.facts = {line: fact for line, fact in facts[pane.file].items() if line in pane.lines}
    own = model.derivative
    entry = next((k for k, line in enumerate(own.source.splitlines(), 1) if line.startswith(f"def {variant.module.entry}(")), 1)
    adjoint = [line for line, (_, _, part) in model.origins.items() if part != "primal" and line >= entry]
    stop = (own.file, min(adjoint)) if adjoint and variant.native is None else None

    def run() -> Any:
        return variant.call_with(copy.deepcopy(dict(values)))
    lines = {own.file: _assigned(own)}
    facts, kept = observe(run, lines, stop=stop)
    own.facts = (profiled(run, lines) if profile else facts)[own.file]
    if stop is not None:
        model.saved = _saved(own, stop[1], kept, set(values))


def _assigned(pane: Pane) -> dict[int, list[str]]:
    try:
        return assigned_names(pane.source, pane.first)
    except SyntaxError:         # a lambda inside a statement
        return {}


def _saved(pane: Pane, start: int, kept: Mapping[str, Any], arguments: set[str]) -> list[Saved]:
    """Return the variables of the forward part that the reverse sweep reads."""
    lines = {name: line for line, names in sorted(_assigned(pane).items(), reverse=True) for name in names}
    seen = {id(kept[name]) for name in arguments if name in kept}
    found = []
    for name in sorted(read_names(pane.source, start)):
        if name in kept and name not in arguments and not callable(kept[name]):
            size = bytes_of(kept[name], seen)
            found.append(Saved(name, described(kept[name]), size, lines.get(name)))
    return sorted(found, key=lambda s: -s.bytes)

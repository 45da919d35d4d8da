"""Mark the statements ``with insert_grad_of(x) as x_bar`` of a function, which assign to ``x`` as well.

The statement passes ``x`` through an identity, so that ``x`` is another value after it.  Analyses of the tree (which variables a
loop carries, which are live) have to know that: the target becomes ``(x_bar, x)``.
"""
from __future__ import annotations

import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import gast

from ...errors import UnsupportedSyntax

if TYPE_CHECKING:
    from .find import FunctionSource

__all__ = ["has_insertions", "mark_insertions", "mentions_insertions", "misused", "names_of", "notes_kept"]

_NAME = "insert_grad_of"


def mentions_insertions(code: types.CodeType) -> bool:
    """Whether a function may have such a statement."""
    return _NAME in code.co_names or _NAME in code.co_freevars or any(
        isinstance(c, types.CodeType) and mentions_insertions(c) for c in code.co_consts)


def has_insertions(source: FunctionSource) -> bool:
    """Whether a function has such statements: a call of it is inlined, so that all writes to its arguments are in sight."""
    return _NAME in source.notes


def notes_kept(source: FunctionSource) -> dict[Any, Any]:
    """The notes of a source that hold for one that was made of it."""
    return {_NAME: True} if has_insertions(source) else {}


def mark_insertions(source: FunctionSource) -> None:
    """Rewrite the targets of these statements, and of those in functions inside of a function, in place."""
    source.notes[_NAME] = True
    _mark_function(source.node)


def _mark_function(function: Any) -> None:
    args = function.args
    own = {a.id for a in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg) if a is not None}
    nodes = list(_own_nodes(function))
    own.update(n.id for n in nodes if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store))
    for node in nodes:
        if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef)):
            _mark_function(node)
        elif isinstance(node, gast.With):
            for item in node.items:
                if _is_insertion(item):
                    _mark(node, item, own)


def misused(reason: str, loc: Any, hint: str) -> UnsupportedSyntax:
    """The error for a statement that is written in a way that is not supported; the tape would not report it as clearly."""
    refusal = UnsupportedSyntax(reason, loc, hint)
    refusal.for_tape = False
    return refusal


def _own_nodes(function: Any) -> Iterator[Any]:
    """The nodes below a function, without those of functions inside of it."""
    todo = list(function.body) if isinstance(function.body, list) else []
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)):
            todo.extend(gast.iter_child_nodes(node))


def _is_insertion(item: Any) -> bool:
    called = item.context_expr.func if isinstance(item.context_expr, gast.Call) else None
    return getattr(called, "attr", None) == _NAME or isinstance(called, gast.Name) and called.id == _NAME


def _mark(node: Any, item: Any, own: set[str]) -> None:
    args = item.context_expr.args
    if len(node.items) > 1:
        raise misused(f"{_NAME} stands beside other context managers", None, "nest the with statements")
    if len(args) != 1 or not isinstance(args[0], gast.Name) or not isinstance(item.optional_vars, gast.Name):
        raise misused(f"{_NAME} takes the name of a variable, and gives its adjoint a name", None,
                      f"write: with {_NAME}(x) as x_bar")
    if args[0].id not in own:
        raise misused(f"{_NAME}: {args[0].id!r} is not a variable of the function itself", None,
                      f"assign it to one first: y = {args[0].id}")
    target = gast.Name(args[0].id, gast.Store(), None, None)
    item.optional_vars = gast.copy_location(gast.Tuple([item.optional_vars, gast.copy_location(target, args[0])], gast.Store()), args[0])


def names_of(node: Any) -> tuple[str, str] | None:
    """The variable and its adjoint in a marked statement; None for any other."""
    item = node.items[0]
    if not _is_insertion(item) or not isinstance(item.optional_vars, gast.Tuple):
        return None
    bar, name = item.optional_vars.elts
    return name.id, bar.id

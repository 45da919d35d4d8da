"""Load generated source so that its outermost loops and its checkpoints show their progress (``progress=True``)."""
from __future__ import annotations

import ast
import builtins
import contextlib
import functools
from collections.abc import Callable
from typing import Any

from ... import progress
from ...emit.files import expected_file, publish
from ...emit.text import Module
from ...runtime.schedule import binomial_stretch

__all__ = ["load_watched"]


def load_watched(module: Module, name: str) -> Callable[..., Any]:
    """As `transgrad.emit.load`; line numbers are those of the source."""
    filename = expected_file(name, module.text)
    publish(filename, module.text, module.origins())
    tracked = "tracked"
    while tracked in module.text:
        tracked += "_"
    tree = ast.parse(module.text)
    lines = module.text.splitlines()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == module.entry:
            for stmt in node.body:
                if isinstance(stmt, ast.For):
                    label = ast.Constant(f"{name}: {lines[stmt.lineno - 1].strip().rstrip(':')[:50]}")
                    stmt.iter = ast.copy_location(ast.Call(ast.Name(tracked, ast.Load()), [stmt.iter, label], []), stmt.iter)
    scope: dict[str, Any] = {"__name__": f"transgrad.emitted.{module.entry}", "__file__": filename, "__builtins__": builtins,
                             **module.names, tracked: progress.tracked}
    exec(compile(ast.fix_missing_locations(tree), filename, "exec"), scope)
    function: Callable[..., Any] = scope[module.entry]
    return _with_checkpoints(function, scope, name)


def _with_checkpoints(function: Callable[..., Any], scope: dict[str, Any], name: str) -> Callable[..., Any]:
    """The function, with a bar for the steps that checkpoints reverse."""
    starts = [n for n, held in scope.items() if held is binomial_stretch]
    ends = [n for n in scope if n.endswith("_stretch_backward")]
    if not starts or not ends:
        return function
    open_bars = contextlib.ExitStack()
    current: list[progress.Bar] = []

    def start(steps: int, snapshots: int) -> int:
        stretch = binomial_stretch(steps, snapshots)
        current.append(open_bars.enter_context(progress.bar(f"{name}: reverse with checkpoints", -(-steps // stretch))))
        return stretch

    def ticking(step: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(step)
        def run(*args: Any, **kwargs: Any) -> Any:
            found = step(*args, **kwargs)
            if current:
                current[-1].advance()
            return found
        return run
    scope.update(dict.fromkeys(starts, start))
    scope.update({n: ticking(scope[n]) for n in ends})

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with open_bars:
            try:
                return function(*args, **kwargs)
            finally:
                current.clear()
    return run

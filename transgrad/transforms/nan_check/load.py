"""Load generated source in its instrumented form."""
from __future__ import annotations

import ast
import builtins
import functools
import inspect
from collections.abc import Callable
from typing import Any

from ...emit.files import expected_file, publish
from ...emit.text import Module, Origin
from .check import Checker, check_finite
from .instrument import instrument

__all__ = ["load_checked"]


def load_checked(module: Module, name: str, whole: bool = True) -> Callable[..., Any]:
    """As `transgrad.emit.load`, with a check of every operation.

    Parameters
    ----------
    module : Module
        The source.
    name : str
        The derivative.
    whole : bool
        Whether the result of the function is one of the user's, which has to be finite.
    """
    filename = expected_file(name, module.text)
    publish(filename, module.text, module.origins())
    checker_name = "finite"
    while checker_name in module.text:
        checker_name += "_"
    nodes: list[ast.AST] = []
    made = instrument(ast.parse(module.text), checker_name, nodes)
    lines = module.text.splitlines()
    sites = [(getattr(node, "lineno", 1), _text(node, lines)) for node in nodes]
    checker = Checker(name, filename, sites, {line: Origin(*origin) for line, origin in module.origins().items()})
    scope: dict[str, Any] = {"__name__": f"transgrad.emitted.{module.entry}", "__file__": filename, "__builtins__": builtins,
                             **module.names, checker_name: checker}
    exec(compile(made, filename, "exec"), scope)
    fn: Any = scope[module.entry]
    signature = inspect.signature(fn)

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        checker.passed = None
        result = fn(*args, **kwargs)
        if whole:
            check_finite(name, checker, signature.bind(*args, **kwargs).arguments, result)
        return result

    return run


def _text(node: ast.AST, lines: list[str]) -> str:
    """The source of a node."""
    first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
    if first != last:
        return lines[first - 1].strip() + " …"
    return lines[first - 1].encode()[node.col_offset:node.end_col_offset].decode()  # type: ignore[attr-defined]

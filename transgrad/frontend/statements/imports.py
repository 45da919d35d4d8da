"""Imports inside functions: modules that are loaded are known at compile time."""
from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Any

from ...ir.ops import Lit
from ..context import Lowering
from ..refusals import refuse
from .assignments import store_name

__all__ = ["HANDLERS", "import_", "import_from"]


def _module(ctx: Lowering, name: str) -> Any:
    """A module by its full name; one that is not loaded yet is loaded, as the statement itself would do."""
    found = sys.modules.get(name)
    if found is not None:
        return found
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def import_(ctx: Lowering, node: Any) -> None:
    """``import a.b as c``."""
    for alias in node.names:
        module = _module(ctx, alias.name)
        if module is None:
            refuse("import", ctx.loc, alias.name)
        if alias.asname:
            store_name(ctx, alias.asname, Lit(module, alias.asname), node)
        else:
            root = alias.name.split(".")[0]
            store_name(ctx, root, Lit(sys.modules[root], root), node)


def import_from(ctx: Lowering, node: Any) -> None:
    """``from a import b as c``."""
    base = node.module or ""
    if node.level:
        package = ctx.frame.globals.get("__package__") or ""
        base = importlib.util.resolve_name("." * node.level + base, package)
    module = _module(ctx, base)
    for alias in node.names:
        if module is None:
            refuse("import", ctx.loc, base)
        found = getattr(module, alias.name, None) if hasattr(module, alias.name) else _module(ctx, f"{base}.{alias.name}")
        if found is None and not hasattr(module, alias.name):
            refuse("import", ctx.loc, f"{base}.{alias.name}")
        name = alias.asname or alias.name
        store_name(ctx, name, Lit(found, name), node)


def _import_module(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """``importlib.import_module("a.b")``."""
    if len(args) != 1 or kwargs or not isinstance(args[0], Lit) or not isinstance(args[0].value, str):
        refuse("import", ctx.at(node), "a module whose name is computed")
    module = _module(ctx, args[0].value)
    if module is None:
        refuse("import", ctx.at(node), args[0].value)
    return Lit(module, ctx.bind(args[0].value.rpartition(".")[2], module))


HANDLERS: dict[Any, Any] = {importlib.import_module: _import_module}

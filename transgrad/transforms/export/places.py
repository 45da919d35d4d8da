"""Where an object can be imported from."""
from __future__ import annotations

import ast
import site
import sys
import sysconfig
import types
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["attributes_read", "in_module", "is_installed", "root_of", "submodules"]

_LIBRARIES = ("numpy", "scipy")


def root_of(obj: Any) -> str:
    """The top-level package that an object comes from; an empty string if that is not known."""
    return str(getattr(obj, "__module__", None) or getattr(type(obj), "__module__", None) or "").split(".")[0]


def is_installed(module: str) -> bool:
    """Return whether a module is part of Python or of an installed package, rather than the user's own."""
    root = module.split(".")[0]
    if root == "__main__":
        return False
    if root in sys.builtin_module_names or root in sys.stdlib_module_names:
        return True
    package = sys.modules.get(root)
    file = getattr(package, "__file__", None)
    return package is not None and (file is None or file.startswith(tuple(_folders())))


def _folders() -> list[str]:
    return [*site.getsitepackages(), site.getusersitepackages(), sysconfig.get_paths()["stdlib"]]


def in_module(obj: Any) -> tuple[str, str] | None:
    """The module and the name by which an object can be imported, public ones if possible; None if there are none."""
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    where = getattr(obj, "__module__", None)
    if isinstance(name, str) and isinstance(where, str) and "." not in name:
        parts = where.split(".")
        public = [".".join(p for p in parts[:k] if not p.startswith("_")) for k in range(len(parts), 0, -1)]
        for module in (*dict.fromkeys(public), where):
            if module and getattr(sys.modules.get(module), name, None) is obj:
                return module, name
    if isinstance(obj, (str, bytes, int, float, complex, tuple, types.ModuleType, type(None))):
        return None
    return _by_identity(obj, where if isinstance(where, str) else type(obj).__module__)


def _by_identity(obj: Any, where: str) -> tuple[str, str] | None:
    """An object of a library that is an attribute of one of its public modules, such as ``scipy.stats.norm``."""
    if where == "builtins":     # types.ModuleType is called "module"
        found = next((name for name, held in vars(types).items() if held is obj), None)
        return None if found is None else ("types", found)
    home = sys.modules.get(type(obj).__module__)
    if home is not None and is_installed(home.__name__):        # the generator behind the functions of `random`
        found = next((name for name, held in vars(home).items() if held is obj), None)
        if found is not None:
            return home.__name__, found
    root = where.split(".")[0]
    roots = (root,) if root in _LIBRARIES else _LIBRARIES if "numpy" in where or not root else ()
    for name, module in sorted(sys.modules.items(), key=lambda item: (item[0].count("."), item[0])):
        if module is None or name.split(".")[0] not in roots or any(part.startswith("_") for part in name.split(".")):
            continue
        own = getattr(obj, "__name__", None) or getattr(obj, "name", None)
        if isinstance(own, str) and vars(module).get(own) is obj:
            return name, own
    return None


def attributes_read(sources: Iterable[str], names: Mapping[str, Any]) -> dict[str, list[str]]:
    """The attributes that sources read of modules, by the name of the module."""
    found: dict[str, list[str]] = {}
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
                continue
            if isinstance(names.get(node.value.id), types.ModuleType):
                found.setdefault(node.value.id, []).append(node.attr)
    return {name: list(dict.fromkeys(read)) for name, read in found.items()}


def submodules(sources: Iterable[str], names: Mapping[str, Any]) -> list[str]:
    """The modules that sources read as attributes of imported packages, which have to be imported themselves: ``scipy.stats``."""
    found: dict[str, None] = {}
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            path: list[str] = []
            while isinstance(node, ast.Attribute):
                path.insert(0, node.attr)
                node = node.value
            module = names.get(node.id) if isinstance(node, ast.Name) and path else None
            if not isinstance(module, types.ModuleType) or module.__name__ in ("numpy", "transgrad") or not hasattr(module, "__path__"):
                continue
            for part in path:
                module = getattr(module, part, None)
                if not isinstance(module, types.ModuleType):
                    break
                found[module.__name__] = None
    return list(found)

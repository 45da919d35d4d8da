"""Find the function that a target names: ``file.py:function``, ``package.module:function``, ``….:Class.method``."""
from __future__ import annotations

import importlib
import importlib.util
import pathlib
import sys
import types
from collections.abc import Callable
from typing import Any

__all__ = ["TargetError", "load"]


class TargetError(Exception):
    """A target that does not name a function."""


def load(target: str, args: str | None = "") -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return the function and the names of its module.

    For a method without ``args``, an instance is created if its class takes no arguments.
    """
    place, colon, path = target.rpartition(":")
    if not colon or not place or not path:
        raise TargetError(f"{target!r} is not a target. Hint: write file.py:function or package.module:function")
    module = _from_file(pathlib.Path(place)) if place.endswith(".py") else _from_name(place)
    found: Any = module
    owner: Any = module
    for part in path.split("."):
        if not hasattr(found, part):
            raise TargetError(f"{place} has no {path!r}{_near(found, part)}")
        owner, found = found, getattr(found, part)
    if args is None and isinstance(owner, type) and isinstance(owner.__dict__.get(part), types.FunctionType):
        found = _of_an_instance(owner, part) or found
    if not callable(found):
        raise TargetError(f"{target} is {type(found).__name__}, not a function")
    return found, vars(module)


def _from_file(path: pathlib.Path) -> Any:
    if not path.is_file():
        raise TargetError(f"there is no file {path}")
    path = path.resolve()
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) == str(path) and name != "__main__":
            return module
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[path.stem]
        raise TargetError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent))
    return module


def _from_name(name: str) -> Any:
    sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise TargetError(f"{name} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove("")


def _near(found: Any, part: str) -> str:
    import difflib
    close = difflib.get_close_matches(part, [n for n in dir(found) if not n.startswith("_")], n=1)
    return f"; is it {close[0]!r}?" if close else ""


def _of_an_instance(cls: type, name: str) -> Any:
    """Return the method of an instance created without arguments, or None."""
    try:
        return getattr(cls(), name)
    except TypeError:
        return None

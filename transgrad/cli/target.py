"""Find the function that a target names: ``file.py:function``, ``package.module:function``, ``….:Class.method``."""
from __future__ import annotations

import importlib
import importlib.util
import inspect
import pathlib
import sys
import types
from collections.abc import Callable
from typing import Any

from .arguments import Given, given_arguments
from .errors import TargetError

__all__ = ["TargetError", "load"]


def load(target: str, args: str | None = None) -> tuple[Callable[..., Any], Given]:
    """Return the function and its arguments, which ``args`` spells with the names of the module.

    A method is bound to the instance that comes first in ``args``, or to one that its class creates without arguments.
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
    if not callable(found):
        raise TargetError(f"{target} is {type(found).__name__}, not a function")
    given = given_arguments(args, vars(module))
    if isinstance(owner, type) and isinstance(inspect.getattr_static(owner, part), types.FunctionType):
        return _bound(owner, part, given)
    return found, given


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


def _bound(cls: type, name: str, given: Given) -> tuple[Callable[..., Any], Given]:
    """Return a method of an instance, and the arguments after the instance."""
    if given is not None and given[0] and isinstance(given[0][0], cls):
        return getattr(given[0][0], name), (given[0][1:], given[1])
    try:
        return getattr(cls(), name), given
    except TypeError as error:
        raise TargetError(f"{cls.__name__}.{name} is a method, and no instance can be created without arguments: {error}. Hint: pass "
                          f"the instance as the first argument: --args '{cls.__name__}(…), …'") from error

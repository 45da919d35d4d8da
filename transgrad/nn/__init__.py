"""``torch.nn``: functions, and modules with parameters, which are loaded when they are first asked for."""
import importlib
from typing import Any

from ..absent import message
from . import functional

__all__ = ["functional"]

_SUBMODULES = frozenset(("init", "modules", "parameter", "utils"))


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if not name.startswith("_"):
        from . import modules, parameter
        found = modules.NAMES.get(name) or (getattr(parameter, name) if name in ("Buffer", "Parameter") else None)
        if found is not None:
            globals()[name] = found
            return found
    raise AttributeError(message(f"module {__name__!r}", "torch.nn", name))


def __dir__() -> list[str]:
    from . import modules
    return sorted({"Buffer", "Parameter", "functional", *_SUBMODULES, *modules.NAMES})

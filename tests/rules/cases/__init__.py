"""Arguments for every rule, one file a family with a function ``cases``: of every form that the rule treats apart."""
from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator

from .forms import Case

__all__ = ["FAMILIES", "Case"]

FAMILIES: dict[str, Callable[[], Iterator[Case]]] = {
    module.name: importlib.import_module(f"{__name__}.{module.name}").cases for module in pkgutil.iter_modules(__path__) if module.name != "forms"
}

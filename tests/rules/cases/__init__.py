"""Arguments for every rule, one file a family with a function ``cases``: of every form that the rule treats apart."""
from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator

import numpy as np

from . import forms
from .forms import Case

__all__ = ["FAMILIES", "Case"]


def drawn_alike(name: str) -> Callable[[], Iterator[Case]]:
    """The cases of a file, with the same numbers however often and after whichever others they are made."""
    make = importlib.import_module(f"{__name__}.{name}").cases

    def cases() -> Iterator[Case]:
        forms.rng = np.random.default_rng(5)
        yield from (c for c in make() if c.fn is not None)        # None: not in the installed version
    return cases


FAMILIES: dict[str, Callable[[], Iterator[Case]]] = {
    module.name: drawn_alike(module.name) for module in pkgutil.iter_modules(__path__) if module.name != "forms"
}

"""The classification of the public names of a namespace: the format of the data in this folder."""
from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..installed import installed

__all__ = ["KINDS", "Entry", "Namespace"]

#: kind of a name → its meaning
KINDS = {
    "differentiable": "has a rule, a definition in terms of functions that have one, or is compiled as part of the language",
    "constant": "the derivative is zero wherever there is one",
    "structural": "answers from shapes and types, or prints",
    "random": "a constant draw; differentiable in location and scale where it has a rule",
    "missing": "differentiable in mathematics, refused here",
    "refused": "nothing to differentiate",
}


@dataclass(frozen=True)
class Entry:
    """A classified name.

    Attributes
    ----------
    namespace, name : str
        ``numpy.linalg`` and ``svd``.
    kind : str
        One of `KINDS`.
    reason : str
        Why there is no rule; empty if there is one.
    """

    namespace: str
    name: str
    kind: str
    reason: str = ""

    @property
    def path(self) -> str:
        """The full name."""
        return f"{self.namespace}.{self.name}"

    @property
    def value(self) -> Any:
        """The object the name stands for."""
        return getattr(installed(self.namespace), self.name)


@dataclass(frozen=True)
class Namespace:
    """The classes of the public names of a module or class; names are words in one string.

    Attributes
    ----------
    name : str
        The dotted path of the module or class.
    differentiable : str
        Names with a rule or a definition.
    handled : str
        Differentiable names that the compiler and the tape treat as part of the language (``setitem``, ``list``, ``copyto``).
    constant, structural, random : str
        See `KINDS`.
    missing, refused : mapping
        The reason a user reads to the names it holds for.
    """

    name: str
    differentiable: str = ""
    handled: str = ""
    constant: str = ""
    structural: str = ""
    random: str = ""
    missing: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

    def entries(self) -> Iterator[Entry]:
        """Every name that the installed version has, with its class; a name nothing has classified is left out."""
        said = dict(self._said())
        for name in self.public():
            if name in said:
                yield said[name]
            elif _evident(getattr(installed(self.name), name)):
                yield Entry(self.name, name, "structural")

    def public(self) -> list[str]:
        """The public names of the installed version, without its submodules; none of a module or class that it lacks."""
        home = installed(self.name)
        if home is None:
            return []
        names = dir(home)
        if isinstance(home, types.ModuleType):      # some are of submodules that nothing has loaded, and to ask for one would load it
            names = [n for n in names if n in vars(home)]
        return [n for n in names if not n.startswith("_") and not isinstance(getattr(home, n, None), types.ModuleType)]

    def unclassified(self) -> list[str]:
        """The names of the installed version that nothing has classified."""
        known = {e.name for e in self.entries()}
        return [n for n in self.public() if n not in known]

    def _said(self) -> Iterator[tuple[str, Entry]]:
        for kind, words in (("differentiable", f"{self.differentiable} {self.handled}"), ("constant", self.constant),
                            ("structural", self.structural), ("random", self.random)):
            for name in words.split():
                yield name, Entry(self.name, name, kind)
        for kind, reasons in (("missing", self.missing), ("refused", self.refused)):
            for reason, words in reasons.items():
                for name in words.split():
                    yield name, Entry(self.name, name, kind, reason)


def _evident(value: Any) -> bool:
    """Whether a name says by itself that there is nothing to differentiate: an exception, an abstract or data type, a constant."""
    if isinstance(value, type):
        return issubclass(value, (BaseException, np.generic))
    return not callable(value) and not hasattr(value, "__get__")

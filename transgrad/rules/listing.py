"""The table as a list: the class of each public function and the source of its rule."""
from __future__ import annotations

import collections
import importlib.util
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..ir.parsing import parse
from .classes import KINDS, Entry, Namespace, namespaces
from .methods import ATTRIBUTES
from .registry import Rule, definition_of, lookup

__all__ = ["Coverage", "RuleInfo", "coverage", "find", "has_derivative", "listing"]


@dataclass(frozen=True)
class RuleInfo:
    """The entry of a function in the rule table.

    Attributes
    ----------
    name : str
        The full name, ``numpy.linalg.svd``.
    kind : str
        ``differentiable``, ``constant``, ``structural``, ``random``, ``missing`` or ``refused``.
    how : str
        The kind of its rule, ``definition``, ``language`` (handled by the compiler itself), or the reason why there is no rule.
    domain : tuple
        For each argument the open interval in which the derivative exists; empty for the real line.
    policy : str
        The conventions at non-differentiable points and in special cases.
    text : str
        The source of the rule or definition.
    """

    name: str
    kind: str
    how: str
    domain: tuple[Any, ...] = ()
    policy: str = ""
    text: str = ""

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.kind}, {self.how}", *([f"domain {self.domain}"] if self.domain else []),
                 *([self.policy] if self.policy else []), self.text]
        return "\n".join(line for line in lines if line)


@dataclass(frozen=True)
class Coverage:
    """The number of public names of a namespace, in each class."""

    namespace: str
    counts: dict[str, int]
    unclassified: int

    @property
    def total(self) -> int:
        """The number of public names."""
        return sum(self.counts.values()) + self.unclassified

    @property
    def share(self) -> float | None:
        """The fraction of the mathematically differentiable names that is differentiated; None if there are none."""
        possible = self.counts["differentiable"] + self.counts["missing"]
        return self.counts["differentiable"] / possible if possible else None


def _with_scipy() -> bool:
    return importlib.util.find_spec("scipy") is not None


def _info(entry: Entry, space: Namespace) -> RuleInfo:
    fn = entry.value
    rule, text = lookup(fn) if callable(fn) else None, definition_of(fn) if callable(fn) else None
    if rule is not None and rule.vjp is not None:
        return RuleInfo(entry.path, entry.kind, rule.kind, rule.domain, policy_of(rule.vjp), source_of(rule.vjp))
    if text is not None:
        return RuleInfo(entry.path, entry.kind, "definition", (), policy_of(formula_of(text)), source_of(formula_of(text)))
    if entry.name in space.handled.split() or entry.name in ATTRIBUTES:
        return RuleInfo(entry.path, entry.kind, "language")
    return RuleInfo(entry.path, entry.kind, entry.reason or KINDS[entry.kind])


def formula_of(text: Callable[..., Any]) -> Callable[..., Any]:
    """The source of a definition without the lines that all definitions share."""
    formula: Callable[..., Any] = getattr(text, "formula", text)
    return formula


def source_of(text: Callable[..., Any]) -> str:
    """The source of a rule or definition without its docstring; empty if it is not available."""
    try:
        source = re.sub(r" *# type: ignore.*", "", textwrap.dedent(inspect.getsource(text)).rstrip())
    except (OSError, TypeError):
        return ""
    if not text.__doc__ or text.__name__ == "<lambda>":
        return source
    node: Any = parse(source).body[0]
    docstring, lines = node.body[0], source.splitlines()
    return "\n".join([*lines[:docstring.lineno - 1], *lines[docstring.end_lineno:]])


def policy_of(text: Callable[..., Any]) -> str:
    """The statement about non-differentiable points in the docstring of a rule."""
    return inspect.cleandoc(text.__doc__ or "")


def listing(scipy: bool | None = None) -> list[RuleInfo]:
    """Return the entries of all public functions, including those of SciPy if it is installed."""
    spaces = namespaces(scipy=_with_scipy() if scipy is None else scipy)
    return [_info(entry, space) for space in spaces for entry in space.entries()]


def find(name: str) -> list[RuleInfo]:
    """The functions with a name: ``svd``, ``np.linalg.svd`` or ``numpy.linalg.svd``."""
    full = "numpy." + name[3:] if name.startswith("np.") else name
    return [r for r in listing() if r.name == full or r.name.removeprefix("builtins.") == full or r.name.endswith(f".{full}")]


def has_derivative(entry: Entry, space: Namespace) -> bool:
    """Whether a name classified as differentiable is differentiated: by a rule, a definition, or as part of the language."""
    if entry.name in space.handled.split() or entry.name in ATTRIBUTES:
        return True
    rule: Rule | None = lookup(entry.value)
    return definition_of(entry.value) is not None or rule is not None and rule.kind != "constant"


def coverage(scipy: bool | None = None) -> Iterator[Coverage]:
    """The counts of each namespace."""
    for space in namespaces(scipy=_with_scipy() if scipy is None else scipy):
        found = collections.Counter(entry.kind for entry in space.entries())
        yield Coverage(space.name, {kind: found[kind] for kind in KINDS}, len(space.unclassified()))

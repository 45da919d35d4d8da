"""The documentation page of the table, made from it."""
from __future__ import annotations

import importlib.metadata
import re
import sys
from typing import Any

from .advice import name_of
from .classes import KINDS, classify
from .listing import RuleInfo, coverage, formula_of, listing, policy_of, source_of
from .registry import definitions, table

__all__ = ["markdown", "versions"]

_HEAD = """\
Every public function of the namespaces below is in one of six classes. A *differentiable* one has a rule, or a
definition in terms of functions that have one; a *constant* one has derivative zero wherever there is one; a *structural* one answers
from shapes and types. `transgrad rules NAME` prints what is said here of one function, `transgrad rules --coverage` the counts,
`tg.rules()` the table as a list.

A rule is a function of the cotangent `g`, the result `y` and the arguments: it returns the cotangent of each argument. The
compiler writes its expressions into the text, the tape calls it, and forward derivatives follow from it wherever mathematics
allows. Sums over broadcast dimensions and casts are not the rule's matter. A definition is compiled in place of the call.

The rules of SciPy are on [a page of their own](rules-scipy.md).
"""
_HEAD_SCIPY = """\
What the words mean is said on [the page about NumPy](rules.md), how SciPy's objects and solvers are followed on
[the page about SciPy](scipy.md).
"""


_TITLES = {"numpy": "The table of derivatives: NumPy and Python", "scipy": "The table of derivatives: SciPy"}


def versions() -> str:
    """The versions that the pages are about."""
    python = ".".join(map(str, sys.version_info[:2]))
    return f"Python {python}, NumPy {importlib.metadata.version('numpy')} and SciPy {importlib.metadata.version('scipy')}"


def markdown(part: str) -> str:
    """The page about ``numpy`` (with Python) or ``scipy``: the counts, what is refused, and the text of each rule by family."""
    rows = [r for r in listing(scipy=True) if _belongs(r.name, part)]
    lines = [f"# {_TITLES[part]}", "", _HEAD if part == "numpy" else _HEAD_SCIPY, "## What there is", "", f"Counted over {versions()}.", "",
             *_counts(part), "", *_missing(rows), *_families(part)]
    return "\n".join(lines)


def _belongs(name: str, part: str) -> bool:
    return (part == "scipy") == (name.split(".")[0] == "scipy")


def _counts(part: str) -> list[str]:
    lines = [f"| namespace | names | {' | '.join(KINDS)} |", "|---" * (len(KINDS) + 2) + "|"]
    shown: set[str] = set()
    for c in coverage(scipy=True):
        name = _one_for_all(c.namespace + ".").rstrip(".")
        if _belongs(c.namespace, part) and name not in shown:
            shown.add(name)
            lines.append(f"| `{name}` | {c.total} | " + " | ".join(map(str, c.counts.values())) + " |")
    return lines


def _one_for_all(name: str) -> str:
    """The name of a method of a distribution, for all distributions: they are many, and alike."""
    return re.sub(r"^scipy\.stats\.[a-z][a-z0-9_]*\.", "scipy.stats.‹distribution›.", name)


def _missing(rows: list[RuleInfo]) -> list[str]:
    reasons: dict[str, dict[str, None]] = {}
    for r in rows:
        if r.kind == "missing":
            reasons.setdefault(r.how, {})[f"`{_one_for_all(r.name)}`"] = None
    found = [f"| {' '.join(names)} | {how} |" for how, names in reasons.items()]
    return ["Missing: differentiable in mathematics, refused here.", "", "| functions | reason |", "|---|---|", *found, ""] if found else []


def _families(part: str) -> list[str]:
    """The rules and definitions of public functions, by the file they stand in."""
    texts = {fn: rule.vjp for fn, rule in table().items() if rule.vjp is not None}
    texts |= {fn: formula_of(text) for fn, text in definitions().items()}
    files: dict[str, dict[Any, set[str]]] = {}
    for fn, text in texts.items():
        file = text.__module__.removeprefix("transgrad.rules.")
        if file != text.__module__ and classify(fn) is not None and _belongs(name_of(fn), part):
            files.setdefault(file, {}).setdefault((source_of(text), policy_of(text)), set()).add(_one_for_all(name_of(fn)))
    lines = []
    for file in sorted(files):
        lines += [f"## {file}", ""]
        for (source, policy), names in files[file].items():
            lines += [", ".join(f"`{n}`" for n in sorted(names)), "", *([policy, ""] if policy else []), "```py", source, "```", ""]
    return lines

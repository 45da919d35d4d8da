"""Pages of the rule table: one for each namespace, with its compatibility table and the source of its rules."""
from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator
from typing import Any

from tests.rules.compatibility import CHECKS, PASSED, PATH, REFUSED, one_name, versions
from transgrad.rules.advice import name_of
from transgrad.rules.classes import KINDS, classify
from transgrad.rules.listing import RuleInfo, coverage, formula_of, listing, policy_of, source_of
from transgrad.rules.registry import definitions, table

#: Above this many characters of source, a page shows its rules without highlighting, which makes HTML six times as long.
HIGHLIGHTED = 25_000

OVERVIEW = """\
# Compatibility of NumPy and SciPy

Every public function of NumPy, SciPy and the numerical modules of Python is in one of six classes:

differentiable
: The function has a derivative rule, or a definition in terms of functions that have one.

constant
: The derivative is zero wherever it exists, as for `np.floor`.

structural
: The result depends only on shapes, types or other properties that are not differentiated.

random
: The function draws random numbers. Its result is differentiated with respect to parameters such as a scale where that is defined.

missing
: The function is differentiable in mathematics, but transgrad has no rule for it yet. A call with a differentiated argument is refused.

refused
: The function has no useful derivative, or has effects outside the program.

A page for each namespace lists its functions with the keywords that are tested, and shows the source of every rule. `transgrad rules NAME`
prints the entry of one function, `transgrad rules --coverage` prints the counts below, and `tg.rules()` returns the table as a list.

Counted for {versions}.

| namespace | names | {kinds} |
|---|---|---|---|---|---|---|---|
{rows}

```{{toctree}}
:maxdepth: 1
:hidden:

{pages}
```
"""

PAGE = """\
# {namespace}

{total} public names: {counts}. [The overview](rules.md) defines the classes.

{missing}## Functions and keywords

A check mark means that all test cases of the function, or of the keyword, pass in that mode; *refused* means that they raise a documented
error. An empty cell means that no case applies. *Second order* is forward over reverse, and *tape* is a call with Tensors. Functions
without a row are tested only through other functions, or are not differentiable.

| function | keyword | {checks} |
|---|---|---|---|---|---|
{functions}

## Rules

A rule takes the cotangent `g`, the result `y` and the arguments, and returns the cotangents of the arguments. Sums over broadcast
dimensions and casts are added by the compiler.

{rules}
"""


def slug(namespace: str) -> str:
    """The file name of a namespace's page."""
    return "rules-" + namespace.replace(".", "-").replace("‹", "").replace("›", "")


def _spaces() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for c in coverage(scipy=True):
        found.setdefault(one_name(c.namespace + ".").rstrip("."), c)
    return found


def _space_of(name: str, spaces: dict[str, Any]) -> str:
    """The longest namespace that contains a name."""
    found = [s for s in spaces if name.startswith(s + ".")]
    return max(found, key=len) if found else "builtins"


def _mark(counts: list[int] | None) -> str:
    if counts is None:
        return ""
    if counts[PASSED] == sum(counts):
        return "✓"
    return "refused" if counts[REFUSED] == sum(counts) else f"{counts[PASSED]} of {sum(counts)}"


def _rows(names: dict[str, Any]) -> Iterator[str]:
    for name, keywords in sorted(names.items()):
        for keyword, found in sorted(keywords.items()):
            marks = " | ".join(_mark(found.get(check)) for check in CHECKS)
            yield f"| {f'`{name}`' if not keyword else ''} | {f'`{keyword}`' if keyword else ''} | {marks} |"


def _missing(rows: list[RuleInfo]) -> str:
    reasons: dict[str, dict[str, None]] = {}
    for r in rows:
        if r.kind == "missing":
            reasons.setdefault(r.how, {})[f"`{one_name(r.name)}`"] = None
    if not reasons:
        return ""
    found = "\n".join(f"| {' '.join(names)} | {how} |" for how, names in reasons.items())
    head = "## Missing\n\nThese functions are differentiable in mathematics, but have no rule."
    return f"{head}\n\n| functions | reason |\n|---|---|\n{found}\n\n"


def _sources(spaces: dict[str, Any]) -> dict[str, dict[tuple[str, str], set[str]]]:
    """The sources of rules and definitions, by namespace, with the functions that share them."""
    texts = {fn: rule.vjp for fn, rule in table().items() if rule.vjp is not None}
    texts |= {fn: formula_of(text) for fn, text in definitions().items()}
    found: dict[str, dict[tuple[str, str], set[str]]] = {}
    for fn, text in texts.items():
        if text.__module__.startswith("transgrad.rules.") and classify(fn) is not None:
            name = one_name(name_of(fn))
            found.setdefault(_space_of(name, spaces), {}).setdefault((source_of(text), policy_of(text)), set()).add(name)
    return found


def _rules(sources: dict[tuple[str, str], set[str]]) -> str:
    language = "py" if sum(len(s) for s, _ in sources) < HIGHLIGHTED else "text"
    parts = []
    for (source, policy), names in sorted(sources.items(), key=lambda item: sorted(item[1])):
        parts += [", ".join(f"`{n}`" for n in sorted(names)), "", *([policy, ""] if policy else []), f"```{language}", source, "```", ""]
    return "\n".join(parts) or "All functions of this namespace are treated by the compiler itself."


def pages() -> dict[str, str]:
    """The pages, by file name without extension."""
    spaces, rows = _spaces(), listing(scipy=True)
    recorded = json.loads(pathlib.Path(PATH).read_text(encoding="utf-8"))["functions"] if PATH.exists() else {}
    sources = _sources(spaces)
    by_space: dict[str, dict[str, Any]] = {s: {} for s in spaces}
    for name, keywords in recorded.items():
        by_space[_space_of(name, spaces)][name] = keywords
    out = {}
    for space, c in spaces.items():
        here = [r for r in rows if _space_of(one_name(r.name), spaces) == space]
        counts = ", ".join(f"{n} {kind}" for kind, n in c.counts.items() if n)
        out[slug(space)] = PAGE.format(
            namespace=space, total=c.total, counts=counts, missing=_missing(here), checks=" | ".join(CHECKS),
            functions="\n".join(_rows(by_space[space])), rules=_rules(sources.get(space, {})))
    lines = "\n".join(f"| [`{s}`]({slug(s)}.md) | {c.total} | " + " | ".join(map(str, c.counts.values())) + " |" for s, c in spaces.items())
    out["rules"] = OVERVIEW.format(versions=versions(), kinds=" | ".join(KINDS), rows=lines, pages="\n".join(slug(s) for s in spaces))
    return out

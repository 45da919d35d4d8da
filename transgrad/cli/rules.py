"""``transgrad rules``: show the table of derivatives, one entry, or its coverage."""
from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from ..rules.classes import KINDS
from ..rules.listing import Coverage, RuleInfo, coverage, find, listing
from .output import print_source

__all__ = ["show"]


def show(name: str | None, cover: bool) -> int:
    """Print the table, an entry or the coverage; return the number of unclassified names, or 2 for an unknown name."""
    if cover:
        return _coverage(list(coverage()))
    if name is None:
        _table(("function", "class", "derivative"), [(r.name, r.kind, r.how) for r in listing()])
        return 0
    found = find(name)
    if not found:
        print(f"the table has no function named {name!r}", file=sys.stderr)
        return 2
    for r in found:
        _one(r)
    return 0


def _one(r: RuleInfo) -> None:
    print(f"{r.name}: {r.kind}, {r.how}")
    if r.domain:
        print(f"domain: {r.domain}")
    if r.policy:
        print(r.policy)
    if r.text:
        print_source(r.text)


def _coverage(found: list[Coverage]) -> int:
    total = Coverage("all", {k: sum(c.counts[k] for c in found) for k in KINDS}, sum(c.unclassified for c in found))
    rows = [(c.namespace, str(c.total), *(str(c.counts[k]) for k in KINDS), str(c.unclassified),
             "" if c.share is None else f"{c.share:.1%}") for c in (*found, total)]
    _table(("namespace", "names", *KINDS, "unclassified", "differentiated"), rows)
    lacking = [r for r in listing() if r.kind == "missing"]
    if lacking:
        print("\nDifferentiable in mathematics, refused here:")
        _table(("function", "reason"), [(r.name, r.how) for r in lacking])
    return 0 if not total.unclassified else 1


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table with rules and colors in a terminal, and aligned columns elsewhere."""
    rows = list(rows)
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        table = Table(*head)
        for row in rows:
            table.add_row(*row)
        Console().print(table)
        return
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    for row in (head, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())

"""Writes docs/torch-absent.md: how many of PyTorch's public names are there, and why the others are not."""
from __future__ import annotations

from collections.abc import Iterator

from transgrad.absent import CLASSES, Absent

from .public import names_of_pytorch

HEAD = """# Names of PyTorch that are left out

`import transgrad as torch` has the names of PyTorch 2.13 that NumPy and SciPy can stand for. Every other public name belongs to a class below, which
says why it is left out and what a program does instead; an access to it is an `AttributeError` that says the same. The list is held against PyTorch
by a test: a name is there, or in one class.

*This page is written by `make texts`.*
"""


def page() -> str:
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    names = names_of_pytorch()
    yield HEAD
    yield "| place | public names | there | left out |"
    yield "|---|---|---|---|"
    total = without = 0
    for place, here in names.items():
        left = sum(len(c.names.get(place, ())) for c in CLASSES)
        total, without = total + len(here), without + left
        yield f"| `{place}` | {len(here)} | {len(here) - left} | {left} |"
    yield f"| all | {total} | {total - without} | {without} |"
    yield "\nOf `torch.utils`, `torch.cuda` and `torch.backends` there is what has a page or a line in these documents; their other names"
    yield "belong to *Data, distributions* and to *Devices and streams*."
    for found in CLASSES:
        yield from _class(found)


def _class(found: Absent) -> Iterator[str]:
    count = sum(map(len, found.names.values()))
    yield f"\n## {found.title}\n"
    yield f"{count} name{'s' * (count > 1)}. Why: {found.reason}. Instead: {found.instead}.\n"
    for place, names in found.names.items():
        yield f"- `{place}`: {' '.join(f'`{name}`' for name in names)}"

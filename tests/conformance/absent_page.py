"""The documentation page of omitted PyTorch names: how many are provided, and why the others are not."""
from __future__ import annotations

from collections.abc import Iterator

from transgrad.absent import CLASSES, Absent

from .public import names_of_pytorch

HEAD = """# Omitted PyTorch names

`import transgrad as torch` provides the names of PyTorch 2.13 that NumPy and SciPy can implement. Every other public name belongs to one of the classes
below, which gives the reason and an alternative. Accessing such a name raises an `AttributeError` with the same text. A test compares the list with PyTorch.
"""


def page() -> str:
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    names = names_of_pytorch()
    yield HEAD
    yield "| namespace | public names | provided | omitted |"
    yield "|---|---|---|---|"
    total = without = 0
    for place, here in names.items():
        left = sum(len(c.names.get(place, ())) for c in CLASSES)
        total, without = total + len(here), without + left
        yield f"| `{place}` | {len(here)} | {len(here) - left} | {left} |"
    yield f"| all | {total} | {total - without} | {without} |"
    yield "\nOf `torch.utils`, `torch.cuda` and `torch.backends`, only the parts that this documentation lists are provided. Their other names"
    yield "belong to the classes on data and distributions and on devices below."
    for found in CLASSES:
        yield from _class(found)


def _class(found: Absent) -> Iterator[str]:
    count = sum(map(len, found.names.values()))
    yield f"\n## {found.title}\n"
    yield f"{count} name{'s' * (count > 1)}. Reason: {found.reason}. Alternative: {found.instead}.\n"
    for place, names in found.names.items():
        yield f"- `{place}`: {' '.join(f'`{name}`' for name in names)}"

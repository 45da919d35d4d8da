"""Arguments for every rule, by family: of every form that the rule treats apart."""
from __future__ import annotations

from collections.abc import Callable, Iterator

from . import arithmetic, cumulative, elementary, fft, indexing, joining, linalg, products, reductions, scipy, second, shape
from .forms import Case

__all__ = ["FAMILIES", "Case"]

FAMILIES: dict[str, Callable[[], Iterator[Case]]] = {
    "arithmetic": arithmetic.cases, "elementary": elementary.cases, "reductions": reductions.cases, "cumulative": cumulative.cases,
    "products": products.cases, "shape": shape.cases, "joining": joining.cases, "indexing": indexing.cases, "second": second.cases,
    "linalg": linalg.cases, "fft": fft.cases, "scipy": scipy.cases,
}

"""Reductions under the names that torch's nodes have for a whole tensor and for dimensions of it."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import alias, rule
from ...rules.static import same
from ..facts import numel, shows, sizes
from ..layouts import ROWS
from ..names import keeps, node_name

__all__ = ["max_all", "mean_all", "mean_dim", "min_all", "prod_all", "prod_dim", "sum_all", "sum_dim"]

Axis = int | tuple[int, ...] | None
add: Any = np.add.reduce
multiply: Any = np.multiply.reduce


def sum_all(self: Any) -> Any:
    """The sum of all elements."""
    return add(self, None)


def sum_dim(self: Any, axis: Axis, dtype: Any = None, out: None = None, keepdims: bool = False) -> Any:
    """Sums along dimensions."""
    return add(self, axis, dtype, None, keepdims)


def mean_all(self: Any) -> Any:
    """The mean of all elements."""
    return np.mean(self) if self.size else add(self, None) * np.nan      # of which NumPy warns


def mean_dim(self: Any, axis: Axis, dtype: Any = None, out: None = None, keepdims: bool = False) -> Any:
    """Means along dimensions."""
    return np.mean(self, axis, keepdims=keepdims) if self.size else add(self, axis, keepdims=keepdims) * np.nan


def prod_all(self: Any) -> Any:
    """The product of all elements."""
    return multiply(self, None)


def prod_dim(self: Any, axis: Axis, dtype: Any = None, out: None = None, keepdims: bool = False) -> Any:
    """Products along a dimension."""
    return multiply(self, axis, dtype, None, keepdims)


def max_all(self: Any) -> Any:
    """The largest element."""
    return np.max(self)


def min_all(self: Any) -> Any:
    """The smallest element."""
    return np.min(self)


def chosen(y: Any, self: Any) -> Any:
    """Which elements are the one that was chosen; they share it evenly, and so do those that are no number."""
    return same(self, y) | (np.isnan(self) & np.isnan(y))


def chosen_jvp(t, y, self):
    hit = chosen(y, self)
    return np.sum(hit * (t / np.sum(hit)))


@rule(max_all, min_all, kind="general", jvp=chosen_jvp)
def _(g, y, self):
    hit = chosen(y, self)
    return np.where(hit, g / np.sum(hit), 0.0)


ROWS.update((sum_dim, mean_dim, prod_dim))
shows(sum_all, sum_dim, self_sym_sizes=sizes)
keeps("y", prod_all, prod_dim)
shows(mean_all, mean_dim, self_sym_sizes=sizes, self_sym_numel=numel)
for _fn, _whole, _part in ((np.sum, sum_all, sum_dim), (np.mean, mean_all, mean_dim), (np.prod, prod_all, prod_dim),
                           (None, max_all, None), (None, min_all, None)):
    if _fn is not None:
        alias(_fn, _whole, _part)
    _name = _whole.__name__.partition("_")[0].capitalize()
    node_name(_whole, f"{_name}Backward{0 if _part else 1}")
    if _part is not None:
        node_name(_part, f"{_name}Backward1")

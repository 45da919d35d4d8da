"""Recover the entries of a sparse matrix from its products with the seeds of a coloring."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...progress import tracked
from .coloring import columns, star

__all__ = ["Product", "by_columns", "columns", "fewest", "star", "symmetric"]

Array = NDArray[Any]
#: The product of the matrix with a vector.
Product = Callable[[Array], Array]


def _products(product: Product, colors: Array, count: int) -> Array:
    """The products, one column for each color."""
    return np.stack([product((colors == color).astype(float)) for color in tracked(range(count), "products with the Jacobian")], axis=-1)


def by_columns(pattern: Any, colors: Array, product: Product) -> Any:
    """Recover a matrix: in the product of a color, each row holds its one entry among the columns of this color."""
    found = pattern.tocoo()
    if not found.nnz:
        return pattern.astype(float)
    products = _products(product, colors, int(colors.max()) + 1)
    return _filled(pattern, products[found.row, colors[found.col]])


def symmetric(pattern: Any, colors: Array, product: Product) -> Any:
    """Recover a symmetric matrix: read each entry from its row, or from its column if its row has other entries of that color."""
    found = pattern.tocoo()
    if not found.nnz:
        return pattern.astype(float)
    count = int(colors.max()) + 1
    products = _products(product, colors, count)
    rows, cols = found.row.astype(np.intp), found.col.astype(np.intp)
    place = rows * count + colors[cols]
    alone = np.bincount(place, minlength=products.size)[place] == 1
    return _filled(pattern, np.where(alone, products[rows, colors[cols]], products[cols, colors[rows]]))


def _filled(pattern: Any, entries: Array) -> Any:
    return type(pattern)((entries, pattern.indices, pattern.indptr), shape=pattern.shape)


def fewest(pattern: Any) -> tuple[bool, Array]:
    """Color the columns, or the rows if that takes fewer colors; the second result is True for rows."""
    of_columns = columns(pattern.tocsc())
    if of_columns.size == 0 or of_columns.max() < 2:
        return False, of_columns
    of_rows = columns(pattern.T.tocsc())
    return (True, of_rows) if of_rows.max() < of_columns.max() else (False, of_columns)


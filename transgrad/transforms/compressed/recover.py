"""The entries of a sparse matrix, from its products with the sums of columns of one colour."""
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
    """One product a colour, next to each other."""
    return np.stack([product((colors == color).astype(float)) for color in tracked(range(count), "products with the Jacobian")], axis=-1)


def by_columns(pattern: Any, colors: Array, product: Product) -> Any:
    """The matrix: in the product of a colour, each row has the one entry that it has in columns of this colour."""
    found = pattern.tocoo()
    if not found.nnz:
        return pattern.astype(float)
    products = _products(product, colors, int(colors.max()) + 1)
    return _filled(pattern, products[found.row, colors[found.col]])


def symmetric(pattern: Any, colors: Array, product: Product) -> Any:
    """The matrix, which is symmetric: an entry is read in its row, or in its column where others of that colour are in its row."""
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
    """Colours of the columns, or of the rows (then True) where those are fewer."""
    of_columns = columns(pattern.tocsc())
    if of_columns.size == 0 or of_columns.max() < 2:
        return False, of_columns
    of_rows = columns(pattern.T.tocsc())
    return (True, of_rows) if of_rows.max() < of_columns.max() else (False, of_columns)


"""Result types of functions that cannot be run on stand-ins of their arguments: lengths that fit, matrices with properties."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.linalg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, UNKNOWN, Arr, TupleT, Type
from . import banded


def first(*args: Any, **kwargs: Any) -> Type | None:
    """The type of the first argument, in double precision."""
    t = args[0].type
    return Arr("complex128" if t.dtype[0] == "c" else "float64", t.dims) if isinstance(t, Arr) else None


def _eig(a: Any, b: Any = None, **kwargs: Any) -> Type | None:
    """Eigenvectors of real matrices are real or complex, as it happens."""
    t = a.type
    if not isinstance(t, Arr):
        return None
    given = {k: getattr(v, "value", None) for k, v in kwargs.items()}
    values = Arr("complex64" if t.dtype in ("float32", "complex64") else "complex128", t.dims[:-1])
    vectors = t if t.dtype[0] == "c" else UNKNOWN
    count = bool(given.get("left", False)) + bool(given.get("right", True))
    return TupleT((values,) + (vectors,) * count) if count else values


def _eigh(a: Any, b: Any = None, **kwargs: Any) -> Type | None:
    """All values and vectors, or some of them."""
    t = a.type
    if not isinstance(t, Arr) or t.dtype[0] not in "cf":
        return None
    given = {k: getattr(v, "value", v) for k, v in kwargs.items()}
    some = given.get("subset_by_index") is not None or given.get("subset_by_value") is not None
    count = ANY if some else t.dims[-1]
    values = Arr({"complex64": "float32", "complex128": "float64"}.get(t.dtype, t.dtype), (*t.dims[:-2], count))
    return values if given.get("eigvals_only") else TupleT((values, Arr(t.dtype, (*t.dims[:-1], count))))


def _tridiagonal(d: Any, e: Any, eigvals_only: Any = None, select: Any = None, **kwargs: Any) -> Type | None:
    t = d.type
    if not isinstance(t, Arr):
        return None
    count = t.dims[0] if getattr(select, "value", "a") in ("a", 0) else ANY
    values = Arr(t.dtype, (count,))
    return values if getattr(eigvals_only, "value", eigvals_only) else TupleT((values, Arr(t.dtype, (t.dims[0], count))))


def _unknown(a: Any, *args: Any, **kwargs: Any) -> Type:
    """Real or complex, as it happens."""
    return UNKNOWN


def _logm(a: Any, *args: Any, **kwargs: Any) -> Type | None:
    return UNKNOWN if isinstance(a.type, Arr) and a.type.dtype == "float32" else None


def _band_of(at: int, axis: int) -> Callable[..., Type | None]:
    """A band, of any height, as long as an argument is along an axis."""
    def infer_band(*args: Any, **kwargs: Any) -> Type | None:
        t = args[at].type
        return Arr(t.dtype, (ANY, t.dims[axis])) if isinstance(t, Arr) else None
    return infer_band


SHAPES.update({
    banded.turned_band: _band_of(2, 1),
    banded.outer_band: _band_of(3, 0),
    banded.band_product: lambda low, high, ab, x: x.type if isinstance(x.type, Arr) else None,
    banded.mirrored: _band_of(0, 1),
    banded.folded: _band_of(0, 1),
    scipy.linalg.eig: _eig,
    scipy.linalg.eigh: _eigh,
    scipy.linalg.eigvalsh: lambda a, b=None, **kwargs: _eigh(a, b, **{**kwargs, "eigvals_only": True}),
    scipy.linalg.logm: _logm,
    scipy.linalg.eigh_tridiagonal: _tridiagonal,
    scipy.linalg.eigvalsh_tridiagonal: lambda d, e, select=None, **kwargs: _tridiagonal(d, e, True, select),
    scipy.linalg.solve_banded: lambda l_and_u, ab, b, **kwargs: b.type if isinstance(b.type, Arr) else None,
    scipy.linalg.fractional_matrix_power: _unknown,
    scipy.linalg.solve_continuous_are: first,
    scipy.linalg.solve_discrete_are: first,
})

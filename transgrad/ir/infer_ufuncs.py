"""Result types of ufuncs, from their dtypes: run on arrays without elements, they compute nothing (some of SciPy's do not end
outside their domain)."""
from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .types import Arr, Dim, Num, TupleT, Type

__all__ = ["ufunc_type"]

_KINDS = {"bool": True, "int": 1, "float": 1.0, "complex": 1.0 + 0.0j}


@lru_cache(maxsize=10_000)
def _dtypes(fn: np.ufunc, operands: tuple[tuple[str, bool], ...]) -> tuple[str, ...] | None:
    """The dtypes of the results, for operands that are a dtype, or (weak) a kind of Python number."""
    alone = all(weak for _, weak in operands)
    given = [_KINDS[name] if weak and not alone else np.empty(0, name) for name, weak in operands]
    try:
        out = fn(*given)
    except TypeError:
        return None
    return tuple(np.asarray(r).dtype.name for r in (out if isinstance(out, tuple) else (out,)))


def ufunc_type(fn: np.ufunc, args: Sequence[Any]) -> Type | None:
    """The type of ``fn(*args)``; None if the arguments do not say it.

    Examples
    --------
    >>> from transgrad.ir.ops import Lit
    >>> ufunc_type(np.modf, [Lit(1.5)])
    TupleT(elems=(Arr(dtype='float64', dims=(), scalar=True), Arr(dtype='float64', dims=(), scalar=True)), cls=None)
    """
    types = [a.type for a in args]
    if fn.signature is not None or len(types) != fn.nin or not all(isinstance(t, (Num, Arr)) for t in types):
        return None
    dtypes = _dtypes(fn, tuple((t.dtype, False) if isinstance(t, Arr) else (t.kind, True) for t in types))
    if dtypes is None:
        return None
    dims: tuple[Dim, ...] = ()
    if shapes := [t.dims for t in types if isinstance(t, Arr) and t.dims]:
        from .infer import broadcast_dims
        dims = broadcast_dims(shapes)
    found = tuple(Arr(name, dims, scalar=not dims) for name in dtypes)
    return found[0] if len(found) == 1 else TupleT(found)

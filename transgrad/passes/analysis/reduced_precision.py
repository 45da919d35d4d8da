"""Analysis: the lowest precision of the arrays in a function. Next to arrays below float64, NumPy scalars and Python numbers behave
differently.
"""
from __future__ import annotations

from ...ir.ops import Call, Function, blocks_of, walk
from ...ir.types import Arr, OptT, strip

__all__ = ["bytes_of", "precision"]

#: bytes of one real number; other dtypes count as float64
_BYTES = {"float16": 2, "float32": 4, "complex64": 4, "longdouble": 16, "float128": 16, "clongdouble": 16, "complex256": 16}


def bytes_of(dtype: str) -> int:
    """Bytes of a real number of a dtype."""
    return _BYTES.get(dtype, 8)


def precision(fn: Function) -> int:
    """Bytes of a real number in the least precise array of a function; 8 if none has less than double precision."""
    found = list(fn.params)
    for op in walk(fn.body):
        found += op.results
        if type(op) is not Call:
            for block in blocks_of(op):
                found += block.params
    types = [strip(v.type) if type(v.type) is OptT else v.type for v in found]
    return min(map(bytes_of, {t.dtype for t in types if type(t) is Arr}), default=8)

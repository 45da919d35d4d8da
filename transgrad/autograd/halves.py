"""16-bit floats: operations compute in 32 bits and round once, as in torch.

NumPy sums in the precision of the elements: of a thousand ones in bfloat16 it makes 256.
"""
from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..rules.registry import lookup
from .dtype_objects import TorchDtype

__all__ = ["computed", "is_half", "widened"]

#: what looks at the range of its elements' dtype
_EXACT = frozenset((np.nan_to_num,))


def is_half(dtype: Any) -> bool:
    """Return whether this is float16 or bfloat16."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def computed(fn: Any, raw: list[Any], kwargs: dict[str, Any]) -> Any:
    """``fn(*raw, **kwargs)`` for arrays: a view as it is, new numbers of 16 bits from those of 32."""
    for a in raw:
        if type(a) is np.ndarray:
            if a.dtype.itemsize == 2 and a.dtype.kind in "fV":
                break
        elif type(a) is list and any(map(_has_half, a)):
            break
    else:
        return fn(*raw, **kwargs)
    if not _rounds(fn):
        return _narrowed(fn(*raw, **kwargs), raw, kwargs)
    if fn is np.einsum:     # which knows no bfloat16
        return fn(*map(widened, raw), **kwargs).astype(raw[1].dtype)
    with np.errstate(all="ignore"):
        return _rounded_once(fn, raw, kwargs, _narrowed(fn(*raw, **kwargs), raw, kwargs))


def _narrowed(y: Any, raw: list[Any], kwargs: dict[str, Any]) -> Any:
    """The results in 16 bits where nothing wider was given: of bfloat16 NumPy, and of float16 SciPy, makes some float32 or float64."""
    if isinstance(y, (np.ndarray, np.generic)) and (y.dtype.kind != "f" or y.dtype.itemsize == 2):
        return y
    kept = [a for a in _arrays(raw) if is_half(a.dtype)]
    if not kept or any(a.dtype.kind in "fc" and a.dtype.itemsize > 2 and a.ndim for a in _arrays(raw)):
        return y
    if any(isinstance(a, (np.dtype, TorchDtype, type)) for a in (*raw, *kwargs.values())):
        return y        # a dtype was asked for
    if isinstance(y, tuple):
        parts = tuple(_narrowed(part, raw, kwargs) for part in y)
        return type(y)(*parts) if hasattr(y, "_fields") else parts
    return y.astype(kept[0].dtype) if isinstance(y, (np.ndarray, np.generic)) else y


def _arrays(raw: Any) -> list[Any]:
    """The arrays among arguments, also those in lists."""
    found = [a for a in raw if type(a) is np.ndarray]
    return found + [a for x in raw if type(x) is list for a in x if type(a) is np.ndarray]


def _rounded_once(fn: Any, raw: list[Any], kwargs: dict[str, Any], y: Any) -> Any:
    several = isinstance(y, tuple)
    parts = [part for part in (y if several else (y,)) if type(part) is np.ndarray or isinstance(part, np.generic)]
    new = [is_half(part.dtype) and not _is_of(part, raw) for part in parts]
    if not any(new):
        return y
    wide = fn(*map(widened, raw), **kwargs)
    if not several:
        return wide.astype(y.dtype)
    found = tuple(_laid_out(w, part) for w, part in zip(wide, y))
    return type(y)(*found) if hasattr(y, "_fields") else found


def _laid_out(wide: Any, part: Any) -> Any:
    """Cast to the dtype and memory order of a result; widened arrays may have another order."""
    if type(part) is not np.ndarray or wide.dtype == part.dtype and wide.strides == part.strides:
        return wide.astype(part.dtype, copy=False)
    from .geometry import empty_strided
    found = empty_strided(part.shape, tuple(s // part.itemsize for s in part.strides), part.dtype)
    found[...] = wide
    return found


def widened(x: Any) -> Any:
    """Numbers of 16 bits in 32; anything else as it is."""
    if isinstance(x, (list, tuple)):
        parts = [widened(i) for i in x]
        return parts if isinstance(x, list) else tuple(parts)
    return x.astype(np.float32) if isinstance(x, (np.ndarray, np.generic)) and is_half(x.dtype) else x


@functools.lru_cache(1024)
def _rounds(fn: Any) -> bool:
    """Return whether a function may round in between: not one of NumPy's element-wise ones, nor one of indices and comparisons."""
    rule = lookup(fn)
    if rule is None or rule.kind == "constant" or fn in _EXACT:
        return False
    return not isinstance(fn, np.ufunc) or fn.signature is not None


def _has_half(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic)) and is_half(x.dtype)


def _is_of(part: Any, raw: list[Any]) -> bool:
    """Return whether a result is an argument, or shares its memory."""
    return any(isinstance(a, np.ndarray) and (part is a or np.may_share_memory(part, a)) for a in raw)

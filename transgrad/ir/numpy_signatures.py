"""Signatures of NumPy's compiled functions, which Python can only tell from NumPy 2.4 on."""
from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

__all__ = ["library_signature"]

#: Each function and its parameters, as of NumPy 2.0.
_FUNCTIONS = """
arange(start_or_stop, /, stop=None, step=1, *, dtype=None, device=None, like=None)
array(object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, like=None)
asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)
asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)
ascontiguousarray(a, dtype=None, *, like=None)
asfortranarray(a, dtype=None, *, like=None)
bincount(x, /, weights=None, minlength=0)
can_cast(from_, to, casting='safe')
concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind')
copyto(dst, src, casting='same_kind', where=True)
dot(a, b, out=None)
empty(shape, dtype=None, order='C', *, device=None, like=None)
empty_like(prototype, /, dtype=None, order='K', subok=True, shape=None, *, device=None)
frombuffer(buffer, dtype=None, count=-1, offset=0, *, like=None)
fromiter(iter, dtype, count=-1, *, like=None)
inner(a, b, /)
lexsort(keys, axis=-1)
packbits(a, /, axis=None, bitorder='big')
putmask(a, /, mask, values)
ravel_multi_index(multi_index, dims, mode='raise', order='C')
result_type(*arrays_and_dtypes)
unpackbits(a, /, axis=None, count=None, bitorder='big')
unravel_index(indices, shape, order='C')
vdot(a, b, /)
where(condition, x=None, y=None, /)
zeros(shape, dtype=None, order='C', *, device=None, like=None)
"""
_METHODS = """
all(self, /, axis=None, out=None, keepdims=False, *, where=True)
any(self, /, axis=None, out=None, keepdims=False, *, where=True)
argmax(self, /, axis=None, out=None, *, keepdims=False)
argmin(self, /, axis=None, out=None, *, keepdims=False)
argpartition(self, kth, /, axis=-1, kind='introselect', order=None)
argsort(self, /, axis=-1, kind=None, order=None, *, stable=None)
astype(self, /, dtype, order='K', casting='unsafe', subok=True, copy=True)
byteswap(self, /, inplace=False)
choose(self, /, choices, out=None, mode='raise')
clip(self, /, min=None, max=None, out=None, **kwargs)
compress(self, /, condition, axis=None, out=None)
conj(self, /)
conjugate(self, /)
copy(self, /, order='C')
cumprod(self, /, axis=None, dtype=None, out=None)
cumsum(self, /, axis=None, dtype=None, out=None)
diagonal(self, /, offset=0, axis1=0, axis2=1)
dot(self, other, /, out=None)
fill(self, /, value)
flatten(self, /, order='C')
item(self, /, *args)
max(self, /, axis=None, out=None, **kwargs)
mean(self, /, axis=None, dtype=None, out=None, **kwargs)
min(self, /, axis=None, out=None, **kwargs)
nonzero(self, /)
partition(self, kth, /, axis=-1, kind='introselect', order=None)
prod(self, /, axis=None, dtype=None, out=None, **kwargs)
put(self, indices, values, /, mode='raise')
ravel(self, /, order='C')
repeat(self, repeats, /, axis=None)
reshape(self, /, *shape, order='C')
round(self, /, decimals=0, out=None)
searchsorted(self, v, /, side='left', sorter=None)
sort(self, /, axis=-1, kind=None, order=None, *, stable=None)
squeeze(self, /, axis=None)
std(self, /, axis=None, dtype=None, out=None, ddof=0, **kwargs)
sum(self, /, axis=None, dtype=None, out=None, **kwargs)
swapaxes(self, axis1, axis2, /)
take(self, indices, /, axis=None, out=None, mode='raise')
tobytes(self, /, order='C')
tolist(self, /)
trace(self, /, offset=0, axis1=0, axis2=1, dtype=None, out=None)
transpose(self, /, *axes)
var(self, /, axis=None, dtype=None, out=None, ddof=0, **kwargs)
view(self, /, *args, **kwargs)
"""


@functools.cache
def _known() -> dict[Any, inspect.Signature]:
    space: dict[str, Any] = {}
    found: dict[Any, inspect.Signature] = {}
    for home, lines in ((np, _FUNCTIONS), (np.ndarray, _METHODS)):
        for line in lines.strip().splitlines():
            name = line.partition("(")[0]
            exec(f"def {line}: ...", space)
            found[getattr(home, name)] = inspect.signature(space[name])
    return found


def library_signature(fn: Any) -> inspect.Signature:
    """The signature of a function of a library.

    Raises
    ------
    ValueError, TypeError
        If it has none that is known.

    Examples
    --------
    >>> library_signature(np.copyto)
    <Signature (dst, src, casting='same_kind', where=True)>
    """
    try:
        return inspect.signature(fn)
    except (TypeError, ValueError):
        try:
            return _known()[fn]
        except (KeyError, TypeError):
            pass
        raise

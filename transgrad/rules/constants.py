"""Functions whose derivative is zero wherever they have one: roundings, comparisons, orders, queries and makers of constants."""
from __future__ import annotations

import math
import operator

import numpy as np

from .registry import constant


def _words(text: str) -> list[str]:
    return text.split()


_NUMPY = _words("""
    floor ceil trunc rint fix round around floor_divide signbit spacing
    isnan isfinite isinf isneginf isposinf isreal iscomplex iscomplexobj isrealobj isscalar isclose allclose array_equal array_equiv
    greater greater_equal less less_equal equal not_equal logical_and logical_or logical_not logical_xor
    bitwise_and bitwise_or bitwise_xor invert left_shift right_shift bitwise_count bitwise_invert
    argmax argmin nanargmax nanargmin argsort argpartition lexsort argwhere nonzero flatnonzero searchsorted digitize
    count_nonzero any all shape ndim size result_type can_cast min_scalar_type promote_types dtype iinfo finfo isdtype issubdtype
    zeros ones empty eye identity arange indices zeros_like ones_like empty_like tri
    tril_indices triu_indices tril_indices_from triu_indices_from diag_indices diag_indices_from ix_ unravel_index ravel_multi_index
    isin in1d may_share_memory shares_memory gcd lcm
    bartlett blackman hamming hanning broadcast_shapes mask_indices unpackbits packbits base_repr binary_repr
    array2string array_repr array_str format_float_positional set_printoptions errstate seterr geterr
    logical_and.reduce logical_or.reduce
""")
_METHODS = _words("argmax argmin argsort argpartition any all nonzero searchsorted round tobytes dump __len__")
_OPERATOR = _words("""lt le gt ge eq ne not_ is_ is_not contains and_ or_ xor invert floordiv ifloordiv truth
                      lshift rshift iand ior ixor""")
_MATH = _words("floor ceil trunc isnan isfinite isinf isclose gcd lcm factorial comb perm isqrt ulp")
_BUILTINS = (len, isinstance, issubclass, hasattr, callable, id, hash, repr, str, range, bool, int, type, round, print, any, all, format,
             ord, chr, bin, hex, oct)


def _numpy(name: str) -> object:
    found: object = np
    for piece in name.split("."):
        found = getattr(found, piece, None)
    return found


constant(*(_numpy(name) for name in _NUMPY))  # type: ignore[arg-type]
constant(*(getattr(np.ndarray, name, None) for name in _METHODS))
constant(*(getattr(operator, name) for name in _OPERATOR))
constant(*(getattr(math, name, None) for name in _MATH))
constant(*_BUILTINS, np.linalg.matrix_rank, np.fft.fftfreq, np.fft.rfftfreq)
constant(*(getattr(np, f"{kind}{bits}", None) for kind in ("int", "uint") for bits in (8, 16, 32, 64)), np.bool_, np.intp)
constant(float.is_integer, float.hex, float.as_integer_ratio)

"""The helpers of `transgrad.runtime`, for arrays and numbers that Numba knows the types of."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from .. import add, check_broadcast, check_product, fit, one_number, others_product, place_diagonal, unbroadcast, zeros_of

__all__: list[str] = []

_jit = {"error_model": "numpy"}


def _made(source: str, **names: Any) -> Any:
    """The function ``implementation`` of a text, which depends on numbers of dimensions."""
    scope = {"np": np, **names}
    exec(source, scope)
    return scope["implementation"]


def _dtype(t: Any) -> Any:
    return getattr(t, "dtype", t)


def _folded(g: Any, like: Any, dtype: Any, stretch: bool = False) -> Any:
    """Sums an array down to the shape of another that has as many dimensions or fewer; lengths of 1 are stretched if wanted."""
    extra, n = g.ndim - like.ndim, g.ndim
    lines = ["def implementation(g, like):", "    out = np.zeros(like.shape, dtype)"]
    for k in range(extra, n):
        lines += [f"    if g.shape[{k}] != like.shape[{k - extra}] and like.shape[{k - extra}] != 1{f' and g.shape[{k}] != 1' * stretch}:",
                  "        raise ValueError('operands could not be broadcast together')"]
    for k in range(n):
        span = f"max(g.shape[{k}], like.shape[{k - extra}])" if stretch and k >= extra else f"g.shape[{k}]"
        lines.append(f"{'    ' * (k + 1)}for i{k} in range({span}):")
    place = ", ".join(f"(i{k} if like.shape[{k - extra}] != 1 else 0)" for k in range(extra, n))
    read = ", ".join(f"(i{k} if g.shape[{k}] != 1 else 0)" if stretch else f"i{k}" for k in range(n))
    lines += [f"{'    ' * (n + 1)}out[{place}] += g[{read}]", "    return out"]
    return _made("\n".join(lines), dtype=dtype)


@overload(check_broadcast, jit_options=_jit)
def _check_broadcast(*shapes):
    def run(*shapes):
        np.broadcast_shapes(*shapes)
    return run


@overload(check_product, jit_options=_jit)
def _check_product(a, b):
    rows = len(b) - 2 if len(b) > 1 else 0

    def run(a, b):
        if a[len(a) - 1] != b[rows]:
            raise ValueError("the inner dimensions of a matrix product differ")
    return run


@overload(unbroadcast, jit_options=_jit)
def _unbroadcast(g, like):
    if isinstance(like, types.Number) and isinstance(g, types.Number):
        return lambda g, like: g
    if isinstance(like, types.Number) and isinstance(g, types.Array):
        return lambda g, like: np.sum(g)
    if isinstance(like, types.Array) and isinstance(g, types.Array) and 0 < like.ndim <= g.ndim:
        return _folded(g, like, np.dtype(str(g.dtype)))
    if isinstance(like, types.Array) and isinstance(g, types.Number):
        return lambda g, like: g
    return None


@overload(fit, jit_options=_jit)
def _fit(g, like):
    if str(_dtype(g)).startswith("complex") and not str(_dtype(like)).startswith("complex"):
        return None
    if isinstance(like, types.Number) and isinstance(g, types.Number):
        return (lambda g, like: np.float32(g)) if like == types.float32 else lambda g, like: g
    if isinstance(like, types.Number) and isinstance(g, types.Array):
        return lambda g, like: np.sum(g)
    if isinstance(like, types.Array) and isinstance(g, types.Array) and 0 < like.ndim <= g.ndim:
        name = str(like.dtype) if str(like.dtype)[0] in "fc" else str(g.dtype)
        return _folded(g, like, np.dtype(name), stretch=True)
    if isinstance(like, types.Array) and isinstance(g, types.Number):
        return lambda g, like: np.full_like(like, g)
    return None


@overload(zeros_of, jit_options=_jit)
def _zeros_of(x):
    if isinstance(x, types.Array) and isinstance(x.dtype, (types.Float, types.Complex)):
        return lambda x: np.zeros_like(x)
    if isinstance(x, types.Array) and isinstance(x.dtype, types.Integer):
        return lambda x: np.zeros(x.shape)
    if x == types.float32:
        return lambda x: np.float32(0.0)
    if isinstance(x, types.Float):
        return lambda x: 0.0
    if isinstance(x, types.Complex):
        return lambda x: 0.0 * x
    if isinstance(x, types.List):
        return lambda x: [zeros_of(v) for v in x]
    if isinstance(x, types.BaseTuple) and len(x):
        return _made(f"def implementation(x):\n    return ({', '.join(f'zeros_of(x[{k}])' for k in range(len(x)))},)", zeros_of=zeros_of)
    return None


@overload(one_number, jit_options=_jit)
def _one_number(y, verb, name, holomorphic=False):
    if isinstance(y, (types.Integer, types.Float)):
        return lambda y, verb, name, holomorphic=False: None
    return None


@overload(add, jit_options=_jit)
def _add(a, b):
    if isinstance(a, types.NoneType):
        return lambda a, b: b
    if isinstance(b, types.NoneType):
        return lambda a, b: a
    if isinstance(a, (types.Number, types.Array)) and isinstance(b, (types.Number, types.Array)):
        return lambda a, b: a + b
    if isinstance(a, types.List) and isinstance(b, types.List):
        return lambda a, b: [add(p, q) for p, q in zip(a, b)]
    return None


@overload(place_diagonal, jit_options=_jit)
def _place_diagonal(x, g, offset=0, axis1=0, axis2=1):
    if not isinstance(x, types.Array) or x.ndim != 2 or not isinstance(g, types.Array) or g.ndim != 1:
        return None
    dtype = np.result_type(str(x.dtype), str(g.dtype))

    def implementation(x, g, offset=0, axis1=0, axis2=1):
        out = np.zeros(x.shape, dtype)
        first, second = max(-offset, 0), max(offset, 0)
        if (axis1, axis2) not in ((0, 1), (-2, -1)):
            raise ValueError("the diagonal along other axes is not there on Numba")
        if first + len(g) > x.shape[0] or second + len(g) > x.shape[1]:
            raise ValueError("the diagonal is longer than that of the matrix")
        for k in range(len(g)):
            out[first + k, second + k] = g[k]
        return out
    return implementation


@overload(others_product, jit_options=_jit)
def _others_product(x, axis=None):
    if not isinstance(x, types.Array) or x.ndim != 1:
        return None

    def implementation(x, axis=None):
        out = np.ones_like(x)
        before = out.dtype.type(1)
        for k in range(len(x)):
            out[k] = before
            before *= x[k]
        after = out.dtype.type(1)
        for k in range(len(x) - 1, -1, -1):
            out[k] *= after
            after *= x[k]
        return out
    return implementation


@overload(math.isqrt, jit_options=_jit)
def _isqrt(n):
    def implementation(n):
        if n < 0:
            raise ValueError("isqrt() argument must be nonnegative")
        root = int(math.sqrt(n))
        while root * root > n:
            root -= 1
        while (root + 1) * (root + 1) <= n:
            root += 1
        return root
    return implementation if isinstance(n, types.Integer) else None


@overload(math.factorial, jit_options=_jit)
def _factorial(n):
    def implementation(n):
        if n < 0:
            raise ValueError("factorial() not defined for negative values")
        if n > 20:
            raise OverflowError("the factorial does not fit in 64 bits")
        out = 1
        for k in range(2, n + 1):
            out *= k
        return out
    return implementation if isinstance(n, types.Integer) else None

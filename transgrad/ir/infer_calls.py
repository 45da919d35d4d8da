"""Result types where stand-ins would mislead: lengths that depend on data, domains of the math module, random numbers, products."""
from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import runtime
from ..services import lookup_rule
from .effects import is_known_pure
from .opaque import OpaqueCall
from .ops import Lit
from .types import ANY, ONE, UNKNOWN, Arr, Dim, ListT, Num, TupleT, Type, is_differentiable, join

__all__ = ["CALLS", "generator_of", "is_random", "may_run", "random_type"]

_WHOLE = ("floor", "ceil", "trunc", "gcd", "lcm", "comb", "perm", "factorial", "isqrt")
_TESTS = ("isnan", "isinf", "isfinite", "isclose")


def _words(text: str) -> list[str]:
    return text.split()


#: methods of np.random and of generators whose result has the dtype named
_DRAWS = {
    "float64": _words("""
        rand randn random random_sample sample ranf standard_normal standard_exponential normal uniform exponential gamma beta chisquare
        gumbel laplace logistic lognormal pareto power rayleigh standard_cauchy standard_gamma standard_t triangular vonmises wald
        weibull f noncentral_chisquare
    """),
    "int64": _words("randint integers random_integers binomial poisson geometric negative_binomial zipf hypergeometric logseries"),
}


_GENERATORS = (np.random.RandomState, np.random.Generator)


def may_run(fn: Callable[..., Any]) -> bool:
    """Whether a function may be run on stand-ins when compiling: it is known to do nothing but compute its result."""
    if isinstance(fn, OpaqueCall):
        return False
    if is_known_pure(fn) or isinstance(getattr(fn, "__self__", None), np.ufunc):
        return True
    return lookup_rule(fn) is not None


def is_random(fn: Callable[..., Any]) -> bool:
    """Whether a function draws random numbers, from NumPy's state or from a generator."""
    return isinstance(getattr(fn, "__self__", None), _GENERATORS) or generator_of(fn) is not None


def generator_of(fn: Callable[..., Any]) -> type | None:
    """The class of generators that a function is an unbound method of."""
    home, _, name = getattr(fn, "__qualname__", "").rpartition(".")
    if not home:
        return None
    return next((cls for cls in _GENERATORS if cls.__name__ == home and getattr(cls, name, None) is fn), None)


def random_type(fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Type | None:
    """The type of random numbers drawn from NumPy's generators; None for anything else."""
    owner = type(getattr(fn, "__self__", None))
    unbound = generator_of(fn)
    if unbound is not None:
        owner, args = unbound, args[1:]
    if owner not in _GENERATORS:
        return None
    name = getattr(fn, "__name__", "")
    dtype = next((d for d, names in _DRAWS.items() if name in names), None)
    if dtype is None or "dtype" in kwargs:
        return None
    from .infer_shapes import _dims, _length
    if name in ("rand", "randn"):
        return Arr(dtype, tuple(map(_length, args))) if args else Num("float")
    size = kwargs.get("size")
    if size is None:
        first = name in ("random", "random_sample", "standard_normal", "sample", "ranf", "standard_exponential")
        sized = args[0] if first and args else args[2] if len(args) > 2 and not first else None
        if sized is None:
            return (Num("float") if dtype == "float64" else Num("int")) if not any(getattr(a.type, "dims", ()) for a in args) else None
        size = sized
    if getattr(size, "value", size) is None:
        return Num("float") if dtype == "float64" else Num("int")
    return Arr(dtype, _dims(size))


def _math(name: str) -> Callable[..., Type | None]:
    def infer_math(*args: Any, **kwargs: Any) -> Type | None:
        if not all(isinstance(a.type, Num) or isinstance(a.type, Arr) and not a.type.dims for a in args):
            return None
        return Num("int" if name in _WHOLE else "bool" if name in _TESTS else "float")
    return infer_math


def _array(x: Any) -> Type:
    """The type of an operand, or of the array that is created from it if it is a list."""
    from .infer import infer
    return infer(np.asarray, [x]) if isinstance(x.type, (ListT, TupleT)) else x.type


def _matmul(a: Any, b: Any, **kwargs: Any) -> Type | None:
    from .infer import broadcast_dims
    s, t = _array(a), _array(b)
    if kwargs or not isinstance(s, Arr) or not isinstance(t, Arr) or not s.dims or not t.dims:
        return None
    dtype = np.result_type(s.dtype, t.dtype).name
    if len(s.dims) == len(t.dims) == 1:
        return Arr(dtype, (), scalar=True)
    if len(t.dims) == 1:
        return Arr(dtype, s.dims[:-1])
    if len(s.dims) == 1:
        return Arr(dtype, (*t.dims[:-2], t.dims[-1]))
    return Arr(dtype, (*broadcast_dims([s.dims[:-2], t.dims[:-2]]), s.dims[-2], t.dims[-1]))


def _dot(a: Any, b: Any, **kwargs: Any) -> Type | None:
    s, t = _array(a), _array(b)
    if isinstance(s, Arr) and isinstance(t, Arr) and len(s.dims) <= 2 and len(t.dims) <= 2:
        return _matmul(a, b, **kwargs)
    if kwargs or not isinstance(s, Arr) or not isinstance(t, Arr) or not s.dims or not t.dims:
        return None
    dims = s.dims[:-1] + (t.dims[:-2] + t.dims[-1:] if len(t.dims) > 1 else ())
    return Arr(np.result_type(s.dtype, t.dtype).name, dims)


def _cross(a: Any, b: Any, **kwargs: Any) -> Type | None:
    from .infer import broadcast_dims
    s, t = _array(a), _array(b)
    if kwargs or not isinstance(s, Arr) or not isinstance(t, Arr) or not s.dims or not t.dims:
        return None
    return Arr(np.result_type(s.dtype, t.dtype).name, (*broadcast_dims([s.dims[:-1], t.dims[:-1]]), Dim(False, ("<const>", 3))))


def _vector_of_any(at: int = 0) -> Callable[..., Type | None]:
    """One dimension, as long as the data say."""
    def infer_vector(*args: Any, **kwargs: Any) -> Type | None:
        t = args[at].type
        return Arr(t.dtype, (ANY,)) if isinstance(t, Arr) and not kwargs else None
    return infer_vector


def _along_axis(at: int) -> Callable[..., Type | None]:
    """The array ``at``, of any length along the axis that follows in the arguments, or flat."""
    def infer_along(*args: Any, axis: Any = None, **kwargs: Any) -> Type | None:
        t = args[at].type
        axis = axis if axis is not None else args[2] if len(args) > 2 else None
        if not isinstance(t, Arr):
            return None
        if axis is None or getattr(axis, "value", 0) is None:
            return Arr(t.dtype, (ANY,))
        return Arr(t.dtype, tuple(ANY if not hasattr(axis, "value") or k == axis.value % len(t.dims) else d for k, d in enumerate(t.dims)))
    return infer_along


def _repeat(a: Any, repeats: Any, axis: Any = None) -> Type | None:
    if hasattr(repeats, "value") and isinstance(repeats.value, int):
        return None
    return _along_axis(0)(a, repeats, axis=axis)


def _split(axis: int | None) -> Callable[..., Type | None]:
    """Equal parts, which stand-ins of any length cannot be cut into, are typed as those of np.array_split."""
    def infer_split(a: Any, sections: Any, along: Any = None, **kwargs: Any) -> Type | None:
        from .infer import infer
        t = a.type
        if not isinstance(getattr(sections, "value", None), int) or not isinstance(t, Arr):
            return None
        given = [o for o in (along, kwargs.get("axis")) if o is not None]
        at = Lit(axis if len(t.dims) > 1 else 0) if axis is not None else given[0] if given else Lit(0)
        return infer(np.array_split, [a, sections, at])
    return infer_split


def _interp(x: Any, xp: Any, fp: Any, *_: Any, **__: Any) -> Type | None:
    held = fp.type.elem if isinstance(fp.type, ListT) else fp.type
    kind = held.dtype[0] if isinstance(held, Arr) else held.kind[0] if isinstance(held, Num) else "c"
    if not isinstance(x.type, (Num, Arr)) or kind == "c":
        return None
    return Arr("float64", x.type.dims if isinstance(x.type, Arr) else (), isinstance(x.type, Num) or x.type.scalar)


def _place(x: Any, *_: Any, **__: Any) -> Type | None:
    """The places of numbers in a table, one each."""
    if isinstance(x.type, Num):
        return Arr("int64", (), True)
    return Arr("int64", x.type.dims, x.type.scalar) if isinstance(x.type, Arr) else None


def _squeeze(a: Any, axis: Any = None, **kwargs: Any) -> Type | None:
    """How many dimensions are left is not known where one of them may be 1 or not."""
    chosen = axis if axis is not None else kwargs.get("axis")
    everything = chosen is None or getattr(chosen, "value", 0) is None
    t = a.type
    if isinstance(t, Arr) and t.dims and all(d.one for d in t.dims) and (everything or len(t.dims) == 1):
        return Arr(t.dtype, ())         # a view, no number
    return UNKNOWN if everything and isinstance(a.type, Arr) and any(d.one is None for d in a.type.dims) else None


def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Type | None:
    return _along_axis(0)(arr, obj, axis=axis)


def _unique(a: Any, *args: Any, axis: Any = None, **kwargs: Any) -> Type | None:
    t = a.type
    if not isinstance(t, Arr) or args or set(kwargs) - {"return_index", "return_inverse", "return_counts"}:
        return UNKNOWN
    extra = [k for k, v in kwargs.items() if getattr(v, "value", False)]
    first = _along_axis(0)(a, None, axis=axis)
    whole = len(t.dims) if getattr(axis, "value", axis) is None else 1
    return TupleT((first, *(Arr("int64", (ANY,) * (whole if k == "return_inverse" else 1)) for k in extra))) if first and extra else first


def _bincount(x: Any, weights: Any = None, minlength: Any = None) -> Type:
    return Arr("int64" if weights is None else "float64", (ANY,))


def _where(condition: Any, *branches: Any) -> Type | None:
    if not branches:
        t = condition.type
        return TupleT(tuple(Arr("int64", (ANY,)) for _ in t.dims)) if isinstance(t, Arr) else UNKNOWN
    from .infer_shapes import elementwise
    return elementwise(np.where)(condition, *branches)


def _argwhere(a: Any) -> Type | None:
    if not isinstance(a.type, Arr):
        return None
    return Arr("int64", (ANY, ONE if len(a.type.dims) == 1 else Dim(False, ("<const>", len(a.type.dims)))))


_EIG_RESULT: Any = type(np.linalg.eig(np.eye(1)))


def _eig(a: Any) -> Type | None:
    """Real matrices have real or complex eigenvalues, as it happens."""
    return TupleT((UNKNOWN, UNKNOWN), _EIG_RESULT) if isinstance(a.type, Arr) and a.type.dtype[0] == "f" else None


def _like_first(x: Any, g: Any = None, *_: Any, **__: Any) -> Type | None:
    t = x.type
    other = g.type if g is not None and isinstance(g.type, Arr) else t
    return Arr(np.result_type(t.dtype, other.dtype).name, t.dims) if isinstance(t, Arr) and isinstance(other, Arr) else None


def _scatter(x: Any, index: Any, g: Any, *_: Any) -> Type | None:
    return _like_first(x, g)


def _second(g: Any, x: Any, *_: Any) -> Type | None:
    return x.type if isinstance(x.type, Arr) and len(x.type.dims) else None


def _sum(a: Any, start: Any = None) -> Type | None:
    """Python's sum: of a list, and of the first dimension of an array."""
    t = a.type
    if isinstance(t, Arr) and t.dims and start is None:
        return Arr(t.dtype, t.dims[1:], scalar=len(t.dims) == 1)
    if isinstance(t, ListT) and t.length is None and t.elem is not None and is_differentiable(t.elem):
        return join(t.elem, start.type) if start is not None else t.elem if isinstance(t.elem, Arr) else Num(t.elem.kind) if isinstance(
            t.elem, Num) else UNKNOWN
    return None


def _extreme(*args: Any, **kwargs: Any) -> Type | None:
    """Python's max and min: the type of the compared values."""
    types = [a.type for a in args]
    if kwargs.keys() - {"key"}:
        return None
    if len(types) == 1:
        t = types[0]
        if isinstance(t, ListT):
            return t.elem
        vector = isinstance(t, Arr) and len(t.dims) == 1
        types = list(t.elems) if isinstance(t, TupleT) else [Arr(t.dtype, (), scalar=True)] if vector else []
    kinds = {t.kind for t in types if isinstance(t, Num)}
    if len(kinds) == 1 and len(types) == sum(isinstance(t, Num) for t in types):
        return Num(next(iter(kinds)))
    out: Type | None = None
    for t in types:
        out = t if out is None else join(out, t)
    return out


CALLS: dict[Any, Callable[..., Type | None]] = {
    operator.matmul: _matmul, np.matmul: _matmul, np.dot: _dot, np.ndarray.dot: _dot, np.cross: _cross, np.where: _where,
    np.unique: _unique, np.bincount: _bincount, np.argwhere: _argwhere, np.extract: _vector_of_any(1), np.trim_zeros: _vector_of_any(),
    np.union1d: _vector_of_any(), np.intersect1d: _vector_of_any(), np.setdiff1d: _vector_of_any(), np.setxor1d: _vector_of_any(),
    np.compress: _along_axis(1), np.ndarray.compress: _along_axis(0), np.delete: _along_axis(0), np.insert: _insert,
    np.repeat: _repeat, np.ndarray.repeat: _repeat, np.interp: _interp, np.squeeze: _squeeze, np.ndarray.squeeze: _squeeze,
    np.digitize: _place,
    np.searchsorted: lambda a, v, *_, **__: _place(v), np.ndarray.searchsorted: lambda a, v, *_, **__: _place(v),
    np.einsum: lambda first, *rest, **_: None if isinstance(getattr(first, "value", None), str) else UNKNOWN,
    np.split: _split(None), np.vsplit: _split(0), np.hsplit: _split(1), np.dsplit: _split(2),
    np.roots: lambda p: UNKNOWN if isinstance(p.type, Arr) and p.type.dtype[0] == "f" else None,
    np.linalg.eig: _eig, np.linalg.eigvals: lambda a: UNKNOWN if isinstance(a.type, Arr) and a.type.dtype[0] == "f" else None,
    runtime.scatter: _scatter, runtime.scatter_along: _scatter, runtime.place_diagonal: _like_first, runtime.fold_pad: _like_first,
    runtime.of_rank: _like_first, runtime.of_square: _like_first, runtime.of_tall: _like_first,
    runtime.others_product: lambda x, *_: x.type if isinstance(x.type, Arr) else None, runtime.cumprod_pullback: _second,
    runtime.others_product_pullback: _second,
    runtime.cumprod_slope_back: _second, runtime.product_slope: lambda x, *_: x.type if isinstance(x.type, Arr) else None,
    runtime.median_weights: lambda x, *_: x.type if isinstance(x.type, Arr) else None,
    runtime.quantile_weights: lambda x, q, *_: Arr(x.type.dtype, (*getattr(q.type, "dims", ()), *x.type.dims)) if isinstance(
        x.type, Arr) and isinstance(q.type, (Arr, Num)) else None,
    sum: _sum, max: _extreme, min: _extreme,
}
for _name, _fn in vars(math).items():
    if callable(_fn) and not _name.startswith("_") and _name not in ("modf", "frexp", "prod", "sumprod"):
        CALLS[_fn] = _math(_name)

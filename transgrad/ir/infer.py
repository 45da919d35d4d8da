"""Result types of calls: what NumPy itself returns for small stand-ins of the arguments.

Instead of a table that restates what every NumPy function does to dtypes and dimensions, the function is run on stand-ins
whose dimensions have different lengths, and the lengths of the result are traced back to the dimensions they came
from.  It runs with two sets of lengths, and a third time with the first set in reverse order: ``np.convolve(a, b, "same")`` is as
long as the longer argument, and not as long as the second.  Functions whose result depends on more than the types of their
arguments (shapes given as numbers, masks) have a line of their own in `infer_shapes`.
"""
from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .infer_ufuncs import ufunc_type
from .libraries import example_of, is_array, met
from .types import ANY, BIG, ONE, UNKNOWN, Arr, DictT, Dim, ListT, Num, Obj, OptT, SetT, TupleT, Type, join

__all__ = ["PLAIN_ARRAYS", "Typed", "broadcast_dims", "infer", "is_foreign", "without_none", "type_of"]

#: The classes of arrays that behave as NumPy's functions say.
PLAIN_ARRAYS = (np.ndarray, np.memmap)
_RNG = np.random.default_rng(0)
_RUNS = (8, 9)      # the length of the first dimension in either run
_STEP = 12          # distance between the lengths of two dimensions
_SPAN = 4           # a length this near to a dimension's is that dimension plus an offset


def is_foreign(cls: Any) -> bool:
    """Whether instances override NumPy's operators (np.matrix, masked arrays, quantities, series)."""
    if not isinstance(cls, type) or cls in PLAIN_ARRAYS or issubclass(cls, np.generic) or cls.__module__.startswith("transgrad.rules."):
        return False
    return issubclass(cls, np.ndarray) or hasattr(cls, "__array_priority__") or hasattr(cls, "__array_ufunc__")


def has_operators(cls: Any) -> bool:
    """Whether instances are neither numbers nor arrays, and have operators of their own: ``x * obj`` may be anything."""
    return isinstance(cls, type) and cls.__module__.split(".")[0] not in ("builtins", "numpy", "scipy", "transgrad") and not issubclass(
        cls, (numbers.Number, str, tuple, list, dict)) and not hasattr(cls, "__array__") and any(
        hasattr(cls, f"__{name}__") for name in ("add", "mul", "radd", "rmul", "sub", "rsub", "truediv", "pow", "matmul"))


def type_of(value: Any, sym: Any = None) -> Type:
    """The type of a run-time object.  ``sym`` names the object, so that its dimensions can be told apart."""
    kind = type(value)
    if kind in (bool, int, float, complex):
        return Num(kind.__name__)
    if kind in PLAIN_ARRAYS:        # others (np.matrix, masked arrays, quantities) have operators of their own
        dims = tuple(Dim(n == 1, None if sym is None else (sym, k)) for k, n in enumerate(value.shape))
        return Arr(value.dtype.name, dims) if value.dtype.kind in "biufc" else Obj(kind)
    if isinstance(value, np.generic):
        return Arr(value.dtype.name, (), scalar=True) if value.dtype.kind in "biufc" else Obj(kind)
    if is_array(value):
        met(value)
        return type_of(example_of(value), sym)
    if isinstance(value, tuple):
        elems = tuple(type_of(v, None if sym is None else (sym, k)) for k, v in enumerate(value))
        return TupleT(elems, None if kind is tuple else kind) if kind is tuple or hasattr(kind, "_fields") else Obj(kind)
    if kind is list:
        return ListT(_type_among(value))
    if kind in (set, frozenset):
        return SetT(_type_among(value))
    if kind is dict and "__builtins__" in value:      # the globals of a module, which may well lead back to themselves
        return Obj(kind)
    if kind is dict:
        return DictT(_type_among(value), _type_among(value.values()))
    return Obj(kind)


def _type_among(values: Collection[Any]) -> Type | None:
    """The type of a container's items.  Of most things the class says it all: one of each is looked at (`sys.modules` is long)."""
    one = dict(zip(map(type, values), values))
    if any(kind in _CONTAINERS or issubclass(kind, (tuple, np.ndarray)) for kind in one):
        return _join_all(map(type_of, values))
    return _join_all(map(type_of, one.values()))


_CONTAINERS = (list, set, frozenset, dict)


def _join_all(types: Any) -> Type | None:
    out: Type | None = None
    for t in types:
        out = t if out is None else join(out, t)
    return out


def broadcast_dims(shapes: Sequence[tuple[Dim, ...]]) -> tuple[Dim, ...]:
    """Dimensions of the result of broadcasting."""
    if shapes and shapes.count(shapes[0]) == len(shapes):       # most are
        for d in shapes[0]:
            if d.one is not False:
                break
        else:
            return shapes[0]
    out = []
    for k in range(max(map(len, shapes), default=0), 0, -1):
        dims = [s[-k] for s in shapes if len(s) >= k and s[-k].one is not True]
        known = [d for d in dims if d.one is False]
        if not dims:
            out.append(ONE)
        elif known:
            # lengths other than 1 that broadcast are equal, or NumPy raises
            out.append(next((d for d in known if d.sym is not None), known[0]))
        else:
            out.append(dims[0] if all(d == dims[0] and d.sym is not None for d in dims) or len(dims) == 1 else ANY)
    return tuple(out)


class _Lengths:
    """Chooses a length for each dimension of the stand-ins, and finds the dimension a length came from."""

    def __init__(self, start: int, uniform: bool, descending: int = 0):
        self.start, self.uniform, self.descending, self.of = start, uniform, descending, dict[Any, int]()
        self.back = dict[int, Dim]()
        self.count = 0
        self.known = True       # no dimension that may or may not be 1 has been given a length

    def length(self, dim: Dim) -> int:
        if dim.one:
            return 1
        self.known &= dim.one is False
        if self.uniform:
            return self.start
        key = (dim.sym, dim.off) if dim.sym is not None else ("anonymous", self._fresh())
        if key not in self.of:
            place = len(self.of)
            n = self.of[key] = self.start + _STEP * (self.descending - 1 - place if self.descending else place)
            self.back[n] = dim
        return self.of[key]

    def _fresh(self) -> int:
        self.count += 1
        return self.count

    def dim(self, n: int) -> tuple[Any, ...]:
        """A description of length ``n``: the same in both runs, unless it has another origin than the lengths that are given."""
        if self.uniform:
            near = self.known and abs(n - self.start) <= _SPAN
            return ("one",) if n == 1 else ("near", None, n - self.start) if near else ("other", n * self.known)
        if n == 1:
            return ("one",)
        base = next((m for m in self.back if abs(n - m) <= _SPAN), None)
        return ("other", n * self.known) if base is None else ("near", self.back[base], n - base)


def stand_in(t: Type, lengths: _Lengths) -> Any:
    """A small object of type ``t``; raises TypeError if there is none."""
    match t:
        case Num("int", dim):
            # a number that is no length differs between the runs: what depends on it is not known
            return lengths.length(dim) if dim is not None else 1 + _RUNS.index(lengths.start)
        case Num(kind):
            return {"bool": True, "float": 0.5, "complex": 0.5 + 0.25j}[kind]
        case Arr(dtype, dims, scalar):
            shape = tuple(map(lengths.length, dims))
            a = _RNG.uniform(0.1, 0.2, size=shape)
            if len(shape) >= 2:     # regular, so that decompositions exist
                i = np.arange(min(shape[-2:]))
                a[..., i, i] += 2.0
            out = np.asarray(a if dtype[0] in "fc" else np.ones(shape), dtype=dtype)
            return out[()] if scalar else out
        case TupleT(elems, cls):
            items = [stand_in(e, lengths) for e in elems]
            return cls(*items) if cls else tuple(items)
        case ListT(elem, length) if elem is not None:
            one = stand_in(elem, lengths)
            return [one] * (length if length is not None else lengths.length(Dim(None)))
        case OptT(elem):
            return stand_in(elem, lengths)
        case Obj(cls) if cls is str:
            return "text"
    raise TypeError(t)


class Typed:
    """An operand as `infer` sees it, with a type of its own."""

    __slots__ = ("type",)

    def __init__(self, type: Type):
        self.type = type


def without_none(operand: Any) -> Any:
    """An operand that may be None as a function sees it that would raise if it were."""
    return Typed(operand.type.elem) if type(operand.type) is OptT else operand


def infer(fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Type:
    """Type of ``fn(*args, **kwargs)``; operands have a ``type`` and, where known at compile time, a ``value``."""
    for a in args:
        if type(a.type) is OptT:
            args = list(map(without_none, args))
            break
    kwargs = {k: without_none(v) for k, v in kwargs.items()} if kwargs else {}
    if isinstance(fn, type) and is_foreign(fn):
        return Obj(fn)
    if _by_values(fn):
        return UNKNOWN
    special = infer_shapes.SHAPES.get(fn)
    if special is None and str(getattr(fn, "__module__", "")).startswith("scipy.") and infer_calls.may_run(fn):
        special = infer_shapes.SHAPES.get(fn)       # the table of its module is read when a function of it is first looked up
    if special is not None:
        try:
            found = special(*args, **kwargs)
        except (TypeError, AttributeError, ValueError, IndexError):
            found = None
        if found is not None:
            return found
    if isinstance(fn, np.ufunc) and not kwargs and (of_ufunc := ufunc_type(fn, args)) is not None:
        return of_ufunc
    drawn = infer_calls.random_type(fn, args, kwargs)
    if drawn is not None:
        return drawn
    if not infer_calls.may_run(fn):
        return UNKNOWN
    try:
        key = tuple(_spec(a) for a in args), tuple((k, _spec(v)) for k, v in kwargs.items())
        stood_in = _infer_cached(fn, *key)
    except TypeError:       # unhashable: not worth a cache
        return UNKNOWN
    return infer_shapes.joined(stood_in, *args, **kwargs) if fn in infer_shapes.JOINS else stood_in


#: Functions of SciPy whose result is real or complex by the values of a real matrix.
_REAL_OR_COMPLEX = frozenset(("sqrtm", "logm", "funm", "fractional_matrix_power"))
_EMATH = frozenset(fn for name in np.emath.__all__ if callable(fn := getattr(np.emath, name)))


def _by_values(fn: Callable[..., Any]) -> bool:
    """Whether the dtype of a result depends on the values of the arguments, so that stand-ins do not tell it."""
    try:
        if fn is np.real_if_close or fn in _EMATH:
            return True
    except TypeError:       # unhashable
        return False
    return getattr(fn, "__name__", "") in _REAL_OR_COMPLEX and str(getattr(fn, "__module__", "")).startswith("scipy.linalg")


class _Static:
    """A literal argument in the cache's key: equal only to the same value of the same type."""

    __slots__ = ("key", "value")

    def __init__(self, value: Any):
        self.value = value
        self.key = _freeze(value)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Static) and self.key == other.key


def _freeze(v: Any) -> Any:
    if isinstance(v, slice):
        return "slice", _freeze(v.start), _freeze(v.stop), _freeze(v.step)
    if isinstance(v, tuple):
        return "tuple", tuple(map(_freeze, v))
    if isinstance(v, list):
        return "list", tuple(map(_freeze, v))
    return type(v), v


def _spec(operand: Any) -> Any:
    if hasattr(operand, "value") and not isinstance(operand.value, (np.ndarray, np.generic)):
        return _Static(operand.value)
    return operand.type     # of an array that is known at compile time the type is enough, and it has a hash


@lru_cache(maxsize=20_000)
def _infer_cached(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: tuple[tuple[str, Any], ...]) -> Type:
    for uniform in (False, True):
        seen = []
        for start in _RUNS:
            lengths = _Lengths(start, uniform)
            found = _run(fn, args, kwargs, lengths)
            if found is None:
                break
            seen.append(found[0])
        if len(seen) == len(_RUNS):
            merged = _merge_alike(*seen)
            if len(lengths.of) > 1 and (found := _run(fn, args, kwargs, _Lengths(_RUNS[0], False, len(lengths.of)))) is not None:
                merged = join(merged, _merge_alike(seen[0], found[0]))
            return merged
    return UNKNOWN


def _run(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: tuple[tuple[str, Any], ...], lengths: _Lengths) -> tuple[Any] | None:
    """Describe the result for stand-ins with these lengths; None if the function raises."""
    try:
        a = [s.value if isinstance(s, _Static) else stand_in(s, lengths) for s in args]
        k = {n: s.value if isinstance(s, _Static) else stand_in(s, lengths) for n, s in kwargs}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return (_describe(fn(*a, **k), lengths),)
    except Exception:  # a stand-in may break any function in any way
        return None


def _merge_alike(a: Any, b: Any) -> Type:
    return _merge(a, b) if type(a) is type(b) else UNKNOWN


def _describe(value: Any, lengths: _Lengths) -> Any:
    t = type_of(value)
    if isinstance(t, Arr):
        return t.dtype, t.scalar, tuple(map(lengths.dim, value.shape))
    if isinstance(t, TupleT):
        return t.cls or tuple, [_describe(v, lengths) for v in value]
    if isinstance(t, ListT):
        return ListT, [_describe(v, lengths) for v in value]
    return t


def _merge(a: Any, b: Any) -> Type:
    """One type from the descriptions of two runs."""
    if isinstance(a, tuple) and len(a) == 3:
        return Arr(a[0], tuple(map(_merge_dim, a[2], b[2])), a[1]) if len(a[2]) == len(b[2]) else UNKNOWN
    if isinstance(a, tuple) and a[0] is ListT:
        return ListT(_join_all(_merge(x, y) for x, y in zip(a[1], b[1])))
    if isinstance(a, tuple):
        if len(a[1]) != len(b[1]):
            return UNKNOWN
        return TupleT(tuple(map(_merge, a[1], b[1])), None if a[0] is tuple else a[0])
    return a if a == b else join(a, b)


def _merge_dim(a: tuple[Any, ...], b: tuple[Any, ...]) -> Dim:
    if a != b:
        return ANY
    if a[0] == "one":
        return ONE
    if a[0] == "other":     # the same for all lengths; 0 may happen to these numbers only
        return Dim(False, ("<const>", a[1])) if a[1] else ANY
    _, base, off = a
    if base is None:
        return BIG if off == 0 else ANY
    return derived(base, off)


def derived(base: Dim, off: int) -> Dim:
    """The dimension ``off`` longer than ``base``.

    Where ``base`` is an argument's dimension other than 1, that the result is not 1 either is an assumption on the
    argument's length (see `excluded_length`), which the caller of the generated code has to check.
    """
    if off == 0:
        return base
    total = base.off + off
    if isinstance(base.sym, tuple) and base.sym[0] == "<const>":      # a length given as a number
        return Dim(base.sym[1] + total == 1, base.sym, total) if base.sym[1] + total >= 0 else ANY
    if base.one is False and base.sym is not None:
        return Dim(False, base.sym, total)
    return Dim(None, base.sym, total) if base.sym is not None else ANY


def excluded_length(dim: Dim) -> int | None:
    """The length of ``dim.sym`` at which ``dim`` would be 1 although it is assumed not to be; None if there is none."""
    return 1 - dim.off if dim.one is False and dim.off and 1 - dim.off > 0 else None


from . import infer_calls, infer_shapes  # noqa: E402  they use the definitions above

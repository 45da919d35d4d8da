"""The array that a plain NumPy function receives when it runs on the tape: NumPy's behavior, recorded by a Tensor inside."""
from __future__ import annotations

import collections
import contextlib
import operator
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..autograd import dispatch
from ..autograd.assignment import index_put_, setitem
from ..autograd.forward_ad import tangent_of
from ..autograd.protocols import array_function
from ..autograd.state import STATE
from ..autograd.tensor import Tensor, wrap
from ..ir.infer import has_operators, is_foreign
from ..rules import definition_of, lookup
from ..rules.exact import is_exact
from ..rules.outs import named_out
from ..rules.registry import compiled_form
from .keys import element, equal_key, hash_of
from .written import Text, refused, run_number, text_of

__all__ = ["ARRAY_OF", "METHODS", "WRITERS", "TapedArray", "Text", "converted", "following", "holds", "inner", "is_differentiated", "outer",
           "stacked", "taped", "unfollowed"]

#: functions whose result without dimensions is an array; of others it is a number, which nothing can write to
_KEEP_ARRAY = frozenset((
    np.array, np.asarray, np.asanyarray, np.reshape, np.ndarray.reshape, np.squeeze, np.ndarray.squeeze, np.copy, np.ndarray.copy,
    np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.broadcast_to, np.transpose, np.ndarray.transpose, np.expand_dims,
))
#: methods that write, and have no rule
_IN_PLACE = frozenset(("partition", "resize", "setfield", "byteswap", "itemset"))
#: methods that return plain numbers
_LEAVING = frozenset(("tobytes", "tofile", "dump", "dumps"))
#: methods and functions that `writers` defines in place of NumPy's
METHODS: dict[str, Callable[..., Any]] = {}
WRITERS: dict[Any, Callable[..., Any]] = {}
#: the method of a copy of a class that makes a recorded array of an instance; ``__array__`` is what NumPy itself calls
ARRAY_OF = "__transgrad_array__"
_STRUCTURE = ("shape", "ndim", "dtype", "size", "nbytes", "itemsize", "strides", "flags")


class _Followed(threading.local):
    """Lists of the taped arrays created from now on (see `following`)."""

    lists: tuple[list[weakref.ref[TapedArray]], ...] = ()


_followed = _Followed()


@contextlib.contextmanager
def following() -> Iterator[list[weakref.ref[TapedArray]]]:
    """Lists the arrays that are made in it."""
    made: list[weakref.ref[TapedArray]] = []
    outer, _followed.lists = _followed.lists, (*_followed.lists, made)
    try:
        yield made
    finally:
        _followed.lists = outer


def unfollowed(tensor: Tensor, cls: type[TapedArray]) -> TapedArray:
    """Return a taped array that `following` does not list: it stands for an array that was there before."""
    outer, _followed.lists = _followed.lists, ()
    try:
        made = object.__new__(cls)
        TapedArray.__init__(made, tensor)
        return made
    finally:
        _followed.lists = outer


_COMPARED: dict[np.ufunc, Callable[..., Any]] = {np.equal: operator.eq, np.not_equal: operator.ne}


class _Operators(np.lib.mixins.NDArrayOperatorsMixin):
    """NumPy's operators, and of numbers Python's: an object with an operator of its own is asked."""

    __slots__ = ()
    number: Any


def _operator(name: str) -> Callable[[_Operators, Any], Any]:
    plain = getattr(np.lib.mixins.NDArrayOperatorsMixin, f"__{name}__")

    def method(self: _Operators, other: Any) -> Any:
        if self.number and has_operators(type(other)) and hasattr(type(other), f"__r{name}__"):
            return NotImplemented
        return plain(self, other)
    method.__name__ = f"__{name}__"
    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    setattr(_Operators, f"__{_name}__", _operator(_name))


class TapedArray(_Operators):
    """An array, or with ``number`` a NumPy scalar (``float``: a Python number), of a function that runs on the tape.

    All NumPy operations on it are recorded, including writes. It is never converted to plain numbers: an operation that requires
    that, and has no derivative rule, raises TypeError.
    """

    __slots__ = ("__weakref__", "items", "number", "run", "tensor")
    __array_priority__ = 2000

    def __init__(self, tensor: Tensor, number: Any = False):
        self.tensor = tensor
        self.number = number
        self.run = run_number()
        self.items: tuple[int, weakref.WeakValueDictionary[int, Any]] | None = None       # see `keys.element`
        if _followed.lists:
            made = weakref.ref(self)
            for found in _followed.lists:
                found.append(made)

    def __hash__(self) -> int:
        return hash_of(self) if self.number else object.__hash__(self)

    def __eq__(self, other: object) -> Any:
        found = equal_key(self, other, _is_active) if self.number else None
        return np.lib.mixins.NDArrayOperatorsMixin.__eq__(self, other) if found is None else found

    # identity and attributes

    @property       # type: ignore[misc]
    def __class__(self) -> type:
        """The class reported to ``isinstance`` in code not written for the tape: that of the array or number that it represents."""
        number = self.number
        return np.ndarray if number is False else float if number is float else self.tensor._array.dtype.type

    shape = property(lambda self: tuple(self.tensor._array.shape), lambda self, shape: _reshape(self, shape))
    ndim = property(lambda self: self.tensor._array.ndim)
    size = property(lambda self: self.tensor._array.size)
    dtype = property(lambda self: self.tensor._array.dtype)
    T = property(lambda self: outer(np.transpose, dispatch.apply(np.transpose, self.tensor)))
    real = property(lambda self: outer(np.real, dispatch.apply(np.real, self.tensor)), lambda self, x: _set_part(self, np.real, x))
    imag = property(lambda self: outer(np.imag, dispatch.apply(np.imag, self.tensor)), lambda self, x: _set_part(self, np.imag, x))
    flat = property(lambda self: self.reshape(-1))

    @property
    def mT(self) -> Any:
        return outer(np.swapaxes, dispatch.apply(np.swapaxes, self.tensor, -1, -2))

    def __repr__(self) -> str:
        return self._text(repr(self.tensor._array.item() if self.number is float else self.tensor._array[()]))

    def __str__(self) -> str:
        return self._text(str(self.tensor._array))

    def __format__(self, spec: str) -> str:
        return self._text(format(self.tensor._array[()], spec))

    def _text(self, text: str) -> str:
        return text_of(text) if is_differentiated(self.tensor) else text

    def __copy__(self) -> TapedArray:
        return TapedArray(self.tensor.clone(), self.number)

    def __deepcopy__(self, memo: Any) -> TapedArray:
        return self.__copy__()

    def __reduce__(self) -> Any:
        return _leaving(self.tensor).__reduce__()

    def __len__(self) -> int:
        return len(self.tensor._array)

    def __bool__(self) -> bool:
        return bool(self.tensor._array)

    def __int__(self) -> int:
        return int(self.tensor._array)

    __index__ = None

    def __round__(self, digits: int | None = None) -> Any:
        return int(round(self.tensor._array.item())) if digits is None else outer(np.round, dispatch.apply(np.round, self.tensor, digits))

    def __float__(self) -> float:
        if is_differentiated(self.tensor):
            raise refused(TypeError("a number that is differentiated would leave the tape as a plain float here: use NumPy's functions, "
                                    "or transgrad.stop_gradient if it is a constant"))
        return float(self.tensor._array)

    def __complex__(self) -> complex:
        return complex(self.__float__())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(_leaving(self.tensor), dtype=dtype)

    # items

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        if type(key) is int and self.tensor._array.ndim == 1 and -self.size <= key < self.size:
            return element(self, key % self.size, lambda: taped(
                dispatch.apply(operator.getitem, self.tensor, key).clone(), number=True))
        found = dispatch.apply(operator.getitem, self.tensor, inner(key))
        if isinstance(found, Tensor) and found._array.ndim == 0 and not _has_ellipsis(key):
            return taped(found.clone(), number=True)
        return taped(found)

    def __setitem__(self, key: Any, value: Any) -> None:
        _check_writable(self)
        setitem(self.tensor, inner(key), inner(converted(value)))

    def __contains__(self, value: Any) -> bool:
        return bool(np.any(self.tensor._array == (value.tensor._array if isinstance(value, TapedArray) else value)))

    # NumPy's protocols

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        if method == "at":
            _at(ufunc, *inputs)
            return None
        if ufunc in _COMPARED and any(isinstance(x, (str, bytes)) for x in inputs):      # which no loop of NumPy's compares with numbers
            return _COMPARED[ufunc](*(x.tensor._array[()] if isinstance(x, TapedArray) else x for x in inputs))
        fn = compiled_form(ufunc) if method == "__call__" else getattr(ufunc, method)
        if out is not None and method == "__call__" and isinstance(out[0], TapedArray) and out[0].number:
            out = None      # ``x += y`` of numbers makes a new one
        inputs = tuple(map(converted, inputs))
        check_classes(inputs)
        if other := next((type(x) for x in inputs if has_operators(type(x)) and not issubclass(type(x), TapedArray)), None):
            raise refused(TypeError(f"a differentiated value meets a {other.__name__}, whose operators are its own: make it a part of the "
                                    f"function"))
        if any(type(x) is np.ndarray and x.dtype == object for x in inputs) and method == "__call__" and out is None and not kwargs:
            from .object_arrays import each
            return each(ufunc, inputs)
        if out is not None:     # the derivative reads the arguments, so copy those that ``out`` overwrites
            inputs = tuple(x.__copy__() if _is_written(x, out) else x for x in inputs)
        if method == "__call__" and ufunc in _OPERATORS and all(map(_is_python, inputs)):
            return _of_numbers(ufunc, inputs)
        result = dispatch.apply(fn, *map(inner, inputs), **{k: inner(v) for k, v in kwargs.items()})
        if out is not None and "where" in kwargs:       # the rest of ``out`` stays
            result = inner(np.where(kwargs["where"], outer(fn, result), np.copy(out[0])))
        return outer(fn, result) if out is None else _into(out, result)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        write = WRITERS.get(func)
        if write is not None:
            return write(*args, **kwargs)
        check_classes(args)
        if any(type(x) is np.ndarray and x.dtype == object for x in args):
            from .object_arrays import unboxed
            args = tuple(map(unboxed, args))
        _check_followed(func, (*args, *kwargs.values()))
        args, kwargs = named_out(func, args, kwargs)
        out = kwargs.pop("out", None)
        tensor = self.tensor
        result = array_function(tensor, func, types, tuple(map(inner, args)), {k: inner(v) for k, v in kwargs.items()})
        return outer(func, result) if out is None else _into(out if isinstance(out, tuple) else (out,), result)

    def __getattr__(self, name: str, plain: bool = False) -> Any:
        if name in _STRUCTURE:
            return getattr(self.tensor._array, name)
        if name in _OF_FLOATS and self.number:
            return getattr(_leaving(self.tensor).item(), name)
        method = getattr(np.ndarray, name, None)
        if method is None or name.startswith("__"):
            raise AttributeError(name)
        if not callable(method):
            raise refused(TypeError(f"the attribute {name} of an array that is differentiated is not followed by the tape"))
        if name in METHODS and not plain:
            return lambda *args, **kwargs: METHODS[name](self, *args, **kwargs)

        def call(*args: Any, **kwargs: Any) -> Any:
            (_, *given), kwargs = named_out(method, (self, *args), kwargs)
            out = kwargs.pop("out", None)
            if name in _LEAVING or lookup(method) is None:
                _leaving(self.tensor)
                if name in _IN_PLACE:
                    raise refused(TypeError(f"the array method {name} is not recorded by the tape"))
            if name == "astype" and np.dtype(given[0] if given else kwargs["dtype"]) == object:
                from .object_arrays import elements
                return elements(self)
            result = dispatch.apply(method, self.tensor, *map(inner, given), **{k: inner(v) for k, v in kwargs.items()})
            if is_exact(method) and not (isinstance(result, Tensor) and result._array.dtype.kind in "fc"):
                _leaving(self.tensor)
            found = outer(method, result) if out is None else _into((out,), result)
            return _only_read(found) if name == "view" and type(found) is np.ndarray else found
        return call


#: Methods of Python's floats that give digits away.
_OF_FLOATS = frozenset(("as_integer_ratio", "hex", "is_integer"))


def is_differentiated(x: Tensor) -> bool:
    """Whether derivatives flow through a Tensor, in reverse or in forward mode."""
    return x.requires_grad or any(tangent_of(x, level) is not None for level in STATE.duals)


def _is_active(x: Any) -> bool:
    return isinstance(x, TapedArray) and is_differentiated(x.tensor)


def _check_followed(fn: Any, values: Iterable[Any]) -> None:
    """Refuse a function of NumPy's that writes differentiated numbers where the tape cannot follow them: into a file, as text or bits."""
    if is_exact(fn) or lookup(fn) is None and definition_of(fn) is None:
        for x in values:
            if isinstance(x, TapedArray):
                _leaving(x.tensor)


def _only_read(x: np.ndarray) -> np.ndarray:
    """The bytes of a recorded array as other numbers, read-only: the tape could not record a write through this view."""
    x = x.view()
    x.flags.writeable = False
    return x


def _leaving(x: Tensor) -> np.ndarray:
    """The array of a Tensor that leaves the tape; TypeError if it is differentiated."""
    if is_differentiated(x):
        raise refused(TypeError("an array that is differentiated would leave the tape as a plain array here: allocate with NumPy's "
                                "functions what it is stored into, give the function that takes it a rule (transgrad.rule), or use "
                                "stop_gradient"))
    return x._array


def holds(x: Any) -> bool:
    """Whether something recorded is in a value."""
    return isinstance(x, TapedArray) or isinstance(x, (list, tuple)) and any(map(holds, x))


def stacked(data: Any) -> Any:
    """The array that a nested sequence with recorded numbers and arrays in it stands for."""
    if isinstance(data, (list, tuple)):
        return np.stack([_as_array(stacked(row)) for row in data])
    return data


def converted(x: Any) -> Any:
    """The recorded array that NumPy makes of a list with recorded numbers in it, or of an object with a method ``__array__``."""
    if isinstance(x, (list, tuple)):
        return stacked([converted(item) for item in x]) if holds(x) else x
    convert = None if isinstance(x, (TapedArray, np.ndarray)) else getattr(type(x), ARRAY_OF, None)
    return x if convert is None else convert(x)


def _as_array(x: Any) -> Any:
    return x if isinstance(x, TapedArray) else TapedArray(wrap(np.asarray(x, np.float64 if np.asarray(x).dtype.kind in "biu" else None)))


def check_classes(values: Iterable[Any]) -> None:
    """Refuse arrays of other classes (np.matrix, masked arrays, quantities), whose operators are their own."""
    for x in values:
        if not issubclass(type(x), TapedArray) and is_foreign(type(x)):
            raise refused(TypeError(f"a differentiated value meets a {type(x).__name__}, whose operators are its own: turn it into an "
                                    "array first (np.asarray(m), s.toarray(), q.value)"))


def inner(x: Any) -> Any:
    """Tensors in place of taped arrays, in nested sequences too: NumPy takes a deque for a list and a named tuple for a tuple."""
    if isinstance(x, TapedArray):
        return x.tensor
    if isinstance(x, (list, collections.deque)):
        return list(map(inner, x))
    if isinstance(x, tuple):
        return tuple(map(inner, x))
    if isinstance(x, slice):
        return slice(_plain(x.start), _plain(x.stop), _plain(x.step))
    return x


def _plain(bound: Any) -> Any:
    return int(bound) if isinstance(bound, TapedArray) else bound


def outer(fn: Any, x: Any) -> Any:
    """The result of a NumPy function, as the function that runs on the tape sees it."""
    if isinstance(x, (tuple, list)):
        return type(x)(*(outer(fn, v) for v in x)) if hasattr(x, "_fields") else type(x)(outer(fn, v) for v in x)
    return taped(x, number=fn not in _KEEP_ARRAY)


def taped(x: Any, number: Any = False) -> Any:
    """A Tensor as a taped array; Tensors of other dtypes become plain arrays or scalars."""
    if not isinstance(x, Tensor):
        return x
    if x._array.dtype.kind not in "fc" and not x.requires_grad:
        return x._array[()] if number and x._array.ndim == 0 else x._array
    return TapedArray(x, number if x._array.ndim == 0 else False)


def _is_python(x: Any) -> bool:
    """Whether a value is a Python number, recorded or not."""
    return x.number is float if isinstance(x, TapedArray) else type(x) in (float, int, bool, complex)


#: the functions called by Python's operators; other functions convert Python numbers to NumPy's
_OPERATORS = frozenset((
    np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.remainder, np.divmod, np.power, np.negative, np.positive,
    np.absolute))


def _of_numbers(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> Any:
    """An operation on Python numbers, which divide by zero as those do."""
    if ufunc in (np.true_divide, np.floor_divide, np.remainder) and not inputs[1]:
        raise ZeroDivisionError("float division by zero" if ufunc is np.true_divide else "float floor division by zero")
    if ufunc is np.power and not inputs[0] and inputs[1] < 0:
        raise ZeroDivisionError("0.0 cannot be raised to a negative power")
    found = dispatch.apply(ufunc, *map(inner, inputs))
    return tuple(taped(x, number=float) for x in found) if isinstance(found, tuple) else taped(found, number=float)


def _set_part(x: TapedArray, part: Any, value: Any) -> None:
    setitem(dispatch.apply(part, x.tensor), ..., inner(value))


def _reshape(x: TapedArray, shape: Any) -> None:
    """``x.shape = …``, which makes no copy."""
    x.tensor._array.view().shape = shape        # AttributeError where NumPy would have to copy
    x.tensor, x.items = dispatch.apply(np.reshape, x.tensor, shape), None


def _has_ellipsis(key: Any) -> bool:
    return key is Ellipsis or isinstance(key, tuple) and any(k is Ellipsis for k in key)


def _check_writable(x: TapedArray) -> None:
    if x.number:
        raise TypeError("'numpy.float64' object does not support item assignment")


def _is_written(x: Any, out: Any) -> bool:
    """Whether one of the arrays that are written to shares memory with an argument."""
    targets = [o.tensor._array for o in out if isinstance(o, TapedArray)]
    return isinstance(x, TapedArray) and any(np.may_share_memory(x.tensor._array, target) for target in targets)


def _into(out: Any, result: Any) -> Any:
    """Write results where ``out=`` says."""
    results = result if isinstance(result, tuple) else (result,)
    for target, value in zip(out, results):
        if target is not None:
            target[...] = value if isinstance(target, TapedArray) else _leaving(value) if isinstance(value, Tensor) else np.asarray(value)
    return out[0] if len(out) == 1 else out


def _at(ufunc: np.ufunc, x: Any, index: Any, value: Any = None) -> None:
    """``np.add.at`` and ``np.subtract.at``."""
    if ufunc not in (np.add, np.subtract) or not isinstance(x, TapedArray):
        raise refused(TypeError(f"np.{ufunc.__name__}.at is not recorded by the tape"))
    held = inner(value)
    key = index if isinstance(index, tuple) else (index,)
    if ufunc is np.subtract:
        held = dispatch.apply(np.negative, held if isinstance(held, Tensor) else wrap(np.asarray(held, x.dtype)))
    index_put_(x.tensor, tuple(map(inner, key)), held, accumulate=True)

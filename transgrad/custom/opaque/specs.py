"""Declarations of result types: shapes, dtypes and structures, and functions from those of the arguments to those of the result."""
from __future__ import annotations

import dataclasses
import inspect
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from ...ir.ops import Tree
from ...ir.types import ANY, ONE, Arr, Dim, Num, Type

__all__ = ["Form", "Length", "ShapeDtypeStruct", "check_arguments", "declared_form", "form_of", "spec_of"]

_NUMBERS = (bool, int, float, complex)


class Length:
    """The length of an axis of an argument, which is not known at compile time; only integers can be added to it."""

    __slots__ = ("dim",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, dim: Dim):
        self.dim = dim

    def __repr__(self) -> str:
        return "length"

    def __add__(self, other: int) -> "Length":
        return Length(dataclasses.replace(self.dim, one=None, off=self.dim.off + operator.index(other)))

    __radd__ = __add__

    def __sub__(self, other: int) -> "Length":
        return self + -operator.index(other)

    def _unknown(self, *_: object) -> NoReturn:
        raise TypeError("the length of an argument is not known when result= is evaluated. Hint: pass lengths on unchanged or with an "
                        "integer added, or write None for a length that depends on them in another way")

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __index__ = __mul__ = __rmul__ = __floordiv__ = __mod__ = _unknown


@dataclass(frozen=True)
class ShapeDtypeStruct:
    """The shape and dtype of an array, without its elements.

    Parameters
    ----------
    shape : sequence of int or None
        The lengths of the axes. None stands for any length.
    dtype : dtype_like
        The dtype.
    weak_type : bool, default False
        Whether it stands for a Python number instead of a NumPy scalar. Only for the shape ``()``.

    See Also
    --------
    primitive : Takes such declarations as ``result``.

    Examples
    --------
    >>> import transgrad as tg
    >>> spec = tg.ShapeDtypeStruct((None, 3), "float32")
    >>> spec.ndim, spec.dtype
    (2, dtype('float32'))
    """

    shape: tuple[Any, ...]
    dtype: np.dtype[Any]
    weak_type: bool = field(default=False, repr=False)

    def __init__(self, shape: Sequence[Any], dtype: Any, weak_type: bool = False):
        object.__setattr__(self, "shape", tuple(shape))
        object.__setattr__(self, "dtype", np.dtype(dtype))
        object.__setattr__(self, "weak_type", weak_type)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> Any:
        """The number of elements, or None if it is not known."""
        known = [n for n in self.shape if isinstance(n, int)]
        return int(np.prod(known)) if len(known) == len(self.shape) else None


@dataclass(frozen=True, eq=False)
class Form:
    """The assumed structure of a result and the types of its leaves.

    A symbol ``("<leaf>", k, axis)`` of a dimension stands for the length of an axis of the ``k``-th leaf of the arguments.
    """

    tree: Tree
    types: tuple[Type, ...]

    @property
    def key(self) -> str:
        """A string that is equal for equal forms."""
        return f"{self.tree!r}{self.types!r}"


def spec_of(t: Type, leaf: int) -> Any:
    """The description of an argument that a declaration is given; None if it is no number and no array."""
    if isinstance(t, Num):
        return ShapeDtypeStruct((), {"bool": bool, "int": int, "float": float, "complex": complex}[t.kind], weak_type=True)
    if isinstance(t, Arr):
        dims = [1 if d.one else n if (n := d.known) is not None else Length(Dim(d.one, ("<leaf>", leaf, k))) for k, d in enumerate(t.dims)]
        return ShapeDtypeStruct(dims, t.dtype)
    return None


def form_of(declared: Any, name: str) -> Form:
    """The form that a declaration describes: an example, a class of numbers, a `ShapeDtypeStruct`, or containers of these."""
    types: list[Type] = []

    def leaf(t: Type) -> Tree:
        types.append(t)
        return Tree("leaf", index=len(types) - 1)

    def visit(x: Any) -> Tree:
        if x is None:
            return Tree("lit", value=None)
        if isinstance(x, type) and x in _NUMBERS:
            return leaf(Num(x.__name__))
        if isinstance(x, type) and issubclass(x, np.generic) or isinstance(x, np.dtype):
            return leaf(Arr(np.dtype(x).name, (), True))
        if type(x) in _NUMBERS:
            return leaf(Num(type(x).__name__))
        if isinstance(x, tuple):
            return Tree("tuple", list(map(visit, x)), cls=None if type(x) is tuple else type(x))
        if type(x) is list:
            return Tree("list", list(map(visit, x)))
        if type(x) is dict:
            return Tree("dict", list(map(visit, x.values())), keys=list(x))
        if dataclasses.is_dataclass(x) and not isinstance(x, (type, ShapeDtypeStruct)):
            names = [f.name for f in dataclasses.fields(x)]
            return Tree("object", [visit(getattr(x, n)) for n in names], keys=list(names), cls=type(x))
        if hasattr(x, "shape") and hasattr(x, "dtype"):
            return leaf(_type_of(x, name))
        raise TypeError(f"result= of {name} contains {x!r}. Hint: use float, int, complex or bool for Python numbers, "
                        "ShapeDtypeStruct(shape, dtype) or an example array for arrays, and tuples, lists, dicts and dataclasses of these")

    return Form(visit(declared), tuple(types))


def _type_of(x: Any, name: str) -> Type:
    try:
        dtype = np.dtype(x.dtype)
    except TypeError:
        raise TypeError(f"result= of {name} has the dtype {x.dtype}, which is not one of NumPy's") from None
    if dtype.kind not in "biufc":
        raise TypeError(f"result= of {name} has the dtype {dtype}: results are arrays of numbers")
    if not len(x.shape):
        if getattr(x, "weak_type", False):
            return Num({"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}[dtype.kind])
        return Arr(dtype.name, (), not isinstance(x, np.ndarray))
    return Arr(dtype.name, tuple(_dim(n, isinstance(x, np.ndarray)) for n in x.shape))


def _dim(n: Any, example: bool) -> Dim:
    """A dimension; of an array that serves as an example only the number of dimensions counts."""
    if isinstance(n, Length):
        return n.dim
    if n is None or example:
        return ANY
    n = operator.index(n)
    return ONE if n == 1 else Dim(False, ("<const>", n))


def declared_form(result: Any, args: Sequence[Any], kwargs: dict[str, Any], name: str) -> Form:
    """The form that ``result`` declares for arguments that are described by `spec_of`."""
    if callable(result) and not isinstance(result, type) and not hasattr(result, "shape"):
        function: Callable[..., Any] = result
        check_arguments(function, f"result= of {name}", args, kwargs)
        return form_of(function(*args, **kwargs), name)
    return form_of(result, name)


def check_arguments(function: Callable[..., Any], what: str, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Raise TypeError if a function of the user's does not take the arguments that it is called with."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{what} is called with {len(args)} arguments{f' and {list(kwargs)}' if kwargs else ''}, and takes "
                        f"{signature}: {error}. Hint: it receives all arguments of the function, with defaults filled in") from None

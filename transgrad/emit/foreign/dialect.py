"""How operations are written for the arrays of a library."""
from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import operator
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import UnsupportedCall
from ...ir.libraries import Library
from ...ir.ops import Build, Call, GetAttr, Lit, Loc, Operand, Star, Value, walk
from ...ir.prims import inplace_at
from ...ir.types import Arr, Num, ndim_of
from ..globals import Globals
from ..literals import literal, number
from ..operators import INPLACE
from .aliases import check_aliases
from .portable import PORTABLE, UNIVERSAL, scatter_add

if TYPE_CHECKING:
    from ...ir.ops import Function
    from ..expressions import Expressions

__all__ = ["Dialect", "dialect_for", "index_types"]

_LOAD = ast.Load()
_WRITES = frozenset((operator.setitem, inplace_at, *INPLACE))
_SCATTERS = (np.add.at, np.subtract.at)
#: What NumPy computes of Python numbers, by Python.
_OF_NUMBERS: dict[Any, type[ast.operator]] = {
    np.add: ast.Add, np.subtract: ast.Sub, np.multiply: ast.Mult, np.divide: ast.Div, np.power: ast.Pow, np.floor_divide: ast.FloorDiv,
}
_MATH = ("sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "sinh", "cosh", "arctan", "arcsin", "arccos", "log1p", "expm1", "log2", "log10",
         "hypot", "arctan2", "floor", "ceil")
_OF_MATH = {getattr(np, name): name.replace("arc", "a") for name in _MATH}
_CASTS = (float, int, complex)
_TYPES = (np.generic, np.dtype)


def attribute(value: ast.expr, *path: str) -> ast.expr:
    """``value.a.b``."""
    for part in path:
        value = ast.Attribute(value, part, _LOAD)
    return value


def is_none(o: Any) -> bool:
    """Whether an operand is None."""
    return isinstance(o, Lit) and o.value is None


class Dialect:
    """Source for a library whose functions have NumPy's names and signatures.

    Parameters
    ----------
    library : Library
    fn : Function
        The generated function; errors name it.
    """

    def __init__(self, library: Library, fn: Function):
        self.library, self.fn = library, fn
        self.module = library.module
        self._written = {op.args[0] for op in walk(fn.body) if type(op) is Call and (op.fn in _WRITES or op.fn in _SCATTERS)}

    # -- names

    def root(self, names: Globals) -> ast.expr:
        """The namespace."""
        given = next((name for name, obj in self.fn.names.items() if obj is self.module), self.library.alias)
        return ast.Name(names.bind(given, self.module), _LOAD)

    def has(self, name: str) -> bool:
        """Whether the library has a function of this dotted name."""
        return has(self.module, name)

    @functools.cached_property
    def compatible(self) -> Any:
        """The namespace of array-api-compat for the library, with functions of the standard that the library itself lacks."""
        if self.library.standard or importlib.util.find_spec("array_api_compat") is None:
            return None
        name = f"array_api_compat.{self.library.namespace}"
        return importlib.import_module(name) if _exists(name) else None

    def function(self, e: Expressions, name: str, op: Any) -> ast.expr:
        """A function of the library, by its dotted name."""
        if not self.has(name):
            other = self.compatible
            if other is None or not has(other, name):
                self.refuse(op, f"{name}()")
            return attribute(ast.Name(e.names.bind("xp", other), _LOAD), *name.split("."))
        return attribute(self.root(e.names), *name.split("."))

    def refuse(self, op: Any, what: str, why: str = "has no counterpart") -> Any:
        """Refuse an operation that the library does not have."""
        loc: Loc | None = getattr(op, "loc", None) or self.fn.loc
        title = self.fn.attrs.title or self.fn.name
        part = "" if getattr(op, "part", "primal") == "primal" else f", which the derivative of {title} needs,"
        raise UnsupportedCall(
            f"{what}{part} {why} in {self.library.name}", loc,
            "write it with other functions of the library, or convert the arguments to NumPy arrays and the result back")

    # -- literals

    def literal(self, o: Operand, names: Globals, e: Expressions | None = None) -> ast.expr | None:
        """A dtype or an array as the library spells it."""
        value = o.value if isinstance(o, Lit) else None
        if isinstance(value, np.floating):
            return number(float(value), names)
        if isinstance(value, np.ndarray) and not self.library.mixes:
            assert isinstance(o, Lit)
            return ast.Call(attribute(self.root(names), "asarray"), [literal(o, names)], self.device(e) if e is not None else [])
        dtype: Any = None
        if isinstance(value, np.dtype) or isinstance(value, type) and issubclass(value, np.generic):
            dtype = np.dtype(value)
        if dtype is None:
            return None
        return attribute(self.root(names), "bool_" if dtype.kind == "b" and not self.library.standard else dtype.name)

    def device(self, e: Expressions) -> list[ast.keyword]:
        """``device=x.device``, where a library has several and ``x`` is an argument."""
        if not self.library.devices:
            return []
        x = next((p for p in self.fn.params if isinstance(p.type, Arr)), None)
        return [] if x is None else [ast.keyword("device", attribute(e.name(x), "device"))]

    # -- calls

    def call(self, e: Expressions, op: Call) -> ast.expr | None:
        """A call in the library's terms; None if Python's operators say it."""
        fn, args = op.fn, op.args
        if fn is operator.getitem:
            return self.getitem(e, op)
        if fn in _OF_NUMBERS and len(args) == 2 and not op.kwargs and all(_is_number(a) for a in args):
            return ast.BinOp(e.operand(args[0]), _OF_NUMBERS[fn](), e.operand(args[1]))
        if _hashable(fn) and fn in _OF_MATH and args and not op.kwargs and all(_is_number(a) for a in args):
            return ast.Call(e.names.spelled(f"math.{_OF_MATH[fn]}"), [e.operand(a) for a in args], [])
        if fn in _CASTS and len(args) == 1 and not op.written and isinstance(args[0], (Value, Lit)) and not isinstance(args[0].type, Num):
            return e.operand(args[0])       # a cast of a rule: the number stays on its device
        if isinstance(fn, type) and issubclass(fn, np.generic):
            return self.scalar(e, op, fn)
        if (helper := PORTABLE.get(fn) if _hashable(fn) else None) is not None:
            return ast.Call(e.names.expr(helper), [self.root(e.names), *e.arguments(args)], e.keywords(op.kwargs))
        if is_numpy(fn):
            return self.numpy_call(e, op)
        if str(getattr(fn, "__module__", "")).startswith("transgrad.runtime.") and fn.__name__ not in UNIVERSAL:
            self.refuse(op, f"{fn.__name__}()")
        if str(getattr(fn, "__module__", None) or ("scipy" if isinstance(fn, np.ufunc) else "")).startswith("scipy"):
            return self.scipy_call(e, op)
        return None

    def numpy_call(self, e: Expressions, op: Call) -> ast.expr:
        """A call of a function or a method of NumPy's."""
        self.check_options(op)
        fn = op.fn
        if fn in (np.ndarray.copy, np.copy) and not self.library.mutable:
            return e.operand(op.args[0])        # which nothing can change
        if fn is np.ndarray.copy:
            return ast.Call(self.function(e, "copy", op), e.arguments(op.args[:1]), [])
        if isinstance(fn, (types.MethodDescriptorType, types.WrapperDescriptorType)):
            return ast.Call(attribute(e.operand(op.args[0]), fn.__name__), e.arguments(op.args[1:]), e.keywords(op.kwargs))
        name = dotted_name(e.names, fn)
        if name is None:
            return self.refuse(op, f"{getattr(fn, '__name__', fn)}()")  # type: ignore[no-any-return]
        return ast.Call(self.function(e, name, op), e.arguments(op.args), e.keywords(op.kwargs))

    def check_options(self, op: Call) -> None:
        """Refuse options that write into an array."""
        for name in ("out", "where", "casting", "order"):
            if name in op.kwargs and not is_none(op.kwargs[name]):
                self.refuse(op, f"{op.fn.__name__}({name}=…)")

    def scipy_call(self, e: Expressions, op: Call) -> ast.expr | None:
        """A call of a function of SciPy's."""
        return self.refuse(op, f"{op.spelling or op.fn.__name__}()")  # type: ignore[no-any-return]

    def scalar(self, e: Expressions, op: Call, cls: type[np.generic]) -> ast.expr:
        """``np.float64(x)``."""
        made = self.literal(Lit(cls), e.names)
        assert made is not None
        if _is_number(op.args[0]) if op.args else True:
            return ast.Call(self.function(e, "asarray", op), e.arguments(op.args) or [ast.Constant(0)], [ast.keyword("dtype", made)])
        return self.astype(e, op.args[0], made, op)

    def astype(self, e: Expressions, x: Operand, dtype: ast.expr, op: Any) -> ast.expr:
        """An array cast to a dtype."""
        return ast.Call(attribute(e.operand(x), "astype"), [dtype], [])

    # -- elements

    def getitem(self, e: Expressions, op: Call) -> ast.expr | None:
        """``x[i]``; a copy where an element is a view of an array that is written to."""
        x, i = op.args
        if not isinstance(x.type, Arr):
            return None
        read = ast.Subscript(e.operand(x), self.index(e, x, i), _LOAD)
        r = op.result.type
        if self.library.views and isinstance(r, Arr) and r.scalar and self.is_written(e, x):
            return ast.Call(self.function(e, "asarray", op), [read], [ast.keyword("copy", ast.Constant(True))])
        return read

    def is_written(self, e: Expressions, x: Operand) -> bool:
        """Whether elements of the variable that holds a value are assigned somewhere."""
        if not isinstance(x, Value):
            return False
        return x in self._written or any(isinstance(w, Value) and w not in e.plan.folded and x not in e.plan.folded
                                         and e.variables.class_of(w) == e.variables.class_of(x) for w in self._written)

    def index(self, e: Expressions, x: Operand, i: Operand) -> ast.expr:
        """An index."""
        place = e.index(i)
        if not self.library.full_index:
            return place
        items = place.elts if isinstance(place, ast.Tuple) else [place]
        ndim = ndim_of(x.type)
        masks = [t for t in index_types(e, i) if isinstance(t, Arr) and t.dtype == "bool"]
        own = sum(not (isinstance(item, ast.Constant) and item.value in (None, Ellipsis)) for item in items)
        if any(isinstance(item, ast.Constant) and item.value is Ellipsis for item in items) or masks or ndim is None or own >= ndim:
            return place
        return ast.Tuple([*items, ast.Constant(Ellipsis)], _LOAD)

    def attribute(self, e: Expressions, op: GetAttr) -> ast.expr | None:
        """An attribute of an array; None if it is the same as NumPy's."""
        return None

    # -- writes

    def store(self, e: Expressions, op: Call) -> list[Any] | None:
        """An assignment of elements as the pieces of a statement; None if the library assigns elements as NumPy does."""
        if self.library.mutable:
            return None
        x, i, v = op.args[:3]
        method = "set"
        if op.fn is inplace_at or op.fn in _SCATTERS:
            how = operator.iadd if op.fn == np.add.at else operator.isub if op.fn == np.subtract.at else op.args[3].value
            found = {operator.iadd: "add", operator.isub: "subtract", operator.imul: "multiply", operator.itruediv: "divide"}.get(how)
            if found is None:
                self.refuse(op, "an update of elements of an array", "is not possible")
            method = str(found)
        return self.updated(e, op, x, i, v, method)

    def updated(self, e: Expressions, op: Call, x: Operand, i: Operand, v: Operand, method: str) -> list[Any]:
        """``x = x.at[i].set(v)``."""
        if self.library.name != "jax":
            self.refuse(op, "an assignment to elements of an array" if op.part == "primal" else "a read of elements", "is not possible")
        if not isinstance(x, Value) or x in e.plan.folded:
            self.refuse(op, "an assignment to elements of a part of an array", "is not possible")
        assert isinstance(x, Value)
        at = ast.Subscript(attribute(e.name(x), "at"), self.index(e, x, i), _LOAD)
        return [e.name(x), " = ", ast.Call(attribute(at, method), [e.operand(v)], [])]

    def add_at(self, e: Expressions, op: Call) -> list[Any]:
        """``np.add.at(x, i, v)``, or the same with ``np.subtract``, as a statement."""
        if not self.library.mutable:
            return self.store(e, op) or []
        x, i, v = op.args
        added = e.operand(v) if op.fn == np.add.at else ast.UnaryOp(ast.USub(), e.operand(v))
        return [ast.Call(e.names.expr(scatter_add), [self.root(e.names), e.operand(x), e.index(i), added], [])]


def has(module: Any, name: str) -> bool:
    """Whether a module has something of a dotted name."""
    try:
        functools.reduce(getattr, name.split("."), module)
    except AttributeError:
        return False
    return True


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _is_number(o: Any) -> bool:
    return not isinstance(o, Star) and isinstance(o.type, Num)


def _hashable(fn: Any) -> bool:
    try:
        hash(fn)
    except TypeError:
        return False
    return True


def index_types(e: Expressions, i: Operand) -> list[Any]:
    """The types of the entries of an index."""
    op = e.plan.defs.get(i) if isinstance(i, Value) else None
    if isinstance(op, Build) and op.kind == "tuple":
        return [item.type for item in op.items if not isinstance(item, Star)]
    return [i.type]


def is_numpy(fn: Any) -> bool:
    """Whether a callable is a function or a method of NumPy's."""
    if isinstance(fn, np.ufunc):
        return getattr(np, fn.__name__, None) is fn or fn in (np.vecdot, np.matmul)
    owner = getattr(fn, "__objclass__", None)
    if owner is not None:
        return bool(owner is np.ndarray)
    return str(getattr(fn, "__module__", "")).partition(".")[0] == "numpy"


def dotted_name(names: Globals, fn: Any) -> str | None:
    """The public name of a function below ``numpy``."""
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc):
        return None
    return names.numpy_name(fn)


def dialect_for(library: Library | None, fn: Function) -> Dialect | None:
    """The dialect for arrays of a library; None for NumPy's."""
    if library is None:
        return None
    if library.lazy or not library.mutable:
        check_aliases(fn, library)
    if library.standard:
        from .standard import Standard
        return Standard(library, fn)
    from .numpy_like import NumpyLike
    return NumpyLike(library, fn)

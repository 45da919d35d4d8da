"""The one table of torch's operations: a definition a row, from which come the function, the method and the in-place method.

A definition says which primitive an operation is, on which arguments: it returns a `Call`, which runs through `dispatch.apply`
(``x.exp()``) or `dispatch.inplace` (``x.exp_()``).  One that is composed of others returns their result.
"""
from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from .. import dispatch, dtypes
from ..callers import stacklevel
from ..inplace import check_history
from ..nodes import first_reason
from ..state import STATE
from ..tensor import Tensor
from ..wording import misfit
from .memory import resize
from .miscalls import in_older_order, miscalled

__all__ = ["BESIDE", "FUNCTIONS", "METHODS", "PROPERTIES", "Call", "attach", "beside", "bind", "call", "mixed", "op", "prop"]

F = TypeVar("F", bound=Callable[..., Any])
FUNCTIONS: dict[str, Any] = {}
METHODS: dict[str, Any] = {}
PROPERTIES: dict[str, Any] = {}
#: operations of a dense tensor with a sparse one beside it
BESIDE: dict[str, Callable[..., Any]] = {}
#: NumPy's names of parameters
_RENAMES = {"axis": "dim", "keepdims": "keepdim"}
NUMBERS = (int, float, complex)
#: torch's names of the first one
_FIRST = ("input", "A", "LU", "LU_data", "elements", "sorted_sequence", "x", "x1", "y")
_VARIADIC = 4       # of a code object's flags


class Call:
    """A primitive and its arguments, before it runs."""

    __slots__ = ("args", "fn", "kwargs", "promotes", "writes")

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], promotes: bool | None,
                 writes: Callable[..., Any] | None = None):
        self.fn, self.args, self.kwargs, self.promotes = fn, args, kwargs, promotes
        self.writes = writes or fn      # the same function, under the name that the node of a write has

    def run(self) -> Any:
        """The result, in new memory or as a view."""
        if self.promotes is None:
            return dispatch.apply(self.fn, *self.args, **self.kwargs)
        return dispatch.promoted(self.fn, *self.args, floating=self.promotes)

    def write(self) -> Any:
        """The first argument, with the result written into it."""
        return dispatch.inplace(self.writes, *self.args, **self.kwargs)


def call(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Call:
    """A call of a primitive whose arguments have the dtypes they should have."""
    return Call(fn, args, kwargs, None)


def mixed(fn: Callable[..., Any], *args: Any, floating: bool = False) -> Call:
    """A call of an element-wise primitive on arguments of different dtypes; ``floating`` makes floats of integers."""
    return Call(fn, args, {}, floating)


def into(out: Any, result: Any, name: str, warns: bool = True) -> Any:
    """Write a result into the tensor (tensors) a user gave as ``out=``; a warning where that has other elements and another shape."""
    if isinstance(result, tuple):
        if not isinstance(out, (tuple, list)) or len(out) != len(result):
            raise TypeError(f"{name}(): argument 'out' must be tuple of {len(result)} Tensors")
        made = [into(o, r, name, warns) for o, r in zip(out, result)]
        return type(result)(*made) if hasattr(result, "_fields") else tuple(made)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if STATE.grad and (out.requires_grad or result.requires_grad):
        raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
                           "requires grad.")
    if STATE.level:
        from ..forward_ad import has_tangent
        if has_tangent(out) or has_tangent(result):
            raise NotImplementedError(f"Trying to use forward AD with {name}_out that does not support it because it is an out= function")
    castable(result, out)
    if out.shape != result.shape:
        if warns and out.numel():
            warnings.warn(f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not match the "
                          f"required output shape {list(result.shape)}. Give one of that shape, or one without elements (out.resize_(0)).",
                          UserWarning, stacklevel())
        resize(out, tuple(result.shape))       # which counts as one write together with the following one
    return out.copy_(result)


def castable(result: Tensor, target: Tensor) -> None:
    """RuntimeError for a result of a larger category of dtypes than the tensor it is written to."""
    if dtypes.category(target.dtype) < dtypes.category(result.dtype):
        raise RuntimeError(f"result type {dtypes.title(result.dtype)} can't be cast to the desired output type "
                           f"{dtypes.title(target.dtype)}")


def must_be_tensor(name: str, args: tuple[Any, ...]) -> None:
    """TypeError where the first argument is no Tensor."""
    if not args:
        raise TypeError(f'{name}() missing 1 required positional arguments: "input"')
    if not isinstance(args[0], Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(args[0]).__name__}")


def beside(error: Exception, name: str, operands: tuple[Any, ...]) -> Any:
    """The alternative for an operation that failed because a sparse operand has no strided memory; None for other failures."""
    if type(error) is not NotImplementedError or not any(getattr(x, "is_sparse", False) for x in operands):
        return None
    return BESIDE.get(name)


def keywords(lower: Callable[..., Any]) -> Callable[[tuple[Any, ...], dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]]:
    """Map a user's arguments to the definition: aliases of its parameters, and the name of variadic arguments."""
    code = lower.__code__
    n = code.co_argcount + code.co_kwonlyargcount
    own = code.co_varnames[:n]
    rest = code.co_varnames[n] if code.co_flags & _VARIADIC and own else None
    leads = not own or own[0] == "self"
    names = {**_RENAMES, **dict.fromkeys(_FIRST if leads else ("input",), "self")}
    names = {k: v for k, v in names.items() if k not in own}

    def read(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        kwargs = {names.get(k, k): v for k, v in kwargs.items()}
        if leads and "self" in kwargs:
            args = (kwargs.pop("self"), *args)
        if rest in kwargs:
            args = (*args, kwargs.pop(rest))
        return args, kwargs
    return read


def spelled(lower: Callable[..., Any], name: str, lists: bool, numbers: bool = False, older: tuple[str, ...] = (),
            history: bool = True) -> Callable[..., Any]:
    """The function a user calls, for a definition."""
    read = keywords(lower)
    count = lower.__code__.co_argcount

    @functools.wraps(lower)
    def function(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if older and len(args) > count:
            args, kwargs = in_older_order(name, args, older, count) or (args, kwargs)
        if kwargs:
            args, kwargs = read(args, kwargs)
        if numbers and args and isinstance(args[0], NUMBERS):
            args = args if any(isinstance(x, Tensor) for x in args) else (FUNCTIONS["tensor"](args[0]), *args[1:])
        elif not lists and (not args or type(args[0]) is not Tensor):
            must_be_tensor(name, args)
            own = vars(type(args[0])).get(name)
            if own is not None:     # a kind of tensor that does it in its own way
                return own(*args, **kwargs)
        try:
            result = lower(*args, **kwargs)
            if type(result) is Call:
                result = result.run()
        except (RuntimeError, IndexError, ValueError) as error:
            if (own := beside(error, name, args)) is not None:
                return own(*args, **kwargs)
            reason = misfit(miscalled(error, name, lower, args, kwargs), args)
            raise (first_reason(reason, args) if history else reason) from None
        except (TypeError, AttributeError) as error:
            raise miscalled(error, name, lower, args, kwargs) from None
        return result if out is None else into(out, result, name)
    function.__name__ = function.__qualname__ = name
    return function


def writing(lower: Callable[..., Any], name: str, older: tuple[str, ...] = ()) -> Callable[..., Any]:
    """The in-place method for a definition."""
    read = keywords(lower)
    count = lower.__code__.co_argcount

    @functools.wraps(lower)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        must_be_tensor(name, (self,))
        if older and len(args) >= count:
            given, kwargs = in_older_order(name, (self, *args), older, count) or ((self, *args), kwargs)
            args = given[1:]
        try:
            if kwargs:
                args, kwargs = read(args, kwargs)
            found = lower(self, *args, **kwargs)
            if type(found) is Call:
                if found.args[0] is self:
                    return found.write()
                found = found.run()
            castable(found, self)
        except (RuntimeError, IndexError, ValueError) as error:
            if (own := beside(error, name, args)) is not None:
                return own(self, *args, **kwargs)
            raise first_reason(miscalled(error, name, lower, (self, *args), kwargs), (self, *args), check_history) from None
        except (TypeError, AttributeError) as error:
            raise miscalled(error, name, lower, (self, *args), kwargs) from None
        return self.copy_(found)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Apply `{name.removesuffix('_')}` in place."
    return method


def op(*others: str, name: str | None = None, inplace: bool = False, method: bool = True, function: bool = True,
       lists: bool = False, numbers: bool = False, older: tuple[str, ...] = (), history: bool = True) -> Callable[[F], F]:
    """Put a definition into the table under its name (a trailing underscore keeps it apart from Python's own) and ``others``.

    Parameters
    ----------
    *others : str
        More names of the operation.
    name : str, optional
        Its name, where the definition's own is another.
    inplace : bool
        Whether there is a method with a trailing underscore (and a function, where torch has one).
    method, function : bool
        Whether there is a method, and a function.
    lists : bool
        Whether the first argument is not a tensor.
    numbers : bool
        Whether the first argument may be a number as well.
    older : tuple of str
        The numbers that older PyTorch takes before the tensors they belong to.
    history : bool
        Whether errors from the history of operands precede those of the definition.
    """
    def register(lower: F) -> F:
        for spelling in (name or lower.__name__.removesuffix("_"), *others):
            twin = writing(lower, spelling + "_", older) if inplace else None
            bind(spelling, spelled(lower, spelling, lists, numbers, older, history), twin, method, function)
        return lower
    return register


def bind(name: str, spelling: Any, twin: Any = None, method: bool = True, function: bool = True) -> None:
    """Put the function of an operation, and its in-place twin, where users look for them."""
    if function:
        FUNCTIONS[name] = spelling
    if method:
        METHODS[name] = spelling
    if twin is not None:
        FUNCTIONS[name + "_"] = twin
        if method:
            METHODS[name + "_"] = twin


def prop(lower: F) -> F:
    """Put an attribute of tensors into the table."""
    def getter(self: Tensor) -> Any:
        found = lower(self)
        return found.run() if type(found) is Call else found
    PROPERTIES[lower.__name__.removesuffix("_")] = property(getter, doc=lower.__doc__)
    return lower


def attach() -> None:
    """Add the methods of `Tensor`, except those that the class defines itself."""
    own = vars(Tensor)
    for table in (METHODS, PROPERTIES):
        for name, member in table.items():
            if name not in own:
                setattr(Tensor, name, member)



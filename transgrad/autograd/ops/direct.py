"""Element-wise operations without options, whose functions and methods are the generated fast paths themselves."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from .. import dispatch
from ..nodes import first_reason
from ..tensor import Tensor
from .arguments import refuse
from .miscalls import miscalled
from .table import FUNCTIONS, METHODS, beside, bind, into, must_be_tensor

__all__ = ["guarded", "put"]

Operand = Tensor | float

_ABSENT: Any = object()
_FIRST = frozenset(("input", "x"))
#: operations whose first operand may be a number
NUMBERS = frozenset(("mul", "multiply"))


def one(input: Tensor) -> None:
    """The parameters of an operation of one operand."""


def two(input: Tensor, other: Operand) -> None:
    """The parameters of an operation of two."""


def _describe(function: Any, name: str, doc: str, count: int, out: bool) -> None:
    """Give a function its name, its docstring, and the signature that ``help`` shows."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    parameters = list(inspect.signature(one if count == 1 else two).parameters.values())
    if out:
        parameters.append(inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Tensor | None"))
    function.__signature__ = inspect.Signature(parameters, return_annotation="Tensor")


def put(names: Sequence[str], fn: Callable[..., Any], fast: Callable[..., Any], operands: int, inplace: bool = True,
        writes: Callable[..., Any] | None = None) -> None:
    """Put an operation of so many operands into the table, under all its names; ``writes`` computes the value of the in-place form."""
    for name in names:
        bind(name, spelled(name, fast, operands), writing(name, writes or fn, operands) if inplace else None)
        if operands == 1:
            METHODS[name] = fast        # the most frequent calls, without keywords


def spelled(name: str, fast: Callable[..., Any], count: int) -> Callable[..., Any]:
    """Return the function that users call."""
    parameters = one if count == 1 else two
    numbers = name in NUMBERS

    def function(*operands: Any, other: Any = _ABSENT, out: Tensor | None = None, **given: Any) -> Tensor:
        if other is not _ABSENT:
            operands = (*operands, other)
        if given and given.keys() <= _FIRST:
            operands, given = (*given.values(), *operands), {}
        try:
            if given:
                raise TypeError("of an operation without such options")
            if operands and type(operands[0]) is not Tensor:
                own = vars(type(operands[0])).get(name)
                if own is not None:     # a kind of tensor that does it in its own way
                    return own(*operands)       # type: ignore[no-any-return]
                if not (numbers and isinstance(operands[0], (int, float, complex))):
                    must_be_tensor(name, operands)
                elif not any(isinstance(x, Tensor) for x in operands[1:]):
                    operands = (FUNCTIONS["tensor"](operands[0]), *operands[1:])
            found = fast(*operands)
        except NotImplementedError as error:
            if (own := beside(error, name, operands)) is None:
                raise
            return own(*operands)       # type: ignore[no-any-return]
        except (TypeError, AttributeError) as error:
            raise miscalled(error, name, parameters, operands, given) from None
        return found if out is None else into(out, found, name)     # type: ignore[no-any-return]
    _describe(function, name, f"Apply {name} to each {'element' if count == 1 else 'pair of elements'}.", count, True)
    return function


def writing(name: str, fn: Callable[..., Any], count: int) -> Callable[..., Any]:
    """Return the in-place method."""
    def method(self: Tensor, *operands: Any, other: Any = _ABSENT) -> Tensor:
        operands = (*operands, *(() if other is _ABSENT else (other,)))
        try:
            return dispatch.inplace(fn, self, *operands)
        except NotImplementedError as error:
            if (own := beside(error, name + "_", operands)) is None:
                raise
            return own(self, *operands)     # type: ignore[no-any-return]
    _describe(method, name + "_", f"Apply `{name}` in place.", count, False)
    return method


def guarded(name: str, fast: Callable[[Any], Any], kinds: str) -> Callable[[Any], Any]:
    """The operation, but for tensors whose dtype is of some kinds."""
    def op(x: Tensor) -> Any:
        if x._array.dtype.kind in kinds:
            try:
                refuse(name, x, kinds)
            except NotImplementedError as error:
                raise first_reason(error, (x,)) from None
        return fast(x)
    return op

"""Errors of labeled values, and the special methods that raise them."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

__all__ = ["SPECIAL", "Misaligned", "NotCompiled", "Table", "no_options", "refusing"]

C = TypeVar("C", bound=type)
_BINARY = ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow", "lshift", "rshift", "and", "xor", "or")
#: Special methods of the classes of pandas and xarray. A method that a stand-in does not define would mean something else on it.
SPECIAL = (
    *(f"__{prefix}{name}__" for name in _BINARY for prefix in ("", "r", "i")),
    "__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__", "__neg__", "__pos__", "__abs__", "__invert__", "__round__",
    "__bool__", "__int__", "__float__", "__complex__", "__index__", "__len__", "__iter__", "__reversed__", "__contains__",
    "__getitem__", "__setitem__", "__delitem__",
)


class Misaligned(TypeError):
    """Labels of two operands differ, or are not known to be the same: pandas and xarray would align them."""


class NotCompiled(TypeError):
    """An operation of pandas or xarray that is not compiled for labeled arguments."""


class Table:
    """The base of the class that stands for data frames."""


def _refusal(what: str) -> Callable[..., NoReturn]:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotCompiled(f"{what} is not compiled for labeled arguments. Hint: compute with to_numpy() or .values")
    refuse.refuses = what       # type: ignore[attr-defined]
    return refuse


def refusing(real: str) -> Callable[[C], C]:
    """Return a decorator of the class that stands for ``real``: the special methods that it lacks raise `NotCompiled`."""
    def decorate(cls: C) -> C:
        for name in SPECIAL:
            if name not in vars(cls):
                setattr(cls, name, _refusal(f"{real}.{name}"))
        return cls
    return decorate


def no_options(what: str, options: Mapping[str, Any]) -> None:
    """Refuse options of a method that its stand-in does not have."""
    if len(options) > 0:
        raise NotCompiled(f"{what} with the options {', '.join(options)} is not compiled for labeled arguments. "
                          "Hint: compute with to_numpy() or .values")

"""Pullbacks and pushforwards: the linear functions that `vjp` and `linearize` return.

They hold the values that the derivative reads and the generated code that reads them, so that they can be pickled: another process
continues with the same code. Those of a function on the tape hold nodes of the tape and cannot.
"""
from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import tree
from ..ir.ops import Tree
from .arguments import Slot
from .conformity import check_pullback
from .generated import Generated
from .reporting.traceback_notes import annotated
from .seeds import fit, is_active
from .structure import flatten_by

if TYPE_CHECKING:
    from .derivative import Derivative

__all__ = ["OnTape", "Pull", "Pullback", "Pushforward", "check_sequences"]


class Pull:
    """The backward half of a compiled function, applied to saved values.

    Parameters
    ----------
    name : str
        The name of the function, for messages.
    backward : Generated
        The generated backward half.
    residuals : tuple
        The values that it reads.
    returns : Tree
        The structure of the value.
    values : mapping, optional
        The arguments by name, with ``nan="raise"``, for the message.
    """

    def __init__(self, name: str, backward: Generated, residuals: Any, returns: Tree, values: Mapping[str, Any] | None = None):
        self.name, self.backward, self.residuals, self.returns, self.values = name, backward, residuals, returns, values
        #: Converts the result, for arrays of a library whose results differ from the arguments in more than their values.
        self.fit: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None
        #: Checks the result (``TRANSGRAD_VERIFY=1``).
        self.check: Callable[[Any], None] | None = None

    def verify(self, derivative: Derivative, like: Any) -> None:
        """Compare each result with the arguments in structure, shapes and dtypes."""
        self.check = lambda found: check_pullback(derivative, like, found)

    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        flat: dict[int, Any] = {}
        flatten_by(self.returns, cotangent, flat)
        with annotated():
            found: tuple[Any, ...] = self.backward.function(self.residuals, *(flat[k] for k in sorted(flat)))
        if self.fit is not None:
            found = self.fit(found)
        if self.check is not None:
            self.check(found)
        if self.values is not None:
            from .nan_check import check_finite
            check_finite(f"the pullback of {self.name}", None, self.values, found)
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "check": None}


class OnTape:
    """A linear function that holds nodes of the tape. It can be called, but not pickled."""

    def __init__(self, name: str, function: Callable[[Any], Any]):
        self.name, self.function = name, function

    def __call__(self, given: Any) -> Any:
        return self.function(given)

    def __copy__(self) -> OnTape:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> OnTape:
        return self

    def __reduce__(self) -> Any:
        raise pickle.PicklingError(
            f"the linear function of {self.name} cannot be pickled: it holds the tape that this process recorded\n"
            f"Hint: pickle the derivative and the arguments instead, or write {self.name} so that it compiles (fallback='error' says why "
            f"it does not)")


class _Named:
    """A callable with the attributes of a function; calls of it are not compiled."""

    __transgrad_opaque__ = True

    def __init__(self, name: str, own: str):
        self.name, self.__name__ = name, own

    def __repr__(self) -> str:
        return f"<{self.__name__} of {self.name}>"


class Pullback(_Named):
    """The pullback that `vjp` returns: the cotangents of the primals, from one of the value."""

    def __init__(self, name: str, pull: Callable[[Any], tuple[Any, ...]], value: Any, aux: Any, has_aux: bool):
        super().__init__(name, "pullback")
        self.pull, self.value, self.aux, self.has_aux = pull, value, aux, has_aux

    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        fitted = fit(cotangent, self.value, f"the cotangent of {self.name}")
        return self.pull((fitted, tree.map_leaves(_zero, self.aux)) if self.has_aux else fitted)


class Pushforward(_Named):
    """The linear function that `linearize` returns: the derivative along tangents, one for each primal."""

    def __init__(self, name: str, along: Callable[[tuple[Any, ...]], Any], primals: Sequence[Any], slots: Sequence[Slot]):
        super().__init__(name, "f_dot")
        self.along, self.primals, self.slots = along, primals, tuple(slots)

    def __call__(self, *tangents: Any) -> Any:
        check_sequences("linearize", self.name, self.primals, tangents)
        return self.along(tuple(fit(t, p, f"the tangent of {slot}") for t, p, slot in zip(tangents, self.primals, self.slots)))


def check_sequences(transformation: str, name: str, primals: Any, tangents: Any) -> None:
    """Require a tuple of primals and a tuple of as many tangents."""
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError(f"{transformation}({name}, primals, tangents) takes a tuple of arguments and a tuple of tangents, "
                        f"not {tree.describe(primals)} and {tree.describe(tangents)}")
    if len(primals) != len(tangents):
        raise TypeError(f"{transformation}({name}, …) got {len(primals)} primals and {len(tangents)} tangents")


def _zero(leaf: Any) -> Any:
    return leaf * 0 if is_active(leaf) else leaf

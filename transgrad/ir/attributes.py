"""Facts about a function that the parts of the compiler hand to each other, as typed fields.

The front end fills in the description of the arguments and the call; transformations and passes add their decisions. A copy of a function
has the attributes of the original; results of analyses are kept apart from them, in ``Function.analyses``, and do not outlive a change.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .ops import Function, Loc, Value
    from .types import Dim

__all__ = ["Attributes", "Guard"]


class Guard(NamedTuple):
    """A fact beyond the types of the arguments that compiled code relies on; it is checked at each call.

    ``kind`` names the predicate; `transgrad.transforms.guards` has its source. ``container`` is an object or the path of an argument,
    ``key`` a place in it, and ``expected`` the value or limit that was compiled in.
    """

    kind: str
    container: Any
    key: Any = None
    expected: Any = None


@dataclass(eq=False, slots=True)
class Attributes:
    """Facts and decisions about a function."""

    # from the front end
    #: what compiled code assumes beyond the types of the arguments
    guards: list[Guard] = field(default_factory=list)
    #: lengths that dimensions are assumed not to have, as (dimension, length); None before they have been collected
    assumed: set[tuple[Any, int]] | None = None
    #: lengths, as (dimension, length), at which a loop whose first iteration is peeled would not run
    nonempty: set[tuple[Any, int]] = field(default_factory=set)
    #: whether ``assumed`` is being collected, so that recursion ends
    visiting: bool = False
    #: variants that are called, each with the lengths of its arguments
    calls: list[tuple[Any, Any]] = field(default_factory=list)
    #: calls and statements that run on the tape, with reasons
    taped: list[Any] = field(default_factory=list)
    #: arguments that lie in C order
    contiguous: set[str] = field(default_factory=set)
    #: objects from outside that are parameters, by the name of the parameter
    implicit: dict[str, Any] = field(default_factory=dict)
    #: whether every path raises an exception
    raises: bool = False
    #: whether it updates variables whose types are not known
    unknown_updates: bool = False
    #: where the function returns
    return_loc: Loc | None = None
    #: places of arguments that a pullback reads again, which the caller may overwrite before it is called
    read_later: tuple[int, ...] | None = None

    # from the arguments of a call
    #: shapes of arrays, by argument or (container, key)
    shapes: dict[Any, tuple[int, ...]] = field(default_factory=dict)
    #: lengths of vectors, by argument
    lengths: dict[str, int] = field(default_factory=dict)

    # from transformations
    #: the user's function that a derivative has the signature of
    primal: Any = None
    #: the name of the user's function, for errors
    title: str | None = None
    #: whether its source is generated even though it is a function of the user
    emit: bool = False
    #: whether it computes tangents or adjoints: these may be NumPy scalars where their primal is a number of Python's
    derivative: bool = False
    #: of a pushforward: the function, and the places of the parameters with tangents
    pushforward_of: tuple[Function, tuple[int, ...]] | None = None
    #: another form of the function, which is differentiated instead
    reversed_as: Function | None = None
    #: of a batched function: the parameters with a batch axis, and for each result whether it has one
    batch_axes: tuple[list[Value], list[bool]] = ((), ())  # type: ignore[assignment]
    #: the function of one example that was batched
    example: Function | None = None
    #: why the examples of a batch run in a loop
    looped: str | None = None
    #: whether the boundaries of functions with custom derivatives stay: a batched function may be differentiated
    keeps_boundaries: bool = False
    #: whether it is a batched function whose tangents are stored by spans of nonzero rows
    spans: bool = False

    # from passes
    #: dimensions of parts of arrays, by the expressions they are sliced with
    parts: dict[Any, Dim] = field(default_factory=dict)
    #: whether it computes with Python numbers, and may raise where NumPy returns an infinity or NaN
    floats: bool = False
    #: whether it has powers that raise an exception where their result would be complex
    real_powers: bool = False
    #: whether views of its parameters or results are written to by a caller
    views_are_written: bool = False
    #: arrays each part of which is written once
    written_once: set[Any] = field(default_factory=set)
    #: whether a call of it may be removed if nothing reads its results, as far as that has been found
    pure: bool = False
    #: sizes of large arrays
    large: dict[Value, Any] = field(default_factory=dict)

    # for Numba
    #: whether it is compiled to machine code
    native: bool = False
    #: whether it is a loop over lengths that have been compared
    kernel: bool = False
    #: whether it is compiled on its own, to be inlined
    apart: bool = False
    #: options of its decorator
    njit: dict[str, bool] = field(default_factory=dict)
    #: arguments that it takes for constants of the user's module
    constants: list[Any] = field(default_factory=list)

    def copy(self) -> Attributes:
        """A copy, with containers of its own."""
        made = replace(self)
        for f in fields(self):
            value = getattr(made, f.name)
            if type(value) in (list, dict, set):
                setattr(made, f.name, value.copy())
        return made

    def of_arguments(self) -> Attributes:
        """Those that describe the arguments and the kind of function, for another form of it."""
        return Attributes(guards=list(self.guards), assumed=self.assumed, primal=self.primal, contiguous=self.contiguous,
                          derivative=self.derivative)

    def add_guards(self, guards: Iterable[Guard]) -> None:
        """Append guards that are not there yet."""
        for g in guards:
            if g not in self.guards:
                self.guards.append(g)

"""Calls of functions that the compiler never reads, such as functions in C.

In the IR such a call takes and returns numbers, arrays and lists, one operand for each leaf of the arguments; in the generated code it
takes the arguments in their structure.  The structure of the leaves is part of the callee, an `OpaqueCall`.
"""
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..runtime.plain_tree import of_fields
from .ops import Lit, Tree

__all__ = ["OpaqueCall", "filled"]


def filled(t: Tree, leaf: Callable[[int], Any], static: Callable[[int], Any]) -> Any:
    """A Python object with the structure of a tree, whose leaves and static parts are given by their numbers."""
    if t.kind == "leaf":
        return leaf(t.index)
    if t.kind == "lit":
        return static(t.index) if t.index >= 0 else t.value
    items = [filled(item, leaf, static) for item in t.items]
    if t.kind == "list":
        return items
    if t.kind == "dict":
        return dict(zip(t.keys, items))
    if t.kind == "object":
        assert t.cls is not None
        return of_fields(t.cls, dict(zip(map(str, t.keys), items)))
    return tuple(items) if t.cls is None else t.cls(*items)


class OpaqueCall(ABC):
    """The callee of a call of a function that is not read.

    Attributes
    ----------
    inputs : sequence of Tree
        The structure of each positional argument over the operands of the call.
    keywords : mapping of str to Tree
        The same for arguments by keyword.
    statics : sequence of Lit
        Parts of the arguments that are known at compile time and are not differentiated.
    rule : Rule
        The derivative.
    mode : {'forward', 'reverse', None}
        The only mode in which the derivative is defined, or None.
    in_reverse_twice : bool
        Whether its second derivative is that of a derivative in C, say, of which only the reverse mode is defined.
    shown : OpaqueCall
        The callee in generated code: another one only has another rule.
    """

    rule: Any

    def __init__(self, name: str, inputs: Sequence[Tree], keywords: Mapping[str, Tree], statics: Sequence[Lit]):
        self.__name__ = name
        self.shown: OpaqueCall = self
        self.mode: str | None = None
        self.in_reverse_twice = False
        self.inputs, self.keywords, self.statics = tuple(inputs), dict(keywords), tuple(statics)

    def flat(self, *leaves: Any) -> Any:
        """Make the call with the operands of the IR; those that belong to no argument are for the derivative."""
        def make(t: Tree) -> Any:
            return filled(t, leaves.__getitem__, lambda k: self.statics[k].value)
        return self(*map(make, self.inputs), **{name: make(t) for name, t in self.keywords.items()})

    def batched(self, differs: Sequence[bool]) -> tuple[OpaqueCall, list[bool]] | None:
        """Return the call for all examples of a batch, and which operands have an axis of examples; None if there is none.

        ``differs`` says which operands differ between the examples.
        """
        return None

    @abstractmethod
    def recipe(self) -> tuple[Callable[..., OpaqueCall], Any, list[Any], str]:
        """Return the function that makes the call in another process, and its arguments.

        These are the user's object, the objects among the arguments that are known at compile time, and a description of the rest.
        """

    def __reduce__(self) -> Any:
        make, of, statics, description = self.recipe()
        return make, (of, statics, description)

    @abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Make the call as the generated code does; the results are flat, one alone or a tuple."""

"""What the front end knows of a value while it lowers: an IR operand, or an object that exists only in the compiler.

Tuples, closures and instances made inside the function never become IR values unless they must; reading them costs
nothing at run time.  What can change (items of a list display, attributes of an instance) is not kept in the object but in
the state of the lowering, so that branches and loops treat it as they treat variables.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Union

from ...ir.ops import Lit, Loc, Value

if TYPE_CHECKING:
    from ..frames import Frame
    from ..source.find import FunctionSource

__all__ = [
    "ANYTHING", "Abstract", "InCompiler", "SBound", "SCell", "SChoice", "SClass", "SConflict", "SFunc", "SIter", "SList", "SDict",
    "SNamespace", "SObj",
    "SPartial", "SSlice", "SSuper", "STuple", "UNBOUND", "is_lit", "is_none", "lit_value",
]


class _Anything:
    """The example of an argument of which nothing is known."""

    def __repr__(self) -> str:
        return "ANYTHING"


ANYTHING = _Anything()


class InCompiler:
    """Base class of what stands for functions that transformations return: their calls are lowered, and they are no values at run time."""

    said = "the result of a transformation"

    def __repr__(self) -> str:
        return self.said


class STuple:
    """A tuple whose items are known one by one; ``cls`` is the class of a named tuple."""

    __slots__ = ("cls", "items")

    def __init__(self, items: Any, cls: type | None = None):
        self.items: tuple[Any, ...] = tuple(items)
        self.cls = cls


class SList:
    """A list display of known length; its items are in the state under ``(self, 'items')`` until it must become a value."""

    __slots__ = ("loc", "site")

    def __init__(self, site: Any, loc: Loc | None):
        self.site = site
        self.loc = loc


class SDict:
    """A dict display with known keys; its items are in the state under ``(self, 'items')`` as (key, value) pairs.  ``cls`` is its class
    where that is a subclass of dict."""

    __slots__ = ("cls", "loc", "site")

    def __init__(self, site: Any, loc: Loc | None):
        self.site = site
        self.loc = loc
        self.cls: type | None = None


class SSlice:
    """A slice with parts that are not all known."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: Any, stop: Any, step: Any):
        self.start, self.stop, self.step = start, stop, step


class SFunc:
    """A function defined inside a function being lowered (def, lambda)."""

    __slots__ = ("decorated", "defaults", "frame", "hidden", "is_record", "kwdefaults", "name", "node", "owner", "source")

    def __init__(self, node: Any, source: "FunctionSource", frame: "Frame", defaults: list[Any], kwdefaults: list[Any], name: str):
        self.node, self.source, self.frame = node, source, frame
        self.defaults, self.kwdefaults, self.name = defaults, kwdefaults, name
        #: The names of the comprehensions that it was made in.
        self.hidden = list(frame.hidden)
        for layer in self.hidden:
            for scope in layer.values():
                scope.kept = True       # it reads them when it is called
        #: The class the function was defined in, for super().
        self.owner: Any = None
        #: Whether it is the body of a function on the heap, whose captured variables are in ``hidden``.
        self.is_record = False


class SCell:
    """A variable that functions on the heap share with the function that it belongs to: a list whose last item is its value."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value


class SClass:
    """A class defined inside the function; ``members`` are its functions and constants."""

    __slots__ = ("bases", "dataclass", "members", "name", "node")

    def __init__(self, name: str, bases: tuple[Any, ...], members: dict[str, Any], node: Any = None):
        self.name, self.bases, self.members, self.node = name, bases, members, node
        self.dataclass: list[tuple[str, Any]] | None = None


class SObj:
    """An instance made inside the function; attributes are in the state under ``(self, name)``."""

    __slots__ = ("block", "cls", "joined", "outside")

    def __init__(self, cls: Any, block: Any = None):
        self.cls = cls
        #: Where it was made.
        self.block = block
        #: Made by joining two paths: its attributes may be read but not written.
        self.joined = False
        #: The argument that it stands for, whose fields are written to as well.
        self.outside: Any = None


class SNamespace:
    """The ``__dict__`` of an instance made inside the function."""

    __slots__ = ("obj",)

    def __init__(self, obj: Any):
        self.obj = obj


class SBound:
    """A method bound to its instance; ``func`` is a function, SFunc or builtin callable."""

    __slots__ = ("cls", "func", "owner", "self")

    def __init__(self, self_: Any, func: Any, owner: Any = None):
        self.self, self.func, self.owner = self_, func, owner
        #: The class that an instance on the heap has where the method was found.
        self.cls: type | None = None


class SPartial:
    """functools.partial of a callable."""

    __slots__ = ("args", "func", "kwargs")

    def __init__(self, func: Any, args: list[Any], kwargs: dict[str, Any]):
        self.func, self.args, self.kwargs = func, args, kwargs


class SSuper:
    """super(): attributes are looked up after ``owner`` in the classes of ``self``."""

    __slots__ = ("owner", "self")

    def __init__(self, owner: Any, self_: Any):
        self.owner, self.self = owner, self_


class SIter:
    """Something to loop over: ``kind`` and ``data`` say how (see `iterables`).  ``over`` are the displays whose items it has taken over
    already, and what they held then: an iterator of Python's takes them when it comes to them."""

    __slots__ = ("data", "kind", "over")

    def __init__(self, kind: str, *data: Any, over: tuple[tuple[Any, Any], ...] = ()):
        self.kind, self.data, self.over = kind, data, over

    @property
    def one_pass(self) -> bool:
        """Whether it can be run through, or entered, once only."""
        return self.kind not in ("range", "items", "keys", "values", "checkpointed", "suppress", "nullcontext")


class SChoice:
    """One of two objects that are not IR values, by a condition: calling it calls the one that was chosen."""

    __slots__ = ("cond", "orelse", "then")

    def __init__(self, cond: Any, then: Any, orelse: Any):
        self.cond, self.then, self.orelse = cond, then, orelse


class SConflict:
    """What a name holds after paths that left different things in it: reading it is refused by ``refusal``."""

    __slots__ = ("detail", "key", "sites")

    def __init__(self, detail: str, key: str = "conflict", sites: tuple[Any, ...] = ()):
        self.detail, self.key, self.sites = detail, key, sites


class _Unbound:
    def __repr__(self) -> str:
        return "unbound"


UNBOUND = _Unbound()

Abstract = Union[Value, Lit, STuple, SList, SDict, SSlice, SFunc, SClass, SObj, SBound, SPartial, SSuper, SIter, SChoice, SConflict, Any]
Thunk = Callable[[], Any]


def is_lit(x: Any, *kinds: type) -> bool:
    """Whether ``x`` is known when compiling (and an instance of one of ``kinds``)."""
    return isinstance(x, Lit) and (not kinds or isinstance(x.value, kinds))


def is_none(x: Any) -> bool:
    return isinstance(x, Lit) and x.value is None


def lit_value(x: Any, default: Any = None) -> Any:
    return x.value if isinstance(x, Lit) else default

"""The table of derivative rules: the data of a rule, and its registration, lookup and application."""
from __future__ import annotations

import copy
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from ..ir.opaque import OpaqueCall
from ..ir.ops import Value
from ..ir.prims import Boundary
from ..ir.types import is_differentiable
from .forward import pushforward
from .lists import gather, holds_values, is_simple, scatter_entry
from .static import ZERO, NoDerivative
from .text import count_entries, only

__all__ = [
    "Rule", "alias", "all_rules", "check", "compiled_form", "constant",
    "definition", "definition_of", "definitions", "lookup", "lookup_on_tape", "rule",
    "table", "takes_lists", "users_rules",
]

F = TypeVar("F", bound=Callable[..., Any])
_TABLE: dict[Any, "Rule"] = {}
_PACKAGE = __package__.partition(".")[0]
_USERS: list[tuple[str, types.CodeType]] = []
_DEFINITIONS: dict[Any, Callable[..., Any]] = {}
_TAKE_LISTS: set[Callable[..., Any]] = set()
_KINDS = ("elementwise", "linear", "multilinear", "general", "constant")
_INPLACE = frozenset(("iadd", "isub", "imul", "itruediv", "imatmul", "imod", "ipow"))
_UFUNC_OPTIONS = frozenset(("dtype", "casting", "order", "subok", "signature"))


class Rule:
    """The derivative of a function.

    Attributes
    ----------
    fn : callable
        The function, in the spelling that the forward derivative of a linear rule calls.
    kind : str
        ``elementwise`` (the driver un-broadcasts), ``linear`` (the derivative is the function itself, applied to the
        tangents of the arguments ``linear_in``), ``multilinear`` (linear in each of them), ``general`` (the forward
        derivative has its own formula) or ``constant`` (the derivative is zero).
    vjp : callable
        ``vjp(g, y, *args, **options)``: cotangent and result to one entry per differentiable argument.
    jvp : tuple of callables
        For each differentiable argument ``jvp(t, y, *args, **options)``: its tangent to its share of the result's.
    linear_in : tuple of int
        The arguments in which the function of a linear or multilinear rule is linear; for an element-wise one those in which it is linear
        jointly (``a - b``).
    broadcasts : bool
        Whether an entry has the shape of the arguments broadcast together: the driver sums it down to the argument.
    lazy : bool
        Whether an entry may have size 1 or no dimensions although the argument is larger: it is broadcast.
    lists : bool
        Whether the first argument is a sequence of arrays, whose entry is a list.
    joins : bool
        Whether it is a sequence of arrays, and array-likes in it are arrays to the rule.
    renames : dict
        Other names of parameters.
    drops : tuple of str
        Options that a linear rule's forward derivative leaves out (``initial`` of a sum).
    symmetric : bool
        Whether it is a product of two numbers, element by element, or of two real vectors, that is the same with both exchanged.
    domain : tuple
        For each argument the open interval of real numbers in which the derivative exists, None if that is not decided by one
        number; empty if it is the real line for each.
    when : callable, optional
        Whether the rule applies to a call, from its arguments as far as they are known at compile time; for other calls the
        function's definition is used.
    tape : Rule, optional
        The rule for Tensors, if PyTorch computes the derivative from other values and with other rounding.
    """

    #: Whether it is the derivative that a user gave a function that is compiled.
    is_custom = False

    def __init__(self, fns: Sequence[Callable[..., Any] | None], kind: str, vjp: Callable[..., Any] | None, *, jvp: Any = None,
                 linear_in: Sequence[int] | None = None, lazy: bool = False, lists: bool = False, joins: bool = False,
                 drops: Sequence[str] = (),
                 broadcasts: bool = False, symmetric: bool = False, renames: dict[str, str] | None = None,
                 domain: Sequence[tuple[float, float] | None] = (), when: Callable[..., bool] | None = None,
                 tape: Callable[..., Any] | None = None):
        if kind not in _KINDS:
            raise ValueError(f"unknown kind of rule {kind!r}")
        if kind == "general" and jvp is None:
            raise TypeError("a general rule needs its forward derivative: rule(f, kind='general', jvp=...)")
        if vjp is None and kind != "constant":
            raise TypeError(f"a rule of kind {kind!r} needs a text")
        self.fns = tuple(fn for fn in fns if fn is not None)
        self.fn = self.fns[0]
        self.kind = kind
        self.vjp = vjp
        self.jvp: tuple[Callable[..., Any], ...] = (jvp,) if callable(jvp) else tuple(jvp or ())
        self.linear_in = tuple(linear_in) if linear_in is not None else () if kind == "elementwise" else (0,)
        self.broadcasts = broadcasts or kind == "elementwise"
        self.symmetric = symmetric
        self.lazy = lazy
        self.lists = lists or joins
        self.joins = joins
        self.drops = tuple(drops)
        self.renames = renames or {}
        self.domain = tuple(domain)
        self.when = when
        self.tape = None if tape is None else Rule(fns, kind, tape, domain=domain)
        self._partial: dict[tuple[bool, ...], Callable[..., Any]] = {}

    def __repr__(self) -> str:
        return f"Rule({getattr(self.fn, '__name__', self.fn)}, {self.kind})"

    def called(self, fn: Callable[..., Any]) -> "Rule":
        """This rule for another spelling of its function: the forward derivative calls that (but no method, nor an operator
        that writes into its argument)."""
        if hasattr(fn, "__objclass__") or getattr(fn, "__name__", "") in _INPLACE:
            return self
        other = copy.copy(self)
        other.fn = fn
        return other

    @functools.cached_property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """The parameters of the function as the rule names them, without cotangent and result."""
        return tuple(inspect.signature(self.vjp).parameters.values())[2:] if self.vjp is not None else ()

    @functools.cached_property
    def most(self) -> int | None:
        """How many arguments can be passed by position; None if there may be any number of them."""
        kinds = [p.kind for p in self.parameters]
        return None if inspect.Parameter.VAR_POSITIONAL in kinds else kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)

    def accepts(self, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
        """Whether the rule applies to a call with these options; otherwise `definition_of` the function may apply."""
        if self.most is not None and len(args) > self.most:
            return False
        names = {p.name for p in self.parameters}
        taken = self.kind in ("elementwise", "constant") or any(p.kind is p.VAR_KEYWORD for p in self.parameters)
        if not taken and any(self.renames.get(k, k) not in names for k in kwargs if k != "out"):
            return False
        return self.when is None or self.when(*args, **kwargs)

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The same call with everything that has a place passed by position; TypeError names an option the rule refuses."""
        if self._words:
            self._check_settings(args, kwargs)
        if self.when is not None and not self.when(*args, **kwargs):
            raise TypeError(f"{self}: no derivative of a call with these options")
        if self.kind == "constant" or not kwargs and (self.most is None or len(args) <= self.most):
            return list(args), dict(kwargs)
        args = list(args)
        rest = {self.renames.get(k, k): v for k, v in kwargs.items()}
        names = {p.name for p in self.parameters}
        masked = {}
        if self.kind == "elementwise":
            rest = {k: v for k, v in rest.items() if k in names or k not in _UFUNC_OPTIONS}
            if "where" in rest and "where" not in names:
                masked["where"] = rest.pop("where")
        ordered = [p for p in self.parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        if not any(p.kind is p.VAR_POSITIONAL for p in self.parameters):
            if len(args) > len(ordered):
                raise TypeError(f"{self}: no derivative with {len(args)} positional arguments")
            count = self.entry_count
            given = [k for k, p in enumerate(ordered) if p.name in rest and k < count]
            for p in ordered[len(args):max(given, default=-1) + 1]:
                if p.name not in rest and p.default is p.empty:
                    raise TypeError(f"{self}: argument {p.name!r} is missing")
                args.append(rest.pop(p.name, p.default))
        unknown = [k for k in rest if k not in names]
        if unknown and not any(p.kind is p.VAR_KEYWORD for p in self.parameters):
            raise TypeError(f"{self}: no derivative with the option {unknown[0]!r}")
        if _is_set(rest.get("out")):
            raise TypeError(f"{self}: no derivative with the option 'out'")
        for name, value in rest.items():
            if name not in ("out", "where") and _is_varied(value):
                raise TypeError(f"{self}: no derivative with respect to the option {name!r}")
        return args, {**rest, **masked}

    @functools.cached_property
    def _words(self) -> dict[str, int]:
        """The positions of the options that are words (``mode="full"``), which the formula of the rule compares; keyword-only ones by name.
        """
        return {p.name: k if p.kind is p.POSITIONAL_OR_KEYWORD else sys.maxsize for k, p in enumerate(self.parameters)
                if isinstance(p.default, str)}

    def _check_settings(self, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        for name, k in self._words.items():
            if isinstance(kwargs.get(name, args[k] if k < len(args) else None), Value):
                called = getattr(self.fn, "__name__", self.fn)
                raise TypeError(f"the option {name!r} of {called} is known only at run time, and decides the derivative: write "
                                "a call for each of its values, or pass it as a separate argument")

    @functools.cached_property
    def entry_count(self) -> int:
        """How many arguments have an entry."""
        assert self.vjp is not None
        found = getattr(self.vjp, "entries", None)
        if found is None:
            found = count_entries(self.vjp)
        return found if found is not None else sum(1 for p in self.parameters if p.default is p.empty)

    def pullback(self, g: Any, y: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None,
                 wanted: Sequence[bool] | None = None) -> list[Any]:
        """The cotangents of ``args`` (as `bind` returns them), None if they are zero or not wanted.

        Raises `NoDerivative` for an argument that is named in ``wanted`` and has no formula.
        """
        assert self.vjp is not None
        kwargs = dict(kwargs) if kwargs else {}
        asked = wanted is not None
        wanted = (True,) * len(args) if wanted is None else tuple(wanted)
        if self.kind == "elementwise" and "where" in kwargs and "where" not in {p.name for p in self.parameters}:
            g = np.where(kwargs.pop("where"), g, 0.0)
        simple = self.lists or all(map(is_simple, args))
        plain = args
        if not simple:
            symbolic = holds_values(list(args)) or holds_values(y)
            plain = [gather(a, symbolic) for a in args]
        if self.joins and isinstance(args[0], (list, tuple)):
            plain = [[gather(a, True) if isinstance(a, (list, tuple)) and holds_values(a) else a for a in args[0]], *args[1:]]
        text = self._partial.get(wanted)
        if text is None:
            text = self._partial[wanted] = only(self.vjp, wanted)
        got = text(g, y, *plain, **kwargs)
        entries = got if isinstance(got, tuple) else (got,)
        if len(entries) < len(args):
            entries += (None,) * (len(args) - len(entries))
        if asked:
            for k, entry in enumerate(entries):
                if entry is None and k < len(args) and wanted[k]:
                    raise NoDerivative(f"no derivative of {getattr(self.fn, '__name__', self.fn)} with respect to its argument {k}")
        given = [None if entry is ZERO or not want else entry for entry, want in zip(entries, wanted)]
        if self.joins and isinstance(args[0], (list, tuple)) and isinstance(given[0], (list, tuple)):
            given[0] = [scatter_entry(e, a) for e, a in zip(given[0], args[0])]
        return given if simple else [None if entry is None else scatter_entry(entry, arg) for entry, arg in zip(given, args)]

    def pushforward(self, y: Any, args: Sequence[Any], tangents: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Any:
        """The tangent of the result: ``tangents`` has one entry an argument (None: zero); None if the result's is zero."""
        return pushforward(self, y, args, tangents, dict(kwargs or {}))


def _is_varied(option: Any) -> bool:
    """Whether an option is, or contains, an IR value that depends on an input."""
    if isinstance(option, (list, tuple)):
        return any(map(_is_varied, option))
    return isinstance(option, Value) and option.varied and is_differentiable(option.type)


def _is_set(option: Any) -> bool:
    return getattr(option, "value", option) is not None


def _add_to_table(new: Rule) -> None:
    for fn in new.fns:
        _TABLE[fn] = new if fn is new.fn or not new.linear_in else new.called(fn)


def rule(*fns: Callable[..., Any] | None, kind: str = "elementwise", **how: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a derivative rule for one or more functions.

    Parameters
    ----------
    *fns : callable
        The functions that share the rule. None is ignored.
    kind : {'elementwise', 'linear', 'multilinear', 'general'}, default 'elementwise'
        How forward mode follows from the rule.
    **how
        Further attributes of the rule: ``jvp`` for ``kind='general'``, ``linear_in``, ``domain``, ``tape``.

    Returns
    -------
    callable
        A decorator of a function ``(g, y, *args)`` of the cotangent, the result and the arguments. It returns the
        cotangent of each argument.

    Raises
    ------
    TypeError
        If the first parameters of the rule are not the cotangent ``g`` and the result ``y``.
    NameError
        If the rule refers to an undefined name.

    Examples
    --------
    >>> import numpy as np
    >>> def cube(x):
    ...     return x * x * x
    >>> @rule(cube)
    ... def _(g, y, x):
    ...     return 3.0 * x * x * g
    >>> lookup(cube).pullback(1.0, 8.0, [2.0])
    [12.0]
    """
    def register(vjp: Callable[..., Any]) -> Callable[..., Any]:
        if all(fn is None for fn in fns):       # not in this NumPy
            return vjp
        if not vjp.__module__.startswith(__package__):       # the table's own rules are checked by its tests
            check(vjp)
        if not vjp.__module__.startswith(f"{_PACKAGE}."):
            _USERS.extend((getattr(fn, "__qualname__", repr(fn)), vjp.__code__) for fn in fns if hasattr(vjp, "__code__"))
        _add_to_table(Rule(fns, kind, vjp, **how))
        return vjp
    return register


def users_rules() -> list[tuple[str, types.CodeType]]:
    """The rules that were registered from outside of the package: names of functions, and the code of the rule."""
    return _USERS


def check(vjp: Callable[..., Any]) -> None:
    """Refuse a rule whose text mentions a name that means nothing, or whose first parameters are not ``g, y``."""
    code = getattr(vjp, "__code__", None)
    if code is None:
        return
    if code.co_argcount < 2 or code.co_varnames[0] not in ("g", "_") or code.co_varnames[1] not in ("y", "_y"):
        raise TypeError(f"a rule starts with the cotangent g and the result y, not {code.co_varnames[:2]}")
    builtins = vjp.__globals__.get("__builtins__", {})
    builtins = builtins if isinstance(builtins, dict) else vars(builtins)
    for instruction in _globals_read(code):
        if instruction not in vjp.__globals__ and instruction not in builtins:
            raise NameError(f"the rule at {code.co_filename}:{code.co_firstlineno} mentions {instruction!r}, which is not defined")


def _globals_read(code: Any) -> Iterator[str]:
    import dis
    for ins in dis.get_instructions(code):
        if ins.opname == "LOAD_GLOBAL":
            yield ins.argval


def constant(*fns: Callable[..., Any] | None) -> None:
    """Register functions whose derivative is zero wherever there is one; None (not in this NumPy) is passed over."""
    found = [fn for fn in fns if fn is not None]
    for fn in found:
        _add_to_table(Rule([fn], "constant", None))


def alias(fn: Callable[..., Any], *others: Callable[..., Any] | None) -> None:
    """Register other spellings of a function, such as a method, for the same rule; None is ignored."""
    for other in others:
        if other is not None:
            _TABLE[other] = _TABLE[fn].called(other)


def lookup(fn: Any) -> Rule | None:
    """The rule of a function, or None."""
    try:
        found = _TABLE.get(fn)
    except TypeError:       # unhashable
        return None
    if found is None:
        found = fn.rule if isinstance(fn, (Boundary, OpaqueCall)) else _entry(_TABLE, fn)
    return found


@functools.cache
def compiled_form(fn: Any) -> Any:
    """The function itself, or one with the same values and the rule of compiled code, if Tensors have another rule."""
    found = lookup(fn)
    if found is None or found.tape is None:
        return fn

    @functools.wraps(fn, assigned=("__name__", "__doc__"), updated=())
    def form(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)
    _TABLE[form] = found.called(form)
    _TABLE[form].tape = None
    return form


def lookup_on_tape(fn: Any) -> Rule | None:
    """The rule of a function for Tensors, or None."""
    found = lookup(fn)
    return found if found is None or found.tape is None else found.tape


def definition(*fns: Callable[..., Any] | None, lists: bool = False) -> Callable[[F], F]:
    """Register a function that defines others in terms of functions with rules, so that derivatives propagate through it.

    It has the parameters of the functions it defines and the same value to rounding. The compiler compiles it in place of
    a call of them, the tape runs it. None (not in this NumPy) is ignored. ``lists``: its lists are not always arrays, but for example lists
    of grids or the parts of a system; the compiler passes them unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> def softplus(x):
    ...     raise NotImplementedError("in C")
    >>> @definition(softplus)
    ... def _(x):
    ...     return np.logaddexp(0.0, x)
    >>> bool(definition_of(softplus)(0.0) == np.log(2.0))
    True
    """
    def register(text: F) -> F:
        for fn in fns:
            if fn is not None:
                _DEFINITIONS[fn] = text
        if lists:
            _TAKE_LISTS.add(text)
        return text
    return register


def definition_of(fn: Any) -> Callable[..., Any] | None:
    """The definition of a function in terms of functions that have rules, or None."""
    found: Callable[..., Any] | None = _entry(_DEFINITIONS, fn)
    return found


def takes_lists(fn: Any) -> bool:
    """Whether the rule or the definition of a function takes lists as they are, instead of the arrays that could be made of them."""
    return getattr(lookup(fn), "lists", False) or definition_of(fn) in _TAKE_LISTS


def _entry(entries: dict[Any, Any], fn: Any) -> Any:
    try:
        found = entries.get(fn)
    except TypeError:       # unhashable
        return None
    if found is None and "scipy" in sys.modules and (isinstance(fn, np.ufunc) or str(getattr(fn, "__module__", "")).startswith("scipy")):
        _load_scipy(fn)
        return entries.get(fn)
    return found


def _load_scipy(fn: Any) -> None:
    """SciPy's rules are read only once a function of the module they are about is differentiated."""
    from .scipy import load
    load(fn)


def all_rules() -> list[Rule]:
    """Every rule, once each, in the order of registration."""
    return list(dict.fromkeys(_TABLE.values()))


def table() -> dict[Any, Rule]:
    """Every function with its rule (a copy)."""
    return dict(_TABLE)


def definitions() -> dict[Any, Callable[..., Any]]:
    """Every function with its definition (a copy)."""
    return dict(_DEFINITIONS)

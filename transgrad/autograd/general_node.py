"""The node of a call that no generated class fits: lists of tensors, any number of arguments, options."""
from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..rules.lists import is_sequence
from ..rules.registry import Rule
from ..rules.static import ZERO, NoDerivative
from ..rules.text import entry_places, only
from .dtypes import is_differentiable
from .facts import facts_of
from .fit import Meta, entering, leaving
from .graph_rules import rule_on_tensors
from .halves import is_half, widened
from .names import TOGETHER, kept_beside, name_of, saved_names
from .node_text import tested_places
from .nodes import TO_NOWHERE, Node, next_seq
from .reads import DtypeOf, outputs_read, read_by
from .rule_nodes import kept, stand_in
from .saved import EMPTY, SavedTensor, released
from .state import STATE
from .tensor import Tensor

__all__ = ["GeneralNode", "general_class", "plan_of"]

_CLASSES: dict[str, type["GeneralNode"]] = {}
#: what nothing can write to, and what holds no tensors
_AS_THEY_ARE = frozenset((int, float, bool, str, type(None)))
#: a value that a node holds in the form that the rule receives
_LOADED = _AS_THEY_ARE | {np.ndarray}


def general_class(fn: Any) -> type["GeneralNode"]:
    """The class with the name of the node of ``fn``."""
    name = name_of(fn)
    if name not in _CLASSES:
        _CLASSES[name] = type(name.rpartition("::")[2], (GeneralNode,), {"__slots__": (), "__module__": __name__, "_name": name})
    return _CLASSES[name]


class Plan:
    """The properties that the nodes of one kind of call share.

    Attributes
    ----------
    fn, rule
        The function and its rule.
    paths : list of tuple
        The places of the inputs that gradients go to, one an edge.
    reads : tuple of bool
        For each argument, whether the rule reads its values.
    results : set of int
        The results whose values the rule reads.
    shown : tuple or None
        As `Node._shown`.
    keeps : bool
        Whether there is anything to let go of after the sweep.
    single : bool
        Whether the result is a tuple of one: the rule pairs tuples, the engine one gradient.
    pull : callable
        ``pull(g, y, args, kwargs)`` returns the entries.
    """

    __slots__ = ("fn", "keeps", "paths", "pull", "reads", "results", "rule", "shown", "single")

    def __init__(self, fn: Any, rule: Rule, args: list[Any], kwargs: dict[str, Any], paths: list[tuple[int, ...]], count: int,
                 several: bool):
        assert rule.vjp is not None
        self.fn, self.rule, self.paths, self.single = fn, rule, paths, several and count == 1
        places = {path[0] for path in paths}
        wanted = [k in places for k in range(len(args))]
        given = {p.name: a for p, a in zip(rule.parameters, args) if p.kind is p.POSITIONAL_OR_KEYWORD} | kwargs
        known = {name: _described(a) for name, a in given.items()}
        read = read_by(rule.vjp, tuple(wanted), known)
        named = [p.name if p.kind is p.POSITIONAL_OR_KEYWORD else "" for p in rule.parameters]
        kept = kept_beside(fn, [name for name, flag in zip(named, wanted) if flag])
        self.reads = tuple(read is None or k >= len(named) or not named[k] or named[k] in read | kept for k in range(len(args)))
        read_results = outputs_read(rule.vjp, tuple(wanted), known, count)
        self.results = read_results if count > 1 else {0} if read is None or "y" in read else set()
        self.keeps = bool(kwargs or self.results) or any(map(_holds, args, self.reads))
        self.shown = _shown(args, paths) if rule.lists else _shown_plain(rule, args, paths)
        direct = not kwargs and (rule.lists or not any(map(is_sequence, args)))
        self.pull = (functools.partial(_pulled, fn, only(rule.vjp, wanted), sorted(places)) if direct
                     else functools.partial(_pulled_by, rule, wanted))


def _holds(x: Any, read: bool) -> bool:
    """Return whether something of an argument is saved: its values, or those of an index."""
    if isinstance(x, (list, tuple)):
        return any(_holds(i, read) for i in x)
    return isinstance(x, np.ndarray) or read and isinstance(x, Tensor)


def _pulled(fn: Any, vjp: Any, places: list[int], g: Any, y: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    entries = vjp(g, y, *args)
    entries = entries if type(entries) is tuple else (entries,)
    entries += (None,) * (len(args) - len(entries))
    for k in places:
        if entries[k] is None:
            raise NoDerivative(f"no derivative of {getattr(fn, '__name__', fn)} with respect to its argument {k}")
    return entries


def _pulled_by(rule: Rule, wanted: list[bool], g: Any, y: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return rule.pullback(g, y, args, kwargs, wanted)


_PLANS: dict[Any, Plan] = {}
_MANY = 4096


def plan_of(fn: Any, rule: Rule, args: list[Any], kwargs: dict[str, Any], paths: list[tuple[int, ...]], outs: Any) -> Plan:
    """The plan of a call with results ``outs``, remembered for calls of its kind."""
    vjp: Any = rule.vjp
    several = isinstance(outs, (tuple, list))
    count = len(outs) if several else 1
    tested = tested_places(rule)
    kinds = tuple([_key(a) if k in tested else _kind(a) for k, a in enumerate(args)])
    options = tuple((name, _key(value)) for name, value in kwargs.items()) if kwargs else ()
    key = (fn, vjp, tuple(paths), count, several, kinds, options)
    try:
        found = _PLANS.get(key)
    except TypeError:       # a constant that cannot be compared
        return Plan(fn, rule, args, kwargs, paths, count, several)
    if found is None:
        if len(_PLANS) > _MANY:
            _PLANS.clear()
        found = _PLANS[key] = Plan(fn, rule, args, kwargs, paths, count, several)
    return found


def _kind(x: Any) -> Any:
    """What tells one argument from another where no text tests it."""
    return (type(x), len(x), is_sequence(x)) if isinstance(x, (list, tuple)) else type(x)


class GeneralNode(Node):
    """A node that passes the saved arguments to a rule."""

    __slots__ = ("_arriving", "_freed", "_idle", "_outputs", "args", "kwargs", "metas", "plan", "y")

    def __init__(self, plan: Plan, args: Sequence[Any], kwargs: dict[str, Any], edges: tuple[Any, ...]):
        self._edges, self._more, self._seq = edges, None, next_seq()
        if STATE.anomaly is not None:
            STATE.anomaly.created(self)
        self.plan = plan
        self._freed = False
        self._idle = edges[0] is TO_NOWHERE and all(edge is TO_NOWHERE for edge in edges)
        self._arriving = self._outputs = 1
        self.args = [a if type(a) in _AS_THEY_ARE else self._kept(a, read) for a, read in zip(args, plan.reads)]
        self.kwargs = {k: self._kept(v, True) for k, v in kwargs.items()} if kwargs else kwargs
        self.metas: tuple[Meta, ...] = tuple([(t._array.shape, t._array.dtype) for t in [_at(args, path) for path in plan.paths]])
        self.y: Any = None

    @property
    def fn(self) -> Any:
        """The function whose call the node is of."""
        return self.plan.fn

    @property
    def _shown(self) -> tuple[int | None, ...] | None:      # type: ignore[override]
        return self.plan.shown

    @property
    def _together(self) -> bool:        # type: ignore[override]
        return self.plan.fn in TOGETHER

    def save_result(self, outs: Any) -> None:
        """Keep the results, or their shapes."""
        read = self.plan.results
        self.y = EMPTY        # which it stays where a pack hook raises an error
        if type(outs) is not tuple:
            self.y = SavedTensor(outs, 0, node=self) if read else stand_in(outs._array.shape, outs._array.dtype)
            return
        arrays = [o._array for o in outs]
        self._outputs = len(arrays)
        self._arriving = sum([a.dtype.kind in "fc" or is_differentiable(a.dtype) for a in arrays])     # indices come last
        self.y = tuple([SavedTensor(outs[k], k, node=self) if k in read else stand_in(a.shape, a.dtype) for k, a in enumerate(arrays)])

    def differentiable_outputs(self) -> int:
        return self._arriving

    def saved(self) -> list[SavedTensor]:
        """The arguments that were saved as tensors."""
        return _saved_in([self.args, self.kwargs])

    def _kept(self, x: Any, value: bool) -> Any:
        kind = type(x)
        if kind is int or x is None:
            return x
        if kind is Tensor:
            return SavedTensor(x) if value else stand_in(x._array.shape, x._array.dtype)
        if isinstance(x, (list, tuple)):
            parts = [self._kept(i, value) for i in x]
            return parts if isinstance(x, list) else tuple(parts)
        if not isinstance(x, Tensor):
            return kept(x)
        return SavedTensor(x) if value else stand_in(x._array.shape, x._array.dtype)

    def _run(self, g: Any, raw: bool, keep: bool) -> tuple[Any, ...]:
        if self._freed:
            raise released(self)
        plan = self.plan
        args = [a if type(a) in _LOADED else self._load(a, raw) for a in self.args]
        kwargs = {k: self._load(v, raw) for k, v in self.kwargs.items()} if self.kwargs else self.kwargs
        g = entering((g,) if plan.single else g)
        y = self._load(self.y, raw) if plan.results else self.y
        if self._idle:
            if not keep:
                self.release()
            return (None,) * len(plan.paths)
        if raw and is_half(self.metas[0][1]):
            g, y, args = widened(g), widened(y), widened(args)
        other = None if raw else rule_on_tensors(plan.fn)
        entries = plan.pull(g, y, args, kwargs) if other is None else other(g, y, *args, **kwargs)
        if not keep and plan.keeps:
            self.release()
        return tuple([leaving(ZERO if e is None else e, meta)
                      for e, meta in zip([_at(entries, path) for path in plan.paths], self.metas)])

    def _load(self, x: Any, raw: bool) -> Any:
        kind = type(x)
        if kind is SavedTensor:
            return x.array(self) if raw else x.unpack(self)
        if kind is list or kind is tuple or isinstance(x, (list, tuple)):
            parts = [i if type(i) in _LOADED else self._load(i, raw) for i in x]
            return parts if isinstance(x, list) else tuple(parts)
        return x

    def apply(self, g: Any, keep: bool) -> tuple[Any, ...]:
        return self._run(g, True, keep)

    def apply_graph(self, g: Any, keep: bool) -> tuple[Any, ...]:
        return self._run(g, False, keep)

    def release(self) -> None:
        if not self.plan.keeps:
            return
        for part in (*self.args, self.y, *self.kwargs.values()) if self.kwargs else (*self.args, self.y):
            if type(part) is SavedTensor:
                part.release()
            elif type(part) is list or type(part) is tuple:
                for x in _saved_in(part):
                    x.release()
        self._freed = _has_array(self.args)     # the arrays of an index are saved as well

    def __dir__(self) -> list[str]:
        kept = [f for f, v in self._fields().items() if f and not isinstance(v, np.ndarray) and v is not None]
        raw = [f"_raw_saved_{f}" for f in kept if isinstance(self._fields()[f], SavedTensor)]
        return [*super().__dir__(), *(f"_saved_{f}" for f in [*kept, *facts_of(self.fn)]), *raw]

    def _fields(self) -> dict[str, Any]:
        """The saved values by torch's names; arrays of which only the shape is needed are stored without data."""
        fields = {saved_names(self.fn, "y"): self.y} if isinstance(self.y, SavedTensor) else {}
        fields |= {saved_names(self.fn, p.name): a for p, a in zip(self.plan.rule.parameters, self.args)}
        fields |= {saved_names(self.fn, k): v for k, v in self.kwargs.items()}
        return {name: value for name, value in fields.items() if name}

    def __getattr__(self, name: str) -> Any:
        raw = name.startswith("_raw_saved_")
        if not raw and not name.startswith("_saved_"):
            raise AttributeError(f"{self.name()!r} object has no attribute {name!r}")
        field = name[11:] if raw else name[7:]
        if not raw and field in facts_of(self.fn):
            return facts_of(self.fn)[field](self)
        fields = self._fields()
        if field not in fields or isinstance(fields[field], np.ndarray):
            raise AttributeError(f"{self.name()!r} object has no attribute {name!r}")
        return fields[field] if raw else self._load(fields[field], False)


def _shown(args: list[Any], paths: list[tuple[int, ...]]) -> tuple[int | None, ...] | None:
    """Each tensor of the lists that gradients go to, with the place of its edge."""
    at = {path: k for k, path in enumerate(paths)}
    return tuple(at.get((k, i)) for k in dict.fromkeys(path[0] for path in paths) for i in range(len(args[k]))) if all(
        len(path) == 2 for path in paths) else None


def _shown_plain(rule: Rule, args: list[Any], paths: list[tuple[int, ...]]) -> tuple[int | None, ...] | None:
    """Each array that the rule has an entry for, with the place of its edge."""
    assert rule.vjp is not None
    if any(len(path) != 1 for path in paths):
        return None
    at = {path[0]: k for k, path in enumerate(paths)}
    return tuple(at.get(k) for k, a in enumerate(args) if k in at or k in entry_places(rule.vjp) and isinstance(a, (Tensor, np.ndarray)))


def _key(x: Any) -> Any:
    """The key that distinguishes values in the tests of a rule: for tensors, the dtype."""
    kind = type(x)
    if kind is Tensor:
        return x._array.dtype
    if kind is list or kind is tuple:
        return (kind, *[_key(i) for i in x])
    if isinstance(x, slice):
        return slice, x.start, x.stop, x.step
    return (DtypeOf, x.dtype) if isinstance(x, (Tensor, np.ndarray)) else (kind, x)


def _described(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return [_described(i) for i in x]
    return DtypeOf(x.dtype) if isinstance(x, (Tensor, np.ndarray)) else x


def _at(tree: Any, path: tuple[int, ...]) -> Any:
    if len(path) == 1:
        return tree[path[0]]
    for k in path:
        if tree is None or tree is ZERO:
            return None
        tree = tree[k]
    return tree


def _has_array(tree: Any) -> bool:
    return any(isinstance(x, np.ndarray) and x.ndim > 0 and x.dtype.kind in "ib" or isinstance(x, (list, tuple)) and _has_array(x)
               for x in tree)


def _saved_in(tree: Any) -> list[SavedTensor]:
    if isinstance(tree, SavedTensor):
        return [tree]
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (list, tuple)) else ()
    return [found for part in parts for found in _saved_in(part)]

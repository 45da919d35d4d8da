"""The node of a call that no generated class fits: lists of tensors, any number of arguments, options."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..rules.registry import Rule
from ..rules.static import ZERO
from ..rules.text import entry_places
from .fit import Meta, entering, leaving
from .names import name_of, saved_names
from .nodes import Node
from .reads import DtypeOf, outputs_read, read_by, tested_by
from .rule_nodes import kept, stand_in
from .saved import SavedTensor, released
from .tensor import Tensor

__all__ = ["GeneralNode", "general_class"]

_CLASSES: dict[str, type["GeneralNode"]] = {}


def general_class(fn: Any) -> type["GeneralNode"]:
    """The class with the name of the node of ``fn``."""
    name = name_of(fn)
    if name not in _CLASSES:
        _CLASSES[name] = type(name.rpartition("::")[2], (GeneralNode,), {"__slots__": (), "__module__": __name__, "_name": name})
    return _CLASSES[name]


class GeneralNode(Node):
    """A node that hands the saved arguments to `Rule.pullback`."""

    __slots__ = ("_freed", "_outputs", "_shown", "_single", "args", "fn", "kwargs", "metas", "paths", "rule", "y")

    def __init__(self, fn: Any, rule: Rule, args: list[Any], kwargs: dict[str, Any], paths: list[tuple[int, ...]], edges: tuple[Any, ...],
                 outs: Any):
        super().__init__(edges)
        self.fn, self.rule, self.paths = fn, rule, paths
        wanted = {path[0] for path in paths}
        assert rule.vjp is not None
        self._freed = False
        self._outputs = len(outs) if isinstance(outs, (tuple, list)) else 1
        read, several = _reading(rule, tuple(k in wanted for k in range(len(args))), self._known(args, kwargs), self._outputs)
        named = [p.name if p.kind is p.POSITIONAL_OR_KEYWORD else "" for p in rule.parameters]
        self.args = [self._kept(a, read is None or k >= len(named) or not named[k] or named[k] in read) for k, a in enumerate(args)]
        self.kwargs = {k: self._kept(v, True) for k, v in kwargs.items()}
        #: which results are to be saved; then the results
        self.y: Any = several if self._outputs > 1 else {0} if read is None or "y" in read else set()
        self._single = isinstance(outs, (tuple, list)) and len(outs) == 1       # the rule pairs tuples, the engine one gradient
        found = [_at(args, path) for path in paths]
        self._shown = _shown(args, paths) if rule.lists else _shown_plain(rule, args, paths)
        self.metas: tuple[Meta, ...] = tuple((t._array.shape, t._array.dtype) for t in found)

    def _known(self, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """What is known of the arguments when the text is read."""
        given = {p.name: a for p, a in zip(self.rule.parameters, args) if p.kind is p.POSITIONAL_OR_KEYWORD} | kwargs
        return {name: _described(a) for name, a in given.items()}

    def save_result(self, outs: Any) -> None:
        """Keeps the results, or their shapes."""
        several = isinstance(outs, (tuple, list))
        parts = [SavedTensor(o, k, node=self) if k in self.y and isinstance(o, Tensor) else self._kept(o, False)
                 for k, o in enumerate(outs if several else [outs])]
        self.y = tuple(parts) if several else parts[0]

    def saved(self) -> list[SavedTensor]:
        """What was saved as a tensor, of the arguments."""
        return _saved_in([self.args, self.kwargs])

    def _kept(self, x: Any, value: bool) -> Any:
        if isinstance(x, (list, tuple)):
            parts = [self._kept(i, value) for i in x]
            return parts if isinstance(x, list) else tuple(parts)
        if not isinstance(x, Tensor):
            return kept(x)
        return SavedTensor(x) if value else stand_in(x._array.shape, x._array.dtype)

    def _run(self, g: Any, raw: bool, keep: bool) -> tuple[Any, ...]:
        if self._freed:
            raise released(self)
        args = [self._load(a, raw) for a in self.args]
        kwargs = {k: self._load(v, raw) for k, v in self.kwargs.items()}
        wanted = [any(path[0] == k for path in self.paths) for k in range(len(args))]
        g = entering((g,) if self._single else g)
        entries = self.rule.pullback(g, self._load(self.y, raw), args, kwargs, wanted)
        if not keep:
            self.release()
        found = [_at(entries, path) for path in self.paths]
        return tuple(leaving(ZERO if e is None else e, meta) for e, meta in zip(found, self.metas))

    def _load(self, x: Any, raw: bool) -> Any:
        if isinstance(x, (list, tuple)):
            parts = [self._load(i, raw) for i in x]
            return parts if isinstance(x, list) else tuple(parts)
        if not isinstance(x, SavedTensor):
            return x
        tensor = x.unpack(self)
        return tensor._array if raw else tensor

    def apply(self, g: Any, keep: bool) -> tuple[Any, ...]:
        return self._run(g, True, keep)

    def apply_graph(self, g: Any, keep: bool) -> tuple[Any, ...]:
        return self._run(g, False, keep)

    def release(self) -> None:
        for x in _saved_in([self.args, self.kwargs, self.y]):
            x.release()
        self._freed = _has_array(self.args)     # the arrays of an index are saved as well

    def __getattr__(self, name: str) -> Any:
        raw = name.startswith("_raw_saved_")
        if not raw and not name.startswith("_saved_"):
            raise AttributeError(f"{self.name()!r} object has no attribute {name!r}")
        field = name[11:] if raw else name[7:]
        options = {saved_names(self.fn, k): v for k, v in self.kwargs.items()}
        fields = {saved_names(self.fn, "y"): self.y, **options}
        fields |= {saved_names(self.fn, p.name): a for p, a in zip(self.rule.parameters, self.args)}
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


_READ: dict[Any, tuple[set[str] | None, set[int]]] = {}
_MANY = 4096


def _reading(rule: Rule, wanted: tuple[bool, ...], known: dict[str, Any], count: int) -> tuple[set[str] | None, set[int]]:
    """The parameters and the results whose values the text reads: the same for calls of one kind, and remembered."""
    vjp: Any = rule.vjp
    tested = _tested(vjp)
    key: Any = (vjp, wanted, count, tuple((name, _key(value)) for name, value in known.items() if name in tested))
    try:
        found = _READ.get(key)
    except TypeError:       # a constant that cannot be compared
        key = found = None
    if found is None:
        found = read_by(vjp, wanted, known), outputs_read(vjp, wanted, known, count)
        if key is not None:
            if len(_READ) > _MANY:
                _READ.clear()
            _READ[key] = found
    return found


@functools.lru_cache(2048)
def _tested(vjp: Any) -> frozenset[str]:
    return frozenset(tested_by(vjp))


def _key(x: Any) -> Any:
    """What tells one value from another where a text tests it."""
    if isinstance(x, list):
        return tuple(map(_key, x))
    if isinstance(x, slice):
        return slice, x.start, x.stop, x.step
    return (DtypeOf, x.dtype) if isinstance(x, DtypeOf) else (type(x), x)


def _described(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return [_described(i) for i in x]
    return DtypeOf(x.dtype) if isinstance(x, (Tensor, np.ndarray)) else x


def _at(tree: Any, path: tuple[int, ...]) -> Any:
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

"""A class of nodes for each rule and kind of call: what is saved, and the generated text that applies the rule to it.

The kind of a call is a letter for each positional argument: ``d`` a tensor whose gradient is wanted, ``t`` another tensor or array,
``c`` anything else.
"""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..rules.registry import Rule
from ..rules.text import only
from .fit import Meta, entering, leaving
from .names import name_of, saved_names
from .nodes import Node
from .reads import DtypeOf, read_by
from .saved import SavedTensor, modified, released
from .tensor import Tensor, wrap

__all__ = ["RuleNode", "node_class", "stand_in"]

_ZERO = np.zeros((), np.complex128)


@functools.lru_cache(1024)
def stand_in(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array of this shape and dtype without data of its own, for a text that reads no values."""
    return np.broadcast_to(np.zeros((), dtype), shape)


def kept(x: Any) -> Any:
    """A constant that nobody else can write to: plain arrays have no version."""
    if isinstance(x, (list, tuple)):
        parts = [kept(i) for i in x]
        return parts if isinstance(x, list) else tuple(parts)
    return x._array.copy() if isinstance(x, Tensor) else x.copy() if isinstance(x, np.ndarray) else x


class RuleNode(Node):
    """A node that applies the text of a rule to the saved arguments.

    Slots: ``a<k>`` what was saved of argument k and ``v<k>`` its version, ``y`` the result with its counter and version, ``meta`` the
    shapes and dtypes of the wanted inputs (None where the entries are sure to have them).
    """

    __slots__ = ("counter", "meta", "version", "y")
    y: Any
    counter: Any
    version: int
    meta: tuple[Meta, ...] | None
    _fn: Any
    _vjp: Callable[..., Any]
    #: for each argument: ``value``, ``shape``, ``constant`` or None where the text does not read it
    _modes: tuple[str | None, ...] = ()
    _parameters: tuple[str, ...] = ()
    _wanted: tuple[int, ...] = ()
    _keeps_y = False

    def argument(self, k: int) -> Any:
        """The saved argument k: a Tensor (checked), a stand-in or a constant."""
        value = getattr(self, f"a{k}")
        if value is None and self._modes[k] == "value":
            raise released(self)
        if type(value) is SavedTensor:
            return value.unpack(self)
        if isinstance(value, Tensor):
            version, counter = getattr(self, f"v{k}"), value._counter
            if counter is not None and counter[0] != version:
                raise modified(value, value._edge, version, counter[0])
        return value

    def result(self) -> Tensor:
        """The saved result: a Tensor of this node."""
        y = self.y
        if y is None:
            raise released(self)
        if type(y) is SavedTensor:
            return y.unpack(self)
        made = wrap(y)
        made._counter = self.counter
        made._edge = (self, 0)
        if self.counter[0] != self.version:
            raise modified(made, made._edge, self.version, self.counter[0])
        return made

    def _loaded(self) -> tuple[Any, list[Any]]:
        args = [self.argument(k) if mode is not None else None for k, mode in enumerate(self._modes)]
        return self.result() if self._keeps_y else None, args

    def _finish(self, entries: Any, keep: bool) -> tuple[Any, ...]:
        entries = entries if isinstance(entries, tuple) else (entries,)
        if not keep:
            self.release()
        if self.meta is None:
            return tuple(entries[k] for k in self._wanted)
        return tuple(leaving(entries[k], meta) for k, meta in zip(self._wanted, self.meta))

    def apply_graph(self, g: Any, keep: bool) -> tuple[Any, ...]:
        y, args = self._loaded()
        return self._finish(self._vjp(entering(g), y, *args), keep)

    def release(self) -> None:
        for k, mode in enumerate(self._modes):
            if mode == "value":
                value = getattr(self, f"a{k}")
                if type(value) is SavedTensor:
                    value.release()
                else:
                    setattr(self, f"a{k}", None)
        if self._keeps_y:
            if type(self.y) is SavedTensor:
                self.y.release()
            else:
                self.y = None

    def save(self, args: list[Any], metas: tuple[Meta, ...] | None) -> None:
        """Keeps the arguments that the text reads."""
        for k, mode in enumerate(self._modes):
            if mode == "value":
                setattr(self, f"a{k}", SavedTensor(args[k]) if isinstance(args[k], Tensor) else kept(args[k]))
            elif mode == "shape":
                array = args[k]._array if isinstance(args[k], Tensor) else args[k]
                setattr(self, f"a{k}", stand_in(array.shape, array.dtype))
            elif mode == "constant":
                setattr(self, f"a{k}", kept(args[k]))
        self.meta = metas

    def save_result(self, out: Tensor) -> None:
        """Keeps the result, if the text reads it."""
        if self._keeps_y:
            self.y = SavedTensor(out, 0)

    def saved(self) -> list[SavedTensor]:
        """What was saved as a tensor, of the arguments."""
        slots = [getattr(self, f"a{k}") for k, mode in enumerate(self._modes) if mode == "value"]
        return [s for s in slots if type(s) is SavedTensor]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_saved_"):
            return self._saved(name[7:], raw=False)
        if name.startswith("_raw_saved_"):
            return self._saved(name[11:], raw=True)
        raise AttributeError(f"{self.name()!r} object has no attribute {name!r}")

    def _saved(self, field: str, raw: bool) -> Any:
        if self._keeps_y and field == saved_names(self._fn, "y"):
            return self._raw("y", SavedTensor) if raw else self.result()
        for k, (parameter, mode) in enumerate(zip(self._parameters, self._modes)):
            if mode in ("value", "constant") and saved_names(self._fn, parameter) == field:
                return self._raw(f"a{k}", SavedTensor) if raw else self.argument(k)
        raise AttributeError(f"{self.name()!r} object has no attribute '_saved_{field}'")

    def _raw(self, slot: str, saved: type[SavedTensor]) -> Any:
        """The slot as a `SavedTensor`, which takes its place (so that hooks may be registered on it)."""
        value = getattr(self, slot)
        if value is None:
            made = saved(wrap(np.zeros(0)))
            made.release()
            setattr(self, slot, made)
            return made
        if isinstance(value, saved):
            return value
        if slot == "y":
            made = saved(self.result(), 0, self.version)
        elif isinstance(value, Tensor):
            made = saved(value, None, getattr(self, "v" + slot[1:]))
        else:
            raise AttributeError(f"{self.name()!r} keeps a constant there, not a tensor")
        setattr(self, slot, made)
        return made


def unpacked(node: RuleNode, k: int) -> Any:
    """The array of a saved argument, checked."""
    value = node.argument(k)
    return value._array if isinstance(value, Tensor) else value


def unpacked_result(node: RuleNode) -> Any:
    """The array of the saved result, checked."""
    array: np.ndarray[Any, Any] = node.result()._array
    return array


_CLASSES: dict[Any, type[RuleNode] | None] = {}
_MANY = 4096


def node_class(fn: Any, rule: Rule, args: list[Any], wanted: tuple[int, ...]) -> type[RuleNode] | None:
    """The class of the node of such a call; None where only the rule itself can tell (lists, any number of arguments)."""
    kinds, key = [], []
    for k, a in enumerate(args):
        array = a._array if isinstance(a, Tensor) else a
        if isinstance(array, np.ndarray):
            kinds.append("d" if k in wanted else "t")
            key.append(array.dtype.kind == "c")
        elif isinstance(a, (list, tuple)) and not all(type(i) in (int, type(None)) for i in a):
            return None
        else:
            kinds.append("c")
            key.append(a if type(a) in (int, float, str, bool, type(None)) else type(a))
    full = (fn, "".join(kinds), tuple(map(_hashable, key)))
    try:
        return _CLASSES[full]
    except KeyError:
        if len(_CLASSES) > _MANY:
            _CLASSES.clear()
        found = _CLASSES[full] = _make(fn, rule, "".join(kinds), args)
        return found


def _hashable(value: Any) -> Any:
    return (value, type(value)) if type(value) in (int, bool, float) else value


def _make(fn: Any, rule: Rule, kinds: str, args: list[Any]) -> type[RuleNode] | None:
    assert rule.vjp is not None
    parameters = list(rule.parameters)
    if rule.lists or any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in parameters[:len(args)]) or len(args) > len(parameters):
        return None
    names = tuple(p.name for p in parameters[:len(args)])
    flags = [kind == "d" for kind in kinds] + [False] * (rule.entry_count - len(kinds))
    known: dict[str, Any] = {p.name: p.default for p in parameters[len(args):]}
    for name, kind, a in zip(names, kinds, args):
        known[name] = a if kind == "c" else DtypeOf(a.dtype)
    y_name = tuple(inspect.signature(rule.vjp).parameters)[1]
    read = read_by(rule.vjp, flags, known)
    if read is None:
        read = {y_name, *names}
    modes: list[str | None] = []
    for name, kind in zip(names, kinds):
        modes.append("constant" if kind == "c" else "value" if name in read else "shape")
    return make_class(fn, only(rule.vjp, flags), names, kinds, tuple(modes), y_name in read)


def make_class(fn: Any, vjp: Callable[..., Any], names: tuple[str, ...], kinds: str, modes: tuple[str | None, ...],
               keeps_y: bool) -> type[RuleNode]:
    """The class, with `apply` as text of its own."""
    values = [k for k, mode in enumerate(modes) if mode == "value"]
    lines = ["def apply(n, g, keep):"]
    for k in values:
        lines += [f"    x{k} = n.a{k}",
                  f"    if type(x{k}) is not Tensor or x{k}._counter is not None and x{k}._counter[0] != n.v{k}: x{k} = unpacked(n, {k})",
                  f"    else: x{k} = x{k}._array"]
    if keeps_y:
        lines += ["    y = n.y", "    if type(y) is not ndarray or n.counter[0] != n.version: y = unpacked_result(n)"]
    passed = [f"x{k}" if mode == "value" else f"n.a{k}" if mode is not None else "None" for k, mode in enumerate(modes)]
    call = ", ".join(["g", "y" if keeps_y else "None", *passed])
    wanted = tuple(k for k, kind in enumerate(kinds) if kind == "d")
    lines += ["    meta = n.meta", "    if meta is not None: g = entering(g)", f"    e = vjp({call})"]
    if values or keeps_y:
        lines += ["    if not keep: n.release()"]
    lines += ["    if type(e) is not tuple: e = (e,)",
              "    if meta is None: return " + "(" + "".join(f"e[{k}], " for k in wanted) + ")",
              "    return (" + "".join(f"leaving(e[{k}], meta[{i}]), " for i, k in enumerate(wanted)) + ")"]
    space: dict[str, Any] = {"Tensor": Tensor, "unpacked": unpacked, "ndarray": np.ndarray, "unpacked_result": unpacked_result,
                             "entering": entering, "leaving": leaving, "vjp": vjp}
    name = name_of(fn)
    exec(compile("\n".join(lines), f"<{name}>", "exec"), space)
    slots = [f"a{k}" for k, mode in enumerate(modes) if mode is not None] + [f"v{k}" for k in values]
    body: Mapping[str, Any] = {
        "__slots__": slots, "__module__": __name__, "_name": name, "_fn": fn, "_vjp": staticmethod(vjp), "_modes": modes,
        "_parameters": names, "_wanted": wanted, "_keeps_y": keeps_y, "apply": space["apply"],
    }
    return type(name, (RuleNode,), dict(body))

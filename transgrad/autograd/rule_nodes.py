"""A node that applies a rule to its saved arguments and result."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .facts import facts_of
from .fit import Meta, entering, required
from .graph_rules import rule_on_tensors
from .names import ARITHMETIC
from .nodes import AccumulateGrad, Node, Nowhere
from .saved import EMPTY, SavedTensor, detached, modified, released
from .state import STATE
from .tensor import Tensor, wrap

__all__ = ["RuleNode", "kept", "stand_for", "stand_in"]


@functools.lru_cache(1024)
def stand_in(shape: tuple[int, ...], dtype: np.dtype[Any], columns: bool = False) -> np.ndarray[Any, Any]:
    """An array of this shape and dtype without data, for rules that read no values.

    With ``columns`` it is a matrix whose strides say that it is stored by columns.
    """
    return np.broadcast_to(np.zeros(shape[1:], dtype), shape) if columns else _without_data(shape, dtype)


@functools.lru_cache(1024)
def _without_data(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    return np.broadcast_to(np.zeros((), dtype), shape)


def stand_for(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The stand-in of an array, for rules that read its strides."""
    return stand_in(array.shape, array.dtype, array.ndim == 2 and array.strides[0] < array.strides[1])


def apply_function(fn: Any, args: list[Any]) -> Any:
    """``fn(*args)`` recorded, where the arguments are Tensors."""
    from .record import apply
    return apply(fn, *args)


def kept(x: Any) -> Any:
    """A constant that nobody else can write to: plain arrays have no version."""
    if isinstance(x, (list, tuple)):
        parts = [kept(i) for i in x]
        return parts if isinstance(x, list) else tuple(parts)
    return x._array.copy() if isinstance(x, Tensor) else x.copy() if isinstance(x, np.ndarray) else x


class RuleNode(Node):
    """A node that applies a rule to the saved arguments.

    Slots: ``a<k>`` the saved argument k and ``v<k>`` its version, ``y`` the result with its counter and version, ``meta`` the
    shapes and dtypes of the wanted inputs (None where the entries are sure to have them).
    """

    __slots__ = ("counter", "meta", "version", "y")
    y: Any
    counter: Any
    version: int
    meta: tuple[Meta, ...] | None
    _fn: Any
    _vjp: Callable[..., Any]
    #: for each argument: ``value``, ``shape``, ``constant`` or None if the rule does not read it
    _modes: tuple[str | None, ...] = ()
    _parameters: tuple[str, ...] = ()
    _wanted: tuple[int, ...] = ()
    #: torch's names of the values that a call of this kind may save, with the position of the argument (None: the result)
    _fields: dict[str, Any] | None = None
    _find_fields: Callable[[], dict[str, Any]]
    #: the arguments in the order in which they are saved
    _order: tuple[int, ...] = ()
    _keeps_y = False
    #: the places of numbers that are let go of as tensors are
    _numbers: tuple[int, ...] = ()
    #: whether the result is computed again from the arguments rather than saved
    _recomputes = False
    #: whether the rule reads strides
    _reads_strides = False
    #: whether an entry may say that it is zero
    _may_be_zero = False

    def argument(self, k: int) -> Any:
        """The saved argument k: a Tensor (checked), a stand-in or a constant."""
        value = getattr(self, f"a{k}")
        if value is None and (self._modes[k] == "value" or k in self._numbers):
            raise released(self)
        if type(value) is SavedTensor:
            return value.unpack(self)
        if isinstance(value, Tensor):
            version, counter = getattr(self, f"v{k}"), value._counter
            if counter is not None and counter[0] != version:
                raise modified(value, value._edge, version, counter[0])
            if type(value._edge) is not tuple and k in self._wanted and self._edges and value._view is None:
                if not isinstance(self._edges[self._wanted.index(k)][0], (AccumulateGrad, Nowhere)):
                    raise detached()
        return value

    def result(self) -> Tensor:
        """The saved result: a Tensor of this node."""
        y = self.y
        if y is None:
            raise released(self)
        if type(y) is SavedTensor:
            return y.unpack(self)
        made = self._output(y)
        if self.counter[0] != self.version:
            raise modified(made, made._edge, self.version, self.counter[0])
        return made

    def _output(self, y: Any) -> Tensor:
        made = wrap(y)
        made._counter = self.counter
        made._edge = (self, 0)
        return made

    def _loaded(self) -> tuple[Any, list[Any]]:
        args: list[Any] = [None] * len(self._modes)
        for k in self._order:
            if self._modes[k] is not None:
                args[k] = self.argument(k)
        if self._recomputes:
            return apply_function(type(self)._fn, args), args
        return self.result() if self._keeps_y else None, args

    def _finish(self, entries: Any, keep: bool) -> tuple[Any, ...]:
        entries = entries if isinstance(entries, tuple) else (entries,)
        entries += (None,) * (len(self._parameters) - len(entries))
        if not keep:
            self.release()
        if self.meta is None:
            return tuple(entries[k] for k in self._wanted)
        return tuple([e if type(e) is Tensor and e._array.shape == meta[0] and e._array.dtype is meta[1] and meta[1].kind == "f"
                      else required(e, meta) for e, meta in zip([entries[k] for k in self._wanted], self.meta)])

    def apply_graph(self, g: Any, keep: bool) -> tuple[Any, ...]:
        y, args = self._loaded()
        if not self._wanted:        # all gradients would lead nowhere
            if not keep:
                self.release()
            return ()
        vjp = rule_on_tensors(type(self)._fn) or self._vjp
        return self._finish(vjp(entering(g), y, *args), keep)

    def release(self) -> None:
        for k in self._numbers:
            setattr(self, f"a{k}", None)
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

    def save(self, args: Sequence[Any], metas: tuple[Meta, ...] | None) -> None:
        """Save the arguments that the rule reads."""
        for k in self._order:
            mode = self._modes[k]
            if mode == "value":
                setattr(self, f"a{k}", SavedTensor(args[k]) if isinstance(args[k], Tensor) else kept(args[k]))
            elif mode == "shape":
                array = args[k]._array if isinstance(args[k], Tensor) else args[k]
                setattr(self, f"a{k}", stand_for(array))
            elif mode == "constant":
                setattr(self, f"a{k}", kept(args[k]))
        self.meta = metas

    def save_result(self, out: Tensor) -> None:
        """Save the result if the rule reads it."""
        if self._keeps_y:
            self.y = EMPTY        # which it stays where a pack hook raises an error
            self.y = SavedTensor(out, 0, node=self)

    def saved(self) -> list[SavedTensor]:
        """The arguments that were saved as tensors."""
        slots = [getattr(self, f"a{k}") for k, mode in enumerate(self._modes) if mode == "value"]
        return [s for s in slots if type(s) is SavedTensor]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_saved_"):
            fact = facts_of(self._fn).get(name[7:])
            return self._field(name[7:], raw=False) if fact is None else fact(self)
        if name.startswith("_raw_saved_"):
            return self._field(name[11:], raw=True)
        raise AttributeError(f"{self.name()!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        fields = [f"_saved_{field}" for field in {**self.fields(), **facts_of(self._fn)}]
        raw = [f"_raw_saved_{field}" for field, k in self.fields().items() if k is None or self._is_tensor(field, k)]
        return [*super().__dir__(), *fields, *raw]

    @classmethod
    def fields(cls) -> dict[str, Any]:
        """``_fields``, found when first asked for."""
        if cls._fields is None:
            cls._fields = cls._find_fields()
        return cls._fields

    def _is_tensor(self, field: str, k: int) -> bool:
        """Return whether argument k is, or could have been, saved as a tensor: a number beside one is no less a tensor to torch."""
        if self._modes[k] not in ("constant", "shape"):
            return True
        return self._fn in ARITHMETIC and field in ("self", "other") and isinstance(getattr(self, f"a{k}"), (int, float, complex))

    def _field(self, field: str, raw: bool) -> Any:
        k = self.fields().get(field)
        if field not in self.fields() or raw and k is not None and not self._is_tensor(field, k):
            raise AttributeError(f"{self.name()!r} object has no attribute '_{'raw_' * raw}saved_{field}'")
        kept = self._keeps_y if k is None else self._modes[k] in ("value", "constant")
        if not kept:
            return EMPTY if raw else None
        if k is None:
            return self._raw("y", SavedTensor) if raw else self.result()
        if raw:
            return self._raw(f"a{k}", SavedTensor)
        value = self.argument(k)
        return value if self._modes[k] != "constant" or not self._is_tensor(field, k) else wrap(np.asarray(value))

    def _raw(self, slot: str, saved: type[SavedTensor]) -> Any:
        """The slot as a `SavedTensor`, which takes its place (so that hooks may be registered on it).

        The current hooks do not apply to values saved earlier.
        """
        packing, STATE.packing = STATE.packing, ()
        try:
            return self._as_saved(slot, saved)
        finally:
            STATE.packing = packing

    def _as_saved(self, slot: str, saved: type[SavedTensor]) -> Any:
        value = getattr(self, slot)
        if value is None:
            made = saved(wrap(np.zeros(0)))
            made.release()
            setattr(self, slot, made)
            return made
        if isinstance(value, saved):
            return value
        if slot == "y":
            made = saved(self._output(value), 0, self.version, self)
        elif isinstance(value, Tensor):
            made = saved(value, None, getattr(self, "v" + slot[1:]))
        else:
            return saved(wrap(np.asarray(value)))
        setattr(self, slot, made)
        return made

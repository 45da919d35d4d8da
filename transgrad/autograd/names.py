"""torch's names of nodes and of their saved values, for the functions of the rule table."""
from __future__ import annotations

import operator
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

__all__ = ["ARITHMETIC", "OPTIONAL", "RECOMPUTED", "TOGETHER", "UNDEFINED", "WIDE", "fields_of", "keeps", "kept_beside",
           "name_of", "named", "node_name", "saved_names", "shown", "shown_as"]

_NAMES: dict[Any, str] = {}
_FIELDS: dict[Any, dict[str, str]] = {}
#: binary functions whose number operands torch converts to tensors
ARITHMETIC: set[Any] = {np.add, np.subtract, np.multiply, np.divide}
#: functions whose operands may be left out, which torch counts all the same
OPTIONAL: set[Any] = {np.clip}
#: functions whose rule reads the result, of which torch saves the arguments alone: a later write to the result does no harm
RECOMPUTED: set[Any] = {np.divide, operator.truediv, np.clip, np.logaddexp, np.logaddexp2, np.sinc, np.absolute,
                         np.arcsin, np.arccos}
#: functions whose node computes the gradients of all inputs where it computes one, as its hooks see
TOGETHER: set[Any] = {np.concatenate, np.stack}
#: functions without a derivative whose node sends nothing at all rather than zeros
UNDEFINED: set[Any] = set()
#: functions whose tangents torch leaves in single precision, in which it computes them, where the elements have 16 bits
WIDE: set[Any] = set()
#: what torch saves though no text reads it
_KEPT: dict[Any, frozenset[str]] = {np.prod: frozenset("y"), np.cumprod: frozenset("y")}
#: how torch calls a parameter of this name, where nothing else is said
_USUAL = {"a": "self", "x": "self", "b": "other", "y": "result", "n": "exponent", "m": "self", "v": "self", "arr": "self", "axis": "dim",
          "keepdims": "keepdim", "z": "self"}


def node_name(fn: Any, name: str, **fields: str) -> None:
    """Says how torch calls the node of ``fn``, and by which field it shows a parameter of the rule (``a="self"``; ``""``: by none)."""
    _NAMES[fn] = name
    _FIELDS[fn] = fields


def shown_as(fn: Any, **fields: str) -> None:
    """Says by which field the node of ``fn`` shows a parameter, beside what `node_name` has said."""
    _FIELDS[fn] = {**_FIELDS.get(fn, {}), **fields}


def fields_of(fn: Any) -> dict[str, str]:
    """By which fields the node of ``fn`` shows the parameters that have other names there."""
    return dict(_FIELDS.get(fn, {}))


def named(fn: Any) -> bool:
    """Return whether `node_name` has named the node of ``fn``."""
    return fn in _FIELDS


def name_of(fn: Callable[..., Any]) -> str:
    """The name of the node of a function, ``SinBackward0`` for ``np.sin``."""
    found = _NAMES.get(fn)
    if found is None:
        words = getattr(fn, "__name__", type(fn).__name__).split("_")
        found = _NAMES[fn] = "".join(w[:1].upper() + w[1:] for w in words) + "Backward0"
    return found


def shown(fn: Any, parameter: str) -> bool:
    """Return whether the node of ``fn`` shows a parameter, which is then saved even if the rule does not read it."""
    return bool(_FIELDS.get(fn, {}).get(parameter))


def keeps(parameter: str, *fns: Any) -> None:
    """Says that torch saves a parameter of these (``y``: the result) though no text reads it: a later write to it is an error."""
    for fn in fns:
        _KEPT[fn] = _KEPT.get(fn, frozenset()) | {parameter}


def kept_beside(fn: Any, wanted: Collection[str]) -> frozenset[str]:
    """The values that are saved in addition to those that the rule reads, for the requested gradients."""
    kept = _KEPT.get(fn)
    return kept & {"y", *wanted} if kept else frozenset()


def saved_names(fn: Callable[..., Any], parameter: str) -> str:
    """The field that shows a parameter: ``self`` for ``a``."""
    found = _FIELDS.get(fn, {}).get(parameter)
    return _USUAL.get(parameter, parameter) if found is None else found


def _same(name: str, *fns: Any, **fields: str) -> None:
    for fn in fns:
        if fn is not None:
            node_name(fn, name, **fields)


_same("AddBackward0", np.add, operator.add)
_same("SubBackward0", np.subtract, operator.sub)
_same("MulBackward0", np.multiply, operator.mul)
_same("DivBackward0", np.divide, operator.truediv)
_same("NegBackward0", np.negative, operator.neg)
_same("PowBackward0", np.power, operator.pow, x="self", n="exponent")
_same("AbsBackward0", np.absolute, operator.abs)
_same("RemainderBackward0", np.mod, operator.mod)
_same("MmBackward0", np.matmul, operator.matmul, a="self", b="mat2")
_same("SumBackward0", np.sum, np.add.reduce)
_same("MeanBackward0", np.mean)
_same("ViewBackward0", np.reshape)
_same("TransposeBackward0", np.swapaxes)
_same("PermuteBackward0", np.transpose)
_same("ExpandBackward0", np.broadcast_to)
_same("StackBackward0", np.stack, arrays="")
_same("CatBackward0", np.concatenate, arrays="")
_same("CloneBackward0", np.copy)
_same("SelectBackward0", operator.getitem)

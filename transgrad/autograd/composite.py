"""Recorders of calls that return several results or take lists of Tensors.

As in `recorders`, the function and the types of its arguments select the recorder. Its first recorded call makes a node through
`record`; later calls of the same kind reuse that node's plan.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..rules.registry import Rule, lookup
from .general_node import GeneralNode, general_class
from .layouts import COLUMNS, laid_out_as
from .node_text import tested_places
from .nodes import TO_NOWHERE, edge_of
from .record import finish, put_node, record
from .state import STATE
from .tensor import NO_VERSION, Tensor
from .views import view_of
from .wording import DIVISIONS

__all__ = ["composite", "several_results"]

_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)
_INTEGERS = frozenset((int, type(None)))
_new = object.__new__
Path = tuple[int, ...]


def composite(fn: Any, args: Sequence[Any], records: bool) -> Callable[..., Any] | None:
    """Return the recorder of ``fn`` for arguments of the types of ``args``: Tensors, lists of Tensors, and constants.

    None if its rule takes lists that the recorder does not handle.
    """
    rule = lookup(fn)
    if rule is None or fn in COLUMNS or fn in DIVISIONS or rule.kind == "constant":
        return None
    tensors = [k for k, a in enumerate(args) if type(a) is Tensor]
    lists = [k for k, a in enumerate(args) if type(a) is list]
    if lists and not rule.lists:
        return None
    tuples = [k for k, a in enumerate(args) if type(a) is tuple]
    put = several_results(fn, rule, len(args), tensors, lists, records)

    def op(*args: Any) -> Any:
        raw = list(args)
        for k in tuples:
            if not _INTEGERS.issuperset(map(type, args[k])):
                return record(fn, args, {})
        for k in tensors:
            a = raw[k] = args[k]._array
            if not _is_plain(a.dtype):
                return record(fn, args, {})
        for k in lists:
            found = []
            for x in args[k]:
                if type(x) is not Tensor or not _is_plain(x._array.dtype):
                    return record(fn, args, {})
                found.append(x._array)
            raw[k] = found
        return put(fn(*raw), args, raw)
    return op


def _is_plain(dtype: Any) -> bool:
    return dtype is _F64 or dtype is _F32 or dtype.kind in "biu"


def several_results(fn: Any, rule: Rule, count: int, tensors: Sequence[int], lists: Sequence[int], records: bool) -> Callable[..., Any]:
    """Return ``put(y, args, raw)``, which makes Tensors of the arrays ``y`` that a call returned and puts one node behind them.

    ``tensors`` and ``lists`` are the places, among ``count`` arguments, of Tensors and of lists of Tensors.
    """
    plans: dict[Any, tuple[type[GeneralNode], Any, list[int]]] = {}
    tested = [k for k in sorted(tested_places(rule)) if k < count and k not in lists]

    def put(y: Any, args: tuple[Any, ...], raw: list[Any]) -> Any:
        several = type(y) is tuple
        if lists:
            inputs = [x for k in lists for x in args[k]]
            inputs += [args[k] for k in tensors]
        else:
            inputs = [args[k] for k in tensors]
        outs = []
        targets = []
        for k, part in enumerate(y if several else (y,)):
            if type(part) is not np.ndarray:
                return finish(fn, args, {}, y, raw)
            if not several and part.base is None and part.ndim > 1:
                part = laid_out_as(fn, part, raw[lists[0]] if lists else raw)
            t = _new(Tensor)
            t._array = part
            t._counter = None if records else STATE.born
            t._edge = t._view = t._grad = t._more = None
            if part.base is not None or _among(part, inputs):
                view_of(t, fn, args, {}, k if several else None)
            outs.append(t)
            if part.dtype.kind in "fcV":
                targets.append(k)
        if records and targets:
            edges = []
            mask = 0
            for k, x in enumerate(inputs):
                e = x._edge
                if x._view is not None or e is not None and type(e) is not tuple:
                    e = edge_of(x)
                    if e is TO_NOWHERE or x._counter is NO_VERSION:
                        return finish(fn, args, {}, y, raw)
                if e is not None:
                    mask |= 1 << k
                edges.append(e)
            if mask:
                key: Any = (mask, len(edges), len(outs))
                if tested:
                    key += tuple([_compared(args[k]) for k in tested])
                made = plans.get(key)
                if made is None:
                    _first(key, args, inputs, outs, several, targets)
                else:
                    cls, plan, places = made
                    node = cls(plan, args, {}, tuple([edges[k] for k in places]))
                    node.save_result(tuple(outs) if several else outs[0])
                    for k in targets:
                        outs[k]._edge = (node, k)
        return tuple(outs) if several else outs[0]

    def _first(key: Any, args: tuple[Any, ...], inputs: list[Tensor], outs: list[Any], several: bool, targets: list[int]) -> None:
        paths: list[Path] = [(k, i) for k in lists for i in range(len(args[k]))] + [(k,) for k in tensors]
        put_node(fn, args, {}, outs, several, targets, list(zip(paths, inputs)))
        edge = outs[targets[0]]._edge
        if edge is not None and isinstance(edge[0], GeneralNode) and len(edge[0].args) == len(args):
            if len(plans) > _MANY:
                plans.clear()
            plans[key] = general_class(fn), edge[0].plan, [paths.index(path) for path in edge[0].plan.paths]
    return put


_MANY = 1024


def _compared(x: Any) -> Any:
    """The key of an argument that selects a branch of the rule; a slice has no hash before Python 3.12."""
    if type(x) is Tensor:
        return x._array.dtype
    return (slice, x.start, x.stop, x.step) if type(x) is slice else (type(x), x)


def _among(part: Any, inputs: list[Tensor]) -> bool:
    return any(x._array is part for x in inputs)

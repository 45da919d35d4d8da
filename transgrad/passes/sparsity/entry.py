"""Run a function on tracked arguments, and read off its sparsity pattern."""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import tree
from ...ir import interp
from ...ir.ops import Function, Try, Value, walk
from ..abstract_interpretation import lift
from ..abstract_interpretation.caller import GENERATORS
from .calls import Tracker
from .graph import Graph
from .tracked import Tracked, fresh, refuse

__all__ = ["Dependencies", "dependencies"]


@dataclasses.dataclass(frozen=True, slots=True)
class Dependencies:
    """The rows of a boolean matrix, one for each entry of the results, compressed.

    Attributes
    ----------
    starts, columns : arrays of intp
        ``columns[starts[i]:starts[i + 1]]`` are the entries of the arguments that entry ``i`` may depend on, in order.
    width : int
        The number of entries of the arguments.
    everywhere : bool
        Whether the same holds for all arguments of these types and shapes, independent of their values.
    """

    starts: NDArray[np.intp]
    columns: NDArray[np.intp]
    width: int
    everywhere: bool


def dependencies(fn: Function, values: Mapping[str, Any], wanted: Mapping[str, Any]) -> Dependencies:
    """The dependencies of the results of ``fn``, for these arguments.

    Parameters
    ----------
    fn : Function
        The function; it is run once, by the interpreter of IR.
    values : mapping
        Arguments by the names of the signature; they may be written to.
    wanted : mapping
        For each selected parameter the first columns of its leaves (None for a leaf that is not selected).

    Returns
    -------
    Dependencies
        No dependency of this run is missing: sets are overestimated for functions about which little is known.
    """
    width = sum(np.size(leaf) for name, starts in wanted.items() for leaf, start in zip(tree.flatten(values[name])[0], starts)
                if start is not None)
    graph = Graph(width)
    caller = Tracker(graph)
    lifted = lift(fn, caller)
    args = {p.value: _argument(caller, values[p.name], wanted.get(p.name)) for p in lifted.signature if isinstance(p.value, Value)}
    try:
        results = interp.run(lifted, [args[p] for p in lifted.params])
    except (TypeError, AttributeError, UnboundLocalError) as error:        # raised by code that does not support tracked values
        raise refuse(f"{fn.name} contains an operation that is not analyzed ({error})") from error
    rows = _rows(interp.rebuild(fn.returns, results))
    starts, columns = graph.elements(rows)
    guarded = any(isinstance(op, Try) for op in walk(fn.body))
    return Dependencies(starts, columns, width, not graph.decided and not guarded)


def _argument(caller: Tracker, value: Any, starts: Any) -> Any:
    """A copy of an argument, with its numbers tracked."""
    leaves, form = tree.flatten(value)
    return tree.unflatten(form, [_leaf(caller, leaf, None if starts is None else starts[k]) for k, leaf in enumerate(leaves)])


def _leaf(caller: Tracker, leaf: Any, start: int | None) -> Any:
    node: Any = 0 if start is None else start + 1
    if isinstance(leaf, np.ndarray) and start is not None:
        node = np.arange(node, node + leaf.size).reshape(leaf.shape)
    if isinstance(leaf, (np.ndarray, float, complex, np.generic)):
        return fresh(caller.graph, leaf, node, True)
    return caller.own(leaf) if isinstance(leaf, GENERATORS) else leaf


def _rows(result: Any) -> list[int]:
    """The nodes of every entry of the results, in order."""
    out: list[int] = []
    for leaf in tree.flatten(result)[0]:
        if type(leaf) is Tracked:
            out.extend([leaf.ids] if isinstance(leaf.ids, int) else leaf.ids.ravel().tolist())
        elif isinstance(leaf, (np.ndarray, np.generic, float)):
            out.extend([0] * np.size(leaf))
    return out

"""The backward sweep: nodes run once, after all that contributes to them, the latest made first."""
from __future__ import annotations

import contextvars
import functools
import operator
import threading
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

import numpy as np

from .accumulate import accumulate, after_accumulation
from .fit import Meta, fitted
from .hooks import run_node_hooks, run_tensor_hooks
from .nodes import LAST, RESHAPED, AccumulateGrad, Node, Nowhere
from .observer import BACKWARD_FUNCTION, FUNCTION, told
from .quiet import SILENCE, WARNINGS
from .state import STATE, refresh
from .tensor import Tensor, wrap

if TYPE_CHECKING:
    from .selections import Selections

__all__ = ["run"]

Edge = tuple[Node, int]
_SUM: Any = object()
Capture = list[tuple[int, int]]


def run(roots: Sequence[Edge], grads: Sequence[Tensor], keep: bool, create_graph: bool, inputs: Sequence[Edge] | None = None,
        collect: bool = False) -> list[Any]:
    """Send the gradients of the roots back through the graph, and into the ``.grad`` of the leaves it reaches.

    Parameters
    ----------
    roots : sequence of edges
        ``(node, output_nr)`` of each output.
    grads : sequence of Tensor
        Their gradients.
    keep, create_graph : bool
        Whether saved tensors stay, and whether the sweep itself is recorded.
    inputs : sequence of edges, optional
        The only places to go to.
    collect : bool
        Whether to return the gradients at ``inputs`` in place of accumulating them.

    Returns
    -------
    list
        The gradient at each of the inputs, as a Tensor, or None if nothing arrived.
    """
    modes = STATE.__dict__      # of this thread, whose lookups take a third of the time
    if modes["depth"] >= _DEEPEST:
        found: list[Any] = _on_another_thread(run, roots, grads, keep, create_graph, inputs, collect)
        return found
    listened = modes["interpreter"] is not None or modes["profiler"] is not None
    taped = create_graph or modes["level"] > 0 or listened
    sweep = _Sweep(taped, keep, create_graph)
    if modes["masking"] and not taped:
        from .selections import Selections
        sweep.selections = Selections()
    before = modes["grad"], modes["selective"], modes["sweep"], modes["packing"]
    modes["grad"], modes["selective"], modes["sweep"] = create_graph, inputs is not None, sweep
    modes["depth"] += 1
    refresh(modes)
    try:
        silenced = WARNINGS.set(SILENCE)
        try:
            sweep.start(roots, grads, inputs, collect)
        finally:
            WARNINGS.reset(silenced)
    finally:
        modes["depth"] -= 1
        modes["grad"], modes["selective"], modes["sweep"], modes["packing"] = before
        refresh(modes)
        for done in sweep.at_end:
            done()
    for callback in sweep.callbacks:
        callback()
    return sweep.found


#: how many sweeps may run one inside another on a thread, whose stack is limited
_DEEPEST = 16


def _on_another_thread(function: Callable[..., Any], *args: Any) -> Any:
    """The result of a call on a thread of its own, in the modes of this one: its stack is empty."""
    found: list[Any] = []
    modes = dict(STATE.__dict__)

    def call() -> None:
        STATE.__dict__.update(modes, depth=0)
        try:
            found.append((function(*args), None))
        except BaseException as error:
            found.append((None, error))
    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(call,))
    thread.start()
    thread.join()
    result, error = found[0]
    if error is not None:
        raise error
    return result


def reached_from(roots: Sequence[Node]) -> dict[Node, list[Any]]:
    """For each node that can be reached a cell: how many edges lead to it, the gradient that has arrived, and its source.

    The source is the node that returned the gradient as an array, ``_SUM`` for a sum that the sweep has made, or None.
    """
    cells: dict[Node, list[Any]] = {node: [0, None, None] for node in roots}
    stack = list(cells)
    while stack:
        for edge in stack.pop()._edges:
            if edge is not None:
                node = edge[0]
                cell = cells.get(node)
                if cell is None:
                    cells[node] = [1, None, None]
                    stack.append(node)
                else:
                    cell[0] += 1
    return cells


def needed_for(targets: set[Node], reached: Iterable[Node]) -> set[Node]:
    """The nodes from which a target is reached: an edge always leads to a node that was made before."""
    needed = set(targets)
    for node in sorted([node for node in reached if node._edges], key=_number):
        if node not in needed:
            for edge in node._edges:
                if edge is not None and edge[0] in needed:
                    needed.add(node)
                    break
    return needed


_number = operator.attrgetter("_seq")


def refuse_sparse(error: Exception, node: Node, g: Any) -> None:
    """NotImplementedError with the name of a node that has failed because the gradient it was given is sparse."""
    if any(isinstance(part, Tensor) and part.is_sparse for part in (g if isinstance(g, (list, tuple)) else (g,))) and "parse" in str(error):
        raise NotImplementedError(f"{node.name()} cannot go on with a sparse gradient (of gather(sparse_grad=True), or of an embedding "
                                  "with sparse=True): leave these options out, or look up rows of a leaf") from error


class _Sweep:
    """One backward pass."""

    def __init__(self, taped: bool, keep: bool, create_graph: bool):
        self.taped, self.keep, self.create_graph = taped, keep, create_graph
        self.cells: dict[Node, list[Any]] = {}
        self.captures: dict[Node, Capture] = {}
        self.needed: set[Node] | None = None
        self.collect = False
        self.found: list[Any] = []
        self.at_end: list[Callable[[], Any]] = []
        self.callbacks: list[Callable[[], Any]] = []        # the user's, of a pass that came to its end
        self.shapes: dict[Node, dict[int, Meta]] = {}
        #: the masks of gradients, if the tape replaces the compiler
        self.selections: Selections | None = None

    def will_run(self, node: Node) -> bool:
        """Return whether the sweep comes to a node."""
        return node in self.cells and (self.needed is None or node in self.needed)

    def asks(self, edge: Edge | None) -> bool:
        """Return whether the gradient that goes along an edge is wanted."""
        return edge is not None and (self.needed is None or edge[0] in self.needed)

    def start(self, roots: Sequence[Edge], grads: Sequence[Tensor], inputs: Sequence[Edge] | None, collect: bool) -> None:
        nodes = [roots[0][0]] if len(roots) == 1 else list(dict.fromkeys([node for node, _ in roots]))
        cells = self.cells = reached_from(nodes)
        if RESHAPED:
            self.shapes = {node: node.more().outputs for node in list(RESHAPED) if node in cells}
            grads = [self.summed(g, node, nr, f"invalid gradient at index {k}") for k, ((node, nr), g) in enumerate(zip(roots, grads))]
        if inputs is not None:
            self.collect = collect
            self.found = [None] * len(inputs)
            if collect:
                for k, (node, nr) in enumerate(inputs):
                    self.captures.setdefault(node, []).append((nr, k))
            self.needed = needed_for({node for node, _ in inputs}, cells)
            if len(roots) > 1:      # the one root is visited in any case
                nodes = [node for node in nodes if node in self.needed]
        for (node, nr), g in zip(roots, grads):
            self.add(cells[node], node, nr, g if self.taped else g._array)
        heap: list[tuple[int, int, Node]] = []
        for order, node in enumerate(nodes):
            if not cells[node][0]:
                heappush(heap, (-node._seq, order, node))
        self.loop(heap)

    def add(self, cell: list[Any], node: Node, nr: int, g: Any) -> None:
        """Accumulate a gradient at an output of a node."""
        have = cell[1]
        if node._outputs == 1:
            cell[1] = g if have is None else have + g
            return
        if have is None:
            have = cell[1] = [None] * node._outputs
        have[nr] = g if have[nr] is None else have[nr] + g

    def summed(self, g: Any, node: Node, nr: int, what: str) -> Any:
        """A gradient in the shape and dtype that a tensor had, where it has been given others since; RuntimeError where it does not fit."""
        meta = self.shapes.get(node, {}).get(nr)
        if g is None or meta is None or (g.shape, g.dtype) == meta:
            return g
        shape = meta[0]
        kept = g.shape[len(g.shape) - len(shape):]
        if len(shape) > len(g.shape) or any(n not in (1, m) for n, m in zip(shape, kept)):
            raise RuntimeError(f"{what} - got {list(g.shape)} but expected shape compatible with {list(shape)}")
        return fitted(g, *meta)

    def loop(self, heap: list[tuple[int, int, Node]]) -> None:
        """Run the nodes that are ready until there is none."""
        cells, needed, keep, shapes = self.cells, self.needed, self.keep, self.shapes
        taped, captures, collect, create_graph = self.taped, self.captures, self.collect, self.create_graph
        usual = self.selections is None and STATE.profiler is None and STATE.anomaly is None
        order = len(heap)
        node: Node | None = None
        while node is not None or heap:
            if node is None:
                node = heappop(heap)[2]
            cell = cells[node]
            g, cell[1] = cell[1], None
            source: Node | None = None
            try:
                plain = usual and g is not None and node._more is None and (needed is None or node in needed and node not in captures)
                entries: Any
                if usual and type(node) is AccumulateGrad and g is not None and node._more is None and node.variable._more is None and (
                        collect or plain):
                    if collect:
                        if node in captures:
                            self.capture(node, g)
                        entries = ()
                    else:
                        entries = accumulate(node, g, create_graph, node.variable._grad is None and self.owns(node))
                elif plain and node.apply is not None:
                    if taped:
                        entries = node.apply_graph(g if node._outputs == 1 else tuple(g), keep)
                    else:
                        entries = node.apply(g, keep)
                        source = node
                else:
                    selections = self.selections
                    entries = self.visit(node, g) if selections is None else selections.run(
                        node, g, functools.partial(self.visit, node, g))
            except (NotImplementedError, TypeError) as error:
                refuse_sparse(error, node, g)
                raise
            if shapes:
                what = f"Function {node.name()} returned an invalid gradient at index"
                entries = [e if edge is None else self.summed(e, edge[0], edge[1], f"{what} {k}")
                           for k, (edge, e) in enumerate(zip(node._edges, entries))]
            ready: Node | None = None
            for edge, e in zip(node._edges, entries):
                if edge is None:
                    continue
                target = edge[0]
                if needed is not None and target not in needed:
                    continue
                cell = cells[target]
                if e is not None:
                    if target._outputs != 1:
                        self.add(cell, target, edge[1], e)
                    elif cell[1] is None:
                        cell[1], cell[2] = e, source
                    else:
                        cell[1], cell[2] = cell[1] + e, _SUM
                cell[0] -= 1
                if cell[0]:
                    continue
                if ready is None and not heap:
                    ready = target
                    continue
                if ready is not None:
                    heappush(heap, (-ready._seq, order, ready))
                    order += 1
                    ready = None
                heappush(heap, (-target._seq, order, target))
                order += 1
            g = entries = e = None
            node = ready

    def visit(self, node: Node, g: Any) -> Any:
        """A node with hooks, listeners, several outputs, or one where gradients end."""
        packing = STATE.packing
        try:
            if STATE.anomaly is not None:
                return STATE.anomaly.node(node, lambda: self.visited(node, g))
            return self.visited(node, g)
        finally:        # modes that a hook has entered end with the node
            if STATE.grad is not self.create_graph or STATE.packing is not packing:
                STATE.grad, STATE.packing = self.create_graph, packing
                STATE.refresh()

    def visited(self, node: Node, g: Any) -> Any:
        if node._more is not None:
            g = run_tensor_hooks(node, g, self)
        if type(node) is AccumulateGrad:
            return self.leaf(node, g)
        if self.needed is not None and node not in self.needed:     # a root, whose tensors have hooks all the same
            return ()
        if node in self.captures:
            self.capture(node, g)
            if self.needed is not None and not any(edge is not None and edge[0] in self.needed for edge in node._edges):
                return ()
        return self.observed(node, g)

    def capture(self, node: Node, g: Any) -> None:
        for nr, k in self.captures[node]:
            part = g if node._outputs == 1 or g is None else g[nr]
            self.found[k] = None if part is None else self.tensor(part)

    def leaf(self, node: AccumulateGrad, g: Any) -> Any:
        from .hooks import run_leaf_hooks
        owned = self.owns(node)
        if node.variable._more is not None:
            g = run_leaf_hooks(node.variable, g, self)
        if self.collect:
            if node in self.captures:
                self.capture(node, g)
            return ()
        if self.needed is not None and node not in self.needed:
            return ()
        if g is None:
            after_accumulation(node.variable)
            return ()
        if STATE.profiler is not None:
            return self.profiled(node, g, lambda: self.accumulated(node, g, owned))
        return self.accumulated(node, g, owned)

    def owns(self, node: AccumulateGrad) -> bool:
        """Return whether nothing else refers to the gradient that has arrived at a leaf: it is a sum, or was allocated for this edge."""
        if node.variable._more is not None:
            return False
        target: Node = node
        while True:
            source = self.cells[target][2]
            if source is None or target._more is not None:      # hooks see it
                return False
            if source is _SUM:
                return True
            if not source._rearranges:
                return any(own and edge[0] is target for own, edge in zip(source._owned, source._edges))
            target = source

    def accumulated(self, node: AccumulateGrad, g: Any, owned: bool) -> tuple[Any, ...]:
        if node._more is not None:
            run_node_hooks(node, g, self, lambda h: accumulate(node, h, self.create_graph))
        else:
            accumulate(node, g, self.create_graph, owned)
        return (node.variable._grad,)

    def observed(self, node: Node, g: Any) -> Any:
        if STATE.profiler is not None:
            return self.profiled(node, g, lambda: self.hooked(node, g))
        return self.hooked(node, g)

    def profiled(self, node: Node, g: Any, run: Callable[[], Any]) -> Any:
        listener, name, number = STATE.profiler, node.name(), -1 if node._seq == LAST else node._seq
        arrived = g if type(g) is list else (g,)
        return told(listener, f"autograd::engine::evaluate_function: {name}", FUNCTION, -1, (),
                    lambda: told(listener, name, BACKWARD_FUNCTION, number, arrived, run))

    def hooked(self, node: Node, g: Any) -> Any:
        if node._more is None or not (node._more.pre or node._more.post):
            return self.call(node, g, self.keep)
        entries = run_node_hooks(node, g, self, lambda h: self.asked_for(node, self.call(node, h, True)))
        if not self.keep:
            node.release()
        return entries

    def asked_for(self, node: Node, entries: Any) -> Any:
        """The gradients that lead to a target of the sweep: no others are computed, as a hook sees."""
        if node.apply is None:
            return entries
        asked = [edge is not None and type(edge[0]) is not Nowhere and (self.needed is None or edge[0] in self.needed)
                 for edge in node._edges]
        if node._together and any(asked):
            return entries
        return tuple(e if wanted else None for e, wanted in zip(entries, asked))

    def call(self, node: Node, g: Any, keep: bool) -> Any:
        """Call the node's function on the accumulated gradients: arrays, or Tensors if the sweep is taped or the node is in Python."""
        if g is None and not node._runs_on_none:
            return (None,) * len(node._edges)
        several = node._outputs != 1
        if several:
            g = tuple(g) if g is not None else (None,) * node._outputs
        if not self.taped and node.apply is not None:
            return node.apply(g, keep)
        entries = node.apply_graph(self.tensors(g), keep)
        return entries if self.taped else tuple(self.lowered(e) for e in entries)

    def tensor(self, g: Any) -> Tensor:
        if isinstance(g, Tensor):
            return g
        return wrap(g if min(g.strides, default=0) >= 0 else np.ascontiguousarray(g))      # flipped tensors are copies in torch

    def tensors(self, g: Any) -> Any:
        if isinstance(g, tuple):
            return tuple(None if part is None else self.tensor(part) for part in g)
        return None if g is None else self.tensor(g)

    def lowered(self, g: Any) -> Any:
        """Convert a hook's result to the form of the buffers."""
        return g if self.taped or not isinstance(g, Tensor) or g.is_sparse else g._array

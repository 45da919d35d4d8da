"""The rows of a Jacobian by reverse mode: a backward pass for each row, or one pass for a batch of rows."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...rules.registry import lookup
from ..dispatch import apply
from ..general_node import GeneralNode
from ..nodes import AccumulateGrad, Node, edge_of
from ..rule_nodes import RuleNode
from ..state import STATE
from ..tensor import Tensor
from .arguments import Tensors
from .derivatives import gradients

__all__ = ["all_rows", "bases", "row_by_row"]

Table = Sequence[Sequence[Tensor]]
#: fewer rows are not worth a batch
_FEW_ROWS = 6
#: elements that the cotangents of a batch of rows may have at one node
_BATCH_ELEMENTS = 1 << 20


def row_by_row(outputs: Tensors, points: Tensors, create_graph: bool, strict: bool) -> Table:
    """The Jacobian as by a backward pass for each element of the outputs.

    Rows are computed in batches where nothing can observe that: the graph consists of operations of the library, without hooks, and
    the passes are not recorded.
    """
    if not create_graph and not strict and STATE.plain and STATE.sweep is None and sum(y.numel() for y in outputs) >= _FEW_ROWS:
        largest = _largest_node(outputs)
        if largest is not None:
            try:
                return _in_batches(outputs, points, max(1, _BATCH_ELEMENTS // largest))
            except (RuntimeError, NotImplementedError):     # an operation without a batched form
                pass
    table = []
    for i, y in enumerate(outputs):
        rows = [_row(y.reshape(-1)[k], i, points, create_graph, strict) for k in range(y.numel())]
        table.append(tuple(apply(np.stack, [row[j] for row in rows], 0).view(y.size() + x.size()) for j, x in enumerate(points)))
    return tuple(table)


def _largest_node(outputs: Tensors) -> int | None:
    """The number of elements of the largest cotangent in the graph; None if a hook or a user's function could observe batches."""
    stack: list[Node] = [edge[0] for y in outputs if (edge := edge_of(y)) is not None]
    seen, largest = set(stack), max(max(y.numel() for y in outputs), 1)
    while stack:
        node = stack.pop()
        if node._more is not None and (node._more.pre or node._more.post or node._more.tensor_pre or node._more.retain):
            return None
        if isinstance(node, AccumulateGrad):
            if node.variable._more is not None and node.variable._more.hooks:
                return None
            largest = max(largest, node.variable.numel())
        elif not _is_own(node):
            return None
        for edge in node._edges:
            if edge is not None and edge[0] not in seen:
                seen.add(edge[0])
                stack.append(edge[0])
    return largest


def _is_own(node: Node) -> bool:
    """Return whether a node applies a derivative rule of the library."""
    fn = node._fn if isinstance(node, RuleNode) else node.fn if isinstance(node, GeneralNode) else None
    rule = None if fn is None else lookup(fn)
    return rule is not None and rule.vjp is not None and getattr(rule.vjp, "__module__", "").partition(".")[0] == "transgrad"


def _in_batches(outputs: Tensors, points: Tensors, most: int) -> Table:
    """The Jacobian, at most so many rows at a time."""
    table = []
    for y in outputs:
        found: list[list[Tensor]] = [[] for _ in points]
        flat, count = y.reshape(-1), y.numel()
        for start in range(0, count, most):
            units = flat.new_zeros((min(most, count - start), count))
            units.diagonal(start).fill_(1)
            entries = gradients([flat], points, [units], retain_graph=True, batched=True)
            for blocks, entry, x in zip(found, entries, points):
                blocks.append(x.new_zeros((units.shape[0], *x.shape)) if entry is None else entry)
        table.append(tuple((blocks[0] if len(blocks) == 1 else apply(np.concatenate, blocks, 0)).contiguous().view(y.size() + x.size())
                           for blocks, x in zip(found, points)))
    return tuple(table)


def _row(element: Tensor, i: int, points: Tensors, create_graph: bool, strict: bool) -> list[Tensor]:
    """The gradients of one element of output ``i``."""
    row = []
    for j, (entry, x) in enumerate(zip(gradients([element], points, retain_graph=True, create_graph=create_graph), points)):
        if entry is None and strict:
            raise RuntimeError(f"Output {i} of the user-provided function is independent of input {j}. This is not allowed in strict mode.")
        if entry is not None and strict and create_graph and not entry.requires_grad:
            raise RuntimeError(f"The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict "
                               f"mode when create_graph=True.")
        row.append(x.new_zeros(x.shape) if entry is None else entry)
    return row


def all_rows(outputs: Tensors, points: Tensors, create_graph: bool) -> Table:
    """The Jacobian by one backward pass under `vmap`."""
    sizes = [y.numel() for y in outputs]
    flat = gradients([y.reshape(-1) for y in outputs], points, bases(outputs, sizes), create_graph=create_graph, batched=True)
    full = [x.new_zeros(x.shape).expand((sum(sizes), *x.shape)) if entry is None else entry for entry, x in zip(flat, points)]
    blocks = [[block.view(y.shape + x.shape) for block, y in zip(entry.split(sizes, dim=0), outputs)] for entry, x in zip(full, points)]
    return tuple(zip(*blocks))


def bases(tensors: Tensors, sizes: Sequence[int]) -> Tensors:
    """The unit vectors of the space of all these Tensors together, split among them: each has as many rows as that space has dimensions."""
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    made = tuple(t.new_zeros((sum(sizes), size)) for t, size in zip(tensors, sizes))
    for chunk, start in zip(made, starts):
        chunk.diagonal(-start).fill_(1)
    return made

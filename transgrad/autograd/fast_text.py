"""Source fragments of the fast paths: results, edges, and nodes with their saved values."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .nodes import TO_NOWHERE, edge_of, next_seq
from .quiet import SILENCE, WARNINGS
from .rule_nodes import RuleNode, stand_for, stand_in
from .state import STATE
from .tensor import NO_VERSION, Tensor

__all__ = ["EDGE", "RESULT", "UNRECORDED", "indented", "made", "node_lines"]

_NAMES: dict[str, Any] = {
    "STATE": STATE, "Tensor": Tensor, "F64": np.dtype(np.float64), "F32": np.dtype(np.float32), "new": object.__new__,
    "ndarray": np.ndarray, "generic": np.generic, "asarray": np.asarray, "edge_of": edge_of, "TO_NOWHERE": TO_NOWHERE,
    "NO_VERSION": NO_VERSION, "next_seq": next_seq, "stand_for": stand_for, "stand_in": stand_in, "SILENCE": SILENCE, "WARNINGS": WARNINGS,
}
#: a Tensor ``t`` of the array or number ``r``
RESULT = """\
t = new(Tensor)
t._array = r if type(r) is ndarray else asarray(r)
t._counter = t._view = t._grad = t._more = None"""
#: the same where nothing is recorded
UNRECORDED = """\
t = new(Tensor)
t._array = r if type(r) is ndarray else asarray(r)
t._counter = STATE.born
t._edge = t._view = t._grad = t._more = None"""
#: the edge ``e<k>`` of the operand ``x<k>``; where it leads nowhere, or is that of an inference tensor, ``slow`` says what to do
EDGE = """\
e{k} = x{k}._edge
if x{k}._view is not None or e{k} is not None and type(e{k}) is not tuple:
    e{k} = edge_of(x{k})
    if e{k} is TO_NOWHERE or x{k}._counter is NO_VERSION: return {slow}"""


def node_lines(name: str, cls: type[RuleNode], metas: bool) -> str:
    """Make the node of a class and put it behind the result; the operands are ``x<k>`` with edges ``e<k>``.

    ``metas`` says whether the entries have to be made ones of the shapes and dtypes of the inputs.
    """
    edges = "".join(f"e{k}, " for k in cls._wanted)
    each = "".join(f"(x{k}._array.shape, x{k}._array.dtype), " for k in cls._wanted)
    lines = [f"n = new({name})", f"n._edges = ({edges})", "n._more = None", "n._seq = next_seq()",
             f"n.meta = ({each})" if metas else "n.meta = None"]
    for k, mode in enumerate(cls._modes):
        if mode == "value":
            lines += [f"n.a{k} = x{k}", f"c = x{k}._counter", f"n.v{k} = 0 if c is None else c[0]"]
        elif mode == "shape":
            lines += [f"n.a{k} = stand_for(x{k}._array)" if cls._reads_strides else
                      f"n.a{k} = stand_in(x{k}._array.shape, x{k}._array.dtype)"]
        elif mode == "constant":
            lines += [f"n.a{k} = x{k}"]
    if cls._keeps_y:
        lines += ["n.y = t._array", "n.counter = c = t.counter()", "n.version = c[0]"] if metas else \
            ["n.y = t._array", "n.counter = t._counter = [0]", "n.version = 0"]
    return "\n".join([*lines, "t._edge = (n, 0)", "return t"])


def indented(depth: int, *texts: str) -> list[str]:
    """The lines of source fragments, indented by a number of levels."""
    return ["    " * depth + line for text in texts for line in text.split("\n")]


def made(fn: Any, lines: list[str], names: dict[str, Any]) -> Callable[..., Any]:
    """Compile source and return its function ``op``, with the name of ``fn``."""
    space = {**_NAMES, **names}
    exec(compile("\n".join(lines), f"<fast {getattr(fn, '__name__', fn)}>", "exec"), space)
    op: Callable[..., Any] = space["op"]
    op.__name__ = op.__qualname__ = getattr(fn, "__name__", "op")
    return op

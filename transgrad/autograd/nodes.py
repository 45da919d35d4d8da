"""Nodes of the backward graph, and edges to them."""
from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..pickling import reentrant_lock
from .state import STATE

if TYPE_CHECKING:
    from .tensor import Tensor

__all__ = ["AccumulateGrad", "Edge", "NOWHERE", "Node", "NodeMore", "RESHAPED", "TO_NOWHERE", "attach", "edge_of", "first_reason",
           "keep_shape", "next_seq"]

Edge = tuple["Node", int]
next_seq: Callable[[], int] = itertools.count().__next__
_ACCUMULATORS = reentrant_lock()
LAST = 1 << 62      # AccumulateGrad runs as soon as it can


#: documented attributes of nodes and of the contexts of custom functions
_PUBLIC = frozenset((
    "_register_hook_dict", "_sequence_nr", "metadata", "name", "next_functions", "register_hook", "register_prehook", "requires_grad",
    "variable", "saved_tensors", "needs_input_grad", "save_for_backward", "save_for_forward", "mark_dirty", "mark_non_differentiable",
    "set_materialize_grads", "materialize_grads", "dirty_tensors", "non_differentiable",
))
_PACKAGE = __name__.rpartition(".")[0]


class NodeMore:
    """What few nodes have: hooks, by kind, and metadata."""

    __slots__ = ("metadata", "outputs", "post", "pre", "retain", "tensor_pre")

    def __init__(self) -> None:
        self.metadata: dict[Any, Any] = {}
        self.outputs: dict[int, tuple[tuple[int, ...], Any]] = {}      # shape and dtype, where they cannot be asked of the tensor
        self.post: dict[int, Any] = {}
        self.pre: dict[int, Any] = {}
        self.tensor_pre: dict[int, tuple[int, Any]] = {}       # hook id -> (output_nr, hook)
        self.retain: dict[int, Any] = {}        # output_nr -> weak reference of a tensor whose grad is retained


class Node:
    """A step of the backward graph.

    A subclass says how gradients with respect to outputs become those with respect to inputs: `apply` on arrays and
    `apply_graph` on Tensors; ``apply = None`` has the engine use `apply_graph` always.
    """

    __slots__ = ("__weakref__", "_edges", "_more", "_seq")
    _edges: tuple[Any, ...]
    _more: NodeMore | None
    _seq: int
    _name = ""
    _outputs = 1
    #: for each edge, whether `apply` returns a newly allocated array there, to which nothing else refers
    _owned: tuple[bool, ...] = ()
    #: whether its one entry consists of all elements of the incoming gradient, perhaps as a view
    _rearranges = False
    #: whether it computes the gradients of inputs too that none are wanted of
    _together = False
    #: whether the node is to run where nothing has arrived
    _runs_on_none = False
    #: which edge each input shows in `next_functions` (None: no grad), where that differs from ``_edges``
    _shown: tuple[int | None, ...] | None = None
    apply: Callable[..., Any] | None = None
    #: whether a backward that starts at an output has to be given its gradient
    _wants_gradient = True

    def __init__(self, edges: tuple[Any, ...] = ()) -> None:
        if type(self) is Node:
            raise TypeError("Can't instantiate abstract class Node: operations on tensors make nodes")
        self._edges = edges
        self._more = None
        self._seq = next_seq()
        if STATE.anomaly is not None:
            STATE.anomaly.created(self)

    def apply_graph(self, g: Any, keep: bool) -> tuple[Any, ...]:
        """Gradients of the inputs, one an edge, from those of the outputs, all Tensors."""
        raise NotImplementedError

    def release(self) -> None:
        """Release the saved values."""

    def more(self) -> NodeMore:
        """Hooks and metadata, made when first asked for."""
        if self._more is None:
            self._more = NodeMore()
        return self._more

    def name(self) -> str:
        """The name of the node, as torch's."""
        return self._name or type(self).__name__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {hex(id(self))}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        """A node is neither pickled nor copied."""
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    def __dir__(self) -> list[str]:
        """The attributes shown to users: the documented ones and their own."""
        known = set(Node.__dict__) - _PUBLIC
        mine = {name for kind in type(self).__mro__ if kind is not Node and kind.__module__.startswith(_PACKAGE) for name in kind.__dict__}
        return sorted(name for name in super().__dir__() if name.startswith("__") or name in _PUBLIC or name not in known | mine)

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dict for the user."""
        return self.more().metadata

    @property
    def next_functions(self) -> tuple[tuple["Node | None", int], ...]:
        """The nodes that made the inputs, with the number of the output; ``(None, 0)`` for one that requires no grad."""
        edges = [self._edges[k] if k is not None else None for k in self.shown()]
        return tuple(e if e is not None and e[0] is not _NOWHERE else (None, 0) for e in edges)

    def shown(self) -> tuple[int | None, ...]:
        """For each input as torch counts them the place of its edge; None for one without."""
        return self._shown if self._shown is not None else tuple(range(len(self._edges)))

    @property
    def requires_grad(self) -> bool:
        """Whether any input requires grad."""
        return any(e is not None for e in self._edges)

    def differentiable_outputs(self) -> int:
        """How many outputs, of the first ones, gradients may arrive at: hooks see these."""
        return self._outputs

    def _sequence_nr(self) -> int:
        return self._seq

    def __call__(self, *grads: Any) -> Any:
        """Compute the gradients of the inputs from those of the outputs."""
        count = self.differentiable_outputs()
        if len(grads) != count:
            raise TypeError(f"expected {count} arguments, got {len(grads)} instead")
        for k, g in enumerate(grads):
            if g is not None and not hasattr(g, "grad_fn"):
                raise TypeError(f"argument {k} is not a Variable, but of type {type(g).__name__}")
        if self._runs_on_none or any(g is not None for g in grads):
            grads += (None,) * (self._outputs - count)
            found = self.apply_graph(grads[0] if self._outputs == 1 else grads, True)
        else:
            found = (None,) * len(self._edges)
        given = tuple(None if k is None else found[k] for k in self.shown())
        return given[0] if len(given) == 1 else given

    def _register_hook_dict(self, tensor: "Tensor") -> None:
        """Run the hooks that a tensor has at the node."""
        for hook in tensor.more().hooks.values():
            self.more().tensor_pre[-1 - len(self.more().tensor_pre)] = (tensor.output_nr, hook)

    def register_hook(self, fn: Callable[..., Any]) -> Any:
        """Call ``fn(grad_inputs, grad_outputs)`` after the node has run; its result replaces ``grad_inputs``."""
        from .hooks import register
        return register(self.more().post, fn)

    def register_prehook(self, fn: Callable[..., Any]) -> Any:
        """Call ``fn(grad_outputs)`` before the node runs; its result replaces ``grad_outputs``."""
        from .hooks import register
        return register(self.more().pre, fn)


class AccumulateGrad(Node):
    """The node of a leaf: adds what arrives to ``variable.grad``."""

    __slots__ = ("variable",)
    variable: "Tensor"

    def __init__(self, variable: "Tensor"):
        self._edges, self._more, self._seq = (), None, LAST     # which takes no number of the nodes that operations make
        self.variable = variable
        if STATE.anomaly is not None:
            STATE.anomaly.created(self)

    def apply_graph(self, g: Any, keep: bool) -> tuple[Any, ...]:
        from .accumulate import accumulate
        return accumulate(self, g, STATE.grad)

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    @property
    def requires_grad(self) -> bool:
        return True


class Nowhere(Node):
    """Where gradients of views end that were made without recording: torch says that they require grad, and shows no node."""

    __slots__ = ()

    def apply(self, g: Any, keep: bool) -> tuple[Any, ...]:
        return ()

    def apply_graph(self, g: Any, keep: bool) -> tuple[Any, ...]:
        return ()


_NOWHERE = Nowhere()
#: the edge of a view that leads nowhere
TO_NOWHERE: Edge = (_NOWHERE, 0)


def NOWHERE() -> Node:
    """A stand-in for the weak reference to an accumulator."""
    return _NOWHERE


def edge_of(x: "Tensor") -> Edge | None:
    """Where the gradient of a tensor goes; None if it requires none."""
    if x._view is not None:
        x._view.refresh(x)
    edge = x._edge
    if edge is None or type(edge) is tuple:
        return edge
    node = edge()
    if node is None:
        with _ACCUMULATORS:     # graphs that several threads make on one leaf have one accumulator
            node = x._edge()
            if node is None:
                node = AccumulateGrad(x)
                x._edge = weakref.ref(node)
    return (node, 0) if node is not _NOWHERE else TO_NOWHERE


#: nodes of tensors that have been given another shape behind their history: what arrives there has to fit the shape they had
RESHAPED: "weakref.WeakSet[Node]" = weakref.WeakSet()


def keep_shape(x: "Tensor") -> None:
    """Has the node of a tensor remember its shape, before it gets another one that the history is not told of."""
    edge = x._edge if x._edge is None or type(x._edge) is tuple else (x._edge(), 0)
    if edge is not None and edge[0] is not None and edge[0] is not _NOWHERE:
        edge[0].more().outputs.setdefault(edge[1], (x._array.shape, x._array.dtype))
        RESHAPED.add(edge[0])


def first_reason(error: Exception, args: Iterable[Any], check: "Callable[[Tensor], None] | None" = None) -> Exception:
    """Why an operation is refused: what its operands' history says against it comes before ``error``, which the operation found.

    ``check`` asks that of the first operand, where the operation writes to it.
    """
    if STATE.grad and not STATE.inference:
        tensors: list[Tensor] = [t for t in args if hasattr(t, "_edge")]
        try:
            if [t for t in tensors if edge_of(t) is not None] and check is not None:
                check(tensors[0])
        except RuntimeError as found:
            return found
    return error


def attach(out: "Tensor", node: Node, output_nr: int = 0) -> None:
    """Make ``out`` a result of ``node``."""
    out._edge = (node, output_nr)

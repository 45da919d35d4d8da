"""`backward` and `grad`: the entrances to the backward sweep, and their checks."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import dtypes, engine
from .deprecated import warn_old_name
from .graph import GradientEdge
from .nodes import TO_NOWHERE, Nowhere, edge_of
from .size import Size
from .tensor import Tensor, wrap
from .warned import warn_once

__all__ = ["backward", "grad"]


def _listed(x: Any) -> list[Any]:
    return [x] if isinstance(x, (Tensor, GradientEdge)) else list(x)


def _target(x: Any) -> Any:
    """The edge where the gradient of an input is to be found; None if it requires none."""
    edge = _edge(x)
    return (Nowhere(), 0) if edge is TO_NOWHERE else edge       # one of its own, which is not reached


def _edge(x: Any) -> Any:
    """The edge of a Tensor or a GradientEdge."""
    if isinstance(x, Tensor):
        return edge_of(x._stored if x.is_sparse else x)
    if isinstance(x, GradientEdge):
        return (x.node, x.output_nr)
    raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(x).__name__}")


def _initial(outputs: list[Any], grads: list[Any], batched: bool = False) -> list[Tensor]:
    """The gradients to start with: those given, checked, and one for a scalar where none is."""
    found = [_one(k, out, g, batched) for k, (out, g) in enumerate(zip(outputs, grads))]
    if len(grads) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(grads)} gradients")
    return found


def _one(k: int, out: Any, g: Any, batched: bool) -> Tensor:
    if isinstance(out, GradientEdge):
        if g is None:
            return _at_edge(out)
        shape, dtype = out.node.more().outputs.get(out.output_nr, (None, None))
        return _checked(k, g, shape, dtype, batched)
    if not isinstance(out, Tensor):
        raise AssertionError(f"Expected output to be a torch.Tensor, got {type(out).__name__}")
    array = out._array
    if g is None:
        if not array.ndim and type(out._edge) is tuple and array.dtype.kind == "f" and out._view is None and out._edge[0]._wants_gradient:
            return wrap(np.ones((), array.dtype))
        if not out.requires_grad or type(out._edge) is tuple and not out._edge[0]._wants_gradient:
            return wrap(np.ones_like(array))
        if array.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if not dtypes.category(array.dtype) == dtypes.FLOATING:
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got torch.{array.dtype}")
        return wrap(np.ones_like(array))
    return _checked(k, g, array.shape, array.dtype, batched)


def _checked(k: int, g: Any, shape: tuple[int, ...] | None, dtype: Any, batched: bool) -> Tensor:
    """The gradient that was given for an output of this shape and dtype (None: not known), in that dtype."""
    if not isinstance(g, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    if shape is None:
        return g
    given = g._array.shape[1:] if batched else g._array.shape
    if given != shape:
        raise RuntimeError(f"Mismatch in shape: grad_output[{k}] has a shape of {g.shape} and output[{k}] has a shape of {Size(shape)}.")
    if (g._array.dtype.kind == "c") != (dtype.kind == "c") and dtypes.is_differentiable(dtype):
        raise RuntimeError("For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
                           f"grad_output[{k}] has a dtype of torch.{g._array.dtype} and output[{k}] has a dtype of torch.{dtype}.")
    return g if g._array.dtype == dtype or not dtypes.is_differentiable(dtype) else g.to(dtype)


def zeros_like(x: Tensor, requires_grad: bool) -> Tensor:
    return wrap(np.zeros_like(x._array)).requires_grad_(requires_grad)


def _at_edge(edge: GradientEdge) -> Tensor:
    """The gradient to start with at the edge of a scalar."""
    found = edge.node.more().outputs.get(edge.output_nr)
    if found is None or found[0] not in ((), (1,)):
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    return wrap(np.ones(*found))


def _roots(outputs: list[Any]) -> list[Any]:
    return [_root(k, out) for k, out in enumerate(outputs)]


def _root(k: int, out: Any) -> Any:
    edge = _edge(out)
    if edge is None or type(edge[0]) is Nowhere:
        raise RuntimeError(f"element {k} of tensors does not require grad and does not have a grad_fn")
    return edge


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
             grad_variables: Any = None, inputs: Any = None, retain_variables: bool | None = None) -> None:
    """Add the gradients of tensors to the ``.grad`` of the leaves that they depend on.

    Parameters
    ----------
    tensors : Tensor or sequence of Tensor
        The tensors to differentiate.
    grad_tensors : Tensor, None or sequence of them, optional
        The gradient with respect to each tensor. None stands for 1, for a scalar.
    retain_graph : bool, optional
        Whether saved values are kept for another backward pass; by default the value of ``create_graph``.
    create_graph : bool, default False
        Whether the backward pass is recorded, so that gradients can be differentiated.
    grad_variables, retain_variables
        Old names of ``grad_tensors`` and ``retain_graph``.
    inputs : Tensor or sequence of Tensor, optional
        The leaves whose ``.grad`` is updated; by default all.

    Raises
    ------
    RuntimeError
        If a tensor does not require grad, if a gradient is missing or has a wrong shape, or if saved tensors were freed or
        modified.

    Examples
    --------
    >>> import transgrad as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.backward((x ** 2).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    if grad_variables is not None:
        warn_old_name("grad_variables", "Use `grad_tensors` instead.")
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                               "Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    if retain_variables is not None:
        warn_old_name("retain_variables", "Use `retain_graph` instead.")
        retain_graph = retain_variables if retain_graph is None else retain_graph
    if inputs is not None and isinstance(inputs, (list, tuple)) and not inputs:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    if create_graph:
        warn_once("Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can "
                  "cause a memory leak. autograd.grad makes none; else set the .grad of the parameters to None after use.")
    outputs = _listed(tensors)
    given = [None] * len(outputs) if grad_tensors is None else _listed(grad_tensors)
    grads, roots = _initial(outputs, given), _roots(outputs)
    keep = create_graph if retain_graph is None else retain_graph
    targets = None
    if inputs is not None:
        targets = []
        for x in _listed(inputs):
            edge = _target(x)
            if edge is None:
                raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
            if isinstance(x, Tensor) and not x.is_leaf:
                x.retain_grad()
            targets.append(edge)
    engine.run(roots, grads, keep, create_graph, targets)


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
         only_inputs: bool = True, allow_unused: bool | None = None, is_grads_batched: bool = False,
         materialize_grads: bool = False) -> tuple[Tensor | None, ...]:
    """Return the gradients of outputs with respect to inputs.

    Parameters
    ----------
    outputs, inputs : Tensor or sequence of Tensor
        The tensors to differentiate, and those to differentiate with respect to.
    grad_outputs : Tensor, None or sequence of them, optional
        The vector in the vector-Jacobian product. None stands for 1, for a scalar.
    retain_graph, create_graph
        As for `backward`.
    only_inputs : bool
        An old option without effect; False emits a warning.
    allow_unused : bool, optional
        Whether an unused input has the gradient None instead of raising an error; by default the value of
        ``materialize_grads``.
    is_grads_batched : bool, default False
        Whether ``grad_outputs`` have an additional first dimension: a batch of vectors.
    materialize_grads : bool, default False
        Whether zeros replace None.

    Returns
    -------
    tuple of Tensor or None
        One gradient for each input.

    Raises
    ------
    RuntimeError
        As for `backward`, and if an input is not used.
    ValueError
        If ``materialize_grads`` is set and ``allow_unused`` is False.

    Examples
    --------
    >>> import transgrad as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.grad((x ** 3).sum(), x)
    (tensor([ 3., 12.]),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    if not only_inputs:
        import warnings
        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts "
                      "of the graph, please use torch.autograd.backward.", FutureWarning, stacklevel=2)
    outs, xs = _listed(outputs), _listed(inputs)
    if not xs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    given = [None] * len(outs) if grad_outputs is None else _listed(grad_outputs)
    keep = create_graph if retain_graph is None else retain_graph
    targets = []
    if is_grads_batched:
        from .batching import batched_grad
        return batched_grad(outs, xs, given, keep, create_graph, allow_unused, materialize_grads)
    grads, roots = _initial(outs, given), _roots(outs)
    for x in xs:
        edge = _target(x)
        if edge is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        targets.append(edge)
    found = engine.run(roots, grads, keep, create_graph, targets, collect=True)
    if not allow_unused and any(g is None for g in found):
        unused = [g is None for g in found].index(True)
        raise RuntimeError(f"The differentiated Tensor at index {unused} appears to not have been used in the graph. "
                           "Set allow_unused=True if this is the desired behavior.")
    for k, x in enumerate(xs):
        if type(x) is not Tensor and getattr(x, "is_sparse", False) and found[k] is not None:
            found[k] = x._like(found[k])
    if materialize_grads:
        found = [zeros_like(x, create_graph) if g is None else g for g, x in zip(found, xs)]
    return tuple(found)

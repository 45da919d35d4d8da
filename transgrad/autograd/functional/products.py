"""Products of the Jacobian and of the Hessian with a vector, from either side."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from ..tensor import Tensor
from .arguments import Tensors, call, detached, given_inputs, like_given, vector
from .derivatives import gradients
from .strict import filled, require_grad

__all__ = ["hvp", "jvp", "vhp", "vjp"]

_NEEDS_V = "The vector v can only be None if the {} a single Tensor with a single element."
_NO_V_IN = _NEEDS_V.format("input to the user-provided function is")
_NO_V_OUT = _NEEDS_V.format("user-provided function returns")


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """Compute the product of a vector and the Jacobian of ``func`` at ``inputs``.

    Parameters
    ----------
    func : callable
        A function of Tensors that returns a Tensor or a tuple of Tensors.
    inputs : Tensor or tuple of Tensors
        The point.
    v : Tensor or tuple of Tensors, optional
        The vector, shaped like the output; optional if the output is one number, and then 1.
    create_graph : bool
        Whether the results can be differentiated further.
    strict : bool
        Whether an output that does not depend on an input is an error instead of giving zeros.

    Returns
    -------
    output, vjp
        ``func(*inputs)``, and the product, shaped like the inputs.

    Raises
    ------
    TypeError
        If inputs, outputs or the vector are not Tensors or tuples of Tensors (lists are not accepted).
    RuntimeError
        If the vector has a wrong size or is missing, or if ``strict`` is set and an output does not depend on an input.

    Examples
    --------
    >>> import transgrad as tg
    >>> vjp(lambda x, y: 2 * x + 3 * y, (tg.ones(2), tg.ones(2)), tg.ones(2))
    (tensor([5., 5.]), (tensor([2., 2.]), tensor([3., 3.])))
    """
    with enable_grad():
        points, were_tuple = given_inputs(inputs, "vjp", create_graph)
        outputs, out_tuple = call(func, points, "vjp")
        require_grad(outputs, "outputs", strict)
        vectors = vector(v, "vjp", outputs, out_tuple, create_graph, _NO_V_OUT)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        product = filled(gradients(outputs, points, vectors, create_graph=create_graph), points, strict, create_graph, "back")
    return _results(outputs, out_tuple, product, were_tuple, create_graph)


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """Compute the product of the Jacobian of ``func`` at ``inputs`` and a vector.

    It is computed as the derivative of a `vjp` with respect to its vector. `transgrad.autograd.forward_ad` computes the same in one
    pass.

    Parameters
    ----------
    func, inputs, create_graph, strict
        As in `vjp`.
    v : Tensor or tuple of Tensors, optional
        The vector, shaped like the inputs; optional if the input is one number, and then 1.

    Returns
    -------
    output, jvp
        ``func(*inputs)``, and the product, shaped like the output.

    Raises
    ------
    TypeError, RuntimeError
        As for `vjp`.

    Examples
    --------
    >>> import transgrad as tg
    >>> jvp(lambda x: x.exp().sum(dim=1), tg.zeros(2, 2), tg.ones(2, 2))
    (tensor([2., 2.]), tensor([2., 2.]))
    """
    with enable_grad():
        points, were_tuple = given_inputs(inputs, "jvp", create_graph)
        vectors = vector(v, "jvp", points, were_tuple, create_graph, _NO_V_IN)
        outputs, out_tuple = call(func, points, "jvp")
        require_grad(outputs, "outputs", strict)
        seeds = tuple(y.new_zeros(y.shape, requires_grad=True) for y in outputs)
        linear = gradients(outputs, points, seeds, create_graph=True)
        require_grad(linear, "grad_inputs", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        product = filled(gradients(linear, seeds, vectors, create_graph=create_graph), outputs, strict, create_graph, "back_trick")
    return _results(outputs, out_tuple, product, out_tuple, create_graph)


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """Compute the product of a vector and the Hessian of ``func`` at ``inputs``.

    Parameters
    ----------
    func : callable
        A function of Tensors that returns a Tensor with a single element.
    inputs, create_graph, strict
        As in `vjp`.
    v : Tensor or tuple of Tensors, optional
        The vector, shaped like the inputs; optional if the input is one number, and then 1.

    Returns
    -------
    output, vhp
        ``func(*inputs)``, and the product, shaped like the inputs.

    Raises
    ------
    TypeError, RuntimeError
        As for `vjp`, and if ``func`` returns a tuple or more than one element.

    Examples
    --------
    >>> import transgrad as tg
    >>> vhp(lambda x: x.pow(3).sum(), tg.ones(2), tg.ones(2))
    (tensor(2.), tensor([6., 6.]))
    """
    with enable_grad():
        points, were_tuple, vectors, outputs, first = _first_derivative(func, inputs, v, "vhp", create_graph, strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        product = filled(gradients(first, points, vectors, create_graph=create_graph), points, strict, create_graph, "double_back")
    return _results(outputs, False, product, were_tuple, create_graph)


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """Compute the product of the Hessian of ``func`` at ``inputs`` and a vector.

    If the second derivatives are continuous, the Hessian is symmetric, and `vhp` gives the same result faster.

    Parameters
    ----------
    func, inputs, v, create_graph, strict
        As in `vhp`.

    Returns
    -------
    output, hvp
        ``func(*inputs)``, and the product, shaped like the inputs.

    Raises
    ------
    TypeError, RuntimeError
        As for `vhp`.

    Examples
    --------
    >>> import transgrad as tg
    >>> hvp(lambda x: x.pow(3).sum(), tg.ones(2), tg.ones(2))
    (tensor(2.), tensor([6., 6.]))
    """
    with enable_grad():
        points, were_tuple, vectors, outputs, first = _first_derivative(func, inputs, v, "hvp", create_graph, strict)
        seeds = tuple(x.new_zeros(x.shape, requires_grad=True) for x in points)
        linear = gradients(first, points, seeds, create_graph=True)
        require_grad(linear, "hessian", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        product = filled(gradients(linear, seeds, vectors, create_graph=create_graph), points, strict, create_graph, "double_back_trick")
    return _results(outputs, False, product, were_tuple, create_graph)


def _first_derivative(func: Callable[..., Any], inputs: Any, v: Any, where: str, create_graph: bool,
                      strict: bool) -> tuple[Tensors, bool, Tensors | None, Tensors, Any]:
    """What both products with the Hessian start from: inputs, vector, output, and the gradient as a part of the graph."""
    points, were_tuple = given_inputs(inputs, where, create_graph)
    vectors = vector(v, where, points, were_tuple, create_graph, _NO_V_IN)
    outputs, out_tuple = call(func, points, where)
    require_grad(outputs, "outputs", strict)
    require_single(outputs, out_tuple, where)
    first = gradients(outputs, points, create_graph=True)
    require_grad(first, "jacobian", strict)
    return points, were_tuple, vectors, outputs, first


def require_single(outputs: Tensors, out_tuple: bool, where: str) -> None:
    """Refuse a function whose Hessian would have more dimensions than one."""
    if out_tuple or not isinstance(outputs[0], Tensor):
        raise RuntimeError(f"The function given to {where} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {where} should contain a single element")


def _results(outputs: Tensors, out_tuple: bool, product: Tensors, product_tuple: bool, create_graph: bool) -> tuple[Any, Any]:
    return like_given(detached(outputs, create_graph), out_tuple), like_given(detached(product, create_graph), product_tuple)

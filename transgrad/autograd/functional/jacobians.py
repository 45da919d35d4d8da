"""Whole Jacobians and Hessians: a row for each sweep, or all rows (or columns) at once under `vmap`."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..batching import vmap
from ..forward_ad import dual_level, make_dual, unpack_dual
from ..grad_mode import enable_grad
from ..tensor import Tensor
from .arguments import Tensors, as_tuple, call, detached, given_inputs, like_given
from .products import require_single
from .rows import all_rows, bases, row_by_row
from .strict import require_grad

__all__ = ["hessian", "jacobian"]

_STRATEGIES = ("forward-mode", "reverse-mode")
_NOT_TOGETHER = "torch.autograd.functional.jacobian: `{one}` and `{other}` are not supported together. Set one of them to its default."


def jacobian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
             strategy: str = "reverse-mode") -> Any:
    """Compute the Jacobian of a function.

    Parameters
    ----------
    func : callable
        A function of Tensors that returns a Tensor or a tuple of Tensors.
    inputs : Tensor or tuple of Tensors
        The point.
    create_graph : bool
        Whether the result can be differentiated further (reverse mode only).
    strict : bool
        Whether an output that does not depend on an input is an error instead of giving zeros (not with ``vectorize``).
    vectorize : bool
        Whether all rows are computed by one sweep under `vmap` instead of a sweep a row.
    strategy : {"reverse-mode", "forward-mode"}
        Whether rows are computed by reverse mode or columns by forward mode. Forward mode needs ``vectorize``, and is faster if there are
        more outputs than inputs.

    Returns
    -------
    Tensor or tuple
        ``jacobian[i][j]`` belongs to output ``i`` and input ``j`` and has the shape of the one followed by that of the other; a level of
        tuples (of lists where forward mode is given a tuple, as in torch) is left out where the function returns, or takes, a bare Tensor.

    Raises
    ------
    AssertionError
        If the strategy is unknown.
    NotImplementedError
        For forward mode with ``create_graph`` or without ``vectorize``.
    TypeError
        If inputs or outputs are not Tensors or tuples of Tensors.
    RuntimeError
        If ``strict`` is set and an output does not depend on an input.

    Examples
    --------
    >>> import transgrad as tg
    >>> jacobian(lambda x: x.exp().sum(dim=1), tg.zeros(2, 2))
    tensor([[[1., 1.],
             [0., 0.]],
    <BLANKLINE>
            [[0., 0.],
             [1., 1.]]])
    """
    if strategy not in _STRATEGIES:
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode". Hint: the former is the cheaper one for '
                             f"functions with more outputs than inputs. Got {strategy!r}.")
    if strategy == "forward-mode":
        return _columns(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        points, were_tuple = given_inputs(inputs, "jacobian", create_graph)
        outputs, out_tuple = call(func, points, "jacobian")
        require_grad(outputs, "outputs", strict)
        if vectorize and strict:
            raise RuntimeError(_NOT_TOGETHER.format(one="strict=True", other="vectorized=True"))
        table = all_rows(outputs, points, create_graph) if vectorize else row_by_row(outputs, points, create_graph, strict)
    return _like_given(detached(table, create_graph), out_tuple, were_tuple)


def hessian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
            outer_jacobian_strategy: str = "reverse-mode") -> Any:
    """Compute the Hessian of a function that returns one number.

    Parameters
    ----------
    func : callable
        A function of Tensors that returns a Tensor with a single element.
    inputs, create_graph, strict, vectorize
        As in `jacobian`.
    outer_jacobian_strategy : {"reverse-mode", "forward-mode"}
        The mode of the second derivative; the first is by reverse mode.

    Returns
    -------
    Tensor or tuple
        ``hessian[i][j]`` has the shape of input ``i`` followed by that of input ``j``; a bare Tensor for a bare input.

    Raises
    ------
    AssertionError, NotImplementedError, TypeError, RuntimeError
        As for `jacobian`; also RuntimeError if ``func`` returns a tuple or more than one element.

    Examples
    --------
    >>> import transgrad as tg
    >>> hessian(lambda x: x.pow(3).sum(), tg.ones(2))
    tensor([[6., 0.],
            [0., 6.]])
    """
    _, were_tuple = as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in _STRATEGIES:
        raise AssertionError(f'Expected strategy to be either "forward-mode" or "reverse-mode", not {outer_jacobian_strategy!r}.')

    def number(*points: Tensor) -> Tensor:
        outputs, out_tuple = call(func, points, "hessian")
        require_grad(outputs, "outputs", strict)
        require_single(outputs, out_tuple, "hessian")
        return outputs[0].squeeze()       # type: ignore[no-any-return]

    def first(*points: Tensor) -> Tensors:
        if outer_jacobian_strategy == "forward-mode":       # dual numbers are no leaves of the graph until they ask for gradients
            points = tuple(p.requires_grad_(True) for p in points)
        row: Tensors = jacobian(number, points, create_graph=True)
        require_grad(row, "jacobian", strict)
        return row

    table = jacobian(first, inputs, create_graph=create_graph, strict=strict, vectorize=vectorize, strategy=outer_jacobian_strategy)
    return table if were_tuple else table[0]


def _like_given(table: Sequence[Sequence[Tensor]], out_tuple: bool, in_tuple: bool) -> Any:
    return like_given(table if in_tuple else tuple(row[0] for row in table), out_tuple)


def _columns(func: Callable[..., Any], inputs: Any, create_graph: bool, strict: bool, vectorize: bool) -> Any:
    """The Jacobian by forward mode, under `vmap` over the directions."""
    for given, option in ((create_graph, "create_graph=True"), (strict, "strict=True")):
        if given:
            kind = NotImplementedError if option.startswith("create") else RuntimeError
            raise kind(_NOT_TOGETHER.format(one=option, other='strategy="forward-mode"'))
    points, were_tuple = as_tuple(inputs, "inputs", "jacobian")
    if not vectorize:
        raise NotImplementedError("Computing Jacobian using forward-AD or forward-over-reverse Hessian is only implemented for "
                                  "`vectorize=True`.")
    sizes = [x.numel() for x in points]
    seen: list[tuple[Tensors, bool]] = []

    def column(directions: Sequence[Tensor]) -> Tensors:
        with dual_level():
            duals = tuple(make_dual(x, d.view_as(x)) for x, d in zip(points, directions))
            outputs, out_tuple = call(func, duals, "jacobian")
            pairs = [unpack_dual(y) for y in outputs]
            seen.append((tuple(p.primal for p in pairs), out_tuple))
            return tuple(p.primal.new_zeros(p.primal.shape) if p.tangent is None else p.tangent for p in pairs)

    columns = vmap(column)(bases(points, sizes))
    outputs, out_tuple = seen[0]
    table = [[block.movedim(0, -1).reshape((*y.shape, *x.shape)) for block, x in zip(entry.split(sizes, dim=0), points)]
             for entry, y in zip(columns, outputs)]
    return _like_given(table, out_tuple, were_tuple)

"""`gradcheck` and `gradgradcheck`: their options, and the order of their checks."""
from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import dtypes
from ..backward import grad
from ..deprecated import warn_old_name
from ..sparse.checking import of_stored_values, refuse_sparse
from ..tensor import Tensor, wrap
from .arrays import as_tuple, require_grad
from .case import Options, backward_cases, forward_cases
from .checks import batched_backward, batched_forward, multiplied_by_cotangent, undefined_backward, undefined_forward
from .compare import compare
from .errors import GradcheckError

__all__ = ["gradcheck", "gradgradcheck"]


def gradcheck(func: Callable[..., Any], inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
              raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
              check_batched_grad: bool = False, check_batched_forward_grad: bool = False, check_forward_ad: bool = False,
              check_backward_ad: bool = True, fast_mode: bool = False, masked: bool | None = None,
              check_sparse_nnz: bool | None = None) -> bool:
    """Check the derivatives of a function against central differences.

    A complex output is checked by its real and its imaginary part, a complex input by the conjugate Wirtinger derivative.  The defaults
    suit double precision; inputs must not overlap in memory.

    Parameters
    ----------
    func : callable
        A function of ``inputs`` that returns a Tensor or a tuple of Tensors.
    inputs : Tensor or sequence
        The point. Tensors that require gradients are varied.
    eps, atol, rtol : float
        The step of the differences, and the tolerances.
    raise_exception : bool
        Whether a failure raises an error instead of returning False.
    nondet_tol : float
        The tolerance for differences between two backward passes.
    check_undefined_grad : bool
        Whether to check that missing gradients and tangents count as zeros.
    check_grad_dtypes : bool
        Whether a gradient must have the dtype of its input.
    check_batched_grad, check_batched_forward_grad : bool
        Whether derivatives are also compared with those under `vmap`.
    check_forward_ad, check_backward_ad : bool
        Which modes are checked.
    fast_mode : bool
        Whether random projections of Jacobians are compared instead of the Jacobians.
    masked : bool, optional
        For sparse inputs: whether only stored values are varied.
    check_sparse_nnz : bool, optional
        Old name of ``masked``.

    Returns
    -------
    bool
        True; False for a failure without ``raise_exception``.

    Raises
    ------
    GradcheckError
        If a check fails. For Jacobians the message contains the numerical and the analytical one.
    ValueError, RuntimeError, AssertionError
        If inputs cannot be checked or options contradict each other.

    Examples
    --------
    >>> import transgrad as tg
    >>> gradcheck(lambda x: x.sin() * x, tg.ones(2, dtype=tg.float64, requires_grad=True))
    True
    """
    _require(check_forward_ad or check_backward_ad, "Expected at least one of check_forward_ad or check_backward_ad to be True")
    _require(check_backward_ad or not check_batched_grad, "Setting check_batched_grad=True requires check_backward_ad to be True")
    _require(check_forward_ad or not check_batched_forward_grad,
             "Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    if check_sparse_nnz is not None:
        warn_old_name("check_sparse_nnz", "Use `masked` instead.")
        masked = check_sparse_nnz
    options = Options(eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode)
    try:
        func, given = of_stored_values(func, as_tuple(inputs), bool(masked))
        _check_inputs(given)
        returned = as_tuple(func(*given))
        refuse_sparse(returned)
        if check_backward_ad:
            for case in backward_cases(func, given, returned):
                compare(case, options)
        if check_forward_ad:
            for case in forward_cases(func, given, returned):
                compare(case, options)
                if check_undefined_grad:
                    undefined_forward(case)
        if check_batched_forward_grad:
            batched_forward(func, given)
        outputs = [y for _, y in require_grad(returned)]
        if check_backward_ad and outputs:
            _check_backward(func, given, outputs, check_batched_grad, check_undefined_grad, bool(masked))
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, *, eps: float = 1e-6, atol: float = 1e-5,
                  rtol: float = 1e-3, gen_non_contig_grad_outputs: bool = False, raise_exception: bool = True, nondet_tol: float = 0.0,
                  check_undefined_grad: bool = True, check_grad_dtypes: bool = False, check_batched_grad: bool = False,
                  check_fwd_over_rev: bool = False, check_rev_over_rev: bool = True, fast_mode: bool = False, masked: bool = False) -> bool:
    """Check second derivatives: `gradcheck` of the gradients of ``func`` as functions of its inputs and of ``grad_outputs``.

    Parameters
    ----------
    func, inputs
        As in `gradcheck`.
    grad_outputs : Tensor or sequence of Tensors, optional
        The cotangents of the outputs; random ones between -1 and 1 by default.
    gen_non_contig_grad_outputs : bool
        Whether random cotangents are not contiguous in memory.
    check_fwd_over_rev, check_rev_over_rev : bool
        The modes that are checked for the derivative of the gradients.
    eps, atol, rtol, raise_exception, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad, fast_mode, masked
        As in `gradcheck`.

    Returns
    -------
    bool
        As `gradcheck`.

    Raises
    ------
    GradcheckError, ValueError, RuntimeError, AssertionError
        As `gradcheck`.

    Examples
    --------
    >>> import transgrad as tg
    >>> gradgradcheck(lambda x: x.sin() * x, tg.ones(2, dtype=tg.float64, requires_grad=True))
    True
    """
    _require(check_fwd_over_rev or check_rev_over_rev, "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    _require(check_rev_over_rev or not check_undefined_grad, "Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    _require(check_rev_over_rev or not check_batched_grad, "Setting check_batched_grad=True requires check_rev_over_rev to be True")
    points = as_tuple(inputs)
    if grad_outputs is None:
        cotangents = tuple(_random_like(y, gen_non_contig_grad_outputs) for _, y in require_grad(as_tuple(func(*points))))
    else:
        cotangents = as_tuple(grad_outputs)
    varied = {i for i, _ in require_grad([*points, *cotangents])}

    def gradients(*args: Any) -> tuple[Tensor, ...]:
        # in forward mode the arguments come as dual numbers that do not require gradients
        again = [x.requires_grad_() if i in varied else x for i, x in enumerate(args)]
        xs, vs = again[:len(points)], again[len(points):]
        outputs = [y for _, y in require_grad(as_tuple(func(*xs)))]
        found = grad(outputs, [x for i, x in enumerate(xs) if i in varied], vs, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(gradients, points + cotangents, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception, nondet_tol=nondet_tol,
                     check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes, check_batched_grad=check_batched_grad,
                     check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev, fast_mode=fast_mode, masked=masked)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def _check_inputs(inputs: Sequence[Any]) -> None:
    varied = require_grad(inputs)
    for i, x in varied:
        if x.dtype not in (dtypes.float64, dtypes.complex128):
            warnings.warn(f"Input #{i} requires gradient and is not a double precision floating point or complex. This check will likely "
                          f"fail if all the inputs are not of double precision floating point or complex.", stacklevel=3)
        if x.numel() and any(step == 0 and size > 1 for step, size in zip(x.stride(), x.size())):
            raise RuntimeError(f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping "
                               f"to be able to compute the numerical gradients correctly. You should call .contiguous on the input before "
                               f"passing it to gradcheck.")
    if not varied:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.")


def _check_backward(func: Callable[..., Any], inputs: Sequence[Any], outputs: Sequence[Tensor], batched: bool, undefined: bool,
                    masked: bool) -> None:
    sources = [x for _, x in require_grad(inputs)]
    if batched:
        for k, y in enumerate(outputs):
            batched_backward(y, sources, k)
    multiplied_by_cotangent(outputs, sources, masked)
    if undefined:
        undefined_backward(func, inputs, sources)


def _random_like(y: Tensor, strided: bool) -> Tensor:
    """Random numbers between -1 and 1, every other element of a larger block of memory if ``strided``."""
    shape = (*y.shape[:-1], 2 * y.shape[-1]) if strided and y.ndim else tuple(y.shape)
    values = np.random.default_rng(0).uniform(-1, 1, (2 if y.is_complex() else 1, *shape))
    made = wrap(np.asarray(values[0] + 1j * values[1] if y.is_complex() else values[0])).to(y.dtype)
    return (made[..., ::2] if shape != tuple(y.shape) else made).requires_grad_()       # type: ignore[no-any-return]

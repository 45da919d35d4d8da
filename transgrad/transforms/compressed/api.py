"""`sparse_jacobian` and `sparse_hessian`, as the user calls them."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..options import Optimize, Options
from .derivative import SparseDerivative, SparseHessian, SparseJacobian

__all__ = ["sparse_hessian", "sparse_jacobian"]


def sparse_jacobian(f: Callable[..., Any] | None = None, argnums: int | Sequence[int] = 0, *, argnames: str | Sequence[str] | None = None,
                    sparsity: Any = None, fallback: str = "tape", backend: str = "numpy", optimize: Optimize = True) -> Any:
    """The Jacobian of a function as a sparse matrix, in as many sweeps as its pattern needs colours.

    The pattern is found by running the function's IR once on sets of inputs, along the path that these arguments take.  **It holds
    every non-zero**: where little is known of a function, each entry of its result is taken to depend on everything that went in;
    what cannot be looked through is refused.  It is kept for the next call where no branch, index or length of a loop was decided
    by a number that may differ then, and found again where one was.  Columns (or rows, where that takes fewer) that
    share no row are found by one product with their sum, forward (or in reverse).

    Parameters
    ----------
    f : callable
        The function, of real numbers and arrays.  Left out, ``sparse_jacobian`` is a decorator.
    argnums, argnames, fallback, backend, optimize
        As for `grad`.
    sparsity : array_like or sparse array, optional
        The pattern, if you know it: non-zero where the matrix may be.  It is checked by one product with a random vector.

    Returns
    -------
    SparseDerivative
        A function with the signature of ``f`` that returns a `scipy.sparse.csr_array`, one row for each entry of the output
        and one column for each of the argument, in the order of `numpy.ravel`, leaf by leaf; for several arguments a tuple.
        Its method ``pattern`` takes the same arguments and returns where the non-zeros may be.

    Raises
    ------
    UnsupportedCall
        When the pattern cannot be found; pass ``sparsity`` then.
    ValueError
        When ``sparsity`` has another shape, or misses a non-zero.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> def steps(x):
    ...     return x[1:] ** 2 - x[:-1]
    >>> jacobian = tg.sparse_jacobian(steps)
    >>> jacobian(np.array([1.0, 2.0, 3.0])).toarray()
    array([[-1.,  4.,  0.],
           [ 0., -1.,  6.]])
    >>> jacobian.pattern(np.ones(3)).nnz
    4
    """
    return _made(SparseJacobian, f, argnums, argnames, sparsity, Options(fallback, backend, optimize))


def sparse_hessian(f: Callable[..., Any] | None = None, argnums: int | Sequence[int] = 0, *, argnames: str | Sequence[str] | None = None,
                   sparsity: Any = None, fallback: str = "tape", backend: str = "numpy", optimize: Optimize = True) -> Any:
    """The second derivatives of a function that returns one number, as a sparse matrix.

    As `sparse_jacobian`, of the gradient: the pattern is that of the gradient's IR, made symmetric, and star colouring makes use
    of the symmetry.  A Hessian vector product, forward over reverse, is computed for each colour.

    Parameters
    ----------
    f : callable
        The function, of real numbers and arrays.  Left out, ``sparse_hessian`` is a decorator.
    argnums, argnames, sparsity, fallback, backend, optimize
        As for `sparse_jacobian`.

    Returns
    -------
    SparseDerivative
        A function with the signature of ``f`` that returns a `scipy.sparse.csr_array`; for several arguments a tuple of tuples.
        Its method ``pattern`` takes the same arguments and returns where the non-zeros may be.

    Raises
    ------
    UnsupportedCall, ValueError
        As for `sparse_jacobian`.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> def chain(x):
    ...     return np.sum(x[1:] * x[:-1] ** 2)
    >>> tg.sparse_hessian(chain)(np.array([1.0, 2.0, 3.0])).toarray()
    array([[4., 2., 0.],
           [2., 6., 4.],
           [0., 4., 0.]])
    """
    return _made(SparseHessian, f, argnums, argnames, sparsity, Options(fallback, backend, optimize))


def _made(cls: type[SparseDerivative], f: Callable[..., Any] | None, *how: Any) -> Any:
    return cls(f, *how) if f is not None else lambda f: cls(f, *how)

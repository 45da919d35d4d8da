"""`sparse_jacobian` and `sparse_hessian`, as the user calls them."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..options import Optimize, Options
from .derivative import SparseDerivative, SparseHessian, SparseJacobian

__all__ = ["sparse_hessian", "sparse_jacobian"]


def sparse_jacobian(f: Callable[..., Any] | None = None, argnums: int | Sequence[int] = 0, *, argnames: str | Sequence[str] | None = None,
                    sparsity: Any = None, fallback: str = "tape", backend: str = "numpy", optimize: Optimize = True) -> Any:
    """Return a function that computes a Jacobian as a sparse matrix, with one sweep for each color of its pattern.

    The sparsity pattern is found by evaluating the IR of the function on sets of input indices, along the path that the
    arguments take. **It contains every nonzero.** It is reused for later calls of the same shapes, unless a branch, an index
    or a trip count depends on a value. Columns that share no row have the same color, and one product with their sum computes
    all of them; if rows need fewer colors, the sweeps are reversed.

    Parameters
    ----------
    f : callable
        The function of real numbers and arrays. If it is omitted, ``sparse_jacobian`` returns a decorator.
    argnums, argnames, fallback, backend, optimize
        As for `grad`.
    sparsity : array_like or sparse array, optional
        The pattern, if it is known: nonzero where the matrix may be. One product with a random vector checks it.

    Returns
    -------
    SparseDerivative
        A function with the signature of ``f`` that returns a `scipy.sparse.csr_array` with one row for each element of the
        output and one column for each element of the argument, in the order of `numpy.ravel`, leaf by leaf; for several
        arguments a tuple. Its method ``pattern`` takes the same arguments and returns the pattern.

    Raises
    ------
    UnsupportedCall
        If the pattern cannot be found. Pass ``sparsity``.
    ValueError
        If ``sparsity`` has a wrong shape or misses a nonzero.

    References
    ----------
    T. Coleman and J. Moré, "Estimation of sparse Hessian matrices and graph coloring problems", *Mathematical Programming*
    28, 1984. A. Gebremedhin, F. Manne and A. Pothen, "What color is your Jacobian?", *SIAM Review* 47(4), 2005.

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
    """Return a function that computes a Hessian as a sparse matrix, with one sweep for each color of its pattern.

    The pattern is found as for `sparse_jacobian`, from the IR of the gradient. Star coloring uses the symmetry. One
    Hessian-vector product is computed for each color.

    Parameters
    ----------
    f : callable
        The scalar function of real numbers and arrays. If it is omitted, ``sparse_hessian`` returns a decorator.
    argnums, argnames, sparsity, fallback, backend, optimize
        As for `sparse_jacobian`.

    Returns
    -------
    SparseDerivative
        A function with the signature of ``f`` that returns a `scipy.sparse.csr_array`; for several arguments a tuple of
        tuples. Its method ``pattern`` takes the same arguments and returns the pattern.

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

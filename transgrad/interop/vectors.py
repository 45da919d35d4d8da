"""Functions of nested parameters as functions of one flat vector, with their derivatives: what numerical libraries call.

Floating-point leaves of the parameters make up the vector; all other leaves are constants.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import tree
from ..transforms.arguments import name_of
from ..transforms.derivative import Derivative
from ..transforms.jacobian.jacobians import Hessian, Jacobian
from ..transforms.options import Options
from ..transforms.seeds import is_active
from ..transforms.sparse.derivative import SparseJacobian
from ..transforms.transformations import Product, Reverse
from .operations import Operation, operation
from .outputs import outputs_of

__all__ = ["Space", "VectorFunction", "as_floats", "as_vector"]

Vector = NDArray[np.float64]


def as_vector(value: Any) -> Vector:
    """Return the numbers in a result as one vector, leaf by leaf."""
    if isinstance(value, np.ndarray):
        return np.asarray(value, np.float64).ravel()
    return np.concatenate([np.asarray(leaf, np.float64).ravel() for leaf in tree.flatten(value, objects=True)[0]] or [np.zeros(0)])


def as_floats(params: Any) -> Any:
    """Return parameters that are one integer or one array of integers as floats, as SciPy does; integers in structures are constants.

    Examples
    --------
    >>> as_floats(2), as_floats(np.array([1, 2])), as_floats({"n": 1})
    (2.0, array([1., 2.]), {'n': 1})
    """
    if isinstance(params, (int, np.integer)) and not isinstance(params, bool):
        return float(params)
    return params.astype(np.float64) if isinstance(params, np.ndarray) and params.dtype.kind in "iu" else params


class Space:
    """The structure of parameters, and its relation to a vector.

    Examples
    --------
    >>> space = Space({"a": 1.0, "b": np.ones((2, 2)), "name": "x"})
    >>> space.pack({"a": 2.0, "b": np.zeros((2, 2)), "name": "x"})
    array([2., 0., 0., 0., 0.])
    >>> space.unpack(np.arange(5.0))["b"]
    array([[1., 2.],
           [3., 4.]])
    """

    def __init__(self, params: Any, name: str = "params"):
        self.leaves, self.form = tree.flatten(params, objects=True)
        self.places = tuple(k for k, leaf in enumerate(self.leaves) if is_active(leaf))
        if not self.places:
            raise TypeError(f"{name} contains no floating-point number or array. Hint: pass 1.0 instead of 1")
        for k in self.places:
            if np.iscomplexobj(self.leaves[k]):
                path = tree.leaves_with_paths(params, name, objects=True)[k][0]
                raise TypeError(f"{path} is complex, but SciPy's solvers take real numbers. "
                                "Hint: pass its real and imaginary parts")
        self.shapes = [np.shape(self.leaves[k]) for k in self.places]
        self.ends = np.cumsum([int(np.prod(s)) for s in self.shapes]).tolist()

    @property
    def size(self) -> int:
        """The length of the vector."""
        return int(self.ends[-1])

    def pack(self, params: Any) -> Vector:
        """Return the vector of parameters with this structure."""
        leaves, form = tree.flatten(params, objects=True)
        if form != self.form:
            raise ValueError(f"expected the structure {self.form}, got {form}")
        return np.concatenate([np.asarray(leaves[k], np.float64).ravel() for k in self.places])

    def fill(self, x: NDArray[Any]) -> list[Any]:
        """Return the leaves for a vector, in new memory."""
        x = np.array(x, np.float64)
        found, start = list(self.leaves), 0
        for k, shape, end in zip(self.places, self.shapes, self.ends):
            like = self.leaves[k]
            piece = x[start:end].reshape(shape)
            found[k] = piece.astype(like.dtype, copy=False) if isinstance(like, np.ndarray) else type(like)(piece[()])
            start = end
        return found

    def unpack(self, x: NDArray[Any]) -> Any:
        """Return the parameters for a vector."""
        return tree.unflatten(self.form, self.fill(x))

    def split(self, x: NDArray[Any]) -> list[Any]:
        """Return the differentiable leaves for a vector."""
        found = self.fill(x)
        return [found[k] for k in self.places]

    def spread(self, value: Any, missing: float) -> Vector:
        """Return a vector from a number for all entries, or from a structure of numbers that broadcast; None is ``missing``."""
        if value is None or isinstance(value, (int, float)):
            return np.full(self.size, missing if value is None else float(value))
        if len(self.leaves) == 1 and self.form == tree.structure(0.0):      # one array: a list is one too
            value = np.asarray(value, object)
        leaves, form = tree.flatten(value, objects=True)
        if form != self.form:
            raise ValueError(f"expected the structure {self.form}, got {form}")
        return np.concatenate([np.broadcast_to(_numbers(leaves[k], missing), shape).ravel() for k, shape in zip(self.places, self.shapes)])


def _numbers(leaf: Any, missing: float) -> Vector:
    """An array of bounds, with ``missing`` in place of None."""
    given = np.asarray(leaf, object)
    return np.array([missing if entry is None else float(entry) for entry in given.ravel()]).reshape(given.shape)


class VectorFunction:
    """A function of parameters of any structure, and its derivatives, as functions of a vector.

    Parameters
    ----------
    f : callable
        The function. The parameters are its argument number ``number``.
    params
        Parameters.
    args : sequence
        The other positional arguments, which are constants.
    kwargs : mapping
        Keyword arguments.
    options : Options
        How derivatives are compiled.
    number : int, default 0
        The position of the parameters among the arguments.
    """

    def __init__(self, f: Callable[..., Any], params: Any, args: Sequence[Any], kwargs: Mapping[str, Any], options: Options,
                 number: int = 0):
        self.f, self.kwargs, self.options, self.number = f, dict(kwargs), options, number
        params = as_floats(params)
        self.space = Space(params)
        given = [*args[:number], params, *args[number:]]
        self.leaves = tree.flatten((tuple(given), self.kwargs))[0]
        self.start = len(tree.flatten(tuple(given[:number]))[0])
        self.argnums = tuple(self.start + k for k in self.space.places)
        self.op: Operation = operation(f, given, self.kwargs, self.argnums, options)

    def filled(self, x: NDArray[Any]) -> list[Any]:
        """Return all leaves of the arguments for a vector."""
        leaves = list(self.leaves)
        leaves[self.start:self.start + len(self.space.leaves)] = self.space.fill(x)
        return leaves

    def with_constant(self, position: int, value: Any) -> None:
        """Replace a leaf of the other arguments."""
        self.leaves[position] = value

    def _call(self, derivative: Derivative, x: NDArray[Any]) -> Any:
        return derivative(*self.filled(x))

    def value(self, x: NDArray[Any]) -> Any:
        """Return the value."""
        return self.op.value(self.filled(x))

    def residuals(self, x: NDArray[Any]) -> Vector:
        """Return the value as a vector."""
        return as_vector(self.value(x))

    def value_and_grad(self, x: NDArray[Any]) -> tuple[float, Vector]:
        """Return the value and the gradient of a scalar function."""
        value, gradient = self._call(self.op.derivative(Reverse(True)), x)
        return float(value), as_vector(gradient)

    def product(self, x: NDArray[Any], v: NDArray[Any]) -> Vector:
        """Return the Hessian of a scalar function times a vector."""
        return as_vector(self.op.along(Product(), self.filled(x), self.space.split(v)))

    def hessian(self, x: NDArray[Any]) -> NDArray[np.float64]:
        """Return the Hessian of a scalar function."""
        rows = self._call(self.op.derivative(Hessian()), x)
        return np.block([[np.reshape(rows[i][j], (_size(a), _size(b))) for j, b in enumerate(self.space.shapes)]
                         for i, a in enumerate(self.space.shapes)]).astype(np.float64)

    def jacobian(self, x: NDArray[Any]) -> NDArray[np.float64]:
        """Return the Jacobian of the value as a vector."""
        found = tree.flatten(self._call(self.op.derivative(Jacobian("either")), x))[0]
        count = len(self.space.shapes)
        rows = [np.hstack([np.asarray(block, np.float64).reshape(-1, _size(s)) for block, s in zip(found[k:k + count], self.space.shapes)])
                for k in range(0, len(found), count)]
        return np.vstack(rows)

    @functools.cached_property
    def sparse_derivative(self) -> SparseJacobian:
        """The Jacobian as a sparse matrix, in blocks, one for each differentiable leaf."""
        return SparseJacobian(self.op.fn, self.argnums, None, None, self.options)

    def sparse_jacobian(self, x: NDArray[Any]) -> Any:
        """Return the Jacobian as a sparse matrix."""
        from scipy import sparse
        return sparse.hstack(self.sparse_derivative(*self.filled(x)), format="csr")

    def pattern(self, x: NDArray[Any]) -> Any:
        """Return the places where the Jacobian may differ from zero."""
        from scipy import sparse
        return sparse.hstack([sparse.csr_array(block) for block in self.sparse_derivative.pattern(*self.filled(x))], format="csr")

    def weighted_hessian(self, x: NDArray[Any], weights: NDArray[Any]) -> Any:
        """Return the Hessian of the value times constant weights, as a linear operator."""
        from scipy.sparse.linalg import LinearOperator
        leaves = self.filled(x)
        found, outputs = outputs_of(self.op.value(leaves))
        pull = self.op.pullback(outputs).wrt(self.argnums)
        ends = np.cumsum([np.size(found[k]) for k in outputs.active])[:-1]
        seeds = [w.reshape(np.shape(found[k]))[()] for w, k in zip(np.split(np.asarray(weights, np.float64), ends), outputs.active)]

        def matvec(v: NDArray[Any]) -> Vector:
            return as_vector(pull.jvp([*leaves, *seeds], self.space.split(np.ravel(v)))[1])

        return LinearOperator((self.space.size, self.space.size), matvec=matvec, rmatvec=matvec, dtype=np.float64)

    def __repr__(self) -> str:
        return f"<{name_of(self.f)} of a vector of length {self.space.size}>"


def _size(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape))

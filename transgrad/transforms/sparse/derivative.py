"""The callables behind `transgrad.sparse_jacobian` and `transgrad.sparse_hessian`."""
from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import tree
from ...errors import TransgradError, UnsupportedCall
from ...pickling import Rebuilt
from ..arguments import bind, check_leaves, name_of, pick
from ..compiling import without_collection
from ..derivative import Derivative
from ..fallback import TapedVariant
from ..options import Options
from ..seeds import fit, is_active
from ..transformations import Forward, Reverse, Split
from . import recover
from .layout import Layout, starts_of

__all__ = ["SparseDerivative", "SparseHessian", "SparseJacobian"]

#: how many patterns are kept at a time
_KEPT = 32


@dataclass(frozen=True, slots=True)
class _Plan:
    """The sparsity pattern, and the colors of the columns or rows."""

    pattern: Any
    rows: bool
    colors: NDArray[np.intp]


class SparseDerivative(Rebuilt):
    """The derivative of a vector by a vector as a sparse matrix; see `transgrad.sparse_jacobian`.

    Attributes
    ----------
    primal : callable
        The function that is differentiated.
    """

    prefix = "sparse_"

    def __init__(self, f: Callable[..., Any], argnums: Any, argnames: Any, sparsity: Any, options: Options):
        self.primal, self.sparsity, self.options = f, sparsity, options
        self._vector, self._argnums, self._argnames = f, argnums, argnames
        self._plans: dict[Hashable, _Plan] = {}
        functools.update_wrapper(self, f, updated=())
        self.__name__ = self.prefix + name_of(f)

    def _recipe(self) -> tuple[Any, ...]:
        return self.primal, self._argnums, self._argnames, self.sparsity, self.options

    @functools.cached_property
    def _split(self) -> Derivative:
        """The two halves of the derivative of the vector."""
        return Derivative(Split(False), self._vector, self._argnums, self._argnames, self.options)

    @functools.cached_property
    def _forward(self) -> Derivative:
        """Its derivative along tangents."""
        return Derivative(Forward(False), self._vector, self._argnums, self._argnames, self.options)

    def __repr__(self) -> str:
        return f"<{self.__name__}{self._forward.primal_signature}>"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        values = self._values(args, kwargs)
        plan = self._plan(values)
        _, bounds = starts_of(values, self._forward.target.slots)
        return self._blocks(self._matrix(values, plan), bounds)

    def pattern(self, /, *args: Any, **kwargs: Any) -> Any:
        """The places where the matrix may differ from zero for arguments like these.

        Parameters
        ----------
        *args, **kwargs
            Arguments as for a call.

        Returns
        -------
        csr_array of bool
            In the shape of the matrix, which a notebook shows as a picture; for several arguments a tuple of them.
        """
        from .picture import pictured
        values = self._values(args, kwargs)
        _, bounds = starts_of(values, self._forward.target.slots)
        found = self._blocks(self._plan(values).pattern.copy(), bounds)
        return tuple(map(pictured, found)) if isinstance(found, tuple) else pictured(found)

    # -- the pattern

    def _values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name; those that are differentiated have to be real."""
        values = bind(self.primal, self._forward.primal_signature, args, kwargs)
        check_leaves(self.primal, self._forward.target.slots, values)
        for slot in self._forward.target.slots:
            if any(is_active(leaf) and np.iscomplexobj(leaf) for leaf in tree.flatten(pick(values, slot))[0]):
                raise TypeError(f"{self.__name__}: the argument {slot} is complex; take its real and imaginary parts as two arguments")
        return values

    def _plan(self, values: Mapping[str, Any]) -> _Plan:
        """The pattern and its colors, computed again if they may differ."""
        variant = self._forward.variant({**values, **self._dots(values, None)})
        key = _key(variant, values)
        plan = self._plans.get(key) if key is not None else None
        if plan is None:
            with without_collection():
                pattern, everywhere = self._find(variant, values)
                plan = self._colored(pattern)
            if everywhere and key is not None:
                if len(self._plans) >= _KEPT:
                    self._plans.pop(next(iter(self._plans)))
                self._plans[key] = plan
        return plan

    def _find(self, variant: Any, values: Mapping[str, Any]) -> tuple[Any, bool]:
        """The pattern, and whether it holds for all arguments of these types and shapes."""
        from scipy import sparse
        if self.sparsity is not None:
            given = sparse.csr_array(self.sparsity, dtype=bool)
            given.eliminate_zeros()
            width = starts_of(values, self._forward.target.slots)[1][-1]
            if given.shape[1] != width:
                raise ValueError(f"{self.__name__}: the sparsity has {given.shape[1]} columns, but the arguments have {width} entries")
            return given, True
        if isinstance(variant, TapedVariant):
            why = variant.reason.reason if variant.reason is not None else "it was called with Tensors"
            raise UnsupportedCall(f"the sparsity of {name_of(self.primal)} cannot be found: it runs on the tape ({why})", None,
                                  "pass sparsity=, a pattern that holds every non-zero")
        if variant.primal.attrs.implicit:
            names = ", ".join(map(repr, variant.primal.attrs.implicit))
            raise UnsupportedCall(f"the sparsity of {name_of(self.primal)} cannot be found: it writes differentiated values to {names} "
                                  "outside of itself", None, "pass sparsity=, a pattern that holds every non-zero")
        from ...passes.sparsity import dependencies
        starts, _ = starts_of(values, self._forward.target.slots)
        found = dependencies(variant.primal, _copies(values), starts)
        entries = np.ones(len(found.columns), bool)
        return sparse.csr_array((entries, found.columns, found.starts), shape=(len(found.starts) - 1, found.width)), found.everywhere

    def _colored(self, pattern: Any) -> _Plan:
        return _Plan(pattern, *recover.fewest(pattern))

    # -- the entries

    def _matrix(self, values: Mapping[str, Any], plan: _Plan) -> Any:
        if plan.rows:
            try:
                return self._in_reverse(values, plan)
            except TransgradError:      # functions with only a forward derivative
                plan = _Plan(plan.pattern, False, recover.columns(plan.pattern.tocsc()))
        out, push = self._pushing(values)
        self._check_rows(plan.pattern, out)
        return self._checked(self._by_products(plan, push), push, values, out)

    def _in_reverse(self, values: Mapping[str, Any], plan: _Plan) -> Any:
        """The matrix by its rows."""
        out, pullback = self._split.split_with(_copies(values))
        self._check_rows(plan.pattern, out)
        layout = Layout.of(out)

        def pull(v: NDArray[Any]) -> NDArray[Any]:
            return Layout.join(pullback(fit(layout.cut(v), out, "a cotangent")))
        return self._checked(recover.by_columns(plan.pattern.T.tocsr(), plan.colors, pull), pull, values, out).T.tocsr()

    def _checked(self, matrix: Any, product: Any, values: Mapping[str, Any], out: Any) -> Any:
        """A matrix in its dtype; where the pattern was given and misses a non-zero, a product with a random vector tells."""
        if self.sparsity is not None:
            vector = np.random.default_rng(0).standard_normal(matrix.shape[1])
            close = 1e3 * float(np.finfo(self._dtype(values, out)).eps) * float(np.max(abs(matrix) @ abs(vector), initial=1.0))
            if not np.allclose(matrix @ vector, product(vector), rtol=0.0, atol=close):
                raise ValueError(f"{self.__name__}: the given sparsity does not hold every non-zero")
        return matrix.astype(self._dtype(values, out), copy=False)

    def _check_rows(self, pattern: Any, out: Any) -> None:
        if Layout.of(out).size != pattern.shape[0]:
            raise ValueError(f"{self.__name__}: the sparsity has {pattern.shape[0]} rows, but {name_of(self.primal)} "
                             f"gives {Layout.of(out).size} entries to differentiate")

    def _by_products(self, plan: _Plan, push: recover.Product) -> Any:
        return recover.by_columns(plan.pattern, plan.colors, push)

    def _dtype(self, values: Mapping[str, Any], out: Any) -> Any:
        inputs = Layout.of([pick(values, slot) for slot in self._forward.target.slots])
        return np.result_type(inputs.dtype, Layout.of(out).dtype) if Layout.of(out).size else inputs.dtype

    def _pushing(self, values: Mapping[str, Any]) -> tuple[Any, Callable[[NDArray[Any]], NDArray[Any]]]:
        """The vector, and its derivative along a vector."""
        def run(v: NDArray[Any] | None) -> Any:
            return self._forward.call_with({**_copies(values), **self._dots(values, v)})
        return run(None)[0], lambda v: Layout.join(run(v)[1])

    def _dots(self, values: Mapping[str, Any], vector: NDArray[Any] | None) -> dict[str, Any]:
        """The tangents of the arguments, by name; None: zeros."""
        slots = self._forward.target.slots
        chosen = tuple(pick(values, slot) for slot in slots)
        inputs = Layout.of(chosen)
        tangents = fit(inputs.cut(np.zeros(inputs.size) if vector is None else vector), chosen, "a tangent")
        dots: dict[str, Any] = {}
        for slot, tangent in zip(slots, tangents):
            name = f"{slot.name}_dot"
            dots[name] = tangent if slot.key is None else (*dots.get(name, ()), tangent)
        return dots

    def _blocks(self, matrix: Any, bounds: list[int]) -> Any:
        """One matrix for each differentiated argument, if there are several."""
        if self._forward.target.single:
            return matrix
        columns = matrix.tocsc()
        return tuple(columns[:, a:b].tocsr() for a, b in zip(bounds, bounds[1:]))


class SparseJacobian(SparseDerivative):
    """See `transgrad.sparse_jacobian`."""

    prefix = "sparse_jacobian_"


class SparseHessian(SparseDerivative):
    """See `transgrad.sparse_hessian`: the Jacobian of the gradient, which is symmetric."""

    prefix = "sparse_hessian_"

    def __init__(self, f: Callable[..., Any], argnums: Any, argnames: Any, sparsity: Any, options: Options):
        super().__init__(f, argnums, argnames, sparsity, options)
        self._vector = Derivative(Reverse(), f, argnums, argnames, options)

    def _colored(self, pattern: Any) -> _Plan:
        both = (pattern + pattern.T).tocsr()
        both.sort_indices()
        return _Plan(both, False, recover.star(both))

    def _by_products(self, plan: _Plan, push: recover.Product) -> Any:
        return recover.symmetric(plan.pattern, plan.colors, push)

    def _blocks(self, matrix: Any, bounds: list[int]) -> Any:
        if self._forward.target.single:
            return matrix
        spans = list(zip(bounds, bounds[1:]))
        return tuple(tuple(matrix[a:b][:, c:d] for c, d in spans) for a, b in spans)


def _copies(values: Mapping[str, Any]) -> dict[str, Any]:
    """Copy the arguments, so that each of several runs may modify its own."""
    return {name: tree.map_leaves(_copy, value) for name, value in values.items()}


def _copy(leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray):
        return leaf.copy(order="K")
    return copy.deepcopy(leaf) if isinstance(leaf, (np.random.Generator, np.random.RandomState)) else leaf


def _key(variant: Any, values: Mapping[str, Any]) -> Hashable:
    """The cache key of a pattern: the variant, the shapes, and all leaves that are not floats; None if it cannot be cached."""
    leaves, form = tree.flatten(dict(values))
    key: list[Hashable] = [variant, form]
    for leaf in leaves:
        if isinstance(leaf, np.ndarray):
            key.append(leaf.shape)
        elif isinstance(leaf, (bool, int, str, bytes, type(None))):
            key.append((type(leaf), leaf))
        elif not isinstance(leaf, (float, complex, np.generic)):
            return None
    return tuple(key)

"""NumPy functions as JAX functions, under ``jit``, ``grad``, ``jvp`` and ``vmap`` in any nesting.

A wrapped function is a JAX primitive with rules for differentiation, transposition and batching. Its derivatives are calls of
derivatives that transgrad generates. Compiled code calls back into Python.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from .. import tree
from ..transforms.arguments import name_of
from ..transforms.options import Numba, Options
from .function import Wrapped, constant_key, is_plain, order_of
from .missing import require
from .operations import Operation, operation
from .outputs import Outputs, Result, outputs_of
from .ownership import is_running, read_only
from .shapes import infer

__all__ = ["wrap"]


def __dir__() -> list[str]:
    return sorted(__all__)


@overload
def wrap(f: Callable[..., Any], *, result: Any = ..., fallback: str = ..., backend: str | Numba = ..., optimize: Any = ...,
         checkpoint: bool | int = ..., nan: str = ...) -> JaxFunction: ...
@overload
def wrap(f: None = None, *, result: Any = ..., fallback: str = ..., backend: str | Numba = ..., optimize: Any = ...,
         checkpoint: bool | int = ..., nan: str = ...) -> Callable[[Callable[..., Any]], JaxFunction]: ...
def wrap(f: Callable[..., Any] | None = None, *, result: Any = None, fallback: str = "tape", backend: str | Numba = "numpy",
         optimize: Any = True, checkpoint: bool | int = False, nan: str = "ignore") -> Any:
    """Return a JAX function that runs a NumPy function.

    Each JAX array among the arguments arrives in ``f`` as a read-only NumPy array, or as a NumPy scalar if it has no dimensions.
    ``f`` must be pure, as all functions that JAX compiles.

    Parameters
    ----------
    f : callable
        The function. Its arguments and its result may be nested: lists, tuples, dicts, named tuples and dataclasses. If it is
        omitted, ``wrap`` returns a decorator.
    result : pytree or callable, optional
        The shapes and dtypes of the result, as arrays or ``jax.ShapeDtypeStruct`` in its structure, or a function of the arguments
        that returns them. By default, they are inferred by the compiler, and if they depend on values, by a call of ``f``
        with example arguments.
    fallback, backend, optimize, checkpoint, nan
        As for `transgrad.grad`.

    Returns
    -------
    JaxFunction
        A function of JAX arrays. Floating-point and complex arrays are differentiable; all other arguments are constants, and
        arguments that are not JAX arrays reach ``f`` as they are. It works under ``jit``, ``grad``, ``jvp``, ``linearize``,
        ``vmap``, ``jacfwd``, ``jacrev``, ``hessian`` and ``lax.scan`` in any nesting.

    Raises
    ------
    ModuleNotFoundError
        If JAX is not installed.
    TypeError
        At a call, if an array has a dtype that NumPy lacks, or the types of the result cannot be inferred.

    Notes
    -----
    Results have the dtypes that ``f`` returns, in JAX's precision: without ``jax_enable_x64``, float64 becomes float32. A Python
    number has the dtype of the floating-point arguments.

    Examples
    --------
    >>> import jax, jax.numpy as jnp
    >>> import numpy as np
    >>> import transgrad as tg
    >>> @tg.interop.jax.wrap
    ... def energy(x):
    ...     return np.sum(np.cos(x) * x ** 2)
    >>> print(jax.jit(jax.grad(energy))(jnp.array([0.0, 1.0])).round(4))
    [0.     0.2391]
    >>> print(jax.hessian(energy)(jnp.array([0.0, 1.0])).round(4))
    [[ 2.      0.    ]
     [ 0.     -2.8256]]
    """
    _jax()
    options = Options(fallback, backend, optimize, checkpoint, nan)
    if f is None:
        return lambda f: JaxFunction(f, options, result)
    return JaxFunction(f, options, result)


def _jax() -> Any:
    return require("jax", "jax", "transgrad.interop.jax")


class JaxFunction(Wrapped):
    """A NumPy function of JAX arrays; see `wrap`."""

    def __init__(self, primal: Callable[..., Any], options: Options, result: Any = None):
        super().__init__(primal, options, result)
        self.result = result
        self._jax = _jax()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        leaves, form = tree.flatten((args, kwargs))
        places = tuple(k for k, leaf in enumerate(leaves) if isinstance(leaf, self._jax.Array))
        if not places and is_running():
            return self.primal(*args, **kwargs)
        arrays = [leaves[k] for k in places]
        for k, array in zip(places, arrays):
            if not _has_numpy_dtype(array):
                paths = [*tree.leaves_with_paths(args, "args"), *tree.leaves_with_paths(kwargs, "kwargs")]
                raise TypeError(f"{self.__name__} is a NumPy function, but {paths[k][0]} is an array of dtype {array.dtype}, "
                                "which NumPy does not have. Hint: convert it, for example with x.astype('float32')")
        bound = self._bound(form, args, kwargs, leaves, places)
        if self.result is not None:
            wanted = self.result(*args, **kwargs) if callable(self.result) else self.result
            bound.declare([_key(a) for a in arrays], wanted)
        found = iter(_primitives().call.bind(*arrays, bound=bound))
        others, outputs = bound.outputs([_key(a) for a in arrays])
        return tree.unflatten(outputs.form, [x if r.dtype is None else next(found) for x, r in zip(others, outputs.leaves)])

    def _bound(self, form: Any, args: Sequence[Any], kwargs: dict[str, Any], leaves: Sequence[Any], places: tuple[int, ...]) -> _Bound:
        """Return the function with its constant arguments; the same object for equal constants, so that JAX finds what it compiled."""
        argnums = tuple(k for k in places if np.dtype(leaves[k].dtype).kind in "fc")
        structure = form, order_of((args, kwargs)), argnums
        op = self.operations.get(structure)
        if op is None:
            op = self.operations[structure] = operation(self.primal, args, kwargs, argnums, self.options)
        given = set(places)
        constants = [None if k in given else leaf.copy() if isinstance(leaf, np.ndarray) else leaf for k, leaf in enumerate(leaves)]
        if not all(map(is_plain, constants)):
            return _Bound(op, constants, places)
        key = structure, places, *map(constant_key, constants)
        bound = self.operations.get(key)
        if bound is None:
            bound = self.operations[key] = _Bound(op, constants, places)
        return bound


def _key(x: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    if not hasattr(x, "shape"):         # a number of Python, which JAX has given a dtype
        x = _primitives().typeof(x)
    return tuple(x.shape), np.dtype(x.dtype)


def _has_numpy_dtype(array: Any) -> bool:
    """Whether NumPy has the dtype of an array: not of random keys, and not those of machine learning."""
    return isinstance(array.dtype, np.dtype) and array.dtype.kind in "biufc"


class _Bound:
    """An operation with its constant arguments: a function of arrays that returns a list of arrays."""

    def __init__(self, op: Operation, constants: Sequence[Any], places: Sequence[int]):
        self.op, self.constants, self.places = op, list(constants), tuple(places)
        self._made: dict[Any, Any] = {}

    def __repr__(self) -> str:
        return name_of(self.op.fn) if type(self.op) is Operation else repr(self.op)

    def _once(self, op: Operation, extra: int = 0) -> _Bound:
        """Return a derived operation, which takes ``extra`` arrays more, with the same constants."""
        found = self._made.get(op)
        if found is None:
            size = len(self.constants)
            found = _Bound(op, [*self.constants, *[None] * extra], [*self.places, *range(size, size + extra)])
            found = self._made.setdefault(op, found)
        return found  # type: ignore[no-any-return]

    def pushforward(self, argnums: tuple[int, ...], outputs: Outputs) -> _Bound:
        """Return the function ``(*arrays, *tangents) -> tangents``."""
        op = self.op.wrt(argnums).pushforward(outputs)
        return self._once(op, len(argnums))

    def pullback(self, argnums: tuple[int, ...], outputs: Outputs) -> _Bound:
        """Return the function ``(*arrays, *cotangents) -> cotangents``."""
        op = self.op.wrt(argnums).pullback(outputs)
        return self._once(op, len(outputs.active))

    def batched(self, axes: Sequence[int | None]) -> _Bound:
        """Return the function on a batch."""
        every: list[int | None] = [None] * len(self.constants)
        for k, axis in zip(self.places, axes):
            every[k] = axis
        return self._once(self.op.batched(every))

    def leaves(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the arguments with arrays in their places."""
        leaves = list(self.constants)
        for k, array in zip(self.places, arrays):
            leaves[k] = array
        return leaves

    def declare(self, keys: Sequence[Any], wanted: Any) -> None:
        """Record the types of the result as the user gives them."""
        _, given = outputs_of(tree.map_leaves(lambda x: np.zeros(x.shape, x.dtype) if hasattr(x, "shape") else x, wanted))
        self._made["outputs", tuple(keys)] = [None] * len(given.leaves), given

    def outputs(self, keys: Sequence[Any]) -> tuple[list[Any], Outputs]:
        """Return the constant leaves of the result, and the description of all leaves, for arrays of some shapes and dtypes."""
        key = "outputs", tuple(keys)
        if key not in self._made:
            others, found = infer(self.op, self.leaves([np.zeros(shape, dtype)[()] for shape, dtype in keys]))
            weak = np.result_type(np.float32, *(dtype for _, dtype in keys if dtype.kind in "fc"))
            self._made[key] = others, Outputs(found.form, tuple(_in_precision(r, weak) for r in found.leaves))
        return self._made[key]  # type: ignore[no-any-return]

    def results(self, keys: Sequence[Any]) -> list[Result]:
        """Return the description of each returned array."""
        return [r for r in self.outputs(keys)[1].leaves if r.dtype is not None]

    def __call__(self, *arrays: Any) -> list[np.ndarray[Any, Any]]:
        keys = [_key(a) for a in arrays]
        leaves = self.leaves([read_only(np.asarray(a).view()) for a in arrays])
        _, outputs = self.outputs(keys)
        found, got = self.op.results(leaves)
        if got.form != outputs.form:
            raise TypeError(f"{self} returned the structure {got.form}, where {outputs.form} was inferred from the types of its "
                            "arguments. Hint: return the same structure for all values, or pass result=")
        made = []
        for x, r in zip(found, outputs.leaves):
            if r.dtype is not None:
                array = np.asarray(x)
                if array.shape != r.shape:
                    raise TypeError(f"{self} returned shape {array.shape}, where {r.shape} was inferred from the types of its "
                                    "arguments. Hint: return the same shape for all values, or pass result=")
                made.append(array.astype(_canonical(r.dtype)))      # a copy
        return made


def _in_precision(r: Result, weak: np.dtype[Any]) -> Result:
    """A leaf of a result; of a Python number, in the precision of the arguments."""
    if r.form != "number" or not r.is_active:
        return r
    wide = weak if np.dtype(r.dtype).kind == "f" else np.result_type(weak, np.complex64)
    return Result(wide.name, "scalar", ())


def _canonical(dtype: Any) -> np.dtype[Any]:
    found: np.dtype[Any] = np.dtype(_jax().dtypes.canonicalize_dtype(dtype))
    return found


class _Primitives:
    """The primitives, with their rules."""

    def __init__(self) -> None:
        jax = _jax()
        extend: Any = require("jax.extend.core", "jax", "transgrad.interop.jax")
        ad: Any = require("jax.interpreters.ad", "jax", "transgrad.interop.jax")
        batching: Any = require("jax.interpreters.batching", "jax", "transgrad.interop.jax")
        mlir: Any = require("jax.interpreters.mlir", "jax", "transgrad.interop.jax")
        self.jax, self.ad = jax, ad
        self.typeof: Any = getattr(jax, "typeof", None) or jax.core.get_aval
        self.shaped = require("jax.core", "jax", "transgrad.interop.jax").ShapedArray
        #: a function of arrays
        self.call = self._primitive(extend, mlir, "transgrad_call", lambda bound: bound)
        #: a function of arrays that is linear in all but the first ``count``, with its transpose
        self.linear = self._primitive(extend, mlir, "transgrad_linear", lambda push, pull, count: push)
        ad.primitive_jvps[self.call] = self._jvp_of_call
        ad.primitive_jvps[self.linear] = self._jvp_of_linear
        ad.primitive_transposes[self.linear] = self._transpose
        batching.primitive_batchers[self.call] = self._batch_call
        batching.primitive_batchers[self.linear] = self._batch_linear

    def _primitive(self, extend: Any, mlir: Any, name: str, function: Callable[..., _Bound]) -> Any:
        primitive = extend.Primitive(name)
        primitive.multiple_results = True

        def types(arrays: Sequence[Any], params: dict[str, Any]) -> list[Any]:
            return [self.shaped(r.shape, _canonical(r.dtype)) for r in function(**params).results([_key(a) for a in arrays])]

        def run(*arrays: Any, **params: Any) -> list[Any]:
            return [self.jax.numpy.array(x) for x in function(**params)(*arrays)]

        def abstract(*arrays: Any, **params: Any) -> list[Any]:
            return types(arrays, params)

        def lowered(*arrays: Any, **params: Any) -> list[Any]:
            shapes = [self.jax.ShapeDtypeStruct(t.shape, t.dtype) for t in types(arrays, params)]
            found: list[Any] = self.jax.pure_callback(function(**params), shapes, *arrays)
            return found

        primitive.def_impl(run)
        primitive.def_abstract_eval(abstract)
        mlir.register_lowering(primitive, mlir.lower_fun(lowered, multiple_results=True))
        return primitive

    # -- differentiation

    def _is_zero(self, tangent: Any) -> bool:
        return type(tangent) is self.ad.Zero

    def _tangents(self, function: _Bound, primals: Sequence[Any], tangents: Sequence[Any], outs: Sequence[Any]) -> list[Any]:
        """The tangents of the results of a function."""
        _, outputs = function.outputs([_key(p) for p in primals])
        along = [j for j, t in enumerate(tangents) if not self._is_zero(t) and function.places[j] in function.op.argnums]
        zeros = [self.ad.Zero(self.typeof(x).to_tangent_aval()) for x in outs]
        if not along or not outputs.active:
            return zeros
        argnums = tuple(function.places[j] for j in along)
        dots = iter(self.linear.bind(
            *primals, *(tangents[j] for j in along), push=function.pushforward(argnums, outputs),
            pull=function.pullback(argnums, outputs), count=len(primals)))
        results = [r for r in outputs.leaves if r.dtype is not None]
        return [next(dots) if r.is_active else zero for r, zero in zip(results, zeros)]

    def _jvp_of_call(self, primals: Sequence[Any], tangents: Sequence[Any], *, bound: _Bound) -> tuple[Any, Any]:
        outs = self.call.bind(*primals, bound=bound)
        return outs, self._tangents(bound, primals, tangents, outs)

    def _jvp_of_linear(self, primals: Sequence[Any], tangents: Sequence[Any], *, push: _Bound, pull: _Bound, count: int) -> tuple[Any, Any]:
        outs = self.linear.bind(*primals, push=push, pull=pull, count=count)
        if all(map(self._is_zero, tangents[:count])):
            along = map(self.ad.instantiate_zeros, tangents[count:])
            return outs, self.linear.bind(*primals[:count], *along, push=push, pull=pull, count=count)
        return outs, self._tangents(push, primals, tangents, outs)

    def _transpose(self, cotangents: Sequence[Any], *operands: Any, push: _Bound, pull: _Bound, count: int) -> list[Any]:
        if all(map(self._is_zero, cotangents)):
            return [None] * len(operands)
        conj = self._conj
        given = [conj(self.ad.instantiate_zeros(ct)) for ct in cotangents]
        found = self.linear.bind(*operands[:count], *given, push=pull, pull=push, count=count)
        return [None] * count + [conj(x) if self.ad.is_undefined_primal(t) else None for x, t in zip(found, operands[count:])]

    def _conj(self, x: Any) -> Any:
        """JAX's cotangents are the conjugates of ours."""
        return self.jax.numpy.conj(x) if np.dtype(x.dtype).kind == "c" else x

    # -- batching

    def _moved(self, arrays: Sequence[Any], dims: Sequence[Any]) -> tuple[list[Any], list[int | None]]:
        """The arrays with the examples along the first axis, and these axes."""
        moved = [x if d is None else self.jax.numpy.moveaxis(x, d, 0) for x, d in zip(arrays, dims)]
        return moved, [None if d is None else 0 for d in dims]

    def _batch_call(self, arrays: Sequence[Any], dims: Sequence[Any], *, bound: _Bound) -> tuple[Any, Any]:
        moved, axes = self._moved(arrays, dims)
        outs = self.call.bind(*moved, bound=bound.batched(axes))
        return outs, [0] * len(outs)

    def _batch_linear(self, arrays: Sequence[Any], dims: Sequence[Any], *, push: _Bound, pull: _Bound, count: int) -> tuple[Any, Any]:
        moved, axes = self._moved(arrays, dims)
        size = next(x.shape[0] for x, axis in zip(moved, axes) if axis is not None)
        for j in range(count, len(moved)):
            if axes[j] is None:
                moved[j] = self.jax.numpy.broadcast_to(moved[j], (size, *moved[j].shape))
        of = len(arrays) - count
        back = len(pull.places) - count
        outs = self.linear.bind(*moved, push=push.batched([*axes[:count], *[0] * of]), pull=pull.batched([*axes[:count], *[0] * back]),
                                count=count)
        return outs, [0] * len(outs)


@functools.cache
def _primitives() -> _Primitives:
    return _Primitives()

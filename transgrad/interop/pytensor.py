"""NumPy functions as PyTensor operations, so that PyMC samples models that are written in NumPy.

Reverse mode (``pytensor.gradient.grad``), forward mode (``Rop``) and derivatives of higher order are calls of derivatives that
transgrad generates.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from .. import tree
from ..transforms.arguments import name_of
from ..transforms.options import Numba, Options
from .function import Wrapped, constant_key, order_of
from .missing import require
from .operations import Operation, Pullback, Pushforward, operation
from .outputs import Outputs, Result, outputs_of
from .ownership import is_running, read_only
from .shapes import infer, ranks

__all__ = ["op"]


def __dir__() -> list[str]:
    return sorted(__all__)


#: the length of a dimension in example arguments, where the graph does not know it
_SOME = 3


@overload
def op(f: Callable[..., Any], *, result: Any = ..., fallback: str = ..., backend: str | Numba = ..., optimize: Any = ...,
       checkpoint: bool | int = ..., nan: str = ...) -> PytensorFunction: ...
@overload
def op(f: None = None, *, result: Any = ..., fallback: str = ..., backend: str | Numba = ..., optimize: Any = ...,
       checkpoint: bool | int = ..., nan: str = ...) -> Callable[[Callable[..., Any]], PytensorFunction]: ...
def op(f: Callable[..., Any] | None = None, *, result: Any = None, fallback: str = "tape", backend: str | Numba = "numpy",
       optimize: Any = True, checkpoint: bool | int = False, nan: str = "ignore") -> Any:
    """Return a function of PyTensor variables that runs a NumPy function, with its derivatives.

    Parameters
    ----------
    f : callable
        The function. Its arguments and its result may be nested: lists, tuples, dicts, named tuples and dataclasses. Arrays arrive
        read-only, and variables without dimensions as NumPy scalars. If it is omitted, ``op`` returns a decorator.
    result : optional
        An example of the result: arrays of the right dtypes and numbers of dimensions in its structure. By default, the types of the
        result are inferred by the compiler, and if they depend on values, by a call of ``f`` with example arguments.
    fallback, backend, optimize, checkpoint, nan
        As for `transgrad.grad`.

    Returns
    -------
    PytensorFunction
        A function of variables. Each call adds an ``Op`` to the graph, with ``L_op`` and ``R_op``. Floating-point variables are
        differentiable; all other arguments are constants.

    Raises
    ------
    ModuleNotFoundError
        If PyTensor is not installed.
    TypeError
        At a call, if the types of the result cannot be inferred.

    Examples
    --------
    >>> import numpy as np
    >>> import pytensor, pytensor.tensor as pt
    >>> import transgrad as tg
    >>> @tg.interop.pytensor.op
    ... def energy(x):
    ...     return np.sum(np.cos(x) * x ** 2)
    >>> x = pt.dvector("x")
    >>> gradient = pytensor.function([x], pytensor.grad(energy(x), x))
    >>> gradient(np.array([0.0, 1.0])).round(4)
    array([0.    , 0.2391])
    """
    require("pytensor", "pytensor", "transgrad.interop.pytensor")
    options = Options(fallback, backend, optimize, checkpoint, nan)
    if f is None:
        return lambda f: PytensorFunction(f, options, result)
    return PytensorFunction(f, options, result)


class PytensorFunction(Wrapped):
    """A NumPy function of PyTensor variables; see `op`."""

    def __init__(self, primal: Callable[..., Any], options: Options, result: Any = None):
        super().__init__(primal, options, result)
        self.result = result

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        pt: Any = require("pytensor.tensor", "pytensor", "transgrad.interop.pytensor")
        variable: Any = require("pytensor.graph.basic", "pytensor", "transgrad.interop.pytensor").Variable
        leaves, form = tree.flatten((args, kwargs))
        places = [k for k, leaf in enumerate(leaves) if isinstance(leaf, (variable, np.ndarray)) and _is_numeric(leaf)]
        if is_running() and not any(isinstance(leaf, variable) for leaf in leaves):
            return self.primal(*args, **kwargs)
        inputs = [pt.as_tensor_variable(leaves[k]) for k in places]
        argnums = tuple(k for k, x in zip(places, inputs) if np.dtype(x.type.dtype).kind == "f")
        given = set(places)
        constants = [None if k in given else leaf for k, leaf in enumerate(leaves)]
        key = form, order_of((args, kwargs)), tuple(places), argnums, *map(constant_key, constants)
        node = self.operations.get(key)
        if node is None:
            called = operation(self.primal, args, kwargs, argnums, self.options)
            node = self.operations[key] = _class()(called, constants, places, self.result)
        found = iter(node.make_node(*inputs).outputs)
        others, outputs = node.types(inputs)
        return tree.unflatten(outputs.form, [x if r.dtype is None else next(found) for x, r in zip(others, outputs.leaves)])


def _is_numeric(leaf: Any) -> bool:
    dtype = getattr(getattr(leaf, "type", leaf), "dtype", None)
    return dtype is not None and np.dtype(dtype).kind in "biufc"


def _example(x: Any) -> Any:
    """An argument of the type of a variable, with zeros as elements."""
    constant = getattr(x, "data", None)
    if isinstance(constant, (np.ndarray, np.generic)):
        return np.asarray(constant)[()]
    return np.zeros([_SOME if n is None else n for n in x.type.shape], x.type.dtype)[()]


@functools.cache
def _class() -> Any:
    """The class of the operations in PyTensor's graph."""
    pt: Any = require("pytensor.tensor", "pytensor", "transgrad.interop.pytensor")
    graph: Any = require("pytensor.graph.basic", "pytensor", "transgrad.interop.pytensor")
    disconnected: Any = require("pytensor.gradient", "pytensor", "transgrad.interop.pytensor").DisconnectedType
    base: Any = require("pytensor.graph.op", "pytensor", "transgrad.interop.pytensor").Op

    class TransgradOp(base):  # type: ignore[misc]
        """A call of a NumPy function, or of one of its derivatives."""

        def __init__(self, op: Operation, constants: Sequence[Any], places: Sequence[int], result: Any = None, primal: Any = None):
            self.op, self.constants, self.places, self.result, self.primal = op, list(constants), tuple(places), result, primal
            self.derived: dict[Any, Any] = {}
            self.inferred: dict[Any, tuple[list[Any], Outputs]] = {}

        def __reduce__(self) -> Any:
            return _restored, (self.op, self.constants, self.places, self.result, self.primal)

        def __str__(self) -> str:
            return f"transgrad[{name_of(self.op.fn) if type(self.op) is Operation else self.op!r}]"

        def leaves(self, arrays: Sequence[Any]) -> list[Any]:
            """Return the arguments with arrays in their places."""
            found = list(self.constants)
            for k, array in zip(self.places, arrays):
                found[k] = array
            return found

        def types(self, inputs: Sequence[Any]) -> tuple[list[Any], Outputs]:
            """Return the constant leaves of the result, and the description of all leaves, with None for unknown lengths."""
            key = tuple((x.type.dtype, tuple(x.type.shape)) for x in inputs)
            if key not in self.inferred:
                self.inferred[key] = self.infer(inputs)
            return self.inferred[key]

        def infer(self, inputs: Sequence[Any]) -> tuple[list[Any], Outputs]:
            """Infer the types of the result."""
            if self.result is not None:
                _, given = outputs_of(self.result)
                return [None] * len(given.leaves), Outputs(given.form, tuple(_of_unknown_lengths(r) for r in given.leaves))
            if isinstance(self.op, Pullback):
                shapes = {k: (x.type.dtype, tuple(x.type.shape)) for k, x in zip(self.places, inputs)}
                found = tuple(Result(shapes[k][0], "array", shapes[k][1]) for k in self.op.of.argnums)
                return [None] * len(found), Outputs(tree.structure((0.0,) * len(found)), found)
            if isinstance(self.op, Pushforward):
                _, outputs = self.primal.types(inputs[:len(self.primal.places)])
                found = tuple(outputs.leaves[k] for k in outputs.active)
                return [None] * len(found), Outputs(self.op.form, found)
            leaves = self.leaves([_example(x) for x in inputs])
            if all(n is not None for x in inputs for n in x.type.shape):
                return infer(self.op, leaves)
            outputs = ranks(self.op, leaves)
            if outputs is not None and all(r.dtype is not None for r in outputs.leaves):
                return [None] * len(outputs.leaves), outputs
            others, outputs = infer(self.op, leaves)
            return others, Outputs(outputs.form, tuple(_of_unknown_lengths(r) for r in outputs.leaves))

        def make_node(self, *inputs: Any) -> Any:
            inputs = tuple(map(pt.as_tensor_variable, inputs))
            _, outputs = self.types(inputs)
            outs = [pt.TensorType(r.dtype, shape=r.shape)() for r in outputs.leaves if r.dtype is not None]
            return graph.Apply(self, list(inputs), outs)

        def perform(self, node: Any, inputs: Sequence[Any], output_storage: Any) -> None:
            arrays = [read_only(np.asarray(x).view()) for x in inputs]
            found, outputs = self.op.results(self.leaves(arrays))
            made = [x for x, r in zip(found, outputs.leaves) if r.dtype is not None]
            if len(made) != len(node.outputs):
                raise TypeError(f"{self} returned {len(made)} arrays, where {len(node.outputs)} were inferred from the types of its "
                                "arguments. Hint: return the same structure for all values, or pass result=")
            for out, storage, x in zip(node.outputs, output_storage, made):
                array = np.array(x, out.type.dtype)       # a copy: PyTensor writes to results of operations
                if array.ndim != out.type.ndim:
                    raise TypeError(f"{self} returned an array with {array.ndim} dimensions, where {out.type.ndim} were inferred from the "
                                    "types of its arguments. Hint: return the same for all values, or pass result=")
                storage[0] = array

        def extended(self, op: Operation, count: int) -> Any:
            """Return a derived operation, which takes ``count`` inputs more."""
            found = self.derived.get(op)
            if found is None:
                size = len(self.constants)
                found = TransgradOp(op, [*self.constants, *[None] * count], [*self.places, *range(size, size + count)], None, self)
                found = self.derived.setdefault(op, found)
            return found

        def connection_pattern(self, node: Any) -> list[list[bool]]:
            active = [np.dtype(o.type.dtype).kind == "f" for o in node.outputs]
            return [[k in self.op.argnums and a for a in active] for k in self.places]

        def L_op(self, inputs: Sequence[Any], outputs: Sequence[Any], output_grads: Sequence[Any]) -> list[Any]:
            _, types = self.types(inputs)
            wanted = tuple(k for k, x in zip(self.places, inputs) if k in self.op.argnums and not isinstance(x, graph.Constant))
            given = [pt.zeros_like(y) if isinstance(g.type, disconnected) else g
                     for y, g in zip(outputs, output_grads) if np.dtype(y.type.dtype).kind == "f"]
            found: dict[int, Any] = {}
            if wanted and given:
                pulling = self.extended(self.op.wrt(wanted).pullback(types), len(given))
                found = dict(zip(wanted, pulling.make_node(*inputs, *given).outputs))
            return [found[k] if k in found else pt.zeros_like(x) if k in self.op.argnums else disconnected()()
                    for k, x in zip(self.places, inputs)]

        def R_op(self, inputs: Sequence[Any], eval_points: Sequence[Any]) -> list[Any]:
            _, types = self.types(inputs)
            along = {k: t for k, t in zip(self.places, eval_points) if t is not None and k in self.op.argnums}
            active = [r.is_active for r in types.leaves if r.dtype is not None]
            if not along or not any(active):
                return [None] * len(active)
            pushing = self.extended(self.op.wrt(tuple(along)).pushforward(types), len(along))
            dots = iter(pushing.make_node(*inputs, *along.values()).outputs)
            return [next(dots) if is_active else None for is_active in active]

    return TransgradOp


def _of_unknown_lengths(r: Result) -> Result:
    return r if r.dtype is None else Result(r.dtype, r.form, (None,) * len(r.shape or ()))


def _restored(op: Operation, constants: Sequence[Any], places: Sequence[int], result: Any, primal: Any) -> Any:
    """Return an operation of the graph that was pickled."""
    return _class()(op, constants, places, result, primal)

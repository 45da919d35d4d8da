"""A function of plain arguments with derivatives of any order, as the frameworks call it.

An `Operation` runs a function on a list of arrays and numbers. Its pullback, its pushforward and its batched form are operations
too. So a framework needs one node for an operation, and gets derivatives of any order and any mode from it.
"""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import tree
from ..transforms.arguments import bind, name_of, signature_of
from ..transforms.batched import Vmapped
from ..transforms.derivative import Derivative
from ..transforms.options import Options
from ..transforms.seeds import fit
from ..transforms.transformations import Forward, Kind, Split
from . import adapters
from .outputs import Outputs, outputs_of
from .ownership import running

__all__ = ["Batched", "Operation", "Pullback", "Pushforward", "Restricted", "operation"]

Leaves = Sequence[Any]
_PLAIN = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Operation:
    """A function of plain arguments.

    Attributes
    ----------
    fn : callable
        The function.
    parameters : tuple of str
        A name for each argument.
    argnums : tuple of int
        The differentiated arguments.
    """

    def __init__(self, fn: Callable[..., Any], parameters: Sequence[str], argnums: Sequence[int], options: Options):
        self._fn, self.parameters, self.argnums, self.options = fn, tuple(parameters), tuple(argnums), options
        self._made: dict[Any, Any] = {}
        #: what `operation` made it from: functions that were generated are generated again where an operation is unpickled
        self.recipe: tuple[Any, ...] = ()

    def __reduce__(self) -> Any:
        f, args, kwargs = self.recipe
        return operation, (f, args, kwargs, self.argnums, self.options)

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} {name_of(self.fn)}({', '.join(self.parameters)})>"

    @property
    def fn(self) -> Callable[..., Any]:
        """The function, in a form that can be compiled and differentiated."""
        return self._fn

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        found = self._made.get(key)
        if found is None:
            found = self._made.setdefault(key, make())
        return found

    def derivative(self, kind: Kind) -> Derivative:
        """Return a derivative of the function with respect to the differentiated arguments."""
        found: Derivative = self._once(kind, lambda: Derivative(kind, self.fn, self.argnums, None, self.options))
        return found

    # -- derived operations

    def wrt(self, argnums: Sequence[int]) -> Operation:
        """Return the operation with other differentiated arguments."""
        argnums = tuple(argnums)
        if argnums == self.argnums:
            return self
        found: Operation = self._once(("wrt", argnums), lambda: self._with(argnums))
        return found

    def _with(self, argnums: tuple[int, ...]) -> Operation:
        made = Operation(self.fn, self.parameters, argnums, self.options)
        made.recipe = self.recipe
        return made

    def pullback(self, outputs: Outputs) -> Pullback:
        """Return the operation ``(*arguments, *cotangents) -> cotangents``, for results like ``outputs``."""
        outputs = outputs.untyped
        found: Pullback = self._once(("pullback", outputs), lambda: Pullback(self, outputs))
        return found

    def pushforward(self, outputs: Outputs) -> Pushforward:
        """Return the operation ``(*arguments, *tangents) -> tangents``, for results like ``outputs``."""
        outputs = outputs.untyped
        found: Pushforward = self._once(("pushforward", outputs), lambda: Pushforward(self, outputs))
        return found

    def batched(self, axes: Sequence[int | None]) -> Batched:
        """Return the operation on a batch, which stands along the given axis of each argument, and along axis 0 of the results."""
        axes = tuple(axes)
        found: Batched = self._once(("batched", axes), lambda: Batched(self, axes))
        return found

    # -- running

    def value(self, leaves: Leaves) -> Any:
        """Return the result."""
        with running():
            return self.fn(*leaves)

    def results(self, leaves: Leaves) -> tuple[list[Any], Outputs]:
        """Return the leaves of the result and their description."""
        return outputs_of(self.value(leaves))

    def _bound(self, derivative: Derivative, leaves: Leaves) -> dict[str, Any]:
        names = self._once("names", lambda: tuple(derivative.primal_signature.parameters))
        if len(names) == len(leaves):       # the functions of operations have no other parameters than plain ones
            return dict(zip(names, leaves))
        return bind(derivative.primal, derivative.primal_signature, leaves, {})

    def vjp(self, leaves: Leaves) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """Return the result, and the function of its cotangent that returns those of the differentiated arguments."""
        derivative = self.derivative(Split(False))
        with running():
            value, pull = derivative.split_with(self._bound(derivative, leaves))
        return value, lambda cotangent: pull(fit(cotangent, value, "the cotangent"))

    def jvp(self, leaves: Leaves, tangents: Leaves) -> tuple[Any, Any]:
        """Return the result and its derivative along tangents of the differentiated arguments."""
        value, dot = self.along(Forward(False), leaves, tangents)
        return value, dot

    def along(self, kind: Forward, leaves: Leaves, tangents: Leaves) -> Any:
        """Run a derivative along tangents of the differentiated arguments."""
        derivative = self.derivative(kind)
        values = self._bound(derivative, leaves)
        for slot, k, tangent in zip(derivative.target.slots, self.argnums, tangents):
            values[f"{slot.name}_dot"] = fit(tangent, leaves[k], f"the tangent of {slot}")
        with running():
            return derivative.call_with(values)

    def shadow_names(self, suffix: str) -> list[str]:
        """Return a name for the tangent or cotangent of each differentiated argument."""
        names = adapters.Names(self.parameters)
        return [names.fresh(f"{self.parameters[k]}_{suffix}") for k in self.argnums]


class _Derived(Operation):
    """An operation made from another one, ``of``; its function is generated when it is differentiated or batched itself."""

    of: Operation
    outputs: Outputs

    def __init__(self, of: Operation, outputs: Outputs, parameters: Sequence[str], argnums: Sequence[int]):
        super().__init__(of._fn, parameters, argnums, of.options)
        self.of, self.outputs = of, outputs

    def __reduce__(self) -> Any:
        return type(self), (self.of, self.outputs)

    @functools.cached_property
    def _generated(self) -> Callable[..., Any]:
        raise NotImplementedError

    @property
    def fn(self) -> Callable[..., Any]:
        return self._generated

    def _with(self, argnums: tuple[int, ...]) -> Operation:
        return Restricted(self, argnums)


class Restricted(_Derived):
    """A derived operation with other differentiated arguments."""

    def __init__(self, of: _Derived, argnums: Sequence[int]):
        super().__init__(of, of.outputs, of.parameters, argnums)

    def __reduce__(self) -> Any:
        return Restricted, (self.of, self.argnums)

    @property
    def fn(self) -> Callable[..., Any]:
        return self.of.fn

    def value(self, leaves: Leaves) -> Any:
        return self.of.value(leaves)


def _split(leaves: Leaves, of: Operation) -> tuple[Leaves, Leaves]:
    count = len(of.parameters)
    return leaves[:count], leaves[count:]


class Pullback(_Derived):
    """The cotangents of arguments from those of results."""

    def __init__(self, of: Operation, outputs: Outputs):
        names = adapters.Names(of.parameters)
        self.cotangents = [names.fresh("out_bar") for _ in outputs.active]
        count = len(of.parameters)
        super().__init__(of, outputs, [*of.parameters, *self.cotangents], [*of.argnums, *range(count, count + len(self.cotangents))])

    @functools.cached_property
    def _generated(self) -> Callable[..., Any]:
        of = self.of
        return adapters.pullback(of.fn, of.parameters, of.argnums, self.outputs.names(self.cotangents), self.cotangents)

    def value(self, leaves: Leaves) -> tuple[Any, ...]:
        primals, cotangents = _split(leaves, self.of)
        return self.of.vjp(primals)[1](self.outputs.seed(cotangents))


class Pushforward(_Derived):
    """The tangents of the differentiable leaves of results from those of arguments."""

    def __init__(self, of: Operation, outputs: Outputs):
        self.tangents = of.shadow_names("dot")
        #: the structure of the results
        self.form = tree.structure((0.0,) * len(outputs.active))
        count = len(of.parameters)
        super().__init__(of, outputs, [*of.parameters, *self.tangents], [*of.argnums, *range(count, count + len(self.tangents))])

    @functools.cached_property
    def _generated(self) -> Callable[..., Any]:
        of = self.of
        return adapters.pushforward(of.fn, of.parameters, of.argnums, self.tangents, self.outputs.names(["out"] * len(self.outputs.active)))

    def value(self, leaves: Leaves) -> tuple[Any, ...]:
        dots = tree.flatten(self.of.jvp(*_split(leaves, self.of))[1])[0]
        return tuple(dots[k] for k in self.outputs.active)


class Batched(Operation):
    """An operation on a batch of arguments."""

    def __init__(self, of: Operation, axes: Sequence[int | None]):
        super().__init__(of._fn, of.parameters, of.argnums, of.options)
        self.of, self.axes = of, tuple(axes)

    def __reduce__(self) -> Any:
        return Batched, (self.of, self.axes)

    @functools.cached_property
    def _batched(self) -> Vmapped:
        return Vmapped(self.of.fn, self.axes, 0, None, self.options)

    @property
    def fn(self) -> Callable[..., Any]:
        return self._batched

    def _with(self, argnums: tuple[int, ...]) -> Operation:
        return self.of.wrt(argnums).batched(self.axes)


def operation(f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], argnums: Sequence[int], options: Options) -> Operation:
    """Return the operation that calls ``f(*args, **kwargs)`` with other leaves.

    Parameters
    ----------
    f : callable
        The function.
    args, kwargs
        Arguments with the structure of all calls.
    argnums : sequence of int
        The positions of the differentiated leaves among the leaves of ``(args, kwargs)``.
    options : Options
        How derivatives are compiled.

    Examples
    --------
    >>> op = operation(lambda p, x: p["a"] * x, ({"a": 1.0}, 2.0), {}, [0], Options())
    >>> op.value([3.0, 5.0])
    15.0
    >>> value, pull = op.vjp([3.0, 5.0])
    >>> pull(1.0)
    (5.0,)
    """
    signature = signature_of(f)
    kinds = [p.kind for p in signature.parameters.values()]
    names = [p.name for p in signature.parameters.values() if p.kind in _PLAIN]
    parameters = adapters.parameter_names(args, kwargs, names)
    placed, named = tree.unflatten(tree.structure((tuple(args), dict(kwargs))), parameters)
    if not kwargs and all(k in _PLAIN for k in kinds) and not any(map(tree.is_node, args)):
        made = Operation(f, parameters, argnums, options)
    else:
        made = Operation(adapters.adapter(f, placed, named, parameters), parameters, argnums, options)
    made.recipe = f, placed, named
    return made

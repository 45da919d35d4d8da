"""The transformations that are applied to a function and its arguments at once: vjp, jvp, hvp, linearize."""
from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..errors import TransgradError
from ..services import tape_linear
from .arguments import bind, name_of
from .closures import is_made_by_call
from .derivative import Derivative
from .fallback import holds_tensors, taped_calls
from .foreign_arrays import ForeignVariant
from .labelled import Labels, Relabelled, any_labelled
from .linear import linear_of
from .memoized import derive
from .options import Options
from .pullbacks import OnTape, Pullback, Pushforward, check_sequences
from .registered import any_registered, by_parts
from .seeds import fit, is_active
from .transformations import Forward, Kind, Product, Split

__all__ = ["derivative_of", "hvp", "jvp", "linearize", "vjp"]

_ndarray = np.ndarray
_PLAIN = Options()
_FIRST: dict[int, tuple[int, ...]] = {}
_KINDS: dict[str, Kind] = {"jvp": Forward(False), "jvp with aux": Forward(True), "hvp": Product()}


def derivative_of(kind: Kind, f: Callable[..., Any], count: int, options: Options) -> Derivative:
    """The derivative of a function by the first arguments, the same one for the same question."""
    if count == 0:
        raise TypeError(f"there is nothing to differentiate {name_of(f)} with respect to: no arguments were given")
    return derive(kind, f, _FIRST.get(count) or _FIRST.setdefault(count, tuple(range(count))), None, options)


@functools.lru_cache(maxsize=256)
def _kept(kind: str, f: Callable[..., Any], count: int, *options: tuple[str, Any]) -> Derivative:
    return derivative_of(_KINDS[kind], f, count, Options(**dict(options)))


def _derivative_for(kind: str, f: Callable[..., Any], count: int, options: Mapping[str, Any]) -> Derivative:
    """As `derivative_of`, from options as they were given: at each call the same, mostly, and mostly none."""
    try:
        if not options and is_made_by_call(f):
            return derive(_KINDS[kind], f, _FIRST.get(count) or tuple(range(count)), None, _PLAIN)
        return _kept(kind, f, count, *options.items())
    except TypeError:       # not hashable, or no such option
        return derivative_of(_KINDS[kind], f, count, Options(**options))


def _is_alike(tangent: Any, value: Any) -> bool:
    """Return whether a tangent is an array like the value, so that it need not be made to fit."""
    if type(tangent) is not _ndarray or type(value) is not _ndarray:
        return False
    dtype: np.dtype[Any] = value.dtype
    return tangent.dtype is dtype and tangent.shape == value.shape and dtype.kind in "fc"


def _along(derivative: Derivative, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Run a derivative that takes tangents."""
    if derivative.tangents_last and all(map(_is_alike, tangents, primals)):
        return derivative(*primals, *tangents)
    return derivative.call_with(_with_tangents(derivative, primals, tangents))


def _with_tangents(derivative: Derivative, primals: Sequence[Any], tangents: Sequence[Any]) -> dict[str, Any]:
    """The arguments of a derivative that takes tangents, by name."""
    values = bind(derivative.primal, derivative.primal_signature, primals, {})
    dots: dict[str, Any] = {}
    for slot, value, tangent in zip(derivative.target.slots, primals, tangents):
        fitted = fit(tangent, value, f"the tangent of {slot}")
        if tree.is_node(value, objects=True):     # if the function modifies the container, the derivative modifies these
            fitted = tree.map_leaves(lambda leaf: leaf.copy() if isinstance(leaf, _ndarray) else leaf, fitted, objects=True)
        if slot.key is None:
            dots[f"{slot.name}_dot"] = fitted
        else:       # an entry of *args, all of which are primals
            dots[f"{slot.name}_dot"] = (*dots.get(f"{slot.name}_dot", ()), fitted)
    return {**values, **dots}


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool, options: Mapping[str, Any]) -> Any:
    """See `transgrad.jvp`."""
    check_sequences("jvp", name_of(f), primals, tangents)
    if any_labelled(primals):
        labels = Labels()
        out, dot, *aux = jvp(f, tuple(map(labels.strip, primals)), _stripped(labels, tangents, primals), has_aux, options)
        return (labels.labelled(out), labels.labelled_as(dot, out), *map(labels.labelled, aux))
    return _along(_derivative_for("jvp with aux" if has_aux else "jvp", f, len(primals), options), primals, tangents)


def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """See `transgrad.hvp`."""
    check_sequences("hvp", name_of(f), primals, tangents)
    if any_labelled(primals):
        labels = Labels()
        found = hvp(f, tuple(map(labels.strip, primals)), _stripped(labels, tangents, primals), options)
        return tuple(map(labels.restore, found, primals))
    return _along(_derivative_for("hvp", f, len(primals), options), primals, tangents)


def _stripped(labels: Labels, tangents: Sequence[Any], primals: Sequence[Any]) -> tuple[Any, ...]:
    """Tangents without their labels, which are those of their values."""
    return tuple(labels.strip_like(t, p, f"tangent {k}") for k, (t, p) in enumerate(zip(tangents, primals)))


def linearize(f: Callable[..., Any], primals: Sequence[Any], options: Options) -> Any:
    """See `transgrad.linearize`."""
    if any_labelled(primals):
        labels = Labels()
        out, along = linearize(f, tuple(map(labels.strip, primals)), options)
        return labels.labelled(out), Relabelled(along, labels, tuple(primals), out, pulls=False)
    if any_registered(primals):
        on = by_parts(f, primals)
        out, along = linearize(on.function, tuple(map(on.strip, primals)), options)
        return out, lambda *tangents: along(*map(on.strip, tangents))
    try:
        derivative = derivative_of(Split(False), f, len(primals), dataclasses.replace(options, fallback="error"))
        values = bind(f, derivative.primal_signature, primals, {})
        variant = derivative.use(values)
        if isinstance(variant, ForeignVariant):
            return _along_again(f, primals, options)
        linear = linear_of(variant, derivative)
        before = tuple(_form(p) for p in primals)       # the function may change what is in them
    except TransgradError:      # then each call of the linear function is one of the forward derivative
        return _along_again(f, primals, options)
    out, along = linear.at(values)

    return out, Pushforward(name_of(f), along, before, derivative.target.slots)


def _along_again(f: Callable[..., Any], primals: Sequence[Any], options: Options) -> Any:
    """Linearize a function whose pullback is not differentiable: on the tape, or by running it again with each tangent.

    A function runs again only if it gives the same value again: it is compiled, draws no random numbers, and writes to no object from
    outside of it.
    """
    derivative = derivative_of(Forward(False), f, len(primals), options)
    first, held = (tuple(tree.map_leaves(_copied, p, objects=True) for p in primals) for _ in range(2))
    values = bind(f, derivative.primal_signature, first, {})
    if not holds_tensors(f, values) and options.fallback == "tape" and not _repeatable(derivative, first):
        split = derivative_of(Split(False), f, len(primals), options)
        out, recorded = tape_linear(split, bind(f, derivative.primal_signature, primals, {}))
        along: Callable[[Any], Any] = OnTape(name_of(f), recorded)
    else:
        out, along = _along(derivative, primals, _zeros(primals))[0], _Again(derivative, held)
    return out, Pushforward(name_of(f), along, held, derivative.target.slots)


class _Again:
    """The derivative along tangents, by another run of the function."""

    def __init__(self, derivative: Derivative, held: Sequence[Any]):
        self.derivative, self.held = derivative, held

    def __call__(self, tangents: Sequence[Any]) -> Any:
        return _along(self.derivative, tuple(tree.map_leaves(_copied, p, objects=True) for p in self.held), tangents)[1]


def _repeatable(derivative: Derivative, primals: Sequence[Any]) -> bool:
    """Return whether a derivative is compiled for these arguments, and returns the same value whenever it is called with them."""
    from ..passes.ad.residuals.random_state import is_repeatable
    variant: Any = derivative.variant(_with_tangents(derivative, primals, _zeros(primals)))
    return variant.primal is not None and not taped_calls(variant) and is_repeatable(variant.primal)


def _zeros(primals: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(tree.map_leaves(_zero, p, objects=True) for p in primals)


def _form(primal: Any) -> Any:
    """A value with the structure of a primal, and with the shapes and dtypes of its leaves."""
    def form(leaf: Any) -> Any:
        return np.broadcast_to(np.empty((), leaf.dtype), leaf.shape) if type(leaf) is _ndarray else leaf
    return tree.map_leaves(form, primal, objects=True) if tree.is_node(primal, objects=True) else primal


def _copied(leaf: Any) -> Any:
    return leaf.copy(order="K") if isinstance(leaf, _ndarray) else leaf


def vjp(f: Callable[..., Any], primals: Sequence[Any], has_aux: bool, options: Options) -> Any:
    """See `transgrad.vjp`."""
    if any_labelled(primals):
        labels = Labels()
        out = vjp(f, tuple(map(labels.strip, primals)), has_aux, options)
        pull = Relabelled(out[1], labels, tuple(primals), out[0], pulls=True)
        return (labels.labelled(out[0]), pull, *map(labels.labelled, out[2:]))
    derivative = derivative_of(Split(has_aux), f, len(primals), options)
    out, pull = derivative.split_with(bind(f, derivative.primal_signature, primals, {}))
    value, aux = out if has_aux else (out, None)
    pullback = Pullback(name_of(f), pull, value, aux, has_aux)
    return (value, pullback, aux) if has_aux else (value, pullback)


def _zero(leaf: Any) -> Any:
    return leaf * 0 if is_active(leaf) else leaf

"""Each transformation on the tape, for functions that the compiler has refused."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..autograd.backward import grad
from ..autograd.grad_mode import enable_grad
from ..autograd.tensor import Tensor, wrap
from ..runtime import own_items
from ..transforms.arguments import name_of, pick
from ..transforms.jacobian.jacobians import Hessian, Jacobian
from ..transforms.seeds import is_active
from ..transforms.transformations import Forward, Kind, Primal, Product, Reverse, Split, Target
from .array import TapedArray
from .run import Run, forward, plain, tangent_of_rest

__all__ = ["by_tape", "linear_by_tape", "split_by_tape"]

Call = Callable[[Any, Mapping[str, Any]], Any]


def by_tape(kind: Kind, f: Callable[..., Any], target: Target, values: Mapping[str, Any], call: Call) -> Any:
    """The results of a derivative of one kind for arguments given by name."""
    with enable_grad():
        match kind:
            case Primal():
                return call(f, values)
            case Reverse():
                return _reverse(kind, f, target, values, call)
            case Product():
                return _product(f, target, values, call)
            case Forward():
                return _forward(kind, f, target, values, call)
            case Hessian():
                return _hessian(kind, f, target, values, call)
            case Jacobian():
                return _jacobian(kind, f, target, values, call)
    raise NotImplementedError(f"{kind.prefix.rstrip('_')} of a function that runs on the tape")


def split_by_tape(kind: Split, f: Callable[..., Any], target: Target, values: Mapping[str, Any], call: Call) -> tuple[
        Any, Callable[[Any], tuple[Any, ...]]]:
    """The value, and the pullback, which may be called any number of times."""
    with enable_grad():
        run = Run(f, call, values, target.slots)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        """The cotangents of the arguments, from one of the value."""
        pairs = [(x.tensor, _cotangent(g, x)) for x, g in zip(tree.flatten(run.out)[0], tree.flatten(cotangent)[0])
                 if isinstance(x, TapedArray)]
        return tuple(run.pull([t for t, _ in pairs], [g for _, g in pairs]))
    return run.result(run.out), pullback


def linear_by_tape(f: Callable[..., Any], target: Target, values: Mapping[str, Any], call: Call) -> tuple[
        Any, Callable[[Sequence[Any]], Any]]:
    """The value, and its derivative along tangents as the pullback of the pullback, from one run of the function."""
    with enable_grad():
        run = Run(f, call, values, target.slots)
        outs = [t for t in run.outputs(run.out) if t.requires_grad]
        seeds = [wrap(np.zeros_like(t._array)).requires_grad_() for t in outs]
        wanted = [leaf for leaves in run.leaves for leaf in leaves if leaf is not None]
        found: Sequence[Any] = [None] * len(wanted)
        if outs and wanted:
            found = grad(outs, wanted, seeds, retain_graph=True, create_graph=True, allow_unused=True)

    def along(tangents: Sequence[Any]) -> Any:
        """The tangent of the value, from one tangent for each argument."""
        flat = [t for dot, leaves in zip(tangents, run.leaves)
                for t, leaf in zip(tree.flatten(dot)[0], leaves) if leaf is not None]
        pairs = [(g, wrap(np.asarray(t, g._array.dtype).reshape(g.shape))) for g, t in zip(found, flat)
                 if g is not None and g.requires_grad]
        along_seeds: Sequence[Any] = [None] * len(seeds)
        if pairs:
            along_seeds = grad([g for g, _ in pairs], seeds, [t for _, t in pairs], retain_graph=True, allow_unused=True)
        dots = iter(along_seeds)

        def tangent(x: Any) -> Any:
            if not isinstance(x, TapedArray):
                return tangent_of_rest(x)
            dot = next(dots) if x.tensor.requires_grad else None
            return plain(TapedArray(dot if dot is not None else wrap(np.zeros_like(x.tensor._array)), x.number))
        return own_items(tree.map_leaves(tangent, run.out), tangents)

    return run.result(run.out), along


def _cotangent(g: Any, x: TapedArray) -> Tensor:
    if isinstance(g, TapedArray):
        return g.tensor
    return wrap(np.asarray(g, x.dtype).reshape(x.shape))


def _scalar(kind: Any, name: str, out: Any) -> Any:
    """The number to differentiate; TypeError for other results, as for compiled functions."""
    verb = kind.prefix.rstrip("_")
    if isinstance(out, TapedArray):
        if out.ndim:
            raise TypeError(f"{verb} takes a function that returns one number, but {name} returns an array of shape {out.shape}: "
                            f"jacobian differentiates every entry of an output")
        if out.dtype.kind == "c" and not getattr(kind, "holomorphic", False):
            raise TypeError(f"{verb} takes a function that returns a real number, but {name} returns a complex one: "
                            f"return its real part or absolute value, or set holomorphic=True")
        return out
    if isinstance(out, (float, np.floating)) or isinstance(out, np.ndarray) and out.ndim == 0 and out.dtype.kind == "f":
        return TapedArray(wrap(np.asarray(out)), number=True)       # it does not depend on the arguments
    raise TypeError(f"{verb} takes a function that returns one number, but {name} returns {tree.describe(out)}")


def _aux(kind: Any, name: str, out: Any) -> tuple[Any, Any]:
    """The differentiated output and the auxiliary result."""
    if not getattr(kind, "has_aux", False):
        return out, None
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(f"has_aux=True, but {name} does not return a pair (output, aux)")
    return out


def _single(target: Target, found: Sequence[Any]) -> Any:
    return found[0] if target.single else tuple(found)


def _reverse(kind: Reverse, f: Any, target: Target, values: Mapping[str, Any], call: Call) -> Any:
    run = Run(f, call, values, target.slots)
    out, aux = _aux(kind, name_of(f), run.out)
    out = _scalar(kind, name_of(f), out)
    gradient = run.pull([out.tensor], [wrap(np.ones_like(out.tensor._array))], keep=run.nested)
    if kind.holomorphic:
        gradient = tree.map_leaves(lambda g: np.conj(g) if is_active(g) or isinstance(g, TapedArray) else g, gradient, objects=True)
    found = _single(target, gradient)
    if kind.with_value:
        value = run.result(out)
        return ((value, run.result(aux)) if kind.has_aux else value), found
    return (found, run.result(aux)) if kind.has_aux else found


def _tangents(target: Target, values: Mapping[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """The arguments without their tangents, and the tangents, one a slot."""
    given = {name: v for name, v in values.items() if name not in {f"{n}_dot" for n in target.names}}
    return given, [pick({slot.name: values[f"{slot.name}_dot"]}, slot) for slot in target.slots]


def _forward(kind: Forward, f: Any, target: Target, values: Mapping[str, Any], call: Call) -> Any:
    given, dots = _tangents(target, values)
    out, dot = forward(f, call, given, target.slots, dots)
    dot = own_items(dot, dots)
    if kind.has_aux:
        return out[0], dot[0], out[1]
    return out, dot


def _product(f: Any, target: Target, values: Mapping[str, Any], call: Call) -> Any:
    """The derivative of the gradient along tangents."""
    given, dots = _tangents(target, values)

    def gradient(taped: Mapping[str, Any]) -> Any:
        return by_tape(Reverse(), f, Target(target.slots, False), taped, call)
    return forward(gradient, lambda g, v: g(v), given, target.slots, dots)[1]


def _rows(run: Run, x: Any) -> list[Any]:
    """The Jacobian of a leaf of the output, one for each slot, in its structure."""
    if not isinstance(x, TapedArray) or not x.size:
        return [tree.map_leaves(lambda v: np.zeros(np.shape(x) + np.shape(v), np.asarray(v).dtype if is_active(v) else float),
                                pick(run.values, s), objects=True) for s in run.slots]
    rows = []
    for k in range(x.size):
        seed = np.zeros(x.size, x.dtype)
        seed[k] = 1.0
        rows.append(run.pull([x.tensor], [wrap(seed.reshape(x.shape))]))
    return [tree.map_leaves(lambda *parts: _stacked(parts, x.shape), *(row[s] for row in rows), objects=True)
            for s in range(len(run.slots))]


def _stacked(rows: Sequence[Any], shape: tuple[int, ...]) -> Any:
    if isinstance(rows[0], TapedArray):
        joined = np.stack([r if isinstance(r, TapedArray) else TapedArray(wrap(np.asarray(r))) for r in rows])
        return joined.reshape(shape + tuple(rows[0].shape))
    stacked = np.stack(rows).reshape(shape + np.shape(rows[0]))
    return stacked if stacked.ndim else stacked[()]


def _jacobian(kind: Jacobian, f: Any, target: Target, values: Mapping[str, Any], call: Call) -> Any:
    run = Run(f, call, values, target.slots)
    out, aux = _aux(kind, name_of(f), run.out)
    if not kind.holomorphic and any(x.dtype.kind == "c" for x in tree.flatten(out)[0] if isinstance(x, TapedArray)):
        raise TypeError(f"{kind.prefix.rstrip('_')} of {name_of(f)}: the output is complex; set holomorphic=True if the function is "
                        f"holomorphic, or differentiate the real and imaginary parts separately")
    leaves, form = tree.flatten(out)
    rows = [_rows(run, leaf) for leaf in leaves]
    if kind.holomorphic:
        rows = [tree.map_leaves(np.conj, row) for row in rows]
    found = tree.unflatten(form, [_single(target, row) for row in rows])
    return (found, run.result(aux)) if kind.has_aux else found


def _hessian(kind: Hessian, f: Any, target: Target, values: Mapping[str, Any], call: Call) -> Any:
    """The Jacobian of the Jacobian."""
    def inner(taped: Mapping[str, Any]) -> Any:
        return by_tape(Jacobian("reverse", kind.has_aux, kind.holomorphic), f, target, taped, call)
    return by_tape(Jacobian("reverse", kind.has_aux, kind.holomorphic), inner, target, values, lambda g, v: g(v))


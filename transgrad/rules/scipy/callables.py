"""Derivatives of functions passed to SciPy: the calls that a rule makes when its function is a lowered `Function`.

Such a function takes the variables of the solver first (``x``; ``t, y``), then the variables that it captures.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir.attributes import Attributes
from ...ir.build import Builder, current, lift
from ...ir.clone import clone_function
from ...ir.ops import Block, Function, Invoke, Param, Tree, Value
from ...ir.types import Arr, ListT, is_differentiable
from ...services import eliminate_dead_code, reverse_of, tangent_of_call
from ..static import NoDerivative

__all__ = ["apply", "as_number", "components", "derived", "differentiable", "gradient_of", "grouped", "lowered", "pullback",
           "pullback_of", "pushforward", "tangent_of"]


def lowered(f: Any) -> Function:
    """The function, which must have been given to the compiler."""
    if not isinstance(f, Function):
        raise NoDerivative("a function passed to SciPy is differentiated by the compiler only, not on the tape")
    return f


def apply(f: Function, args: Sequence[Any]) -> Any:
    """A call of a lowered function: its flat results, one alone as it is."""
    f.attrs.emit = True
    results = [Value(y.type, None, True) for y in f.body.yields]
    current().emit(Invoke(f, [lift(a) for a in args], results=results))
    return results[0] if len(results) == 1 else tuple(results)


def _copies(f: Function) -> list[Value]:
    return [Value(p.type, p.name or f"a{k}", is_differentiable(p.type)) for k, p in enumerate(f.params)]


def _function(name: str, like: Function, params: list[Value], block: Block) -> Function:
    block.params = params
    leaves = [Tree("leaf", index=k) for k in range(len(block.yields))]
    return Function(name, block, leaves[0] if len(leaves) == 1 else Tree("tuple", leaves),
                    [Param(str(p.name), p) for p in params], dict(like.names), None, like.loc, None, Attributes(emit=True))


def _paired(f: Function) -> Function:
    """The pairing of the function's value with a cotangent, which is its last parameter."""
    params = _copies(f)
    taken = {p.name for p in params}
    name = "g" if "g" not in taken else "cotangent"
    block = Block()
    with Builder(block):
        y = apply(f, params)
        if isinstance(y, tuple):
            raise NoDerivative(f"{f.name}() returns several values; return one number or array")
        g = Value(y.type, name, True)
        block.yields = [lift(np.sum(y * g))]
    return _function(f"{f.name}_weighed", f, [*params, g], block)


def pullback_of(f: Function, places: Sequence[int]) -> Function:
    """A function of the parameters and a cotangent that returns the cotangents of the parameters at ``places``."""
    known: dict[Any, Function] = f.memo(pullback_of)
    key = tuple(places)
    if key not in known:
        weighed = _paired(f)
        out = reverse_of(weighed, [str(weighed.params[k].name) for k in places], paired=True)
        out.name = f"{f.name}_pullback" + (f"_{len(known) + 1}" if known else "")
        out.attrs.emit = True
        known[key] = out
    return known[key]


def derived(f: Function, name: str, text: Callable[..., Any], order: Sequence[int] | None = None) -> Function:
    """The function of the same parameters (in another order) that computes ``text(params, value)``; kept on ``f``."""
    known: dict[str, Function] = f.memo(derived)
    if name not in known:
        params = _copies(f)
        block = Block()
        with Builder(block):
            block.yields = [lift(text(params, apply(f, params)))]
        given = params if order is None else [params[k] for k in order] + params[len(order):]
        known[name] = _function(f"{f.name}_{name}", f, given, block)
    return known[name]


def as_number(f: Function) -> Function:
    """The function with a number as its value, where it returns an array of one element."""
    t = f.body.yields[0].type
    if not isinstance(t, Arr) or t.scalar:
        return f
    return derived(f, "as_number", lambda params, y: np.reshape(y, ())[()])


def gradient_of(f: Function) -> Function:
    """The gradient by the first parameter, as a function of the parameters."""
    known: dict[str, Function] = f.memo(derived)
    if "gradient" not in known:
        params = _copies(f)
        block = Block()
        with Builder(block):
            block.yields = [apply(pullback_of(f, [0]), [*params, 1.0])]
        known["gradient"] = _function(f"{f.name}_gradient", f, params, block)
    return known["gradient"]


def differentiable(f: Function, first: int) -> list[int]:
    """The places from ``first`` on whose parameters have derivatives."""
    return [k for k, p in enumerate(f.params) if k >= first and is_differentiable(p.type)]


def pullback(f: Function, args: Sequence[Any], g: Any, first: int = 0) -> list[Any]:
    """The cotangents of the arguments from ``first`` on, None if there are none."""
    places = differentiable(f, first)
    found: list[Any] = [None] * (len(args) - first)
    if places:
        back = pullback_of(f, places)
        got = apply(back, [*args, g])
        flat = got if isinstance(got, tuple) else (got,)
        for k, part in zip(places, [back.returns] if len(places) == 1 else back.returns.items):
            found[k - first] = grouped(part, flat)
    return found


def components(f: Function) -> list[Function]:
    """A function for each of the flat results of ``f``, a list as an array."""
    known: dict[int, Function] = f.memo(components)
    if not known:
        for k, y in enumerate(f.body.yields):
            one = clone_function(f)
            one.name, one.returns, one.body.yields = f"{f.name}_{k}", Tree("leaf", index=0), [one.body.yields[k]]
            if isinstance(y.type, ListT):
                with Builder(one.body) as b:
                    one.body.yields = [b.call(np.asarray, one.body.yields[0])]
            eliminate_dead_code(one)
            known[k] = one
    return list(known.values())


def grouped(form: Tree, flat: Sequence[Any]) -> Any:
    """The cotangent of one argument, of a tuple one for each item."""
    if form.kind == "leaf":
        return flat[form.index]
    return None if form.kind == "lit" else tuple(grouped(item, flat) for item in form.items)


def tangent_of(f: Function, places: Sequence[int]) -> Function:
    """A function of the parameters and of tangents of those at ``places`` that returns the tangent of the value."""
    known: dict[Any, Function] = f.memo(tangent_of)
    key = tuple(places)
    if key not in known:
        derivative, _ = tangent_of_call(f, key)
        derivative.attrs.emit = True
        params = [Value(p.type, p.name or f"a{k}", is_differentiable(p.type)) for k, p in enumerate(derivative.params)]
        block = Block()
        with Builder(block):
            got = apply(derivative, params)
        if not isinstance(got, tuple):
            raise NoDerivative(f"{f.name}() does not depend on the differentiated arguments")
        block.yields = [got[-1]]
        known[key] = _function(f"{f.name}_tangent" + (f"_{len(known) + 1}" if known else ""), f, params, block)
    return known[key]


def pushforward(f: Function, args: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The tangent of the function's value, for one tangent an argument (None: zero)."""
    places = [k for k, t in enumerate(tangents) if t is not None and is_differentiable(f.params[k].type)]
    return apply(tangent_of(f, places), [*args, *(tangents[k] for k in places)])

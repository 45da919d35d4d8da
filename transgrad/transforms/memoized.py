"""One derivative for each question: repeated requests share the compiled variants.

Derivatives of functions of modules are remembered. Functions that are made by other functions come and go: their derivatives live as long
as somebody holds them, and share variants through `transgrad.transforms.closures`. If that is not possible, they are remembered, too.
"""
from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable
from typing import Any

from ..pickling import reentrant_lock
from . import closures
from .derivative import Derivative
from .options import Options
from .transformations import Kind

__all__ = ["derive", "forget"]

#: the derivatives of functions that are made by other functions, by the function's id and the question
_living: weakref.WeakValueDictionary[Any, Derivative] = weakref.WeakValueDictionary()


@functools.lru_cache(maxsize=256)
def _remembered(kind: Kind, f: Callable[..., Any], argnums: Any, argnames: Any, options: Options) -> Derivative:
    found = _living.get((id(f), kind, argnums, argnames, options))
    return Derivative(kind, f, argnums, argnames, options) if found is None else found


def forget() -> None:
    """Forget all derivatives."""
    _remembered.cache_clear()
    _living.clear()


def derive(kind: Kind, f: Callable[..., Any], argnums: Any, argnames: Any, options: Options) -> Derivative:
    """Return the derivative of ``f``; repeated requests share it, so that a transformation inside a loop compiles once."""
    argnums = tuple(argnums) if isinstance(argnums, (list, range)) else argnums
    argnames = tuple(argnames) if isinstance(argnames, (list, set)) else argnames
    try:
        if closures.is_made_by_call(f) and options.is_plain:
            return _living_derivative(kind, f, argnums, argnames, options)
        return _remembered(kind, f, argnums, argnames, options)
    except TypeError:
        return Derivative(kind, f, argnums, argnames, options)


def _living_derivative(kind: Kind, f: types.FunctionType, argnums: Any, argnames: Any, options: Options) -> Derivative:
    """The derivative of a function that is made by another function."""
    question = kind, argnums, argnames, options
    place = id(f), *question
    found = _living.get(place)
    if found is None:
        models = closures.models_of(f.__code__)
        model = models.get(question)
        found = None if model is None else _alike(model, f)
        if found is None:
            found = Derivative(kind, f, argnums, argnames, options)
            if model is None:
                models[question] = _model(found)
        found.remember = _remember
        _living[place] = found
    return found


def _remember(derivative: Derivative) -> None:
    """Keep a derivative whose variants others cannot share, so that it is not compiled again for the same function."""
    d = derivative
    if _living.get((id(d.primal), d.kind, d.argnums, d.argnames, d.options)) is d:
        _remembered(d.kind, d.primal, d.argnums, d.argnames, d.options)


_COMMON = ("kind", "options", "argnums", "argnames", "skip", "primal_signature", "target", "__name__", "__qualname__", "__module__",
           "__doc__", "__signature__", "__annotations__", "_family")


def _model(derivative: Derivative) -> dict[str, Any]:
    """The attributes that derivatives of functions with the same code have in common."""
    return {**{name: derivative.__dict__[name] for name in _COMMON}, "of": _description(derivative.primal)}


def _alike(model: dict[str, Any], primal: types.FunctionType) -> Derivative | None:
    """A derivative of another function with the same code; None if the functions differ in their signatures, names or documentation."""
    if primal.__defaults__ is not None or primal.__kwdefaults__ is not None or primal.__dict__ or primal.__annotations__ or \
            model["of"] != _description(primal):
        return None
    found = object.__new__(Derivative)
    found.__dict__.update(model, __annotations__={}, primal=primal, _text=(primal.__code__, None), _plans={}, _variants={}, _last=None,
                          _method=None, _lock=reentrant_lock(), by_parts={})
    return found


def _description(f: Any) -> tuple[Any, ...]:
    """The properties that a derivative inherits from its function, besides the code."""
    return f.__name__, f.__qualname__, f.__module__, f.__doc__, f.__defaults__, f.__kwdefaults__, f.__annotations__

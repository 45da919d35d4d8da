"""Derivatives of functions of arrays of other libraries: JAX, Dask, PyTorch, CuPy, and libraries that follow the Python array API standard.

The function is compiled for NumPy arrays of the same dtypes and dimensions, and the source is written for the library of the arguments.
"""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.keys import key_of
from ..ir.libraries import Library, MixedLibraries, any_loaded, compiling_for, example_of, is_array, library_of_all
from ..ir.observed import Observed, observations
from ..passes.switches import FUNCTIONAL, NAMES, switched_off
from . import compiling
from .arguments import Slot, name_of, pick
from .guards import Guards, Holds
from .options import Numba
from .transformations import Reverse
from .variants import Variant

if TYPE_CHECKING:
    from .derivative import Derivative

__all__ = ["ForeignVariant", "examples", "leaves", "library_among", "variant"]

_OFF = tuple(name for name in NAMES if name not in FUNCTIONAL)


def leaves(value: Any) -> Iterator[Any]:
    """The arrays in an argument, and its other leaves."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        fields = getattr(type(value), "__dataclass_fields__", None)
        if fields is None or isinstance(value, type):
            yield value
            return
        value = [getattr(value, name, None) for name in fields]
    for item in value:
        yield from leaves(item)


def examples(value: Any) -> Any:
    """An argument with NumPy arrays in place of the arrays of other libraries."""
    if is_array(value):
        return example_of(value)
    if isinstance(value, (list, tuple)):
        items = [examples(item) for item in value]
        if type(value) in (list, tuple):
            return type(value)(items)
        return type(value)(*items) if hasattr(value, "_fields") else value
    if isinstance(value, dict):
        return type(value)((k, examples(v)) for k, v in value.items())
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is not None and not isinstance(value, type) and any(map(is_array, leaves(value))):
        new = object.__new__(type(value))
        for name, item in vars(value).items():
            object.__setattr__(new, name, examples(item))
        return new
    return value


def library_among(f: Callable[..., Any], values: Mapping[str, Any]) -> Library | None:
    """The library of the arrays among some arguments; None where all of them are NumPy's."""
    if not any_loaded() or all(type(v) in (np.ndarray, float, int) for v in values.values()):
        return None
    found = list(leaves(values))
    if not any(map(is_array, found)):
        return None
    try:
        return library_of_all(found)
    except TypeError as error:
        raise type(error)(f"{name_of(f)}: {error}") from None


def library_of_values(f: Callable[..., Any], library: Library, values: Mapping[str, Any]) -> None:
    """Refuse NumPy arrays beside arrays of a library that does not combine with them."""
    if not library.mixes and any(isinstance(leaf, np.ndarray) for leaf in leaves(values)):
        raise MixedLibraries(f"{name_of(f)}: NumPy arrays are passed to a function of {library.name} arrays, which {library.name} does not "
                             f"combine. Hint: convert the NumPy arrays, for example with xp.asarray(a)")


class _Guards(Guards):
    """The assumptions of a variant, which are checked on NumPy arrays that stand for the arguments."""

    def bind(self, roots: Mapping[str, str], scope: Mapping[str, Any] | None = None) -> Holds | None:
        holds = super().bind(roots, scope)
        if holds is None:
            return None
        return lambda args, kwargs: holds(examples(args), examples(kwargs))


class ForeignVariant(Variant):
    """The generated code for arrays of a library other than NumPy.

    Attributes
    ----------
    library : Library
        The library.
    """

    __slots__ = ("library", "slots")

    def __init__(self, made: Variant, library: Library):
        for name in ("ir", "module", "function", "types", "native", "parameters", "backward", "on_floats", "linear", "primal", "like"):
            setattr(self, name, getattr(made, name))
        self.library = library
        self.slots: tuple[Slot, ...] = ()
        self.guards = _Guards(made.guards.facts, made.guards.names, made.guards.codes)
        self._bind()


    def like_arguments(self, gradients: tuple[Any, ...], values: Mapping[str, Any]) -> tuple[Any, ...]:
        """Gradients with the chunks of the arguments that they belong to, where the library has chunks."""
        if not self.library.lazy:
            return gradients
        return tuple(_with_chunks(g, pick(values, slot)) for g, slot in zip(gradients, self.slots))

    def restore_chunks(self, kind: Reverse, single: bool, signature: inspect.Signature) -> None:
        """Has the function return gradients with the chunks of the arguments."""
        function = self.function

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            out = function(*args, **kwargs)
            found = out[1] if kind.with_value else out[0] if kind.has_aux else out
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            gradients = self.like_arguments((found,) if single else found, bound.arguments)
            found = gradients[0] if single else gradients
            return (out[0], found) if kind.with_value else (found, out[1]) if kind.has_aux else found

        self.function = run


def _with_chunks(g: Any, x: Any) -> Any:
    """A gradient with the chunks of its argument."""
    if isinstance(x, dict):
        return {k: _with_chunks(g[k], v) for k, v in x.items()} if type(x) is dict else g
    if type(x) in (list, tuple):
        return type(x)(map(_with_chunks, g, x))
    own, chunks = getattr(x, "chunks", None), getattr(g, "chunks", None)
    if own is None or chunks is None or own == chunks or getattr(x, "shape", None) != getattr(g, "shape", None):
        return g
    return g.rechunk(own)


def variant(derivative: Derivative, library: Library, values: Mapping[str, Any]) -> Variant:
    """Return the variant for arrays of a library; compile it if it is new."""
    if isinstance(derivative.options.backend, Numba):
        raise TypeError(f"backend='numba' compiles functions of NumPy arrays, and an argument of {name_of(derivative.primal)} is a "
                        f"{library.name} array. Hint: remove backend, or pass NumPy arrays")
    if derivative.options.nan == "raise":
        raise TypeError(f"nan='raise' checks NumPy arrays, and an argument of {name_of(derivative.primal)} is a {library.name} array. "
                        f"Hint: remove nan and check the result")
    library_of_values(derivative.primal, library, values)
    key = tuple(map(key_of, values.values()))
    with derivative._lock:
        for found in derivative._variants.get(key, ()):
            if found.holds(values):
                return found
        with compiling.without_collection(), compiling_for(library), switched_off(*_OFF), observations(Observed()):
            made = ForeignVariant(derivative._compile({name: examples(v) for name, v in values.items()}), library)
        made.on_floats = False
        made.slots = derivative.target.slots
        if library.lazy and isinstance(derivative.kind, Reverse):
            made.restore_chunks(derivative.kind, derivative.target.single, derivative.__signature__)
        derivative._variants.setdefault(key, []).append(made)
        return made

"""Derivatives of functions of arrays of other libraries: JAX, Dask, PyTorch, CuPy, and what follows the Python array API standard.

The function is compiled for NumPy arrays of the same dtypes and dimensions, and the source is written for the library of the arguments.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NoSourceError, TransgradError
from ..ir.keys import key_of
from ..ir.libraries import Library, any_loaded, compiling_for, example_of, is_array, library_of_all
from ..ir.observed import Observed, observations
from ..passes.switches import FUNCTIONAL, NAMES, switched_off
from . import compiling
from .arguments import name_of
from .guards import Guards, Holds
from .options import Numba
from .variants import Variant

if TYPE_CHECKING:
    from .derivative import Derivative

__all__ = ["ForeignVariant", "examples", "leaves", "library_among", "variant"]

_OFF = tuple(name for name in NAMES if name not in FUNCTIONAL)


def leaves(value: Any) -> Iterator[Any]:
    """The arrays in an argument, and whatever else it holds."""
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

    __slots__ = ("library",)

    def __init__(self, made: Variant, library: Library):
        for name in ("ir", "module", "function", "types", "native", "parameters", "backward", "on_floats", "linear", "primal", "like"):
            setattr(self, name, getattr(made, name))
        self.library = library
        self.guards = _Guards(made.guards.facts, made.guards.names, made.guards.codes)
        self._bind()


def variant(derivative: Derivative, library: Library, values: Mapping[str, Any]) -> Variant:
    """The variant for arrays of a library, compiled where it is new."""
    if isinstance(derivative.options.backend, Numba):
        raise TypeError(f"backend='numba' compiles functions of NumPy arrays, and an argument of {name_of(derivative.primal)} is a "
                        f"{library.name} array. Hint: leave out backend, or pass NumPy arrays")
    key = tuple(map(key_of, values.values()))
    with derivative._lock:
        for found in derivative._variants.get(key, ()):
            if found.holds(values):
                return found
        with compiling.without_collection(), compiling_for(library), switched_off(*_OFF), observations(Observed()):
            try:
                made = ForeignVariant(derivative._compile({name: examples(v) for name, v in values.items()}), library)
            except (TransgradError, NoSourceError) as error:
                raise _named(error, library) from None
        made.on_floats = False
        derivative._variants.setdefault(key, []).append(made)
        return made


def _named(error: TransgradError, library: Library) -> TransgradError:
    """The refusal, which says that the tape is no way out for arrays of this library."""
    reason = getattr(error, "reason", None)
    if reason is not None and library.name not in reason:
        error.args = (f"{reason} (the arguments are {library.name} arrays, for which there is no tape)", *error.args[1:])
    return error

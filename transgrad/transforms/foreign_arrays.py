"""Derivatives of functions of arrays of other libraries: JAX, Dask, PyTorch, CuPy, and libraries that follow the Python array API standard.

The function is compiled for NumPy arrays of the same dtypes and dimensions, and the source is written for the library of the arguments.
"""
from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UnsupportedSyntax
from ..ir.keys import key_of
from ..ir.libraries import Library, MixedLibraries, any_loaded, compiling_for, example_of, is_array, library_of_all
from ..ir.observed import Observed, observations
from ..ir.ops import Function
from ..passes.switches import FUNCTIONAL, NAMES, switched_off
from . import cache, compiling
from .arguments import Slot, name_of, pick
from .guards import Guards, Holds
from .options import Numba
from .sharing import REMEDY
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
    """The library of the arrays among some arguments; None if all of them are NumPy's."""
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
        if not any(fact[0] == "apart" for fact in self.facts):
            return lambda args, kwargs: holds(examples(args), examples(kwargs))

        def hold_apart(args: Any, kwargs: Any) -> bool:
            arrays = [x for x in leaves([args, kwargs]) if is_array(x)]
            apart = not any(_share(x, y) for k, x in enumerate(arrays) for y in arrays[:k])
            return apart and holds(examples(args), examples(kwargs))
        return hold_apart


def _share(x: Any, y: Any) -> bool:
    """Whether two arrays of a library may share memory."""
    if x is y:
        return True
    if hasattr(x, "untyped_storage") and hasattr(y, "untyped_storage"):        # PyTorch
        return bool(x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr())
    x, y = (getattr(a, "_array", a) for a in (x, y))        # array-api-strict
    module = sys.modules.get(type(x).__module__.partition(".")[0])
    try:
        return bool(getattr(module, "may_share_memory", np.may_share_memory)(x, y))
    except Exception:       # without memory that can be compared
        return False


def _check_apart(f: Callable[..., Any], found: Variant, values: Mapping[str, Any]) -> None:
    """Refuse arguments that share memory where the function writes to one of them."""
    for kind, name, other, _ in found.guards.facts:
        if kind != "apart" or name not in values or other not in values:
            continue
        own, others = ([x for x in leaves(values[n]) if is_array(x)] for n in (name, other))
        if name != other and any(_share(x, y) for x in own for y in others):
            raise UnsupportedSyntax(f"{name_of(f)} writes to its argument {name!r}, which shares memory with {other!r}", None, REMEDY)


class ForeignVariant(Variant):
    """The generated code for arrays of a library other than NumPy.

    Attributes
    ----------
    library : Library
        The library.
    """

    __slots__ = ("library", "made", "slots")

    def __init__(self, made: Variant, library: Library):
        for name in ("module", "function", "types", "native", "parameters", "backward", "linear", "like", "uncached"):
            setattr(self, name, getattr(made, name))
        self.made, self.library, self.on_floats = made, library, False
        self.slots: tuple[Slot, ...] = ()
        self.guards = _Guards(made.guards.facts, made.guards.names, made.guards.codes)
        self._bind()

    @property
    def ir(self) -> Function:  # type: ignore[override]
        return self.made.ir

    @property
    def primal(self) -> Function | None:  # type: ignore[override]
        return self.made.primal

    def like_arguments(self, gradients: tuple[Any, ...], values: Mapping[str, Any]) -> tuple[Any, ...]:
        """Gradients of the library and with the chunks of the arguments that they belong to."""
        if not self.library.lazy and not any(isinstance(g, (np.ndarray, np.generic)) for g in leaves(gradients)):
            return gradients
        return tuple(_as_argument(g, pick(values, slot), self.library) for g, slot in zip(gradients, self.slots))

    def restore(self, kind: Reverse, single: bool, signature: inspect.Signature) -> None:
        """Has the function return gradients of the library of the arguments, also if they are constants, and with their chunks."""
        function, lazy = self.function, self.library.lazy

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            out = function(*args, **kwargs)
            found = out[1] if kind.with_value else out[0] if kind.has_aux else out
            if not lazy and not any(isinstance(g, (np.ndarray, np.generic)) for g in leaves(found)):
                return out
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            gradients = self.like_arguments((found,) if single else found, bound.arguments)
            found = gradients[0] if single else gradients
            return (out[0], found) if kind.with_value else (found, out[1]) if kind.has_aux else found

        self.function = run


def _as_argument(g: Any, x: Any, library: Library) -> Any:
    """A gradient of the library of its argument, with the chunks of it."""
    if isinstance(x, dict):
        return {k: _as_argument(g[k], v, library) for k, v in x.items()} if type(x) is dict else g
    if type(x) in (list, tuple):
        return type(x)(_as_argument(a, b, library) for a, b in zip(g, x))
    if isinstance(g, (np.ndarray, np.generic)) and is_array(x):     # it depends on constants alone
        g = library.module.COO(np.asarray(g)) if library.name == "sparse" else library.module.asarray(g)
    own, chunks = getattr(x, "chunks", None), getattr(g, "chunks", None)
    if own is None or chunks is None or own == chunks or getattr(x, "shape", None) != getattr(g, "shape", None):
        return g
    return g.rechunk(own)


@contextlib.contextmanager
def _settings(library: Library) -> Iterator[None]:
    """Compile for a library, without the optimizations that only NumPy arrays allow."""
    with compiling_for(library), switched_off(*_OFF):
        yield


def _again(derivative: Derivative, library: Library, like: Mapping[str, Any]) -> Variant:
    """Compile a variant for NumPy arrays that stand for those of a library."""
    with compiling.without_collection(), _settings(library), observations(Observed()):
        return derivative._compile_with_derivatives(like)


def _found(derivative: Derivative, key: Hashable, like: Mapping[str, Any], library: Library) -> Variant | None:
    """The variant in the disk cache."""
    with _settings(library):
        return cache.find(derivative, key, like, library, functools.partial(_again, derivative, library))


def _compiled(derivative: Derivative, key: Hashable, like: Mapping[str, Any], library: Library) -> Variant:
    """A new variant, which is stored in the disk cache."""
    with compiling.functions_read() as functions:
        made = _again(derivative, library, like)
    with _settings(library):
        cache.store(derivative, key, made, functions.values(), library)
    return made


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
            _check_apart(derivative.primal, found, values)
        like = {name: examples(v) for name, v in values.items()}
        made = ForeignVariant(_found(derivative, key, like, library) or _compiled(derivative, key, like, library), library)
        _check_apart(derivative.primal, made, values)
        made.slots = derivative.target.slots
        if library.mixes and isinstance(derivative.kind, Reverse):
            made.restore(derivative.kind, derivative.target.single, derivative.__signature__)
        derivative._variants.setdefault(key, []).append(made)
        return made

"""Array libraries other than NumPy: which library an array belongs to, and what stands for an array while its function is compiled.

Arrays of these libraries are data. Their type is that of a NumPy array of the same dtype and dimensions, and their source is never read.
The generated source calls the library of the arguments.
"""
from __future__ import annotations

import contextlib
import importlib
import importlib.util
import math
import sys
from collections.abc import Hashable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np

__all__ = [
    "LIBRARIES", "Library", "MixedLibraries", "any_loaded", "array_key", "compiling_for", "example_of", "is_array", "libraries_met",
    "library_of", "library_of_all", "met", "target",
]


@dataclass(frozen=True, slots=True)
class Library:
    """An array library.

    Attributes
    ----------
    name : str
        Its name on the package index.
    modules : tuple of str
        Top-level modules that define its arrays.
    namespace : str
        The module that holds its functions.
    alias : str
        What that module is called in generated source.
    standard : bool
        Whether calls follow the Python array API standard, or the signatures of NumPy.
    mutable : bool
        Whether elements can be assigned.
    mixes : bool
        Whether its functions accept NumPy arrays beside its own.
    extra : str
        The extra of transgrad that installs the requirements of the namespace.
    full_index : bool
        Whether an index needs an entry for each axis, or an ellipsis.
    views : bool
        Whether an element is a view of its array.
    lazy : bool
        Whether operations only record the computation.
    rebinds : bool
        Whether ``x += y`` makes a new array.
    devices : bool
        Whether new arrays have to be made on the device of the others.
    """

    name: str
    modules: tuple[str, ...]
    namespace: str
    alias: str = "xp"
    standard: bool = False
    mutable: bool = True
    mixes: bool = False
    extra: str = "arrays"
    full_index: bool = False
    views: bool = False
    lazy: bool = False
    rebinds: bool = False
    devices: bool = False

    @property
    def module(self) -> Any:
        """The module that holds the functions."""
        try:
            return importlib.import_module(self.namespace)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"derivatives of functions of {self.name} arrays need {error.name}, which is not installed: "
                f"pip install 'transgrad[{self.extra}]'", name=error.name) from None


#: The libraries that are known by name; others are recognized by ``__array_namespace__``.
LIBRARIES: tuple[Library, ...] = (
    Library("jax", ("jax", "jaxlib"), "jax.numpy", "jnp", mutable=False, mixes=True, rebinds=True),
    Library("dask", ("dask",), "dask.array", "da", mixes=True, lazy=True, rebinds=True),
    Library("torch", ("torch",), "array_api_compat.torch", standard=True, views=True, devices=True),
    Library("array-api-strict", ("array_api_strict",), "array_api_strict", standard=True, full_index=True),
    Library("cupy", ("cupy",), "cupy", "cp", views=True),
    Library("sparse", ("sparse",), "sparse", "sparse", mutable=False, mixes=True, rebinds=True),
)
_BY_MODULE = {module: library for library in LIBRARIES for module in library.modules}
_OWN = frozenset(("numpy", "builtins", "transgrad", "scipy", "pandas", "xarray"))
_LOCAL: dict[str, Library] = {}
_target: ContextVar[Library | None] = ContextVar("the library whose arrays generated source is for", default=None)


class MixedLibraries(TypeError):
    """Arrays of libraries that do not work together are passed to one function."""


@lru_cache(maxsize=4096)
def _library_of_class(cls: type) -> Library | None:
    root = (cls.__module__ or "").partition(".")[0]
    if root in _OWN or issubclass(cls, (np.ndarray, np.generic)):
        return None
    found = _BY_MODULE.get(root)
    if found is not None:
        return found if _looks_like_array(cls, found) else None
    return _unlisted(cls, root) if hasattr(cls, "__array_namespace__") else None


def _looks_like_array(cls: type, library: Library) -> bool:
    if library.name == "torch":
        return any(c.__module__ == "torch" and c.__name__ == "Tensor" for c in cls.__mro__)
    if library.name == "dask":
        return any(c.__module__.startswith("dask.array") and c.__name__ == "Array" for c in cls.__mro__)
    return hasattr(cls, "__array_namespace__") or hasattr(cls, "__array_function__")


def _unlisted(cls: type, root: str) -> Library:
    """A library that follows the standard and is not listed."""
    return _LOCAL.setdefault(root, Library(root, (root,), root, standard=True, mutable=hasattr(cls, "__setitem__"), views=True,
                                           full_index=True))


def library_of(value: Any) -> Library | None:
    """The library that a value is an array of; None for NumPy's arrays, and for other values."""
    library = _library_of_class(cast(Hashable, type(value)))
    if library is not None and library.name in _LOCAL and library.namespace == library.modules[0]:
        module = value.__array_namespace__()
        return Library(library.name, library.modules, module.__name__, standard=True, mutable=library.mutable, views=True, full_index=True)
    return library


def is_array(value: Any) -> bool:
    """Whether a value is an array of a library other than NumPy."""
    return _library_of_class(cast(Hashable, type(value))) is not None


def library_of_all(leaves: Iterable[Any]) -> Library | None:
    """The library of the arrays among some values; None if all of them are NumPy's.

    Raises
    ------
    MixedLibraries
        If the arrays belong to libraries that do not work together.
    """
    found: Library | None = None
    of_numpy = False
    for leaf in leaves:
        library = library_of(leaf)
        of_numpy |= isinstance(leaf, np.ndarray)
        if library is None:
            continue
        if found is not None and library.name != found.name:
            raise MixedLibraries(f"the arguments are arrays of two libraries, {found.name} and {library.name}. "
                                 f"Hint: convert them to one library first; a result never changes its library silently")
        found = library
    if found is not None and of_numpy and not found.mixes:
        raise MixedLibraries(f"the arguments are {found.name} arrays and NumPy arrays, which {found.name} does not combine. "
                             f"Hint: convert the NumPy arrays, for example with xp.asarray(a)")
    return found


def _dtype_name(value: Any) -> str:
    dtype = value.dtype
    name = getattr(dtype, "name", None)
    return str(name) if isinstance(name, str) else str(dtype).rpartition(".")[2]


def array_key(value: Any) -> tuple[Any, ...]:
    """What of an array decides the generated source: library, dtype, number of dimensions, and which of them are 1."""
    library = library_of(value)
    assert library is not None
    return library.name, _dtype_name(value), tuple([n == 1 for n in value.shape])


#: stands for a length that a lazy array does not know
_UNKNOWN_LENGTH = 1009


def example_of(value: Any) -> Any:
    """A NumPy array, or scalar, of the same dtype and shape as an array of another library, without its elements.

    Raises
    ------
    TypeError
        If NumPy has no such dtype.
    """
    try:
        dtype = np.dtype(_dtype_name(value))
    except TypeError:
        dtype = np.dtype(object)
    if dtype.kind not in "biufc":       # bfloat16, float8, strings, dates
        raise TypeError(f"arrays of dtype {value.dtype} have no counterpart in NumPy and cannot be differentiated. "
                        f"Hint: convert them to float32 or float64")
    shape = tuple(_UNKNOWN_LENGTH if isinstance(n, float) and math.isnan(n) or n is None else int(n) for n in value.shape)
    return np.broadcast_to(np.zeros((), dtype), shape) if shape else dtype.type(0)


@contextlib.contextmanager
def compiling_for(library: Library | None) -> Iterator[None]:
    """Generate source for arrays of a library in this context."""
    token = _target.set(library)
    try:
        yield
    finally:
        _target.reset(token)


def target() -> Library | None:
    """The library that source is generated for; None for NumPy."""
    return _target.get()


_met: ContextVar[list[Library] | None] = ContextVar("the libraries of arrays that are constants of a function", default=None)


def met(value: Any) -> None:
    """Note that a function that is being compiled holds an array of another library."""
    found = _met.get()
    library = library_of(value)
    if found is not None and library is not None:
        found.append(library)


@contextlib.contextmanager
def libraries_met() -> Iterator[list[Library]]:
    """Collect the libraries of the arrays that functions compiled in this context hold as constants."""
    found: list[Library] = []
    token = _met.set(found)
    try:
        yield found
    finally:
        _met.reset(token)


def any_loaded() -> bool:
    """Whether some library other than NumPy may have made arrays: it has been imported."""
    return bool(_LOCAL) or any(module in sys.modules for module in _BY_MODULE)

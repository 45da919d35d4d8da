"""Names of the tape at the top of the package, for ``import transgrad as torch``; loaded on first access."""
from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["names", "top"]

_MODULES = frozenset((
    "autograd", "backends", "cuda", "fft", "func", "linalg", "nn", "optim", "signal", "sparse", "special", "testing", "utils"))
_OWN = frozenset(("distributed", "interop"))    # modules that torch does not have, or that do something else there
_OPEN = frozenset(("random",))      # modules of the tape that torch also has at its top
#: names of these modules that serve the tape and are not public
_INTERNAL = frozenset((
    "FFT", "FUNCTIONS", "LINALG", "METHODS", "PROPERTIES", "SPECIAL", "TOP", "TorchDtype", "as_sparse_gradcheck", "beside", "category",
    "default_complex", "gather_sparse", "held", "is_differentiable", "numpy_dtype", "shown", "spdiags", "to_sparse"))
_ABSENT = object()
_PLACES = ("autograd.ops", "autograd", "autograd.dtype_objects", "autograd.dtypes", "autograd.sparse", "nn.top")


def top(name: str) -> object:
    """Return the attribute ``name`` of the package: a module, or a name of the tape."""
    if not name.startswith("__") and name not in _INTERNAL:
        if name in _MODULES or name in _OWN:
            return importlib.import_module(f"{__package__}.{name}")
        for place in _PLACES:
            module = importlib.import_module(f"{__package__}.{place}")
            found = getattr(module, name, _ABSENT)
            if found is not _ABSENT and (name in _OPEN or not isinstance(found, ModuleType)):
                return found
    from .absent import message
    raise AttributeError(message(f"module {__package__!r}", "torch", name))


def names() -> list[str]:
    """Return all names that `top` finds."""
    found = set(_MODULES | _OWN)
    for place in _PLACES:
        module = importlib.import_module(f"{__package__}.{place}")
        public = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
        found.update(getattr(module, "TOP", ()))
        found.update(name for name in (*public, *_OPEN) if name in _OPEN or not isinstance(getattr(module, name, None), ModuleType))
    return sorted(found - _INTERNAL)

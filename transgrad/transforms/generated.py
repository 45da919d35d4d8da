"""Generated functions that travel between processes: source, and references to the objects that it names."""
from __future__ import annotations

import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..emit.load import load
from ..emit.text import Module
from ..pickling import portable, usable

if TYPE_CHECKING:
    from .variants import Variant

__all__ = ["Generated"]


class Generated:
    """A generated function. It pickles as its source, and runs as exactly that source elsewhere.

    Parameters
    ----------
    function : callable
        The function.
    module : Module
        Its source and the objects that the source names.
    native : bool
        Whether Numba compiles the source.
    """

    def __init__(self, function: Callable[..., Any], module: Module, native: bool = False):
        self.function, self.module, self.native = function, module, native

    @classmethod
    def of(cls, variant: Variant) -> Generated:
        """Return the generated function of a variant."""
        module = variant.module if variant.native is None else variant.native.module
        return cls(variant.function, module, variant.native is not None)

    def __reduce__(self) -> Any:
        m = self.module
        names = [(name, *_described(x)) for name, x in m.names.items()]
        return _loaded, (m.text, names, m.entry, m.origins(), self.native)


def _described(x: Any) -> tuple[str, Any]:
    return ("module", x.__name__) if isinstance(x, types.ModuleType) else ("object", portable(x))


def _loaded(text: str, names: list[tuple[str, str, Any]], entry: str, origins: dict[int, tuple[Any, ...]], native: bool) -> Generated:
    from importlib import import_module
    objects = {name: import_module(x) if kind == "module" else usable(x) for name, kind, x in names}
    module = Module(text, objects, entry, stored=origins)
    if not native:
        return Generated(load(module), module)
    from ..emit.numba.compile import loaded
    return Generated(loaded(module), module, True)

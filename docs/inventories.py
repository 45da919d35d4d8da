"""Write the inventories in docs/inventories, from which links to other projects are resolved without a network.

They are made from the installed packages: a name that is documented there is at an address that follows from it.
"""
from __future__ import annotations

import builtins
import importlib
import inspect
import pathlib
import zlib
from collections.abc import Iterator

OUT = pathlib.Path(__file__).resolve().parent / "inventories"
SCIPY = ("special", "linalg", "fft", "signal", "stats", "integrate", "interpolate", "optimize", "sparse", "sparse.linalg", "spatial",
         "spatial.distance", "ndimage")


def _role(value: object) -> str:
    return "class" if inspect.isclass(value) else "function"


def _python() -> Iterator[tuple[str, str, str]]:
    for name, value in vars(builtins).items():
        if name.startswith("_"):
            continue
        if inspect.isclass(value) and issubclass(value, BaseException):
            yield name, "exception", f"library/exceptions.html#{name}"
        elif name in ("bytes", "dict", "frozenset", "list", "range", "set", "str", "tuple"):
            yield name, "class", f"library/stdtypes.html#{name}"
        else:
            yield name, _role(value), f"library/functions.html#{name}"
    for module in ("math", "cmath", "dataclasses", "warnings", "pathlib", "pdb"):
        for name in getattr(importlib.import_module(module), "__all__", ()):
            yield f"{module}.{name}", "function", f"library/{module}.html#{module}.{name}"


def _public(package: str, modules: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    for module in modules:
        path = f"{package}.{module}" if module else package
        found = importlib.import_module(path)
        for name in getattr(found, "__all__", ()):
            value = getattr(found, name, None)
            if callable(value):
                yield f"{path}.{name}", _role(value), f"reference/generated/{path}.{name}.html#{path}.{name}"


def write(name: str, version: str, entries: Iterator[tuple[str, str, str]]) -> None:
    """Write an inventory in version 2 of Sphinx's format."""
    head = (f"# Sphinx inventory version 2\n# Project: {name}\n# Version: {version}\n"
            "# The remainder of this file is compressed using zlib.\n")
    lines = sorted({f"{entry} py:{role} 1 {uri} -\n" for entry, role, uri in entries})
    OUT.mkdir(exist_ok=True)
    (OUT / f"{name}.inv").write_bytes(head.encode() + zlib.compress("".join(lines).encode(), 9))


if __name__ == "__main__":
    import numpy
    import scipy
    write("python", "3", _python())
    write("numpy", numpy.__version__, _public("numpy", ("", "linalg", "fft")))
    write("scipy", scipy.__version__, _public("scipy", SCIPY))

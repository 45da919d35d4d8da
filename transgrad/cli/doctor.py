"""``transgrad doctor``: report the installed packages, which back ends work, where the cache is, and which packages conflict."""
from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import pathlib
import platform
import sys
from collections.abc import Iterator
from typing import Any, Literal

from .. import __file__ as own
from .. import __version__, grad
from ..emit import cache

__all__ = ["examined", "shown"]

_PACKAGES = ("numpy", "scipy", "gast", "optree", "rich", "numba", "jax", "torch", "ipython", "pytest")
_SHADOWED = ("transgrad", "numpy", "scipy", "gast", "optree", "rich", "numba")


def examined() -> dict[str, Any]:
    """Return the state of the installation; ``problems`` lists required changes."""
    packages = {name: _version(name) for name in _PACKAGES}
    backends = {"numpy": _numpy_works(), "numba": _numba_works() if packages["numba"] else "not installed: pip install 'transgrad[numba]'"}
    cache = _cache()
    problems = [*_shadows(str(own)), *_duplicates(), *(f"the {name} back end does not work: {state}" for name, state in backends.items()
                                                      if state != "works" and not state.startswith("not installed"))]
    if cache["directory"] is not None and not cache["writable"]:
        problems.append(f"the cache {cache['directory']} cannot be written: set TRANSGRAD_CACHE to another directory")
    return {"transgrad": __version__, "location": str(pathlib.Path(own).parent), "python": platform.python_version(),
            "platform": platform.platform(), "packages": packages, "backends": backends, "cache": cache, "problems": problems}


def shown(found: dict[str, Any]) -> str:
    """Format the state as text."""
    cache = found["cache"]
    where = "off (TRANSGRAD_CACHE)" if cache["directory"] is None else \
        f"{cache['directory']}, {cache['files']} files, {cache['bytes'] / 1e6:.1f} MB{'' if cache['writable'] else ', not writable'}"
    lines = [f"transgrad  {found['transgrad']} in {found['location']}", f"python     {found['python']} on {found['platform']}",
             "packages   " + ", ".join(f"{name} {version or '—'}" for name, version in found["packages"].items())]
    lines += [f"back end   {name}: {state}" for name, state in found["backends"].items()]
    lines += [f"cache      {where}"]
    lines += [f"problem    {problem}" for problem in found["problems"]] or ["problems   none"]
    return "\n".join(lines)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cube(x: Any) -> Any:
    return x ** 3


def _numpy_works() -> str:
    return _works("numpy")


def _numba_works() -> str:
    return _works("numba")


def _works(backend: Literal["numpy", "numba"]) -> str:
    try:
        found = grad(_cube, backend="numba" if backend == "numba" else "numpy", fallback="error")(2.0)
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return "works" if found == 12.0 else f"the derivative of x ** 3 at 2 is {found}"


def _cache() -> dict[str, Any]:
    base = cache.base()
    if base is None:
        return {"directory": None, "writable": False, "files": 0, "bytes": 0}
    from ..emit.cache_size import files
    found = list(files(base))
    parent = next((p for p in (pathlib.Path(base), *pathlib.Path(base).parents) if p.exists()), pathlib.Path("/"))
    return {"directory": base, "writable": os.access(parent, os.W_OK), "files": len(found), "bytes": sum(f.size for f in found)}


def _shadows(own: str) -> Iterator[str]:
    """Find files in the working directory, or in earlier entries of the path, that shadow an installed package."""
    for name in _SHADOWED:
        places = []
        for entry in dict.fromkeys(os.path.abspath(p or os.curdir) for p in ("", *sys.path)):
            for path in (os.path.join(entry, name, "__init__.py"), os.path.join(entry, f"{name}.py")):
                if os.path.exists(path) and os.path.realpath(path) not in places:
                    places.append(os.path.realpath(path))
        if len(places) > 1:
            yield f"{name} is in several places, of which the first is imported: {', '.join(places)}"


def _duplicates() -> Iterator[str]:
    found = [str(d.locate_file("")) for d in importlib.metadata.distributions() if (d.metadata["Name"] or "").lower() == "transgrad"]
    if len(set(found)) > 1:
        yield f"transgrad is installed {len(set(found))} times: {', '.join(sorted(set(found)))}"

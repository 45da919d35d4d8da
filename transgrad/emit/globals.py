"""Names of all objects outside the generated code that it refers to: modules, functions, classes, constants."""
from __future__ import annotations

import ast
import builtins
import functools
import math
import operator
import sys
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from .naming import unique

__all__ = ["Globals"]

#: NumPy's namespaces, the shortest first.
_NUMPY = ("", "linalg.", "fft.", "random.", "polynomial.", "char.", "lib.stride_tricks.", "emath.", "ma.", "exceptions.")
#: Functions with several public names: the one that people write.
_PREFERRED = {"absolute": "abs", "conjugate": "conj", "true_divide": "divide"}


def _numpy_names() -> dict[int, str]:
    """The public dotted name of each of NumPy's functions and classes, by identity (NumPy keeps them alive)."""
    # a module in generated code was imported by someone; NumPy imports the others on access, which takes long
    return _names_in(tuple(space for space in _NUMPY if not space or space.split(".")[0] in vars(np)))


@functools.cache
def _names_in(spaces: tuple[str, ...]) -> dict[int, str]:
    found: dict[int, str] = {}
    for space in spaces:
        module: Any = functools.reduce(getattr, space.rstrip(".").split("."), np) if space else np
        public = sorted(n for n in vars(module) if not n.startswith("_"))
        for name in public:
            obj = vars(module)[name]
            if callable(obj):
                own = getattr(obj, "__name__", name)
                preferred = name in (own, _PREFERRED.get(own, own))
                known = found.get(id(obj))
                if known is None or (preferred and "." not in known and space == "" and known != _PREFERRED.get(own)):
                    found[id(obj)] = space + name
    for own, name in _PREFERRED.items():
        if hasattr(np, own) and getattr(np, own) is getattr(np, name, None):
            found[id(getattr(np, own))] = name
    return found


class Globals:
    """The names bound in a module of generated code.

    ``bindings`` maps each name to its object; builtins need none unless something shadows them.
    """

    def __init__(self, avoid: Iterable[str] = ()):
        self.bindings: dict[str, Any] = {}
        #: Builtins that the generated code uses, so that no variable takes their names.
        self.builtins: set[str] = set()
        self._avoid = set(avoid)
        self._names: dict[int, str] = {}
        self._known: dict[str, Any] = {}
        self._spelled: dict[int, str] = {}
        self._keep: list[Any] = []

    @functools.cached_property
    def _numpy(self) -> dict[int, str]:
        return _numpy_names()

    def numpy_name(self, obj: Any) -> str | None:
        """The public dotted name of a function or class below ``numpy``."""
        return self._numpy.get(id(obj))

    def use(self, names: dict[str, Any]) -> None:
        """Take over the names that a function's user gave to things."""
        self._known = names
        self._spelled = {id(obj): name for name, obj in names.items()}

    @property
    def taken(self) -> set[str]:
        """All names that mean something outside of a function."""
        return {*self.bindings, *self.builtins}

    def define(self, name: str, obj: Any) -> str:
        """Reserve the name of a function that the module itself defines; ``obj`` is what calls refer to it by."""
        name = unique(name, {*self.taken, *self._avoid, *self._names.values()})
        self._remember(obj, name)
        return name

    def _remember(self, obj: Any, name: str) -> None:
        self._names[id(obj)] = name
        self._keep.append(obj)

    def bind(self, hint: str, obj: Any) -> str:
        """A name for an object; the same one each time."""
        known = self._names.get(id(obj))
        if known is not None:
            return known
        name = hint if hint.isidentifier() else "value"
        name = unique(name, {*self.taken, *self._avoid, *self._names.values()})
        self.bindings[name] = obj
        self._remember(obj, name)
        return name

    # -- spellings

    def spelling(self, text: str, obj: Any) -> ast.expr | None:
        """The user's own spelling of an object, if it still means that object."""
        root, *path = text.split(".")
        if not all(part.isidentifier() for part in (root, *path)):
            return None
        if root in self._known:
            base = self._known[root]
        elif hasattr(builtins, root):
            base = getattr(builtins, root)
        else:
            return None
        try:
            value = functools.reduce(getattr, path, base)
        except AttributeError:
            return None
        if value is not obj and not (path and _same(value, obj)):
            return None
        if root not in self._known:
            return _dotted(self._builtin(root), path)
        return _dotted(self.bind(root, base), path)

    def _builtin(self, name: str) -> str:
        if name in self._avoid or name in self.bindings:
            return self.bind(f"builtin_{name}", getattr(builtins, name))
        self.builtins.add(name)
        return name

    def spelled(self, dotted: str) -> ast.expr:
        """A name under ``np`` or ``math``, under the names that these have in this module."""
        root, *path = dotted.split(".")
        return _dotted(self.bind(root, {"np": np, "math": math, "operator": operator}[root]), path)

    def expr(self, obj: Any, spelling: str | None = None) -> ast.expr:
        """The name or dotted name of any object."""
        if spelling is not None:
            spelled = self.spelling(spelling, obj)
            if spelled is not None:
                return spelled
        known = self._names.get(id(obj))
        if known is not None:
            return ast.Name(known, ast.Load())
        dotted = self._numpy.get(id(obj))
        if dotted is not None:
            return self.spelled(f"np.{dotted}")
        name = getattr(obj, "__name__", None)
        if isinstance(obj, types.ModuleType):
            return ast.Name(self.bind("np" if obj is np else obj.__name__.split(".")[-1], obj), ast.Load())
        if isinstance(name, str):
            if getattr(builtins, name, None) is obj:
                return ast.Name(self._builtin(name), ast.Load())
            for module in (math, operator):
                if getattr(module, name, None) is obj:
                    return self.spelled(f"{module.__name__}.{name}")
            owner = getattr(obj, "__self__", None)
            if isinstance(owner, (np.ufunc, type)) and getattr(owner, name, None) == obj:
                return ast.Attribute(self.expr(owner), name, ast.Load())
            if id(obj) in self._spelled:
                return ast.Name(self.bind(self._spelled[id(obj)], obj), ast.Load())
            public = self._public(obj, name)
            if public is not None:
                return public
            distribution = _distribution(obj)
            if distribution is not None:
                return _dotted(self.bind("scipy", sys.modules["scipy"]), ["stats", distribution, name])
            owner = _owner(obj)
            if owner is not None:
                return ast.Attribute(self.expr(owner), name, ast.Load())
            return ast.Name(self.bind(name, obj), ast.Load())
        return ast.Name(self.bind(self._spelled.get(id(obj)) or self._constant_name(obj), obj), ast.Load())

    def _public(self, obj: Any, name: str) -> ast.expr | None:
        """A function of SciPy and the like, under the public module it comes from."""
        where = getattr(obj, "__module__", None) or ("scipy.special" if isinstance(obj, np.ufunc) else "")
        if where.split(".")[0] not in ("scipy", "numpy"):
            return None
        parts = [p for p in where.split(".") if not p.startswith("_")]
        while parts:
            module = sys.modules.get(".".join(parts))
            if module is not None and getattr(module, name, None) is obj:
                return _dotted(self.bind(parts[0], sys.modules[parts[0]]), [*parts[1:], name])
            parts.pop()
        return None

    def _constant_name(self, obj: Any) -> str:
        k = 1
        while f"const_{k}" in self.taken:
            k += 1
        return f"const_{k}"


def _same(a: Any, b: Any) -> bool:
    """Whether two consecutive reads of an attribute give the same object (each access creates a new method)."""
    if type(a) in (bool, int, float, complex, str) and type(a) is type(b):
        return bool(a == b)
    return callable(a) and callable(b) and bool(a == b)


def _owner(obj: Any) -> type | None:
    """The class that a method written in Python belongs to, where its module has it under that name."""
    path = str(getattr(obj, "__qualname__", "")).split(".")
    if len(path) < 2 or "<locals>" in path:
        return None
    owner: Any = sys.modules.get(getattr(obj, "__module__", None) or "")
    for part in path[:-1]:
        owner = getattr(owner, part, None)
    found = isinstance(owner, type) and vars(owner).get(path[-1]) is obj
    return owner if found else None


def _distribution(obj: Any) -> str | None:
    """The name in scipy.stats of the distribution that a method is bound to."""
    owner = getattr(obj, "__self__", None)
    name = getattr(owner, "name", None)
    return name if isinstance(name, str) and getattr(sys.modules.get("scipy.stats"), name, None) is owner and owner is not None else None


def _dotted(root: str, path: list[str]) -> ast.expr:
    out: ast.expr = ast.Name(root, ast.Load())
    for part in path:
        out = ast.Attribute(out, part, ast.Load())
    return out

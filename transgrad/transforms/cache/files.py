"""One cache file for each variant: its code, the objects it refers to, its guards, and the source files it depends on."""
from __future__ import annotations

import contextlib
import marshal
import types
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...emit import cache
from ...emit.files import expected_file, publish
from ...emit.text import Module
from ...ir.attributes import Guard
from ...ir.keys import key_of
from ...ir.libraries import Library
from ...ir.opaque import OpaqueCall
from ...pickling import Rebuilt
from ..variants import Variant
from .identity import PACKAGE, code_digest, identity, state
from .references import Describe, NotStorable, describe_key, resolve
from .variant import StoredVariant

if TYPE_CHECKING:
    from ..derivative import Derivative

__all__ = ["find", "store"]

#: objects whose names identify them, independently of data
_CODE = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.MethodType, types.MethodDescriptorType,
         types.WrapperDescriptorType, type, np.ufunc)


def _name(derivative: Derivative, key: Hashable, library: Library | None) -> str:
    """The name of a variant's file in the cache directory; NotStorable if it cannot be cached."""
    try:
        return f"texts/{identity(derivative, key, library)}.bin"
    except ValueError as error:
        raise NotStorable(derivative, "its code has a constant that no file can hold") from error


def _cells(derivative: Derivative) -> tuple[Any, ...]:
    f: Any = derivative
    while not isinstance(f, types.FunctionType):
        f = f.primal
    return f.__closure__ or ()


def find(derivative: Derivative, key: Hashable, values: Mapping[str, Any], library: Library | None = None,
         again: Callable[[Mapping[str, Any]], Variant] | None = None) -> Variant | None:
    """Load the variant for arguments of these types from the cache; None if it is missing or out of date.

    Parameters
    ----------
    derivative : Derivative
        The derivative.
    key : hashable
        The types of the arguments.
    values : mapping
        The arguments by name; NumPy arrays stand for those of other libraries.
    library : Library, optional
        The library that the code is for, if it is not NumPy.
    again : callable, optional
        Compiles the variant, if its intermediate representation is asked for.
    """
    directory = cache.base()
    if directory is None:
        return None
    try:
        name = _name(derivative, key, library)
    except NotStorable:
        return None
    data = cache.read(f"{directory}/{name}")
    if data is None:
        return None
    try:
        entry = marshal.loads(data)
        if any(state(name) != (changed, size) for name, changed, size in entry["files"]):
            return None
        cells = _cells(derivative)
        if any(code_digest(resolve(f, cells).__code__) != digest for f, digest in entry["codes"]):
            return None
        if any(_defaults(resolve(f, cells)) != tuple(resolve(d, cells) for d in given) for f, *given in entry["defaults"]):
            return None
        if not all(_is_still(resolve(d, cells), known, cells) for d, known in entry["values"]):
            return None
        names = {name: resolve(d, cells) for name, d in entry["names"].items()}
        guards = [Guard(kind, *(resolve(d, cells) for d in rest)) for kind, *rest in entry["guards"]]
        read = [resolve(f, cells) for f, _ in entry["codes"]]
        root = getattr(derivative.primal, "__func__", derivative.primal)
        guards += [Guard("code", f, None, None) for f in {id(f): f for f in (*read, root)}.values() if isinstance(f, types.FunctionType)]
    except Exception:       # missing, truncated, from another version, or with unresolved references
        return None
    code = entry["code"]
    filename = code.co_filename
    if not filename.startswith(f"{directory}/"):        # the directory has been moved
        filename = expected_file(entry["entry"], entry["text"])
        code = compile(entry["text"], filename, "exec")
    publish(filename, entry["text"], entry["origins"])
    scope: dict[str, Any] = {"__name__": f"transgrad.emitted.{entry['entry']}", "__file__": filename, **names}
    exec(code, scope)
    module = Module(entry["text"], names, entry["entry"], code=code, stored=entry["origins"])
    found = StoredVariant(again or derivative._compile, values, scope[entry["entry"]], module, entry, guards)
    return found if found.holds(values) else None


def _defaults(f: Any) -> tuple[Any, Any]:
    """The defaults of a function, which may depend on other files."""
    return f.__defaults__, tuple(sorted(f.__kwdefaults__.items())) if f.__kwdefaults__ else None


def store(derivative: Derivative, key: Hashable, variant: Variant, functions: Iterable[types.FunctionType],
          library: Library | None = None) -> None:
    """Write a variant to a file, where another process can use it; ``functions`` are those it was compiled from."""
    if cache.base() is None:
        return
    try:
        name = _name(derivative, key, library)
        data = marshal.dumps(_entry(variant, list(functions), Describe(_cells(derivative), functions)))
    except NotStorable as error:
        variant.uncached = error.reason
        return
    except (OSError, ValueError) as error:
        variant.uncached = f"it cannot be written: {error}"
        return
    with contextlib.suppress(OSError):         # no space or no permission: the source is generated again next time
        cache.write(cache.directory() / name, data)


def _codes(users: list[types.FunctionType], variant: Variant, describe: Describe) -> Iterator[tuple[Any, str]]:
    """The functions that can be found by name, with digests of their code, because the names may refer to others later."""
    for f in users:
        with contextlib.suppress(NotStorable):
            yield describe(f), code_digest(f.__code__)
    calls = (x.recipe()[1] for x in variant.module.names.values() if isinstance(x, OpaqueCall))
    objects = {id(x): x for x in (*(fact[3] for fact in variant.guards.facts), *calls) if isinstance(x, Rebuilt)}
    for x in objects.values():
        for name in ("vjp", "jvp"):         # which second derivatives read
            derivative = getattr(x, name, None)
            if isinstance(derivative, types.FunctionType):
                kind, module, path = describe(x)
                yield (kind, module, f"{path}.{name}"), code_digest(derivative.__code__)


def _values(variant: Variant, describe: Describe) -> list[tuple[Any, Any]]:
    """The arrays and other objects that the guards know by identity, each with the key of its type: in another process
    the same name may refer to another object."""
    found = {id(x): x for _, _, _, x in variant.guards.facts if not isinstance(x, _CODE)}
    others = (x.recipe()[1] if isinstance(x, OpaqueCall) else x for x in variant.module.names.values() if not isinstance(x, _CODE))
    described = [(describe(x), x) for x in (*found.values(), *others)]
    return [(d, _known(x, describe)) for d, x in described if d[0] in ("attribute", "cell")]


def _known(x: Any, describe: Describe) -> Any:
    """The stored description of an object: the key of its type, or the declarations of a function that is not read."""
    declared = x.declared(describe) if isinstance(x, Rebuilt) else None
    return describe_key(key_of(x)) if declared is None else ("declared", declared)


def _is_still(x: Any, known: Any, cells: tuple[Any, ...]) -> bool:
    """Whether an object is as it was when the code was generated."""
    if type(known) is tuple and len(known) == 2 and known[0] == "declared":
        return isinstance(x, Rebuilt) and x.is_declared(known[1], lambda d: resolve(d, cells))
    return bool(describe_key(key_of(x)) == known)


def _entry(variant: Variant, functions: list[types.FunctionType], describe: Describe) -> dict[str, Any]:
    module = variant.module
    own = str(PACKAGE)
    users = [f for f in functions if not f.__code__.co_filename.startswith(own)]
    return {
        "text": module.text, "code": module.code, "entry": module.entry, "types": variant.types,
        "origins": module.origins(), "parameters": variant.parameters, "on_floats": variant.on_floats,
        "names": {name: describe(x) for name, x in module.names.items()},
        "checks": variant.guards.codes,
        "guards": [(kind, *map(describe, rest)) for kind, *rest in variant.guards.facts if kind != "code"],      # they are made of "codes"
        "values": _values(variant, describe),
        "files": [(name, *state(name)) for name in sorted({f.__code__.co_filename for f in users})],
        "codes": list(_codes(users, variant, describe)),
        "defaults": [(describe(f), *map(describe, _defaults(f))) for f in users if f.__defaults__ or f.__kwdefaults__],
    }

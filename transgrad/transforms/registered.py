"""Arguments of registered classes: the function is compiled for their parts, of which it makes the instances itself.

    loss(model)    ->    def on_parts(model): return loss(make(model.aux.value, (model.parts[0], model.parts[1])))

so that every transformation of ``loss`` by ``model`` is one of ``on_parts`` by the parts.
"""
from __future__ import annotations

import dataclasses
import itertools
import linecache
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..runtime.fields import REGISTERED, fields_of, holds_registered, instance
from .arguments import Slot, bind, name_of, pick, signature_of
from .variants import DelegatingPlan

__all__ = ["OnParts", "RegisteredPlan", "any_registered", "by_parts", "call", "takes"]


#: The number of functions of parts that are kept.
_MOST = 256
_count = itertools.count()


class Constant:
    """What of an instance is not differentiated."""

    def __init__(self, value: Any):
        self.value = value


@dataclasses.dataclass
class Parts:
    """An instance of a registered class as its parts, or an instance that holds one as its fields."""

    parts: tuple[Any, ...]
    aux: Any
    cls: Any


def _holds_parts(value: Any) -> bool:
    items: Iterable[Any] = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
    return isinstance(value, Parts) or any(map(_holds_parts, items))


def any_registered(values: Iterable[Any]) -> bool:
    """Return whether some values are, or hold, instances of registered classes."""
    return bool(REGISTERED) and any(map(holds_registered, values))


def takes(slots: Sequence[Slot], values: Callable[[], Mapping[str, Any]]) -> bool:
    """Return whether differentiated arguments are, or hold, instances of registered classes."""
    return bool(REGISTERED and slots) and any(holds_registered(values().get(slot.name)) for slot in slots)


class OnParts:
    """A function as one of the parts of its arguments.

    Parameters
    ----------
    f : callable
        The function.
    values : mapping
        Its arguments, by name.
    """

    _made: dict[Any, Callable[..., Any]] = {}

    def __init__(self, f: Callable[..., Any], values: Mapping[str, Any]):
        self._names: dict[str, Any] = {"f": f, "instance": instance}
        signature = signature_of(f)
        parameters = []
        for p in signature.parameters.values():
            if p.default is not p.empty:
                self._names[f"default_{p.name}"] = p.default
            parameters.append(p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else _Name(f"default_{p.name}")))
        text = f"def on_parts{signature.replace(parameters=parameters, return_annotation=signature.empty)}:\n    return f("
        for p in signature.parameters.values():
            of = self._expression(values[p.name], p.name) if p.name in values else p.name
            stars = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
            stars = f"{p.name}=" if p.kind is p.KEYWORD_ONLY else stars
            text += f"{stars}{of}, "
        self.function = self._compiled(f, text.removesuffix(", ") + ")\n")

    def _expression(self, value: Any, path: str) -> str:
        """The expression that makes a value of its parts."""
        if not holds_registered(value):
            return path
        cls = type(value)
        if cls is dict:
            keys = {key: self._key(key) for key in value}
            return "{" + ", ".join(f"{keys[key]}: {self._expression(item, f'{path}[{keys[key]}]')}" for key, item in value.items()) + "}"
        if cls in (list, tuple):
            items = "".join(f"{self._expression(item, f'{path}[{k}]')}, " for k, item in enumerate(value))
            return f"[{items}]" if cls is list else f"({items})"
        found = [self._expression(item, f"{path}.parts[{k}]") for k, item in enumerate(self._parts(value))]
        name = f"{cls.__name__ if cls.__name__.isidentifier() else 'made'}_{len(self._names)}"
        named = REGISTERED[cls][2] if cls in REGISTERED else ((), tuple(fields_of(value)))
        if named is None:
            self._names[name] = REGISTERED[cls][1]
            return f"{name}({path}.aux.value, ({''.join(f'{item}, ' for item in found)}))"
        self._names[name] = cls
        rest = [f"{path}.aux.value[{k}]" for k in range(len(named[0]))]
        fields = ", ".join(f"{key!r}: {item}" for key, item in zip((*named[0], *named[1]), (*rest, *found)))
        return f"instance({name}, {{{fields}}})"

    def _key(self, key: Any) -> str:
        """The expression for a key of a dict: a literal, or a name for the object."""
        if type(key) in (str, bytes, int, bool, type(None)):
            return repr(key)
        name = f"key_{len(self._names)}"
        self._names[name] = key
        return name

    def _compiled(self, f: Callable[..., Any], text: str) -> Callable[..., Any]:
        key = text, tuple(map(id, self._names.values()))        # the objects live as long as the function, whose globals they are
        made = self._made.get(key)
        if made is None:
            while len(self._made) >= _MOST:
                linecache.cache.pop(self._made.pop(next(iter(self._made))).__code__.co_filename, None)
            file = f"<parts of {name_of(f)} {next(_count)}>"
            linecache.cache[file] = len(text), None, text.splitlines(True), file
            scope = dict(self._names)
            exec(compile(text, file, "exec"), scope)
            made = self._made[key] = scope["on_parts"]
            made.__name__ = name_of(f)
        return made

    @staticmethod
    def _parts(value: Any) -> tuple[Any, ...]:
        cls = type(value)
        return tuple(REGISTERED[cls][0](value)[0] if cls in REGISTERED else fields_of(value).values())

    def strip(self, value: Any) -> Any:
        """A value with its instances as their parts."""
        cls = type(value)
        if not holds_registered(value):
            return value
        if cls is dict:
            return {key: self.strip(item) for key, item in value.items()}
        if cls in (list, tuple):
            return cls(map(self.strip, value))
        aux = REGISTERED[cls][0](value)[1] if cls in REGISTERED else None
        return Parts(tuple(map(self.strip, self._parts(value))), Constant(aux), cls)

    def restored(self, out: Any, likes: Sequence[Any], single: bool) -> Any:
        """The result of a derivative with the gradients in it in the structure of the arguments ``likes``."""
        if single and isinstance(out, Parts):
            return self.restore(out, likes[0])
        cls = type(out)
        if single and cls in (list, tuple, dict) and type(likes[0]) is cls and len(out) == len(likes[0]) and _holds_parts(out):
            return self.restore(out, likes[0])
        if not single and cls is tuple and len(out) == len(likes) and any(
                _holds_parts(g) and holds_registered(like) for g, like in zip(out, likes)):
            return tuple(map(self.restore, out, likes))
        if cls in (list, tuple):
            return cls(self.restored(item, likes, single) for item in out)
        return {key: self.restored(item, likes, single) for key, item in out.items()} if cls is dict else out

    def restore(self, found: Any, like: Any) -> Any:
        """A gradient by parts in the structure of an argument."""
        cls = type(like)
        if not holds_registered(like):
            return found
        if cls is dict:
            return {key: self.restore(found[key], item) for key, item in like.items()}
        if cls in (list, tuple):
            return cls(map(self.restore, found, like))
        parts = [self.restore(g, part) for g, part in zip(found.parts, self._parts(like))]
        if cls in REGISTERED:
            return REGISTERED[cls][1](REGISTERED[cls][0](like)[1], parts)
        return instance(cls, dict(zip(fields_of(like), parts)))


def inner_of(derivative: Any, values: Mapping[str, Any]) -> tuple[OnParts, Any]:
    """The derivative of a function of the parts of its arguments, and how they are taken apart."""
    on = OnParts(derivative.primal, {name: values[name] for name in derivative.primal_signature.parameters if name in values})
    known = derivative.by_parts
    if on.function not in known:
        known[on.function] = type(derivative)(derivative.kind, on.function, derivative.argnums, derivative.argnames, derivative.options,
                                              derivative.skip)
    known[on.function].target = derivative.target
    return on, known[on.function]


def call(derivative: Any, values: Mapping[str, Any], how: str) -> Any:
    """Call a method of a derivative with arguments given by name: ``call_with`` or ``split_with``."""
    on, inner = inner_of(derivative, values)
    likes = [pick(values, slot) for slot in derivative.target.slots]
    out = getattr(inner, how)({name: on.strip(value) for name, value in values.items()})
    derivative._last = inner._last
    if how == "split_with":
        return out[0], lambda cotangent: on.restored(out[1](cotangent), likes, False)
    return on.restored(out, likes, derivative.target.single)


class RegisteredPlan(DelegatingPlan):
    """How a call with arguments of registered classes runs: as one of their parts."""

    __slots__ = ()

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Call the derivative."""
        d = self.derivative
        return call(d, bind(d.primal, d.__signature__, args, kwargs), "call_with")


def by_parts(f: Callable[..., Any], primals: Sequence[Any]) -> OnParts:
    """A function of the parts of its first arguments."""
    return OnParts(f, bind(f, signature_of(f), primals, {}))


class _Name:
    """A default value in a signature, shown as a name."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return self.name

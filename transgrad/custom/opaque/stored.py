"""Primitives in stored code: what it assumes about them, and their calls, which another process rebuilds.

Generated code depends on declarations of a primitive: the type of the result, defaults, which derivatives are defined. It does not depend
on the code of the function and its derivatives, which run as they are in the other process.
"""
from __future__ import annotations

import base64
import dataclasses
import inspect
import pickle
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from ...ir.opaque import OpaqueCall, filled
from ...ir.ops import Lit, Tree
from ...ir.types import Arr, Dim, Num, Type
from .calls import RESIDUALS, Arguments, CotangentCall, TangentCall, ValueCall
from .primitive import Primitive
from .specs import Form, spec_of

__all__ = ["ChangedPrimitive", "declared", "declared_form_of", "is_declared", "rebuilt", "recipe"]

_PLAIN = (type(None), bool, int, float, complex, str, bytes)


class ChangedPrimitive(Exception):
    """A primitive is declared differently from when a call of it was generated."""


def _written(x: Any) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(x))).decode()


def _read(text: str) -> Any:
    return pickle.loads(zlib.decompress(base64.b64decode(text)))


# -- calls

def recipe(call: Any) -> tuple[Any, Primitive, list[Any], str]:
    """Return the function that rebuilds a call, and its arguments: the primitive, static arguments, and a description."""
    args: Arguments = call.args
    state: dict[str, Any] = {
        "class": type(call), "name": call.__name__, "inputs": args.inputs, "keywords": args.keywords, "types": args.types,
        "differentiated": args.differentiated, "tree": call.form.tree, "results": call.form.types, "facts": _facts(call.of),
    }
    if not isinstance(call, TangentCall):
        state["residuals"] = call.residuals
    if isinstance(call, CotangentCall):
        state["wanted"] = call.wanted
    return rebuilt, call.of, [x.value for x in args.statics], _written(state)


def rebuilt(of: Primitive, statics: Sequence[Any], description: str) -> OpaqueCall:
    """Return a call of a primitive.

    Raises
    ------
    ChangedPrimitive
        If the primitive is declared differently from when the call was described.
    """
    state = _read(description)
    name = state["name"]
    if not isinstance(of, Primitive) or _facts(of) != state["facts"]:
        raise ChangedPrimitive(f"the primitive behind {name} is declared differently from when this code was generated. "
                               "Hint: generate the code again")
    args = Arguments(state["inputs"], state["keywords"], list(map(Lit, statics)), state["types"], state["differentiated"])
    form = Form(state["tree"], state["results"])
    cls = state["class"]
    if cls is ValueCall:
        made: Any = ValueCall(name, of, args, form, state["residuals"])
    elif cls is CotangentCall:
        made = CotangentCall(name, of, args, form, state["residuals"], state["wanted"])
    else:
        made = TangentCall(name, of, args, form)
    made.__name__ = name
    return made  # type: ignore[no-any-return]


# -- declarations

def declared_form_of(of: Primitive, args: Arguments, types: Sequence[Type]) -> Form | None:
    """Return the declared form of the result for operands of these types, and note it; None if there is none."""
    types = list(map(_without_names, types))
    form = _answer(of, args, types)
    if form is not None:
        question = repr((args.inputs, args.keywords, types, [id(x.value) for x in args.statics]))
        of.asked[question] = args, types, form.key
    return form


def _answer(of: Primitive, args: Arguments, types: Sequence[Type]) -> Form | None:
    specs = [spec_of(t, k) if isinstance(t, (Num, Arr)) else None for k, t in enumerate(types)]

    def described(t: Tree) -> Any:
        return filled(t, specs.__getitem__, lambda k: args.statics[k].value)
    return of.form([described(t) for t in args.inputs], {name: described(t) for name, t in args.keywords.items()})


def _without_names(t: Type) -> Type:
    """The part of a type that a declaration can depend on."""
    if isinstance(t, Num):
        return Num(t.kind)
    if not isinstance(t, Arr):
        return RESIDUALS
    dims = [Dim(d.one) if d.one or d.known is None else Dim(d.one, ("<const>", d.known)) for d in t.dims]
    return dataclasses.replace(t, dims=tuple(dims))


def declared(of: Primitive, describe: Callable[[Any], Any]) -> Any:
    """See `Rebuilt.declared`."""
    asked = []
    for args, types, key in of.asked.values():
        given = [describe(x.value) for x in args.statics] if callable(of.result) else None
        asked.append((_written((args.inputs, args.keywords, types)), given, len(args.statics), key))
    return _written(_facts(of)), asked


def is_declared(of: Primitive, known: Any, resolve: Callable[[Any], Any]) -> bool:
    """See `Rebuilt.is_declared`."""
    facts, asked = known
    if _facts(of) != _read(facts):
        return False
    for question, given, count, key in asked:
        inputs, keywords, types = _read(question)
        statics = [Lit(None)] * count if given is None else [Lit(resolve(x)) for x in given]
        form = _answer(of, Arguments(inputs, keywords, statics, types, ()), types)
        if form is None or form.key != key:
            return False
    return True


def _facts(of: Primitive, seen: tuple[Any, ...] = ()) -> tuple[Any, ...]:
    """The declarations of a primitive apart from its result, in values that can be compared in another process."""
    parameters = None if of.signature is None else [(p.name, int(p.kind), _value(p.default)) for p in of.signature.parameters.values()]
    derivatives = [(mode, _derivative(getattr(of, mode), (*seen, of))) for mode in ("vjp", "jvp", "fwd", "bwd")]
    batch = "function" if callable(of.batch) else of.batch
    return of.nondiff_argnums, of.linear, batch, parameters, derivatives


def _derivative(f: Any, seen: tuple[Any, ...]) -> Any:
    """The kind of a derivative. Its code is not compared: it is called at run time, and code that has read it depends on its file."""
    if f is None:
        return None
    if any(f is known for known in seen):
        return "again"
    return ("primitive", _facts(f, seen)) if isinstance(f, Primitive) else "function"


def _value(x: Any) -> Any:
    if x is inspect.Parameter.empty:
        return "required"
    return ("plain", x) if type(x) in _PLAIN else ("object", type(x).__module__, type(x).__qualname__)

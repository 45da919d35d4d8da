"""Restore the state of random generators before the reverse sweep recomputes a call that draws random numbers."""
from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import UnsupportedSyntax
from ....ir.effects import is_known_pure, is_unknown, outside, writes
from ....ir.infer_calls import generator_of, is_random
from ....ir.ops import Call, CallValue, Function, Invoke, Lit, Loc, Operand, Star, Value, functions_of, operands_of, walk
from ....ir.types import Obj
from ....rules import lookup
from ....runtime import random_state, set_random_state

if TYPE_CHECKING:
    from ..reverse.driver import Reverse

__all__ = ["drawn_from", "is_repeatable", "put_back", "refuse_draws", "restored"]

_GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
_MAKERS = (np.random.default_rng, np.random.RandomState, random.Random)
#: Those behind a module's functions; the second is no public name.
_SHARED = {id(getattr(np.random.normal, "__self__")): "numpy", id(getattr(random.random, "__self__")): "random"}  # noqa: B009


def drawn_from(fn: Function) -> list[Operand]:
    """The generators that a function draws from: parameters of its, and literals.

    One that it makes itself, from a seed, gives the same numbers again.
    """
    found: dict[Any, Operand] = {}
    _visit(fn, found, {id(fn)})
    return list(found.values())


def is_repeatable(fn: Function) -> bool:
    """Whether a function returns the same value whenever it is called with the same arguments, as far as is known.

    It draws no random numbers, calls nothing unknown, and writes to no object from outside of it.
    """
    try:
        if drawn_from(fn):
            return False
    except UnsupportedSyntax:
        return False
    return not any(is_unknown(op) or any(isinstance(o, Lit) and outside(o) is not None for o in writes(op))
                   for inner in functions_of(fn) for op in walk(inner.body))


def _visit(fn: Function, found: dict[Any, Operand], seen: set[int]) -> None:
    made: dict[Value, Call] = {}
    read = {o for op in walk(fn.body) for o in operands_of(op)}
    for op in walk(fn.body):
        generator: Operand | None = None
        if isinstance(op, Call):
            if op.fn in _MAKERS and op.args and not isinstance(op.args[0], Star):
                made[op.result] = op
            elif (generator := _of_call(op)) is None and op.results and op.result in read and not _computes(op.fn):
                raise UnsupportedSyntax(f"{fn.name} is to be computed more than once, but what {getattr(op.fn, '__name__', op.fn)} gives "
                                        "may be another thing each time", op.loc, "call it outside, and pass the result in")
        elif isinstance(op, CallValue):
            generator = _of_method(fn, op)
        elif isinstance(op, Invoke) and id(op.func) not in seen:
            seen.add(id(op.func))
            inside: dict[Any, Operand] = {}
            _visit(op.func, inside, seen)
            for g in inside.values():
                _add(fn, op.args[op.func.params.index(g)] if isinstance(g, Value) else g, found, made, op.loc)
        if generator is not None:
            _add(fn, generator, found, made, op.loc)


def _computes(fn: Any) -> bool:
    """Whether a function is known to compute the same again."""
    return is_known_pure(fn) or lookup(fn) is not None or isinstance(fn, type)


def _add(fn: Function, g: Operand, found: dict[Any, Operand], made: dict[Value, Call], loc: Loc | None) -> None:
    if isinstance(g, Value):
        if g in made:
            return
        if g not in fn.params:
            raise _refusal(fn, loc)
    found.setdefault(g if isinstance(g, Value) else id(g.value) if not isinstance(g.value, str) else g.value, g)


def _refusal(fn: Function, loc: Loc | None) -> UnsupportedSyntax:
    return UnsupportedSyntax(f"{fn.name} is to be computed more than once, but draws random numbers from a generator that is neither an "
                             "argument nor created from a seed", loc, "draw random numbers outside, and pass them or the generator in")


def _of_call(op: Call) -> Operand | None:
    owner = getattr(op.fn, "__self__", None)
    if isinstance(owner, _GENERATORS):
        return Lit(_SHARED[id(owner)]) if id(owner) in _SHARED else Lit(owner, (op.spelling or "").rpartition(".")[0] or None)
    if generator_of(op.fn) is not None or getattr(op.fn, "__objclass__", None) is random.Random:
        return op.args[0]  # type: ignore[no-any-return]
    return None


def _of_method(fn: Function, op: CallValue) -> Operand | None:
    t = op.callee.type
    if isinstance(op.callee, Lit) and isinstance(op.callee.value, _GENERATORS):
        return Lit(_SHARED[id(op.callee.value)]) if id(op.callee.value) in _SHARED else op.callee
    if isinstance(t, Obj) and t.cls is not None and issubclass(t.cls, _GENERATORS):
        return op.callee
    if op.method is not None and any(hasattr(cls, op.method) for cls in _GENERATORS) and not hasattr(np.ndarray, op.method):
        raise _refusal(fn, op.loc)
    return None


def put_back(r: "Reverse", op: Invoke, func: Function) -> list[Operand]:
    """Before a call is repeated: save the state of the generators in the forward part, and restore it.

    Returns the argument of `restored`; nothing if no random numbers are drawn.
    """
    generators = [op.args[func.params.index(g)] if isinstance(g, Value) else g for g in drawn_from(func)]
    if not generators:
        return []
    state = Value(Obj(list), "drawn")
    note = Call(random_state, list(generators), results=[state], loc=op.loc)
    home = r.layout.inside[id(op)]
    home.ops.insert(next(k for k, o in enumerate(home.ops) if o is op), note)
    r.layout.home[state], r.layout.maker[state], r.layout.inside[id(note)] = home, note, home
    r.layout.position[id(note)] = r.layout.end[id(note)] = r.layout.position[id(op)]
    now = Value(Obj(list), "drawn_now")
    r.builder.emit(Call(set_random_state, [state, *generators], results=[now]))
    return [now, *generators]


def restored(r: "Reverse", state: list[Operand]) -> None:
    """Restore the previous state of the generators afterwards."""
    if state:
        r.builder.emit(Call(set_random_state, state))


def _may_draw(op: CallValue) -> bool:
    """Whether a method of an object that is not known at compile time is one of NumPy's random generators."""
    return any(hasattr(owner, op.method or "") for owner in (np.random.Generator, np.random.RandomState))


def refuse_draws(fn: Function) -> None:
    """Refuse to run a function more than once that would not do the same again."""
    todo, seen = [fn], {id(fn)}
    while todo:
        for inner in walk(todo.pop().body):
            if isinstance(inner, Call) and is_random(inner.fn) or isinstance(inner, CallValue) and _may_draw(inner):
                raise UnsupportedSyntax(f"{fn.name} is to be computed more than once, but draws random numbers", inner.loc,
                                        "draw random numbers outside, and pass them in")
            if isinstance(inner, Invoke) and id(inner.func) not in seen:
                seen.add(id(inner.func))
                todo.append(inner.func)

"""Static arguments: integers that determine the structure of a derivative (an axis, an order) are specialized, with a guard."""
from __future__ import annotations

from typing import Any

from ...ir.ops import Lit, Value
from ...ir.types import Num, TupleT
from ...rules import lookup
from ..context import Lowering, Restart

__all__ = ["is_setting", "keep_inputs", "need_settings", "setting_site"]

#: Parameters of NumPy's functions that must be known for a derivative to be written.
_NAMES = frozenset(("axis", "axes", "axis1", "axis2", "ord", "n", "k", "offset", "source", "destination", "deg", "keepdims", "start"))


def setting_site(path: Any) -> tuple[str, Any]:
    """The site at which an argument must be known."""
    return "setting", path


def is_setting(ctx: Lowering, path: Any, value: Any) -> bool:
    """Whether an integer argument (or a tuple of them) was found to decide the structure of a derivative."""
    return setting_site(path) in ctx.program.sites and isinstance(value, (int, tuple))


def need_settings(ctx: Lowering, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Start again where a call with a derivative is given an axis that came in as an argument."""
    given = list(kwargs.items())
    if any(_from_outside(ctx, a) for a in args[1:]):
        rule = lookup(fn)
        if rule is not None and rule.kind not in ("elementwise", "constant"):
            given += [(p.name, a) for p, a in zip(rule.parameters, args)]
    for name, operand in given:
        if name in _NAMES and _from_outside(ctx, operand):
            path = ctx.examples[operand][1]
            if setting_site(path) not in ctx.program.sites:
                raise Restart([setting_site(path)])


def keep_inputs(fn: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Take away the permission to overwrite an argument, which the derivative may read again."""
    if kwargs:
        for name in [n for n in kwargs if n.startswith("overwrite_")]:
            del kwargs[name]
    if len(args) > 2 and (rule := lookup(fn)) is not None:
        for k, p in enumerate(rule.parameters[:len(args)]):
            if p.name.startswith("overwrite_"):
                args[k] = Lit(False)


def _from_outside(ctx: Lowering, x: Any) -> bool:
    if not isinstance(x, Value) or x not in ctx.examples or isinstance(x, Lit):
        return False
    t = x.type
    return t == Num("int") or isinstance(t, TupleT) and all(e == Num("int") for e in t.elems)

"""match statements, as chains of tests."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from ...ir.ops import Lit, Value
from ...ir.types import Arr, DictT, ListT, Num, Obj, RecordT, SetT, TupleT
from ..calls.builtins import HANDLERS
from ..containers.displays import membership, new_dict, new_list
from ..containers.iterables import _mapping_items, static_items
from ..context import Lowering
from ..domain.abstract import SDict, SList, STuple
from ..expressions.attributes import read_attribute
from ..expressions.dispatch import condition, expr
from ..expressions.operations import call, strip
from ..expressions.operators import compare_op, truth
from ..expressions.subscripts import read_item, same_key
from ..objects.members import find
from ..refusals import refuse
from .assignments import store_name
from .control_flow import branch, choose
from .dispatch import sequence

__all__ = ["match"]

Next = Callable[[], Any]


def match(ctx: Lowering, node: Any) -> None:
    """``match subject: case …``."""
    _cases(ctx, expr(ctx, node.subject), list(node.cases))


def _cases(ctx: Lowering, subject: Any, cases: list[Any]) -> None:
    if not cases:
        return
    case, rest = cases[0], cases[1:]
    cond = test(ctx, case.pattern, subject, lambda: Lit(True) if case.guard is None else condition(ctx, case.guard))
    if isinstance(cond, Lit):
        if cond.value:
            sequence(ctx, case.body)
        else:
            _cases(ctx, subject, rest)
        return
    branch(ctx, cond, lambda: sequence(ctx, case.body), lambda: _cases(ctx, subject, rest))


def both(ctx: Lowering, cond: Any, then: Next) -> Any:
    """``cond and then()``."""
    cond = truth(ctx, cond)
    if isinstance(cond, Lit):
        return then() if cond.value else Lit(False)
    return choose(ctx, cond, then, lambda: Lit(False))


def test(ctx: Lowering, pattern: Any, x: Any, then: Next) -> Any:
    """Whether ``x`` fits a pattern (whose names are bound on the way) and ``then()``."""
    if isinstance(pattern, gast.MatchValue):
        return both(ctx, compare_op(ctx, operator.eq, x, expr(ctx, pattern.value), pattern), then)
    if isinstance(pattern, gast.MatchSingleton):
        return both(ctx, compare_op(ctx, operator.is_, x, Lit(pattern.value), pattern), then)
    if isinstance(pattern, gast.MatchAs):
        def bound() -> Any:
            if pattern.name is not None:
                store_name(ctx, pattern.name, x, pattern)
            return then()
        return bound() if pattern.pattern is None else test(ctx, pattern.pattern, x, bound)
    if isinstance(pattern, gast.MatchOr):
        return _either(ctx, list(pattern.patterns), x, then)
    if isinstance(pattern, gast.MatchSequence):
        return _sequence(ctx, pattern, x, then)
    if isinstance(pattern, gast.MatchMapping):
        return _mapping(ctx, pattern, x, then)
    if isinstance(pattern, gast.MatchClass):
        return _class(ctx, pattern, x, then)
    refuse("pattern", ctx.loc, type(pattern).__name__)


def _either(ctx: Lowering, patterns: list[Any], x: Any, then: Next) -> Any:
    def matches(rest: list[Any]) -> Any:
        first = test(ctx, rest[0], x, lambda: Lit(True))
        if len(rest) == 1 or isinstance(first, Lit) and first.value:
            return first
        if isinstance(first, Lit):
            return matches(rest[1:])
        return choose(ctx, first, lambda: Lit(True), lambda: matches(rest[1:]))
    return both(ctx, matches(patterns), then)


def _is_sequence(x: Any) -> bool | None:
    if isinstance(x, (STuple, SList)):
        return True
    if isinstance(x, Lit):
        return isinstance(x.value, (tuple, list, range))
    if isinstance(x, Value):
        t = strip(x.type)
        if isinstance(t, (TupleT, ListT)):
            return True
        if isinstance(t, (Num, Arr, DictT, RecordT, SetT)) or isinstance(t, Obj) and t.cls is str:
            return False
        return None
    return False


def _sequence(ctx: Lowering, pattern: Any, x: Any, then: Next) -> Any:
    known = _is_sequence(x)
    if known is None:
        refuse("undecided", ctx.loc, "the type of the subject of a sequence pattern is not known")
    if not known:
        return Lit(False)
    parts = pattern.patterns
    star = next((k for k, p in enumerate(parts) if isinstance(p, gast.MatchStar)), None)
    count = len(parts) - (star is not None)
    length = HANDLERS[len](ctx, [x], {}, pattern)
    fits = compare_op(ctx, operator.eq if star is None else operator.ge, length, Lit(count), pattern)

    def items(k: int) -> Any:
        if k == len(parts):
            return then()
        after = len(parts) - k
        p = parts[k]
        if isinstance(p, gast.MatchStar):
            if p.name is not None:
                end = k - len(parts) + 1
                known_items = static_items(ctx, x)
                part = new_list(ctx, known_items[k:end or None], pattern) if known_items is not None else \
                    call(ctx, list, [call(ctx, operator.getitem, [x, Lit(slice(k, end or None))])], spelling="list")
                store_name(ctx, p.name, part, pattern)
            return items(k + 1)
        index = Lit(k) if star is None or k < star else Lit(-after)
        return test(ctx, p, read_item(ctx, x, index, pattern), lambda: items(k + 1))
    return both(ctx, fits, lambda: items(0))


def _mapping(ctx: Lowering, pattern: Any, x: Any, then: Next) -> Any:
    t = strip(x.type) if isinstance(x, (Value, Lit)) else None
    if not (isinstance(x, SDict) or isinstance(t, DictT) or isinstance(t, RecordT) and t.cls is dict):
        if isinstance(t, Obj) and t.cls is None:
            refuse("undecided", ctx.loc, "the type of the subject of a mapping pattern is not known")
        return Lit(False)
    keys = [expr(ctx, k) for k in pattern.keys]

    def items(k: int) -> Any:
        if k == len(keys):
            if pattern.rest is not None:
                pairs = _mapping_items(ctx, "items", x)
                if pairs is None:
                    refuse("pattern", ctx.loc, f"**{pattern.rest}")
                kept = [tuple(p.items) for p in pairs if not any(same_key(p.items[0], key) for key in keys)]
                store_name(ctx, pattern.rest, new_dict(ctx, kept, pattern), pattern)
            return then()
        return both(ctx, membership(ctx, operator.contains, keys[k], x, pattern),
                    lambda: test(ctx, pattern.patterns[k], read_item(ctx, x, keys[k], pattern), lambda: items(k + 1)))
    return items(0)


_SELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def _class(ctx: Lowering, pattern: Any, x: Any, then: Next) -> Any:
    cls = expr(ctx, pattern.cls)
    is_one = HANDLERS[isinstance](ctx, [x, cls], {}, pattern)
    if is_one is NotImplemented:
        is_one = call(ctx, isinstance, [x, cls], spelling="isinstance", type=Num("bool"))
    tests: list[tuple[Any, Callable[[], Any]]] = []
    positional = list(pattern.patterns)
    kind = cls.value if isinstance(cls, Lit) else cls
    if positional and (kind in _SELF or isinstance(kind, type) and issubclass(kind, np.generic)):
        tests.append((positional[0], lambda: x))
    elif positional:
        names = find(kind, "__match_args__")[1]
        names = names.value if isinstance(names, Lit) else getattr(kind, "__match_args__", None) if isinstance(kind, type) else \
            [n for n, _ in kind.dataclass or []]
        if not names or len(names) < len(positional):
            refuse("pattern", ctx.loc, "of a class without __match_args__")
        tests.extend((p, lambda n=n: read_attribute(ctx, x, n, pattern)) for p, n in zip(positional, names))     # type: ignore[misc]
    tests.extend((p, lambda n=n: read_attribute(ctx, x, n, pattern))         # type: ignore[misc]
                 for n, p in zip(pattern.kwd_attrs, pattern.kwd_patterns))

    def items(k: int) -> Any:
        if k == len(tests):
            return then()
        return test(ctx, tests[k][0], tests[k][1](), lambda: items(k + 1))
    return both(ctx, is_one, lambda: items(0))



"""Recorders: code generated for a function and the types of its arguments that runs it and attaches its node to the result.

The ordinary case: each argument is a real Tensor, a number, or what else is no array, and there is one result. All other calls are left
to `record`.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..rules.registry import Rule, lookup_on_tape
from .composite import composite, several_results
from .fast_text import EDGE, RESULT, UNRECORDED, indented, made, node_lines
from .layouts import COLUMNS, laid_out_as
from .node_text import node_class, tested_places
from .record import finish, put_node, record, without_effect
from .tensor import Tensor
from .views import view_of
from .wording import SUBTRACTIONS, worded

__all__ = ["recorder"]

_NUMBERS = (int, float, bool, type(None))
_CONSTANTS = (*_NUMBERS, tuple, str, slice)
_LISTS = (*_CONSTANTS, list)
_INTEGERS = frozenset((int, type(None)))


def recorder(fn: Any, args: Sequence[Any], promotes: bool, records: bool = True) -> Callable[..., Any]:
    """How to run and record ``fn`` on arguments of the types of ``args``; without ``records`` how to run it alone.

    With ``promotes`` the function is element-wise, and the recorder returns None if the dtypes of the Tensors are not all one of
    float64 and float32.
    """
    rule, slow = lookup_on_tape(fn), _nothing if promotes else functools.partial(_recorded, fn)
    tensors = [k for k, a in enumerate(args) if type(a) is Tensor]
    others = {type(a) for a in args if type(a) is not Tensor}
    refused = promotes and fn in SUBTRACTIONS and bool in others
    if rule is None or rule.when is not None or refused:
        return slow
    if rule.kind != "constant" and (without_effect(rule.vjp) or rule.most is not None and len(args) > rule.most):
        return slow
    if not promotes and others.issubset(_LISTS) and (not tensors or list in others or node_class(fn, rule, args, tuple(tensors)) is None):
        return composite(fn, args, records) or slow
    if not tensors or not others.issubset(_NUMBERS if promotes else _CONSTANTS):
        return slow
    if rule.kind != "constant" and node_class(fn, rule, args, tuple(tensors)) is None:
        return slow
    names = {"fn": fn, "slow": slow, "view_of": view_of, "makers": {}, "maker": functools.partial(_maker, fn, rule), "finish": finish,
             "other": functools.partial(_other_maker, fn, len(args)), "laid_out_as": laid_out_as, "INTEGERS": _INTEGERS, "worded": worded,
             "several": several_results(fn, rule, len(args), tensors, (), records) if rule.kind != "constant" and fn not in COLUMNS else
             functools.partial(_finished, fn)}
    return made(fn, _text(rule, args, tensors, promotes, records), names)


def _recorded(fn: Any, *args: Any) -> Any:
    return record(fn, args, {})


def _finished(fn: Any, y: Any, args: tuple[Any, ...], raw: list[Any]) -> Any:
    return finish(fn, args, {}, y, raw)


def _nothing(*args: Any) -> None:
    return None


def _text(rule: Rule, args: Sequence[Any], tensors: list[int], promotes: bool, records: bool) -> list[str]:
    """The recorder, line by line: arguments ``x<k>``, arrays ``p<k>`` of dtypes ``d<k>``, the array ``r`` of the result ``t``."""
    passed = ", ".join(f"x{k}" for k in range(len(args)))
    raw = ", ".join(f"p{k}" if k in tensors else f"x{k}" for k in range(len(args)))
    arrays = ", ".join(f"p{k}" for k in tensors)
    lines = [f"if not INTEGERS.issuperset(map(type, x{k})): return slow({passed})" for k, a in enumerate(args) if type(a) is tuple]
    for k in tensors:
        lines += [f"p{k} = x{k}._array", f"d{k} = p{k}.dtype"]
    if promotes:
        first, *rest = tensors
        lines += [f"if d{first} is not F64 and d{first} is not F32{''.join(f' or d{k} is not d{first}' for k in rest)}: return None",
                  f"try: r = fn({raw})", f"except (ValueError, TypeError) as error: raise worded(fn, error, ({passed}, )) from None"]
    else:
        lines += [f"if d{k} is not F64 and d{k} is not F32 and d{k}.kind not in 'biu': return slow({passed})" for k in tensors]
        lines += [f"r = fn({raw})"]
    lines += ["if type(r) is not ndarray:", f"    if type(r) is tuple: return several(r, ({passed}, ), [{raw}])",
              f"    if not isinstance(r, generic): return finish(fn, ({passed}, ), {{}}, r, [{raw}])",
              "    r = asarray(r)",
              f"if r.base is None and r.ndim > 1: r = laid_out_as(fn, r, ({arrays}, ))", RESULT if records else UNRECORDED,
              f"if r.base is not None{''.join(f' or r is p{k}' for k in tensors)}: view_of(t, fn, ({passed}, ), {{}}, None)"]
    if not records:
        return [f"def op({passed}):", *indented(1, *lines, "return t")]
    lines += ["t._edge = None", "d = r.dtype", "if d is not F64 and d is not F32 and d.kind not in 'fcV': return t",
              *(EDGE.format(k=k, slow=f"finish(fn, ({passed}, ), {{}}, r, [{raw}])") for k in tensors),
              f"if {' and '.join(f'e{k} is None' for k in tensors)}: return t"]
    return [f"def op({passed}):", *indented(1, *lines, *_choice(rule, tensors, args))]


def _choice(rule: Rule, tensors: list[int], args: Sequence[Any]) -> list[str]:
    """Look for the maker of the node, by which Tensors require grad and the values that decide what of the rule is meant."""
    count = len(args)
    passed, edges = "".join(f"x{k}, " for k in range(count)), "".join(f"e{k}, " for k in tensors)
    wanted = " | ".join(f"(e{k} is not None) << {i}" for i, k in enumerate(tensors))
    places = [k for k in sorted(tested_places(rule)) if k < count and k not in tensors] if rule.vjp is not None else []
    # a slice has no hash before Python 3.12
    tested = [f"(x{k}.start, x{k}.stop, x{k}.step)" if type(args[k]) is slice else f"x{k}" for k in places]
    key = f"({wanted}, {', '.join(tested)})" if tested else wanted if len(tensors) > 1 else "1"
    return [f"if d is not F64 and d is not F32: return other(t, {passed})", f"m = makers.get({key})",
            f"if m is None: m = makers[{key}] = maker(({edges}), ({passed}), {tuple(tensors)})", f"return m(t, {passed}{edges})"]


def _maker(fn: Any, rule: Rule, edges: Sequence[Any], args: Sequence[Any], tensors: Sequence[int]) -> Callable[..., Any]:
    """Put a node behind a result: ``maker(t, *args, *edges)``."""
    wanted = tuple(k for k, edge in zip(tensors, edges) if edge is not None)
    cls = node_class(fn, rule, args, wanted) if rule.kind != "constant" else None
    if cls is None:
        return functools.partial(_other_maker, fn, len(args))
    parameters = ", ".join(["t", *(f"x{k}" for k in range(len(args))), *(f"e{k}" for k in tensors)])
    return made(fn, [f"def op({parameters}):", *indented(1, node_lines("N", cls, True))], {"N": cls})


def _other_maker(fn: Any, count: int, t: Tensor, *rest: Any) -> Tensor:
    """Leaves it to `record` which node there is."""
    if t._array.dtype.kind in "fcV":
        put_node(fn, rest[:count], {}, [t], False)
    return t

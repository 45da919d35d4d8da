"""Generate a class of nodes for each rule and kind of call: the saved values, and the code that applies the rule to them.

The kind of a call is a letter for each positional argument: ``d`` a tensor whose gradient is wanted, ``t`` another tensor or array,
``c`` anything else.
"""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..rules.registry import Rule
from ..rules.text import entry_places, only
from .fit import entering, required
from .graph_rules import rule_on_tensors
from .halves import is_half, widened
from .inline import inlined
from .names import ARITHMETIC, OPTIONAL, RECOMPUTED, kept_beside, name_of, saved_names, shown
from .ownership import owned_entries, rearranges
from .reads import DtypeOf, mentioned, read_by, tested_by
from .rule_nodes import RuleNode
from .selecting import NUMPY
from .tensor import Tensor

__all__ = ["node_class", "tested_places"]


def unpacked(node: RuleNode, k: int) -> Any:
    """The array of a saved argument, checked."""
    value = node.argument(k)
    return value._array if isinstance(value, Tensor) else value


def unpacked_result(node: RuleNode) -> Any:
    """The array of the saved result, checked."""
    array: np.ndarray[Any, Any] = node.result()._array
    return array


_CLASSES: dict[Any, type[RuleNode] | None] = {}
_MANY = 4096


def node_class(fn: Any, rule: Rule, args: Sequence[Any], wanted: tuple[int, ...]) -> type[RuleNode] | None:
    """The class of the node of such a call; None if only the rule itself can tell (lists, any number of arguments)."""
    if not hasattr(rule.vjp, "__code__"):       # made of others, as those of distributions are
        return None
    kinds: list[str] = []
    key: list[Any] = []
    tested = tested_places(rule)
    for k, a in enumerate(args):
        array = a._array if isinstance(a, Tensor) else a
        if isinstance(array, np.ndarray):
            kinds.append("d" if k in wanted else "t")
            key.append((array.dtype.kind == "c", is_half(array.dtype)))
        elif isinstance(a, (list, tuple)) and not all(type(i) in (int, type(None)) for i in a):
            return None
        else:
            kinds.append("c")
            key.append((a if k in tested and type(a) in (int, float, str, bool) else None, type(a)))
    full = (fn, "".join(kinds), tuple(key))
    if full not in _CLASSES:
        if len(_CLASSES) > _MANY:
            _CLASSES.clear()
        _CLASSES[full] = _make(fn, rule, "".join(kinds), args)
    return _CLASSES[full]


_TESTED: dict[Rule, set[int]] = {}


def tested_places(rule: Rule) -> set[int]:
    """The positions of the arguments whose values select a branch of the rule."""
    if rule not in _TESTED:
        assert rule.vjp is not None
        names = tested_by(rule.vjp)
        _TESTED[rule] = {k for k, p in enumerate(rule.parameters) if p.name in names}
    return _TESTED[rule]


def _make(fn: Any, rule: Rule, kinds: str, args: Sequence[Any]) -> type[RuleNode] | None:
    assert rule.vjp is not None
    parameters = list(rule.parameters)
    if rule.lists or any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in parameters[:len(args)]) or len(args) > len(parameters):
        return None
    names = tuple(p.name for p in parameters[:len(args)])
    flags = [kind == "d" for kind in kinds] + [False] * (rule.entry_count - len(kinds))
    known: dict[str, Any] = {p.name: p.default for p in inspect.signature(rule.vjp).parameters.values() if p.default is not p.empty}
    for name, kind, a in zip(names, kinds, args):
        known[name] = a if kind == "c" else DtypeOf(a.dtype)
    y_name = tuple(inspect.signature(rule.vjp).parameters)[1]
    read = read_by(rule.vjp, flags, known)
    if read is None:
        read = {y_name, *names}
    anyway = read_anyway(fn, rule.vjp, known, names, kinds)
    read = {*read, *anyway} if "d" in kinds else anyway
    if (on_tensors := rule_on_tensors(fn)) is not None:     # with create_graph
        read |= _read_on_tensors(on_tensors, flags, known, (y_name, *names))
    touched = read_by(rule.vjp, flags, known, shapes=True)
    named = mentioned(rule.vjp, flags)       # all values exist when the rule runs, so a test may read them
    if (touched is None or y_name in touched) and y_name not in read:
        return None     # asks for the shape of the result: the general node keeps it
    kept = kept_beside(fn, [name for name, wanted in zip(names, flags) if wanted or "d" not in kinds])
    read = {*read, *(y_name if name == "y" else name for name in kept)}
    recomputes = fn in RECOMPUTED and y_name in read
    if recomputes:
        read, named = read - {y_name} | set(names), named | set(names)
    named = {*named, *read, *kept, *(name for name, kind in zip(names, kinds) if kind == "c" and shown(fn, name))}
    modes = tuple(None if name not in named else "constant" if kind == "c" else "value" if name in read else "shape"
                  for name, kind in zip(names, kinds))
    tested = tested_places(rule)
    settled = {name: value for k, (name, value) in enumerate(known.items()) if name not in names or kinds[names.index(name)] != "c"
               or names.index(name) in tested}
    return make_class(Text(fn, rule.vjp, flags, names, kinds, modes, y_name if y_name in read else None, settled, recomputes, read))


def _read_on_tensors(vjp: Callable[..., Any], flags: list[bool], known: dict[str, Any], names: Sequence[str]) -> set[str]:
    """The values that a graph rule reads from the result and the arguments, by their ``names`` in the rule table."""
    own = tuple(inspect.signature(vjp).parameters)[1:]
    there = dict(zip(own, names))
    read = read_by(vjp, flags, {name: known[other] for name, other in there.items() if other in known})
    return set(names) if read is None else {there[name] for name in read if name in there}


def read_anyway(fn: Any, vjp: Callable[..., Any], known: dict[str, Any], names: Sequence[str], kinds: str) -> set[str]:
    """The values saved for any requested gradients: torch omits arguments that only some gradients need."""
    places = sorted(k for k in entry_places(vjp) if k < len(kinds) and (kinds[k] != "c" or k < 2 and fn in ARITHMETIC))
    each = [read_by(vjp, [k == place for k in range(places[-1] + 1)], known) or set() for place in places]
    if fn in RECOMPUTED:
        each = [read if read.issubset(names) else set(names) for read in each]
    return {name for name in set().union(*each) if name not in names or len(each) == 1 or sum(name in read for read in each) > 1}


class Text:
    """The parameters of a class of nodes: the rule, the requested entries, and the values known when it is generated."""

    def __init__(self, fn: Any, vjp: Callable[..., Any], flags: list[bool], names: tuple[str, ...], kinds: str,
                 modes: tuple[str | None, ...], y_name: str | None, known: dict[str, Any], recomputes: bool, read: set[str]):
        self.fn, self.vjp, self.flags, self.names, self.kinds, self.modes = fn, vjp, flags, names, kinds, modes
        self.y_name, self.known, self.recomputes = y_name, known, recomputes
        self.wanted = tuple(k for k, kind in enumerate(kinds) if kind == "d")
        self.order = tuple(sorted(range(len(modes)), key=lambda k: saved_names(fn, names[k])))
        self.values = [k for k in self.order if modes[k] == "value"]
        #: whether some are numbers of 16 bits, which are computed with in 32
        self.halves = any(isinstance(x, DtypeOf) and is_half(x.dtype) for x in known.values())
        #: numbers that torch makes tensors of: they are let go of as these are
        self.numbers = [k for k in self.order if modes[k] == "constant" and fn in ARITHMETIC and k < 2 and names[k] in read]


def make_class(text: Text) -> type[RuleNode]:
    """The class, with `apply` as text of its own."""
    name = name_of(text.fn)
    space: dict[str, Any] = {**text.vjp.__globals__, **text.known, "y": None, "_y": None}
    if space.get("np") is np:
        space["np"] = NUMPY
    space |= {"_type": type, "_Tensor": Tensor, "_unpacked": unpacked, "_ndarray": np.ndarray, "_unpacked_result": unpacked_result,
              "_entering": entering, "_widened": widened, "_leaving": required, "_rule_on_tensors": rule_on_tensors,
              "_vjp": only(text.vjp, text.flags), "_fn": text.fn}
    exec(compile("\n    ".join(_apply_text(text)), f"<{name}>", "exec"), space)
    if text.wanted and not text.recomputes:
        exec(compile("\n    ".join(_graph_text(text)), f"<{name}>", "exec"), space)
    slots = [f"a{k}" for k, mode in enumerate(text.modes) if mode is not None] + [f"v{k}" for k in text.values]
    body: dict[str, Any] = {
        "__slots__": slots, "__module__": __name__, "_name": name, "_fn": staticmethod(text.fn), "_vjp": staticmethod(space["_vjp"]),
        "_modes": text.modes, "_parameters": text.names, "_wanted": text.wanted, "_keeps_y": text.y_name is not None,
        "_find_fields": staticmethod(functools.partial(_fields, text)), "_order": text.order, "_shown": _shown(text),
        "apply": space["apply"], "_numbers": tuple(text.numbers),
        **({"apply_graph": space["apply_graph"]} if "apply_graph" in space else {}),
        "_owned": tuple(own for own, flag in zip(owned_entries(text.vjp, text.flags), text.flags) if flag),
        "_rearranges": len(text.wanted) == 1 and rearranges(text.vjp),
        "_may_be_zero": "ZERO" in space["_vjp"].__code__.co_names, "_recomputes": text.recomputes,
        "_reads_strides": "strides" in space["_vjp"].__code__.co_names,
    }
    return type(name.rpartition("::")[2], (RuleNode,), body)


def _fields(text: Text) -> dict[str, int | None]:
    """The values that a call of this kind saves if all gradients are requested, by torch's names."""
    every = [(kind in "dt" or text.fn in ARITHMETIC) and k in entry_places(text.vjp) for k, kind in enumerate(text.kinds)]
    every += [False] * (len(text.flags) - len(every))
    read = read_by(text.vjp, every, text.known) or set()
    named = mentioned(text.vjp, every)
    found = {saved_names(text.fn, name): k for k, name in enumerate(text.names)
             if text.kinds[k] == "c" and (name in named or shown(text.fn, name)) or name in read or text.modes[k] == "value"}
    y_name = tuple(inspect.signature(text.vjp).parameters)[1]
    read = {*read, *(y_name if name == "y" else name for name in kept_beside(text.fn, text.names))}
    if text.fn in RECOMPUTED:
        found |= {saved_names(text.fn, name): k for k, name in enumerate(text.names) if y_name in read or name in read}
        read -= {y_name}
    return {name: k for name, k in {**found, **({saved_names(text.fn, "y"): None} if y_name in read else {})}.items() if name}


def _shown(text: Text) -> tuple[int | None, ...]:
    """The inputs as torch counts them: all that the rule has an entry for, and numbers among the operands of plain arithmetic."""
    shown: list[int | None] = []
    for k, kind in enumerate(text.kinds):
        if kind == "d":
            shown.append(text.wanted.index(k))
        elif k in entry_places(text.vjp) if kind == "t" or text.fn in OPTIONAL else k < 2 and text.fn in ARITHMETIC:
            shown.append(None)
    return tuple(shown)


def _apply_text(text: Text) -> list[str]:
    """`apply` on arrays: load and check the saved values, compute the entries, release, and convert the entries to gradients."""
    lines = ["def apply(_n, g, _keep):"]
    for k in text.values:
        lines += [f"_t{k} = _n.a{k}",
                  f"if _type(_t{k}) is not _Tensor or _t{k}._counter is not None and _t{k}._counter[0] != _n.v{k}"
                  f"{f' or _t{k}._edge is None' if text.kinds[k] == 'd' else ''}:",
                  f"    {text.names[k]} = _unpacked(_n, {k})",
                  "else:",
                  f"    {text.names[k]} = _t{k}._array"]
    if text.y_name is not None:
        lines += [f"{text.y_name} = _y = _n.y",
                  f"if _type(_y) is not _ndarray or _n.counter[0] != _n.version: {text.y_name} = _unpacked_result(_n)"]
    lines += [f"{name} = _n.a{k}" for k, (name, mode) in enumerate(zip(text.names, text.modes)) if mode in ("shape", "constant")]
    lines += [f"if {text.names[k]} is None: _unpacked(_n, {k})" for k in text.numbers]
    if text.halves:
        arrays = ["g", *(text.names[k] for k in text.values), *([text.y_name] if text.y_name is not None else [])]
        lines += [f"{name} = _widened({name})" for name in arrays]
    if not text.wanted:
        return [*lines, "if not _keep: _n.release()", "return ()"]
    if text.recomputes:
        lines += [f"y = _fn({', '.join(text.names)})"]
    lines += ["_m = _n.meta", "if _m is not None and g.dtype.kind == 'c': g = _entering(g)"]
    entries = _entry_lines(text, lines)
    lines += ["if not _keep:"]
    plain = [f"_type(_t{k}) is _Tensor" for k in text.values] + (["_type(_y) is _ndarray"] if text.y_name is not None else [])
    freed = [f"_n.a{k} = None" for k in text.values + text.numbers] + (["_n.y = None"] if text.y_name is not None else [])
    lines += [f"    {'; '.join(freed) or 'pass'}"] if not plain else \
        [f"    if {' and '.join(plain)}: {'; '.join(freed)}", "    else: _n.release()"]
    lines += [f"if _m is None: return ({entries}, )"]
    fits = "_type({0}) is _ndarray and {0}.shape == _m[{1}][0] and {0}.dtype is _m[{1}][1] and {0}.dtype.kind == 'f'"
    finished = ", ".join(f"{e} if {fits.format(e, i)} else _leaving({e}, _m[{i}])" for i, e in enumerate(entries.split(", ")))
    return [*lines, f"return ({finished}, )"]


def _graph_text(text: Text) -> list[str]:
    """`apply_graph`, with the checks of values that were neither packed nor written to inline."""
    lines = ["def apply_graph(_n, _g, _keep):"]
    for k in text.order:
        if text.modes[k] == "value":
            lines += [f"_a{k} = _n.a{k}",
                      f"if _type(_a{k}) is not _Tensor or _type(_a{k}._edge) is not tuple or _a{k}._counter is not None and "
                      f"_a{k}._counter[0] != _n.v{k}: _a{k} = _n.argument({k})"]
        else:
            lines += [f"_a{k} = _n.argument({k})" if text.modes[k] is not None else f"_a{k} = None"]
    lines += [f"_y = {'_n.result()' if text.y_name is not None else 'None'}",
              "if _type(_g) is not _Tensor or _g._array.dtype.kind == 'c': _g = _entering(_g)",
              f"_e = (_rule_on_tensors(_fn) or _vjp)({', '.join(['_g', '_y', *(f'_a{k}' for k in range(len(text.modes)))])})",
              "_m = _n.meta"]
    fits = "_type({0}) is _Tensor and {0}._array.shape == {1}[0] and {0}._array.dtype is {1}[1] and {1}[1].kind == 'f'"
    if len(text.wanted) == 1 and not text.wanted[0]:
        lines += ["if _m is not None and " + fits.format("_e", "_m[0]") + ":", "    if not _keep: _n.release()", "    return (_e,)"]
    return [*lines, "return _n._finish(_e, _keep)"]


def _entry_lines(text: Text, lines: list[str]) -> str:
    """Append the lines that compute the wanted entries; the names they are given."""
    found = inlined(text.vjp, text.flags, text.known)
    names = [f"_e{k}" for k in text.wanted]
    if found is not None and all(k < len(found.entries) and found.entries[k] is not None for k in text.wanted):
        lines += [line for whole in found.lines for line in whole.split("\n")]
        lines += [f"{name} = {found.entries[k]}" for name, k in zip(names, text.wanted)]
    else:
        passed = [name if mode is not None else "None" for name, mode in zip(text.names, text.modes)]
        lines += [f"_e = _vjp({', '.join(['g', text.y_name or 'y', *passed])})", "if _type(_e) is not tuple: _e = (_e,)"]
        lines += [f"{name} = _e[{k}] if len(_e) > {k} else None" for name, k in zip(names, text.wanted)]
    return ", ".join(names)

"""The fast path of elementwise operations: generated code for the common case of each, and `promoted` for all others.

The ordinary case: nothing out of the ordinary is switched on, the first operand is a Tensor of float64 or float32, and the second is a
number, or a Tensor of the same dtype and shape.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..rules.registry import Rule, lookup_on_tape
from .fast_text import EDGE, RESULT, UNRECORDED, indented, made, node_lines
from .inference import with_tensors
from .layouts import ROWS, laid_out_as
from .node_text import node_class, tested_places
from .quiet import quiet
from .record import promoted
from .rule_nodes import RuleNode
from .tensor import Tensor, wrap

__all__ = ["binary", "unary"]

#: the exponents of which NumPy's operator takes no logarithm either
_PLAIN = frozenset((0.5, 1, 2))
_OPERANDS = (Tensor, np.ndarray, np.generic, int, float, complex)
_INFIX = {np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/", np.power: "**"}


def _node_lines(name: str, cls: type[RuleNode]) -> str:
    return node_lines(name, cls, not _keeps_precision(cls))


def _keeps_precision(cls: type[RuleNode]) -> bool:
    """Return whether the entries of float32 arrays are float32, by a trial: NumPy makes a float64 of the logarithm of a Python number."""
    node = cls.__new__(cls)
    node.meta, node.y, node.counter, node.version, node._edges = None, np.ones(2, np.float32), [0], 0, ()
    for k, mode in enumerate(cls._modes):
        if mode is not None:
            ones = np.ones(2, np.float32)
            setattr(node, f"a{k}", 2 if mode == "constant" else wrap(ones) if mode == "value" else ones)
            if mode == "value":
                setattr(node, f"v{k}", 0)
    assert node.apply is not None
    with np.errstate(all="ignore"):
        return all(getattr(e, "dtype", None) == np.float32 for e in node.apply(np.ones(2, np.float32), True))


def _suitable(cls: type[RuleNode] | None) -> bool:
    """Return whether the entries of a class are sure to have the shapes and dtypes of its inputs."""
    return cls is not None and "shape" not in cls._modes and not cls._may_be_zero


def _one_tensor(k: int, call: str, name: str, cls: type[RuleNode], slow: str = "slow(x0, x1)") -> list[str]:
    """The case in which operand ``k`` is the only Tensor, as the body of a function."""
    untracked = f"if e{k} is None:\n    t._edge = None\n    return t"
    return [f"if type(x{k}) is Tensor:", f"    p = x{k}._array", "    d = p.dtype", "    if d is F64 or d is F32:", f"        r = {call}",
            *indented(2, RESULT, EDGE.format(k=k, slow=slow), untracked, _node_lines(name, cls))]


def _one_tensor_unrecorded(k: int, call: str) -> list[str]:
    """The case in which operand ``k`` is the only Tensor and nothing is recorded, as the body of a function."""
    return [f"if type(x{k}) is Tensor:", f"    p = x{k}._array", "    d = p.dtype", "    if d is F64 or d is F32:", f"        r = {call}",
            *indented(2, UNRECORDED, "return t")]


def _quiet(fn: Any, head: str, lines: list[str], names: dict[str, Any]) -> Callable[..., Any]:
    """The function of a head and a body, which runs without NumPy's warnings."""
    body = indented(1, "before = WARNINGS.set(SILENCE)", "try:", *indented(1, *lines), "finally:", "    WARNINGS.reset(before)")
    op = made(fn, [head, *body], names)
    op.silent = True        # type: ignore[attr-defined]
    return op


def unary(fn: Any, floating: bool = True) -> Callable[[Any], Any]:
    """``op(x)`` for an element-wise function of one argument; with ``floating`` integers become the default dtype."""
    def slow(x0: Any) -> Any:
        return promoted(fn, x0, floating=floating)
    rule = lookup_on_tape(fn)
    cls = None if rule is None or rule.kind != "elementwise" else node_class(fn, rule, [np.ones(2)], (0,))
    if cls is None or not _suitable(cls):
        return quiet(slow)
    lines = ["if STATE.plain:", *indented(1, *_one_tensor(0, "fn(p)", "N", cls, "slow(x0)")),
             "elif STATE.unrecorded:", *indented(1, *_one_tensor_unrecorded(0, "fn(p)")), "return slow(x0)"]
    return _quiet(fn, "def op(x0):", lines, {"fn": fn, "slow": slow, "N": cls})


def binary(fn: Any, floating: bool = False, tensor: Any = None, scalar: Any = None, reflected: Any = None,
           operator: bool = False) -> Callable[[Any, Any], Any]:
    """``op(a, b)`` for an element-wise function of two arguments; as an operator NotImplemented where one of them is no number.

    ``tensor``, ``scalar`` and ``reflected`` compute the same and have nodes of their own names: for two Tensors, for a number as the
    second operand, and for one as the first.
    """
    tensor, scalar, reflected = tensor or fn, scalar or fn, reflected or fn

    def slow(x0: Any, x1: Any) -> Any:
        if operator and not (isinstance(x0, _OPERANDS) and isinstance(x1, _OPERANDS)):
            return NotImplemented
        arrays = isinstance(x0, (Tensor, np.ndarray)), isinstance(x1, (Tensor, np.ndarray))
        if not all(arrays) and fn is not np.power:      # which has kernels of its own for numbers
            x0, x1 = with_tensors(x0, x1)
            arrays = isinstance(x0, (Tensor, np.ndarray)), isinstance(x1, (Tensor, np.ndarray))
        return promoted(reflected if not arrays[0] else tensor if arrays[1] else scalar, x0, x1, floating=floating)
    rule = lookup_on_tape(fn)
    if rule is None or rule.kind != "elementwise":
        return quiet(slow)
    two = np.ones(2)
    found = {name: node_class(tensor, rule, [two, two], wanted) for name, wanted in (("DD", (0, 1)), ("DT", (0,)), ("TD", (1,)))}
    found |= {"DC": node_class(scalar, rule, [two, 2.5], (0,)), "CD": node_class(reflected, rule, [2.5, two], (1,))}
    classes = {name: cls for name, cls in found.items() if cls is not None and _suitable(cls)}
    if len(classes) < 5:
        return quiet(slow)
    call = f"x {_INFIX[fn]} y" if fn in _INFIX else "fn(x, y)"

    def of(x: str, y: str) -> str:
        return call.replace("x", x).replace("y", y)
    lines = ["if STATE.plain:", "    kind = type(x1)", "    if kind is Tensor:"]
    lines += indented(2, "if type(x0) is Tensor:", *indented(1, *_two_tensors(of("p", "q"), classes)))
    number = "type(x0) is float or type(x0) is int"
    if reflected in ROWS:
        number = f"({number}) and x1._array.ndim < 2"
    lines += indented(2, f"elif {number}:", *indented(1, *_one_tensor(1, of("x0", "p"), "CD", classes["CD"])))
    lines += indented(1, "elif kind is float or kind is int:")
    if tests_second(rule):
        lines += indented(2, "special = specials.get((kind, x1))", "if special is not None: return special(x0)",
                           "if x1: return specialised(specials, x1)(x0)")
    else:
        lines += indented(2, *_one_tensor(0, of("p", "x1"), "DC", classes["DC"]))
    lines += ["elif STATE.unrecorded:", "    kind = type(x1)", "    if kind is Tensor:", "        if type(x0) is Tensor:",
              *indented(3, *_two_tensors_unrecorded(of("p", "q"))),
              f"        elif {number}:", *indented(3, *_one_tensor_unrecorded(1, of("x0", "p")))]
    if not tests_second(rule):
        lines += ["    elif kind is float or kind is int:", *indented(2, *_one_tensor_unrecorded(0, of("p", "x1")))]
    names = {"fn": fn, "slow": slow, "laid_out_as": laid_out_as, **classes, "specials": {},
             "specialised": _specialiser(scalar, rule, of("p", "x1"), slow)}
    return _quiet(fn, "def op(x0, x1):", [*lines, "return slow(x0, x1)"], names)


def tests_second(rule: Rule) -> bool:
    """Return whether the value of the second argument selects the formula (as for an exponent)."""
    return 1 in tested_places(rule)


def _two_tensors(call: str, classes: dict[str, type[RuleNode]]) -> list[str]:
    """The case of two Tensors, as the body of a function."""
    return ["p = x0._array", "q = x1._array", "d = p.dtype", "if (d is F64 or d is F32) and q.dtype is d and q.shape == p.shape:",
            f"    r = {call}", "    if p.ndim > 1: r = laid_out_as(fn, r, (p, q))",
            *indented(1, RESULT, *(EDGE.format(k=k, slow="slow(x0, x1)") for k in (0, 1))),
            "    if e0 is not None:", "        if e1 is not None:", *indented(3, _node_lines("DD", classes["DD"])),
            *indented(2, _node_lines("DT", classes["DT"])),
            "    if e1 is not None:", *indented(2, _node_lines("TD", classes["TD"])), "    t._edge = None", "    return t"]


def _two_tensors_unrecorded(call: str) -> list[str]:
    """The case of two Tensors where nothing is recorded, as the body of a function."""
    return ["p = x0._array", "q = x1._array", "d = p.dtype", "if (d is F64 or d is F32) and q.dtype is d and q.shape == p.shape:",
            f"    r = {call}", "    if p.ndim > 1: r = laid_out_as(fn, r, (p, q))", *indented(1, UNRECORDED, "return t")]


def _specialiser(fn: Any, rule: Rule, call: str, slow: Callable[[Any, Any], Any]) -> Callable[[dict[Any, Any], Any], Any]:
    """Make the operation with one number as the second operand, and remembers it."""
    def specialised(specials: dict[Any, Any], number: Any) -> Any:
        if len(specials) > 256:
            specials.clear()
        cls = node_class(fn, rule, [np.ones(2), number], (0,))
        assert cls is not None
        body = _one_tensor(0, call if number in _PLAIN else "fn(p, x1)", "DC", cls)
        lines = ["def op(x0):", *indented(1, *body), "    return slow(x0, x1)"]
        specials[type(number), number] = found = made(fn, lines, {"slow": slow, "x1": number, "DC": cls, "fn": fn})
        return found
    return specialised

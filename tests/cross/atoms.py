"""Atoms: the smallest things that a program does to its operands."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .literals import NoLiteral, callee, literal

__all__ = ["Atom", "of_case", "of_rules"]


@dataclass(frozen=True)
class Atom:
    """Statements that compute ``y`` from ``a0``, ``a1``, …

    Attributes
    ----------
    name : str
        Names the atom in reports: function and fixed arguments.
    group : str
        The family of the rule table, or the kind of form.
    operands : tuple
        The differentiated values.
    lines : tuple of str
        The statements.
    setup : tuple of str
        Statements of the module.
    call : tuple of str, optional
        For a call of which the operands are the first arguments: the function, and the rest of the arguments.
    """

    name: str
    group: str
    operands: tuple[Any, ...]
    lines: tuple[str, ...]
    setup: tuple[str, ...] = ()
    call: tuple[str, str] | None = None

    @property
    def expression(self) -> str | None:
        """The expression that computes the result, where a single one does."""
        return self.lines[0].removeprefix("y = ") if len(self.lines) == 1 and self.lines[0].startswith("y = ") else None


def is_quantity(x: Any) -> bool:
    """Whether ``x`` is, or is a list of, real or complex numbers."""
    if isinstance(x, (list, tuple)):
        return bool(x) and all(map(is_quantity, x))
    return isinstance(x, (float, complex)) or isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "fc"


def of_case(case: Any, group: str, whole: bool = True) -> Atom:
    """The atom of a case of the rule table; a list argument is one operand (``whole``), or its items are."""
    fixed = case.kwargs.get("fixed", ())
    operands: list[Any] = []
    setup: list[str] = []

    def text(x: Any, keep: bool) -> str:
        if is_quantity(x) and not keep:
            if isinstance(x, (list, tuple)) and not whole:
                inner = ", ".join(text(v, False) for v in x)
                return f"[{inner}]" if isinstance(x, list) else f"({inner},)"
            operands.append(x)
            return f"a{len(operands) - 1}"
        found = literal(x)
        if "np.array" in found and len(found) > 30:
            setup.append(f"C{len(setup)} = {found}")
            return f"C{len(setup) - 1}"
        return found

    given = [text(x, k in fixed) for k, x in enumerate(case.args)]
    named = [f"{k}={text(v, k in fixed)}" for k, v in case.options.items()]
    path = _path(case.fn)
    method = path.startswith((".", "ndarray", "generic"))
    call = None
    if method:
        name = path.rpartition(".")[2]
        expression = f"{given[0]}.{name}({', '.join([*given[1:], *named])})"
    else:
        expression = f"{path}({', '.join([*given, *named])})"
        front = [f"a{k}" for k in range(len(operands))]
        if front and given[:len(front)] == front:
            call = path, ", ".join([*given[len(front):], *named])
    if not operands:
        raise NoLiteral("no operands")
    return Atom(expression, group, tuple(operands), (f"y = {expression}",), tuple(setup), call)


def _path(fn: Any) -> str:
    """What stands before the parentheses; ``.name`` for a method of arrays."""
    if getattr(fn, "__objclass__", None) in (np.ndarray, np.generic):
        return f".{fn.__name__}"
    return callee(fn)


def of_rules(families: Sequence[str] | None = None) -> Iterator[Atom]:
    """An atom for each case of the rule table that has a source form, one for each text."""
    from tests.rules.cases import FAMILIES
    seen: set[str] = set()
    for family, make in FAMILIES.items():
        if families is not None and not any(family == f or f.endswith("*") and family.startswith(f[:-1]) for f in families):
            continue
        for case in make():
            for whole in (True, False):
                try:
                    atom = of_case(case, family, whole)
                except NoLiteral:
                    continue
                key = f"{atom.name} of {[_shape(v) for v in atom.operands]}"
                if key not in seen:
                    seen.add(key)
                    yield atom


def _shape(x: Any) -> Any:
    return [_shape(v) for v in x] if isinstance(x, (list, tuple)) else (np.shape(x), type(x).__name__)

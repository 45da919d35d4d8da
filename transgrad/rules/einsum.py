"""Einstein summation."""
from __future__ import annotations

from typing import Any

import numpy as np

from .registry import rule
from .static import NoDerivative, eye, ndim, ones

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def parse(subscripts: str, dims: list[int]) -> tuple[list[str], str]:
    """The labels of each operand and of the result, with ellipses spelled out.

    Examples
    --------
    >>> parse("...ij,jk", [3, 2])
    (['aij', 'jk'], 'aik')
    """
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    free = [c for c in _LETTERS if c not in text]
    widths = [n - len(t.replace("...", "")) if "..." in t else 0 for t, n in zip(terms, dims)]
    extra = "".join(free[:max(widths, default=0)])
    terms = [t.replace("...", extra[len(extra) - w:]) for t, w in zip(terms, widths)]
    if arrow:
        right = right.replace("...", extra)
    else:
        named = "".join(terms)
        right = extra + "".join(sorted(c for c in set(named) if named.count(c) == 1 and c not in extra))
    return terms, right


def distinct(labels: str, taken: set[str]) -> tuple[str, list[str]]:
    """``labels`` with repeated ones renamed, and a pair of labels for each that was: an identity matrix joins them."""
    seen, out, pairs = set[str](), "", []
    for c in labels:
        if c in seen:
            new = next(x for x in _LETTERS if x not in taken)
            taken.add(new)
            pairs.append(c + new)
            c = new
        seen.add(c)
        out += c
    return out, pairs


def entry(k: int, g: Any, operands: Any, terms: list[str], right: str) -> Any:
    """The cotangent of operand ``k``: the sum with the cotangent of the result in place of this operand."""
    others = [(t, x) for n, (t, x) in enumerate(zip(terms, operands)) if n != k]
    taken = {*"".join(terms), *right}
    labels, pairs = distinct(terms[k], taken)
    factors = [(right, g), *others] if right else others
    for pair in pairs:
        factors.append((pair, eye(operands[k].shape[labels.index(pair[1])])))
    known = {*right, *"".join(t for t, _ in others)}
    for at, c in enumerate(labels):     # summed over in this operand alone
        if c not in known and not any(c in pair for pair in pairs):
            factors.append((c, ones(operands[k].shape[at])))
    if not factors:
        return g
    if len(factors) == 1 and factors[0][0] == labels:
        total = factors[0][1]
    else:
        total = np.einsum(",".join(t for t, _ in factors) + "->" + labels, *(x for _, x in factors))
    return total if right else g * total


def spelled(args: Any) -> tuple[str, Any, tuple[int, ...]]:
    """Subscripts, operands and the places of the operands, from either spelling: ``"ij,jk", a, b`` or ``a, [0, 1], b, [1, 2]``."""
    if isinstance(args[0], str):
        return args[0], args[1:], tuple(range(1, len(args)))
    places = tuple(range(0, len(args) - 1, 2))
    text = ",".join(named(args[k + 1]) for k in places)
    return text + ("->" + named(args[-1]) if len(args) % 2 else ""), [args[k] for k in places], places


def named(labels: Any) -> str:
    """The letters of a list of labels."""
    return "".join("..." if c is Ellipsis else _LETTERS[int(c)] for c in labels)


def einsum_jvp(k: int) -> Any:
    def jvp(t: Any, y: Any, *args: Any, out: Any = None, **options: Any) -> Any:
        return np.einsum(*args[:k], t, *args[k + 1:], **options)
    return jvp


@rule(np.einsum, kind="general", jvp=tuple(einsum_jvp(k) for k in range(32)), broadcasts=True)
def _(g, y, *args, out=None, dtype=None, order="K", casting="safe", optimize=False):
    text, operands, places = spelled(args)
    terms, right = parse(text, [ndim(x) for x in operands])
    if len(terms) != len(operands):
        raise NoDerivative(f"np.einsum is given {len(operands)} operands for the subscripts {text!r}")
    return tuple(entry(places.index(k), g, operands, terms, right) if k in places else None for k in range(len(args)))

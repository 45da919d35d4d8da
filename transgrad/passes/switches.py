"""Which optimisations are on: each can be switched off by name, to see what it does, and to test that all is right without it."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

__all__ = ["NAMES", "asked", "is_on", "off", "switched_off"]

#: name → what it does
NAMES = {
    "simplify": "dead code, equal expressions, needless copies and arithmetic go",
    "scalars": "small arrays of a known length become their elements, and those Python floats; so do NumPy's scalars in loops",
    "lists": "arrays whose elements, or rows, a loop reads and writes one by one are lists meanwhile",
    "carry": "elements of lists that the next turn of a loop needs again are carried in numbers; for machine code, those of arrays",
    "parts": "how long neighbouring parts of vectors are is read off the arguments, and checked at each call",
    "pack": "element-wise operations on neighbouring parts of short vectors are one operation on a matrix",
    "stored": "a row that was just put into an array is what was put there, and not read again",
    "rows": "of what a loop adds up, only the rows that are read are computed",
    "distribute": "what the turns of a loop compute and hand to no other turn is computed of all turns at once",
    "ahead": "what the reverse of a loop computes of what is kept of the turns alone is computed of all turns at once",
    "behind": "what the turns of a reverse loop add to parts of arrays is added up behind the loop",
    "terms": "loops whose reverse only adds to derivatives are reversed turn by turn, and keep nothing",
    "hoist": "what is the same in every turn of a loop is computed before it",
    "outer": "outer products that a loop adds up are one product of matrices behind it",
    "reuse": "large arrays that nothing reads again are written over; products that are put into rows of zeros are written there",
    "views": "parts of arrays that an inner loop reads in each turn of an outer one are taken once",
    "placed": "small arrays that loops put into lists to make an array of these are written where they belong there",
    "functions": "elementary functions of numbers that a turn of a loop computes are kept where its reverse would compute the same",
    "places": "what the turns of a loop put into elements that stay as they are is read from there, and not kept",
    "settled": "elements of arrays that nothing writes to after they were read are read again by the reverse, and not kept",
    "sums": "what the turns of a loop keep to multiply it with one cotangent is added up first where that is one number instead of two",
    "tuples": "what the turns of inner loops keep in several lists is kept in one, as tuples",
    "picked": "numbers picked out of the rows of an array have no array of zeros for their cotangents where there is another term",
    "symmetric": "sums along the two axes of an array that is symmetric, as what pairs of points do to each other, are one sum",
    "products": "contractions by `np.einsum` are products of matrices where they are some",
    "systems": "the reverse of Cholesky's decomposition computes with the inverse of the factor, as a triangular matrix",
    "choices": "cotangents of maxima, minima and `np.where` are masked by their bits, without branches",
    "recompute": "for machine code, sums and products of arrays are computed again in the reverse sweep instead of kept",
    "columns": "batches of small arrays are computed column by column, a column for each element, where that is quicker",
    "directions": "Jacobians are computed for many directions at once",
    "spans": "what few directions of a Jacobian move is computed for those alone",
    "turns": "turns of a loop that read parts of the argument of their own are computed side by side in a Jacobian",
    "stacks": "in such turns, products with one matrix that a loop adds up are one product behind it",
    "unrolled": "in such turns, tangents of 1 are written out, and short loops that branch by their number; not for machine code",
    "entries": "Jacobians by numbers, or by few entries that the function reads by their places, are computed in one forward sweep",
    "diagonals": "Jacobians of vectors whose entries depend on their neighbours alone are written diagonal by diagonal",
}
#: what is off now
_off: ContextVar[frozenset[str]] = ContextVar("switched off", default=frozenset())
#: where the names of those that were found to be on are collected
_asked: ContextVar[set[str] | None] = ContextVar("asked", default=None)


def is_on(name: str) -> bool:
    """Whether an optimisation is on; asked by a pass that has something to do (see `asked`)."""
    if name in _off.get():
        return False
    found = _asked.get()
    if found is not None:
        found.add(name)
    return True


def off() -> list[str]:
    """The names of those that are off."""
    return sorted(_off.get())


@contextlib.contextmanager
def asked() -> Iterator[set[str]]:
    """Collects the names of the optimisations that compilations found to be on: without any other, the same would be compiled."""
    found: set[str] = set()
    token = _asked.set(found)
    try:
        yield found
    finally:
        _asked.reset(token)


@contextlib.contextmanager
def switched_off(*names: str) -> Iterator[None]:
    """Compiles without some optimisations for a while.

    Parameters
    ----------
    *names : str
        Names of optimisations, those of `NAMES`; ``'all'`` is all of them.
    """
    names = tuple(NAMES) if "all" in names else names
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise ValueError(f"there is no optimisation {unknown[0]!r}: there are {', '.join(NAMES)}")
    token = _off.set(_off.get() | set(names))
    try:
        yield
    finally:
        _off.reset(token)

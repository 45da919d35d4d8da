"""Optimization switches: each optimization can be disabled by name, to see its effect and to test that results do not depend on it."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

__all__ = ["FUNCTIONAL", "NAMES", "asked", "is_on", "off", "switched_off"]

#: The optimizations by name, with a description for the documentation.
NAMES = {
    "simplify": "dead-code elimination, common-subexpression elimination, copy elimination and algebraic simplification",
    "scalars": "scalar replacement: replace small arrays of known length by their elements, as Python floats; use Python floats in loops",
    "numbers": "compute derivatives with Python's operators and `math` where operands are Python numbers",
    "lists": "keep arrays whose elements or rows a loop accesses one by one in lists inside the loop",
    "carry": "scalar promotion: carry list elements that the next iteration needs in variables; for machine code, array elements",
    "parts": "specialize for the relative lengths of adjacent slices of a vector, with a guard",
    "lengths": "specialize for short rows of arguments, with a guard on their length",
    "pack": "SLP vectorization: combine element-wise operations on adjacent slices of short vectors into one operation on a matrix",
    "stored": "store-to-load forwarding for rows of arrays",
    "rows": "compute only those rows of an accumulated array that are read",
    "vectorize": "vectorize loops with independent iterations over the rows of arrays",
    "distribute": "loop distribution: compute parts of a loop without a loop-carried dependence for all iterations at once",
    "ahead": "vectorize the part of a reverse loop that depends only on saved values",
    "behind": "sink accumulation into slices of arrays out of reverse loops",
    "terms": "reverse sums over iterations one iteration at a time, without saved values",
    "hoist": "loop-invariant code motion",
    "outer": "accumulate outer products of a loop as one matrix product",
    "reuse": "reuse the buffers of large dead arrays; write products into their destination",
    "views": "hoist views that an inner loop takes in each iteration of an outer loop",
    "placed": "write rows directly into a preallocated array instead of a list that becomes an array",
    "functions": "save elementary functions of scalars in a loop that the reverse loop would recompute",
    "places": "read loop values back from array elements that stay unchanged instead of saving them",
    "settled": "read elements of arrays that are not written afterwards again in the reverse sweep instead of saving them",
    "sums": "add up saved factors of one cotangent before they are saved",
    "tuples": "save values of inner loops as tuples in one list",
    "picked": "accumulate cotangents of gathered elements without an array of zeros",
    "symmetric": "compute one of two equal sums along the axes of a symmetric array",
    "products": "evaluate `np.einsum` contractions as matrix products",
    "systems": "use the inverse of the triangular factor in the reverse of a Cholesky decomposition",
    "choices": "mask cotangents of maxima, minima and `np.where` with bit operations instead of branches",
    "recompute": "for machine code, recompute element-wise sums and products in the reverse sweep instead of saving them",
    "columns": "store batches of small arrays as one vector for each element",
    "directions": "compute Jacobians for many directions at once",
    "spans": "restrict tangents to the span of directions that affect them",
    "turns": "vectorize loop iterations that read disjoint parts of the argument of a Jacobian",
    "stacks": "accumulate products with one matrix in such iterations as one product",
    "unrolled": "specialize for unit tangents and unroll short loops in such iterations; not for machine code",
    "entries": "compute Jacobians with respect to a few scalars or elements in one forward sweep",
    "closures": "share generated code among functions with the same code, such as closures and lambdas that a function makes at each call",
    "diagonals": "write banded Jacobians diagonal by diagonal",
}
#: The optimizations that are on for arrays of other libraries: they neither write in place nor compute with elements.
FUNCTIONAL = frozenset(("simplify", "hoist", "functions", "symmetric", "products", "terms", "settled", "sums", "tuples"))
#: what is off now
_off: ContextVar[frozenset[str]] = ContextVar("switched off", default=frozenset())
#: where the names of those that were found to be on are collected
_asked: ContextVar[set[str] | None] = ContextVar("asked", default=None)


def is_on(name: str) -> bool:
    """Whether an optimization is on; asked by a pass that has something to do (see `asked`)."""
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
    """Collects the names of the optimizations that compilations found to be on: without any other, the same would be compiled."""
    found: set[str] = set()
    token = _asked.set(found)
    try:
        yield found
    finally:
        _asked.reset(token)


@contextlib.contextmanager
def switched_off(*names: str) -> Iterator[None]:
    """Disable some optimizations in the context.

    Parameters
    ----------
    *names : str
        Names of optimizations, those of `NAMES`; ``'all'`` is all of them.
    """
    names = tuple(NAMES) if "all" in names else names
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise ValueError(f"there is no optimization {unknown[0]!r}: there are {', '.join(NAMES)}")
    token = _off.set(_off.get() | set(names))
    try:
        yield
    finally:
        _off.reset(token)

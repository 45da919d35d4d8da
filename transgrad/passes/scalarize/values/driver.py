"""Driver of scalar replacement: find the calls to expand, decide, and rewrite."""
from __future__ import annotations

from typing import Any

from ....ir.attributes import Guard
from ....ir.clone import clone_function
from ....ir.effects import writes
from ....ir.ops import Call, For, Function, Invoke, Op, Try, Value, While, functions_of, walk
from ...analysis.alias import AliasClasses
from ...analysis.program_order import owners_in
from ...canonicalize.inline import TooLarge, inline_calls
from ...manager import Property, Stage, analysis, optimization
from ...rewriting.substitute import uses_of
from ...simplify.dce import eliminate_dead_code
from ...switches import is_on
from .boundary import has_effects
from .cost_model import Choice
from .loop_lists import KeptLists
from .rewrite import rewrite
from .rows import know_rows, short_rows, short_vectors
from .small_arrays import LONGEST, Lengths, fixed_length, is_vector

__all__ = ["replace_numpy_scalars", "scalarize_rows", "scalarize_small_arrays"]

#: how many operations a helper may have, and the function with its helpers written out
_SMALL, _LARGE = 80, 1500


@optimization(Stage.CANONICALIZE, "scalars", analyses=(AliasClasses,))
def scalarize_small_arrays(fn: Function, risky: bool = True) -> bool:
    """Replace small arrays by their elements, in place, if that makes the code faster.

    Lengths of arguments that were used become guards. ``risky`` allows arithmetic that may raise where NumPy's does not;
    ``fn.attrs.floats`` then records that it occurs.
    """
    if not any(map(_has_vector, walk(fn.body))):
        return False
    given = _given(fn)
    if not given and not any(map(_has_short, functions_of(fn))):
        return False
    return _replace(fn, risky, given, {})


@optimization(Stage.CANONICALIZE, "lengths", analyses=(AliasClasses,))
def scalarize_rows(fn: Function, risky: bool = True) -> bool:
    """Scalar replacement of short rows.

    Replace the rows of arguments whose last axis is short (see `rows`) by their elements, where loops compute with them. A guard checks
    the lengths. Runs after loop distribution: one operation for all iterations is faster than scalars.
    """
    if not fn.attrs.shapes or not any(isinstance(op, (For, While)) for op in owners_in(fn.body)):
        return False
    rows = short_rows(fn)
    if not rows or not any(map(_has_vector, walk(fn.body))) or not is_on("lengths"):
        return False
    return _replace(fn, risky, _given(fn), rows)


def _given(fn: Function) -> dict[Value, int]:
    """The lengths of short vectors among the arguments."""
    return {p.value: n for p in fn.signature if isinstance(p.value, Value) and is_vector(p.value.type)
            and 1 < (n := fn.attrs.lengths.get(p.name, 0)) <= LONGEST}


def _replace(fn: Function, risky: bool, given: dict[Value, int], rows: dict[Any, int]) -> bool:
    """Replace small arrays, of which some arguments have ``given`` lengths, and others ``rows`` of known lengths."""
    trial_of: dict[Value, Value] = {}
    trial = clone_function(fn, trial_of)
    try:
        inline_calls(trial, _is_small, _LARGE)
    except TooLarge:
        return False
    if any(isinstance(op, Try) for op in owners_in(trial.body)):     # an exception that NumPy does not raise would be caught there
        return False
    known = know_rows(trial, {**rows, **short_vectors(trial, fn.attrs.lengths)}) if rows else []
    if rows and not known:
        return False
    classes = AliasClasses(trial)
    lengths = Lengths(trial, classes, {trial_of[p]: n for p, n in given.items()})
    choice = Choice(trial, lengths, risky and not has_effects(trial, classes))
    if not choice.forms or not is_on("scalars"):
        return False
    names = {p.value: p.name for p in trial.signature if isinstance(p.value, Value)}
    used = [(names[p], n) for p, n in lengths.relied.items()]
    early = rewrite(trial, choice, lengths)
    eliminate_dead_code(trial)
    fn.body, fn.signature, fn.names = trial.body, trial.signature, trial.names
    fn.attrs.add_guards([*known, *(Guard("length", name, None, n) for name, n in used)])
    fn.attrs.floats = fn.attrs.floats or choice.risky or early
    return True


@optimization(Stage.LOWER_NUMPY, "scalars", requires=(Property.FINAL,), analyses=(AliasClasses,))
def replace_numpy_scalars(fn: Function, risky: bool) -> bool:
    """Compute with Python floats in the loops of a function, where that makes them faster.

    ``risky`` allows arithmetic that raises where NumPy's does not.
    """
    kinds = set(map(type, owners_in(fn.body)))
    if kinds.isdisjoint((For, While)) or Try in kinds:
        return False
    lengths = Lengths(fn, analysis(AliasClasses, fn), {})
    choice = Choice(fn, lengths, risky, KeptLists(fn))
    if not choice.forms or not is_on("scalars"):
        return False
    early = rewrite(fn, choice, lengths)
    if _computes_in_vain(fn):
        eliminate_dead_code(fn)
    fn.attrs.floats = fn.attrs.floats or choice.risky or early
    return True


def _computes_in_vain(fn: Function) -> bool:
    """Whether something is computed, not written, that nothing reads: if not, nothing is dead that was not before."""
    read = uses_of(fn.body)
    return any(not read.issuperset(op.results) and not writes(op) for op in walk(fn.body))


def _has_vector(op: Op) -> bool:
    return isinstance(op, (Call, Invoke)) and any(is_vector(v.type) for v in (*op.results, *op.args) if type(v) is Value)


def _has_short(fn: Function) -> bool:
    """Whether a function creates a small array with a literal length."""
    return any(0 < (fixed_length(v.type) or 0) <= LONGEST for op in walk(fn.body) for v in op.results if is_vector(v.type))


def _is_small(op: Invoke) -> bool:
    """Whether to inline a call: its callee is small, and an argument may be a small array."""
    if not any(is_vector(v.type) for v in (*op.args, *op.results)):
        return False
    return sum(1 for _ in walk(op.func.body)) <= _SMALL

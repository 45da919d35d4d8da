"""Tries a program: right, wrong, refused or crashed; and finds the smallest program that fails in the same way."""
from __future__ import annotations

import copy
import operator
import re
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

import transgrad as tg
from tests import oracles
from tests.outcomes import Outcome, TooSlow, alarm, outcome_of
from transgrad import tree

from .oracle import compile_text, complex_gradient, real_problem
from .program import Program

__all__ = ["Outcome", "shrink", "trial"]

#: The generator's names for variables, which do not tell causes apart.
NAMES = r"\b([a-z][0-9]+|[xystmp]|ws|xs[0-9]+)\b"


def trial(program: Program, mode: str = "reverse", removed: frozenset[int] = frozenset(), seconds: int = 20) -> Outcome:
    """Differentiates a program and compares with the oracle.  Kind 'unfit': the program itself cannot be judged."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        # a program that was shortened may loop for ever
        alarm(seconds)
        try:
            f = compile_text(program.text(removed), f"{program.seed} {len(removed)} {hash(removed)}")
            value, want = complex_gradient(program.twin(removed), program)
        except (Exception, TooSlow) as exc:
            return Outcome("unfit", type(exc).__name__)
        finally:
            alarm(0)
        scale = max(1.0, float(np.max(np.abs(want), initial=0.0)))
        if not np.isfinite(value) or not np.isfinite(scale) or scale > 1e6:
            return Outcome("unfit", "not finite")
        outcome = outcome_of(lambda: _compare(program, f, program.twin(removed), mode, value, want, scale), seconds)
        return replace(outcome, cause=_without_names(outcome))


def _without_names(outcome: Outcome) -> str:
    """The cause, without what the generator made up: names, and what of a message differs from program to program."""
    if outcome.kind == "refused":
        return re.sub(NAMES, "_", outcome.cause)
    if outcome.kind == "crashed":
        where, error, message = outcome.cause.partition("Error: ")
        return f"{where}{error}" + re.sub(r"[^ ]*[0-9][^ ]*|'[^']*'|" + NAMES, "_", message)[:80]
    return outcome.cause


def _compare(program: Program, f: Any, twin: str, mode: str, value: complex, want: np.ndarray, scale: float) -> Outcome:
    args, argnums = copy.deepcopy(program.args), tuple(range(len(program.args)))
    v = np.cos(1.0 + np.arange(len(want)))
    if mode == "batch":
        return _compare_batch(program, f, v)
    tangents = oracles.rebuild_like(program.args, v)
    if mode in ("reverse", "numba"):
        result, g = tg.value_and_grad(f, argnums=argnums, fallback="error", backend="numba" if mode == "numba" else "numpy")(*args)
        if not np.isclose(result, value.real, rtol=1e-9, atol=1e-9):
            return Outcome("wrong", "value", f"value {result}, expected {value.real}")
        got: Any = oracles.flatten(g)
        if got.shape != want.shape:
            return Outcome("wrong", "shape", f"gradient {g}")
    elif mode == "pullback":
        result, pull = tg.vjp(f, *args, fallback="error")
        got = oracles.flatten(pull(1.0))
    elif mode == "forward":
        _, got = tg.jvp(f, args, tangents, fallback="error")
        want = want @ v
    else:
        df = tg.grad(f, argnums=argnums, fallback="error")
        _, hv = tg.jvp(df, args, tangents, fallback="error")
        got = oracles.flatten(hv)
        # differences of the gradient by complex steps
        want, error = oracles.directional(lambda x: complex_gradient(twin, replace(program, args=oracles.rebuild_like(program.args, x)))[1],
                                          oracles.flatten(program.args), v, 1e-5)
        scale = max(1.0, float(np.max(np.abs(want))))
        if error > 1e-6 * scale:
            return Outcome("unfit", "kink")
    tolerance = 1e-7 if mode != "second" else 1e-5
    if np.allclose(got, want, rtol=tolerance, atol=tolerance * scale):
        return Outcome("right", found=got)
    if mode != "second":
        # the two oracles must agree before anything is called wrong: at a tie they need not
        problem = real_problem(f, program)
        reference, error = oracles.gradient(problem, problem.x, 1e-4)
        reference = reference @ v if mode == "forward" else reference
        if not np.allclose(reference, want, rtol=1e-5, atol=1e-5 * scale):
            return Outcome("unfit", "tie")
    return Outcome("wrong", "gradient", f"got {got}\nwant {want}")


def _compare_batch(program: Program, f: Any, v: np.ndarray) -> Outcome:
    """Values and gradients for a batch, beside those of its examples one by one."""
    examples = [oracles.rebuild_like(program.args, oracles.flatten(program.args) + 0.1 * k * v) for k in range(3)]
    argnums = tuple(range(len(program.args)))
    batch = tree.map_leaves(lambda *leaves: np.stack(leaves), *map(tuple, examples))
    found = []
    for made in (f, tg.grad(f, argnums)):
        try:
            want = [oracles.flatten(made(*copy.deepcopy(example))) for example in examples]
        except (ArithmeticError, ValueError, LookupError) as error:        # of another example than that which was looked at
            return Outcome("unfit", type(error).__name__)
        if not np.all(np.isfinite(want)) or np.max(np.abs(want)) > 1e9:
            return Outcome("unfit", "not finite")
        got = tg.vmap(made)(*copy.deepcopy(batch))
        got = np.array([oracles.flatten(tree.map_leaves(operator.itemgetter(k), got)) for k in range(3)])
        if not np.allclose(got, want, rtol=1e-9, atol=1e-9 * max(1.0, float(np.max(np.abs(want))))):
            return Outcome("wrong", "value" if made is f else "gradient", f"got {got}\nwant {want}")
        found.append(got)
    return Outcome("right", found=found)


def shrink(program: Program, outcome: Outcome, mode: str = "reverse", tries: int = 400) -> str:
    """The text of the smallest program, found by dropping statements, with the same kind of failure and the same cause."""
    removed: frozenset[int] = frozenset()
    chunk = max(len(program.statements()) // 4, 1)
    while chunk and tries > 0:
        found = False
        statements = [s for s in program.statements() if id(s) not in removed]
        for start in range(0, len(statements), chunk):
            if tries <= 0:
                break
            tries -= 1
            candidate = removed | {id(s) for s in statements[start:start + chunk]}
            again = trial(program, mode, candidate)
            if (again.kind, again.cause) == (outcome.kind, outcome.cause):
                removed, found = candidate, True
        chunk = chunk // 2 if not found or chunk > 1 else 1
    return program.text(removed)

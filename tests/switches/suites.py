"""The suites whose derivatives are compared: what there is to try of each, in a mode."""
from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any
from unittest import mock

import numpy as np

import transgrad as tg
from benchmarks import workload
from benchmarks.tools import agree, ours
from tests import oracles
from tests.corpus import modes as corpus_modes
from tests.corpus.registry import Case, load
from tests.corpus.scaled import scaled
from tests.golden import test_golden
from tests.outcomes import Outcome, outcome_of
from tests.passes import (
    by_differences,
    test_distribute,
    test_needed_rows,
    test_random_columns,
    test_random_helpers,
    test_random_names,
    test_random_optional,
    test_spans,
    test_sweep,
    test_turns,
    test_views_once,
)
from tests.random_control.check import check as check_control
from tests.random_programs.generator import generate
from tests.random_programs.trial import trial
from transgrad.passes.loops.distribution import driver, plan
from transgrad.passes.loops.reverse_loops import vectorize_local_derivatives
from transgrad.passes.scalarize.functions import columns as elements

from .narrow import compare as at_float32
from .native import derivatives

__all__ = ["MODES", "SUITES", "Trial"]

MODES = ("reverse", "pullback", "forward", "second", "jacobian")
#: the modes of the corpus that a mode stands for
_OF_CASES = {"reverse": ("primal", "reverse"), "pullback": ("pullback",), "forward": ("forward",),
             "second": ("forward_over_reverse", "reverse_over_reverse"), "jacobian": ("jacobian", "hessian")}


@dataclass(frozen=True)
class Trial:
    """Something to try with optimisations on and off."""

    name: str
    run: Callable[[], Outcome]


def _eager(run: Callable[[], Outcome]) -> Callable[[], Outcome]:
    """With passes that do whatever they can, and not what is worth it alone."""
    def eagerly() -> Outcome:
        with contextlib.ExitStack() as stack:
            for module, name, value in ((vectorize_local_derivatives, "_WORTH", 1), (vectorize_local_derivatives, "_cost", lambda op: 9), (plan, "_WORTH", 1), (plan, "_KEEP", 0),
                                        (driver, "_TURNS", 1), (elements, "_border", lambda ways, rows: 0.0)):
                stack.enter_context(mock.patch.object(module, name, value))
            return run()
    return eagerly


def _spread(items: Sequence[Any], count: int | None) -> Sequence[Any]:
    """So many of the items, from all parts of them."""
    return items if count is None or count >= len(items) else [items[k * len(items) // count] for k in range(count)]


def _seeds(first: int, count: int | None) -> range:
    return range(first, first + (50 if count is None else count))


def _of_cases(cases: Sequence[Case], mode: str) -> Iterator[Trial]:
    for case in cases:
        for way in _OF_CASES[mode]:
            yield Trial(f"{case.row}-{case.name} {way}", lambda case=case, way=way: outcome_of(lambda: corpus_modes.check(case, way), 30))  # type: ignore[misc]


def corpus(mode: str, first: int, count: int | None) -> Iterator[Trial]:
    """Every function of the corpus."""
    return _of_cases(_spread(load(), count), mode)


def at_scale(mode: str, first: int, count: int | None) -> Iterator[Trial]:
    """Every function of the corpus by numbers that scale its arguments."""
    if mode == "jacobian":
        for case in _spread(load(), count):
            if (made := scaled(case)) is not None:
                f, arguments = made
                yield Trial(f"{case.row}-{case.name}", lambda f=f, arguments=arguments: outcome_of(lambda: _by_three(f, arguments), 30))  # type: ignore[misc]


def _by_three(f: Any, arguments: Callable[[], tuple[Any, ...]]) -> Any:
    """Beside the Jacobian by rows."""
    found, args = tg.jacfwd(f, fallback="error")(*arguments()), arguments()
    np.testing.assert_allclose(found, tg.jacrev(f)(*args), rtol=1e-7, atol=1e-8)
    return found


def narrow(mode: str, first: int, count: int | None) -> Iterator[Trial]:
    """Every function of the corpus, at arrays of float32."""
    if mode == "reverse":
        of_arrays = [case for case in load() if any(isinstance(case.args[k], np.ndarray) for k in case.wrt)]
        for case in _spread(of_arrays, count):
            yield Trial(f"{case.row}-{case.name}", lambda case=case: outcome_of(lambda: at_float32(case), 30))  # type: ignore[misc]


def programs(mode: str, first: int, count: int | None) -> Iterator[Trial]:
    """Random programs, beside their complex twins."""
    if mode != "jacobian":
        for seed in _seeds(first, count):
            yield Trial(f"{seed} {mode}", lambda program=generate(seed): trial(program, mode))  # type: ignore[misc]


def control(mode: str, first: int, count: int | None) -> Iterator[Trial]:
    """Random control flow, beside Python and differences; each trial is one of reverse and forward derivatives."""
    if mode == "reverse":
        for seed in _seeds(first, count):
            yield Trial(f"{seed}", lambda seed=seed: check_control(seed, budget=2))  # type: ignore[misc]


def _beside_differences(module: Any) -> Callable[[str, int, int | None], Iterator[Trial]]:
    """The random programs of a module; those that are refused have to be right on the tape."""
    def trials(mode: str, first: int, count: int | None) -> Iterator[Trial]:
        if mode in by_differences.MODES:
            for seed in _seeds(first, count):
                yield Trial(f"{seed} {mode}", lambda seed=seed: run(module.differentiated(seed), by_differences.MODES[mode]))  # type: ignore[misc]

    def run(f: Any, compared: Callable[..., Any]) -> Outcome:
        if f is None:
            return Outcome("unfit")
        outcome = outcome_of(lambda: compared(f, module.X, fallback="error"), 30)
        if outcome.kind != "refused":
            return outcome
        taped = outcome_of(lambda: compared(f, module.X), 30)
        return replace(outcome, found=taped.found) if taped.kind in ("right", "refused") else taped

    return trials


def columns(mode: str, first: int, count: int | None) -> Iterator[Trial]:
    """Random functions of small arrays, and batches of their Jacobians."""
    if mode == "jacobian":
        for seed in _seeds(first, count):
            yield Trial(f"{seed}", _eager(lambda seed=seed: outcome_of(lambda: test_random_columns.compare(seed)[1], 60)))  # type: ignore[misc]


def golden(mode: str, first: int, count: int | None) -> Iterator[Trial]:
    """Functions with derivatives written by hand."""
    if mode == "reverse":
        for name in _spread(list(test_golden.OTHERS), count):
            yield Trial(name, lambda name=name: outcome_of(lambda: test_golden.gradients(name)))  # type: ignore[misc]
    elif mode == "forward":
        yield Trial("tangent", lambda: outcome_of(test_golden.tangents))


def workloads(mode: str, first: int, count: int | None) -> Iterator[Trial]:
    """What is measured, beside derivatives written by hand."""
    if mode == "reverse":
        for name in _spread(workload.names(), count):
            yield Trial(name, lambda name=name: outcome_of(lambda: _by_hand(workload.load(name)), 60))  # type: ignore[misc]


def _by_hand(w: workload.Workload) -> Any:
    args = w.args(w.tiny)
    found = ours.derivative(w)(*args)
    assert agree(found, w.by_hand(*args))
    return found


def native(mode: str, first: int, count: int | None) -> Iterator[Trial]:
    """The workloads and the corpus, by machine code."""
    if mode == "reverse" and importlib.util.find_spec("numba"):
        for name, run in _spread(list(derivatives()), count):
            yield Trial(name, lambda run=run: outcome_of(run, 300))  # type: ignore[misc]


def turns(mode: str, first: int, count: int | None) -> Iterator[Trial]:
    """The loops that the passes on whole loops are tested with, and random ones."""
    if mode == "jacobian":
        vectors = [*((f, (np.cos(np.arange(9.0)), test_spans.POINTS), (0,)) for f in test_spans.PROGRAMS),
                   *((f, (test_turns.X, test_turns.M, test_turns.B, test_turns.W), (0,)) for f in test_turns.PROGRAMS),
                   *((f, (test_needed_rows.M, test_needed_rows.B, test_needed_rows.W), (0, 1, 2)) for f in test_needed_rows.PROGRAMS)]
        for f, args, wrt in _spread(vectors, count):
            yield Trial(f"{f.__module__.rpartition('_')[2]}-{f.__name__}",
                        lambda f=f, args=args, wrt=wrt: outcome_of(lambda: _jacobians(f, args, wrt), 30))  # type: ignore[misc]
    rng = np.random.default_rng(7)
    # a short step: the largest numbers of rows are close to others
    cases = [Case(f, tuple(0.5 * a for a in module.arguments(rng=rng)), (0, 1, 2, 3), step=2e-4, name=f.__name__,
                  row=module.__name__.rpartition("_")[2])
             for module, functions in ((test_sweep, test_sweep.ALL),
                                       (test_distribute, [*test_distribute.TAKEN, *test_distribute.LEFT, *test_distribute.OTHERS]))
             for f in functions]
    cases += [Case(f, tuple(test_views_once.given(f, test_views_once.arguments())), (0, 1, 2), name=f.__name__, row="views")
              for f in (*test_views_once.once, *test_views_once.each_turn)]
    for seed in _seeds(first, count):
        for make in (test_distribute.random_program, test_sweep.random_turns):
            f, args = make(Random(seed))
            cases.append(Case(f, args, tuple(range(min(5, len(args)))), name=f"{make.__name__}-{seed}", row="random"))
    for t in _of_cases([c for c in _spread(cases, None if count is None else 2 * count) if c.row != "random" or _is_tame(c)], mode):
        yield t
        yield Trial(f"{t.name} eagerly", _eager(t.run))


def _is_tame(case: Case) -> bool:
    """Whether differences by a much shorter step are the same, as those of nested exponentials and cosines are not."""
    problem = oracles.Problem(case.f, case.args, case.wrt, case.kwargs)
    (a, _), (b, _) = (oracles.gradient(problem, problem.x, step) for step in (case.step, 0.05 * case.step))
    return bool(np.allclose(a, b, rtol=1e-5, atol=1e-5 * max(1.0, float(np.max(np.abs(a))))))


def _jacobians(f: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...]) -> Any:
    """Those of forward and of reverse sweeps, along a direction the same as differences."""
    chosen = tuple(args[k] for k in wrt)
    v = np.cos(1.0 + np.arange(len(oracles.flatten(chosen))))

    def at(x: np.ndarray) -> Any:
        parts = dict(zip(wrt, oracles.rebuild_like(chosen, x)))
        return oracles.flatten(f(*(parts.get(k, a) for k, a in enumerate(args))))

    want, error = oracles.directional(at, oracles.flatten(chosen), v)
    tangents, found = oracles.rebuild_like(chosen, v), []
    for transform in (tg.jacfwd, tg.jacrev):
        got = transform(f, argnums=wrt, fallback="error")(*args)
        results = got if isinstance(f(*args), tuple) else (got,)
        along = [sum(np.tensordot(part, t, np.ndim(t)) for part, t in zip(row, tangents)) for row in results]
        np.testing.assert_allclose(oracles.flatten(along), want, rtol=1e-6, atol=max(1e-7, 10 * error))
        found.append(got)
    return found


SUITES: dict[str, Callable[[str, int, int | None], Iterator[Trial]]] = {
    "corpus": corpus, "scaled": at_scale, "narrow": narrow, "programs": programs, "control": control, "names": _beside_differences(test_random_names),
    "helpers": _beside_differences(test_random_helpers), "optional": _beside_differences(test_random_optional), "columns": columns,
    "golden": golden, "workloads": workloads, "turns": turns, "native": native,
}

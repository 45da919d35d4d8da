"""The pass manager: declarations, pipelines, verification after each pass, and cached analyses."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from transgrad.cli.passes import describe, markdown, trace
from transgrad.ir.ops import Call, Function, Value
from transgrad.ir.types import Num
from transgrad.ir.verify import VerificationError
from transgrad.passes import manager
from transgrad.passes.manager import Each, IfChanged, Pass, Property, Stage, With
from transgrad.passes.pipelines import lower_to_numpy, pipelines
from transgrad.passes.switches import NAMES

from .show import lowered


def _norm(x):
    return np.sum(x * np.sin(x))


def _undeclared(run, **options) -> Pass:
    """A pass that is not in the table of declared passes."""
    return Pass(run, Stage.SIMPLIFY, options.get("switch"), frozenset(options.get("requires", ())), options.get("analyses", ()),
                options.get("preserves", ()))


def _passes(steps):
    for step in steps:
        if isinstance(step, Pass):
            yield step
        elif isinstance(step, (With, IfChanged)):
            yield step.step
            yield from _passes(step.then) if isinstance(step, IfChanged) else ()
        else:
            yield from _passes(step.steps)


def test_every_declared_pass_is_in_a_pipeline():
    assert {step for steps in pipelines().values() for step in _passes(steps)} == set(manager.declared())


def test_every_pass_has_a_summary_and_a_known_switch():
    for step in manager.declared():
        assert step.summary, step.name
        assert step.switch is None or step.switch in NAMES, step.name


def test_lowering_passes_require_a_final_function():
    fn = lowered(_norm, np.ones(3))
    for step in manager.declared():
        if step.stage in (Stage.LOWER_NUMPY, Stage.LOWER_NUMBA):
            with pytest.raises(AssertionError, match=f"{step.name} requires IR that is final"):
                manager.run((step,), fn)
    lower_to_numpy(fn, whole=True)


def test_a_pass_that_leaves_ill_formed_ir_is_named():
    def drop_definitions(fn: Function) -> None:
        fn.body.ops = [op for op in fn.body.ops if not isinstance(op, Call)]

    fn = lowered(_norm, np.ones(3))
    with manager.verified(), pytest.raises(VerificationError, match="after the pass drop_definitions"):
        manager.run((_undeclared(drop_definitions),), fn)


def test_analyses_are_cached_until_a_pass_reports_a_change():
    computed = []

    def analyze(fn: Function) -> int:
        computed.append(fn)
        return len(fn.body.ops)

    fn = lowered(_norm, np.ones(3))
    seen = []

    def look(fn: Function) -> bool:
        seen.append(manager.analysis(analyze, fn))
        return False

    def change(fn: Function) -> bool:
        manager.analysis(analyze, fn)
        return True

    def steps(**options) -> tuple[Pass, ...]:
        return tuple(_undeclared(run, analyses=(analyze,), **options) for run in (look, look, change, look))

    manager.run(steps(), fn)
    assert len(computed) == 2 and len(seen) == 3
    manager.run(steps(preserves=(analyze,)), fn)
    assert len(computed) == 3 and len(seen) == 6


def test_a_pass_that_asks_for_an_analysis_that_it_does_not_declare_is_an_internal_error():
    fn = lowered(_norm, np.ones(3))
    with manager.verified(), pytest.raises(AssertionError, match="does not declare the analysis len"):
        manager.run((_undeclared(lambda fn: manager.analysis(len, fn)),), fn)


def test_a_pass_that_denies_a_change_is_found(monkeypatch):
    monkeypatch.setenv("TRANSGRAD_VERIFY", "types")

    def change(fn: Function) -> bool:
        fn.body.ops.insert(0, Call(len, [fn.params[0]], results=[Value(Num("int"))]))
        return False

    fn = lowered(_norm, np.ones(3))
    with manager.verified(), pytest.raises(VerificationError, match="change changed it and reported that it did not"):
        manager.run((_undeclared(change),), fn)


def test_a_pipeline_after_a_pass_runs_only_if_the_pass_changed_something():
    ran = []
    after = _undeclared(lambda fn: ran.append("after"))
    fn = lowered(_norm, np.ones(3))
    manager.run((IfChanged(_undeclared(lambda fn: False), (after,)),), fn)
    assert not ran
    manager.run((IfChanged(_undeclared(lambda fn: True), (after,)), Each((after,))), fn)
    assert ran == ["after", "after"]


def test_options_reach_the_pass_and_properties_are_checked():
    found = []
    step = _undeclared(lambda fn, width: found.append(width), requires=(Property.FINAL,))
    fn = lowered(_norm, np.ones(3))
    manager.run((With(step, {"width": 3}),), fn, Property.FINAL)
    assert found == [3]


def test_two_passes_cannot_have_one_name():
    with pytest.raises(ValueError, match="two passes are called hoist_invariants"):
        @manager.optimization(Stage.SIMPLIFY)
        def hoist_invariants(fn: Function) -> None: ...


def test_the_listing_names_every_pass():
    text, page = describe(), markdown()
    for steps in pipelines().values():
        for step in _passes(steps):
            assert step.name in text and f"`{step.name}`" in page


def test_a_trace_shows_what_each_pass_changes():
    text = trace(lambda: tg.grad(_norm, fallback="error").source_for(np.ones(3)))
    assert "== fold_and_release on" in text
    assert "@@" in text     # a later pass as a difference

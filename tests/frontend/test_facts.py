"""What was taken as known is noted, so that a variant can be checked before it is used again."""
import copy

import numpy as np
import pytest

from transgrad import frontend
from transgrad.errors import UnsupportedSyntax
from transgrad.frontend import ANYTHING
from transgrad.ir.interp import call
from transgrad.ir.ops import Invoke, Lit, walk
from transgrad.ir.verify import verify

from . import facts
from .lowered import check, lowered

X = np.array([0.5, 1.25])


def test_globals_and_items_of_tables_are_guarded():
    fn = check(facts.uses_globals, X)
    known = {(kind, key): expected for kind, _, key, expected in fn.attrs.guards}
    assert known["global", "RATE"] == 0.5 and known["global", "WEIGHTS"] is facts.WEIGHTS
    assert known["item", "mean"] is np.mean


def test_an_axis_is_known_and_guarded():
    fn = check(facts.along, np.ones((2, 3)), 1)
    assert isinstance(fn.signature[1].value, Lit)
    assert ("argattr", "axis", None, 1) in fn.attrs.guards


def test_attributes_of_a_bound_instance_are_variables():
    mine, theirs = facts.Counter(), facts.Counter()
    fn = lowered(mine.step, 1.5)
    assert call(fn, [1.5]) == theirs.step(1.5)
    assert vars(mine) == vars(theirs)


def test_lowering_changes_nothing():
    counter = facts.Counter()
    before = copy.deepcopy(vars(counter))
    frontend.lower(counter.step, {"x": 1.5}, ["x"])
    assert vars(counter) == before


def test_lengths_that_are_assumed_are_noted():
    fn = check(facts.trimmed, np.ones(5))
    assert fn.attrs.assumed == {(("x", 0), 2)}
    fn = check(facts.calls_helper, np.ones(5), np.ones(7))
    assert fn.attrs.assumed == {(("x", 0), 2), (("y", 0), 2)}


def test_calls_alike_share_one_variant():
    fn = lowered(facts.calls_helper, np.ones(5), np.ones(7))
    called = [op.func for op in walk(fn.body) if isinstance(op, Invoke)]
    assert len(called) == 2 and called[0] is called[1]


def test_what_is_written_is_no_longer_known():
    check(facts.options, 1.5, {"mode": "double"})


@pytest.mark.parametrize("x", [1.5, X, np.ones((2, 2))])
def test_unknown_arguments(x):
    def f(x):
        y = np.sin(x) * 2.0
        return (y + x).sum() if isinstance(x, np.ndarray) else y
    fn = frontend.lower(f, {"x": ANYTHING}, ["x"])
    verify(fn)
    assert np.all(call(fn, [x]) == f(x))


def test_lowering_is_deterministic():
    texts = {str(lowered(facts.calls_helper, np.ones(5), np.ones(7))) for _ in range(3)}
    assert len(texts) == 1


def test_what_breaks_the_front_end_is_refused(monkeypatch):
    from transgrad.frontend.statements import loops

    def broken(*args, **kwargs):
        raise KeyError("oops")
    monkeypatch.setattr(loops, "run_loop", broken)

    def f(x):
        for _ in range(3):
            x = x * 2
        return x
    with pytest.raises(KeyError, match="oops"):         # where TRANSGRAD_STRICT is set
        frontend.lower(f, {"x": 1.5}, ["x"])
    monkeypatch.setenv("TRANSGRAD_STRICT", "0")
    with pytest.raises(UnsupportedSyntax, match="oops") as caught:
        frontend.lower(f, {"x": 1.5}, ["x"])
    assert caught.value.lineno and isinstance(caught.value.__cause__, KeyError)

"""Every public name of the installed NumPy and SciPy is classified, and what is said to be differentiable has a rule."""
from __future__ import annotations

import collections
import subprocess
import sys
from typing import Any

import pytest

from transgrad.rules import lookup
from transgrad.rules.classes import KINDS, Namespace, classify, namespaces
from transgrad.rules.installed import at_least
from transgrad.rules.listing import has_derivative

SPACES = [pytest.param(s, id=s.name) for s in namespaces(scipy=True)]


@pytest.mark.parametrize("space", SPACES)
def test_nothing_is_unclassified(space: Namespace) -> None:
    assert not space.unclassified()


#: what SciPy before 1.17 computes in another way, of which there is no derivative
SINCE_1_17 = {"scipy.fft.fht", "scipy.fft.ifht", "scipy.signal.gammatone", "scipy.signal.hilbert2", "scipy.signal.lfiltic",
              "scipy.stats.levene"}


@pytest.mark.parametrize("space", SPACES)
def test_what_is_called_differentiable_has_a_rule(space: Namespace) -> None:
    without = {e.path for e in space.entries() if e.kind == "differentiable" and not has_derivative(e, space)}
    assert without == (set() if at_least("scipy", 1, 17) else {p for p in SINCE_1_17 if p.rpartition(".")[0] == space.name})


@pytest.mark.parametrize("space", SPACES)
def test_what_is_refused_has_none(space: Namespace) -> None:
    entries = [e for e in space.entries() if e.kind in ("missing", "refused", "constant", "structural")]
    assert not [e.path for e in entries if (rule := lookup(e.value) if callable(e.value) else None) is not None and rule.kind != "constant"]
    assert all(e.reason for e in entries if e.kind in ("missing", "refused"))


@pytest.mark.parametrize("space", SPACES)
def test_a_name_has_one_class(space: Namespace) -> None:
    said = collections.Counter(name for words in (
        space.differentiable, space.handled, space.constant, space.structural, space.random, *space.missing.values(), *space.refused.values(),
    ) for name in words.split())
    assert not [name for name, n in said.items() if n > 1]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_occurs(kind: str) -> None:
    found: list[Any] = [e for s in namespaces() for e in s.entries() if e.kind == kind]
    assert found
    if kind != "differentiable":
        callables = [e for e in found if callable(e.value) and classify(e.value) is not None]
        assert callables


def test_a_submodule_that_nobody_asked_for_is_not_loaded() -> None:
    code = ("import sys, numpy; before = set(sys.modules); import transgrad; transgrad.grad; "
            "assert not {f'numpy.{m}' for m in ('f2py', 'ma', 'testing', 'polynomial', 'ctypeslib')} & (set(sys.modules) - before)")
    subprocess.run([sys.executable, "-c", code], check=True)

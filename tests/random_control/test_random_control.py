"""A share of the random programs of control flow; ``python -m tests.random_control`` runs as many as are asked for."""
from __future__ import annotations

import pytest

from .check import check
from .generate import Writer
from .state import StateWriter
from .wide import WideWriter


@pytest.mark.parametrize("seed", range(40))
def test_random_control(seed: int) -> None:
    outcome = check(seed, budget=2)
    assert outcome.kind in ("right", "refused"), outcome.detail


#: programs that found something: a branch that raises assigns what the handler reads, a number that no path has given a value, a try clause in
#: another, an exception that no example of a batch raises
FOUND = ((5203, 3), (11067, 3), (148, 3), (11004, 3), (88, 3), (20, 3), (57, 3))


@pytest.mark.parametrize(("seed", "budget"), FOUND)
def test_what_was_found(seed: int, budget: int) -> None:
    outcome = check(seed, budget)
    assert outcome.kind in ("right", "refused"), outcome.detail


@pytest.mark.parametrize("seed", [*range(30), 53, 130, 10055, 10142])
def test_with_more_of_the_language(seed: int) -> None:
    outcome = check(seed, budget=2, writer_of=WideWriter)
    assert outcome.kind in ("right", "refused"), outcome.detail


def test_cotangent_of_a_branch_that_was_left() -> None:
    """The mask of a cotangent is applied outside of the branch, where values of the branch cannot be read."""
    outcome = check(70073, budget=3, writer_of=WideWriter)
    assert outcome.kind == "right", outcome.detail


@pytest.mark.parametrize("seed", range(30))
def test_what_is_written_to(seed: int) -> None:
    outcome = check(seed, budget=2, writer_of=StateWriter)
    assert outcome.kind in ("right", "refused"), outcome.detail


@pytest.mark.parametrize(("writer_of", "seeds"), [(Writer, range(40, 70)), (WideWriter, range(30))])
def test_few_are_refused(writer_of: type[Writer], seeds: range) -> None:
    assert sum(check(seed, budget=2, writer_of=writer_of).kind == "refused" for seed in seeds) <= 8

"""Programs for one mechanism each: compiled in both modes, with the values, derivatives and state of plain Python."""
from __future__ import annotations

import pytest

from .check import check, forward, reverse
from .mechanisms import context_managers, exceptions, functions, generators, local_classes, state
from .registry import Program

MODULES = (context_managers, exceptions, functions, generators, local_classes, state)
#: those that run on the tape
TAPED = {"global_deque", "filter_passed", "stack_swallows"}


@pytest.mark.parametrize("program", [p for module in MODULES for p in module.PROGRAMS], ids=lambda p: p.name)
def test_program(program: Program) -> None:
    for mode in (reverse, forward):
        outcome = check(program, mode)
        assert outcome.kind == ("tape" if program.name in TAPED else "compiled"), f"{mode.__name__}: {outcome.kind}: {outcome.cause} {outcome.detail}"

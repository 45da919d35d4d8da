"""The mutation tool: each kind of edit is made, changes one place, and is valid Python."""
from __future__ import annotations

import ast
import pathlib

import pytest

from .mutators import mutants
from .run import files
from .targets import ROOT, candidates

TEXT = '''
def rule(g, y, a, b):
    """A text + another."""
    if a is None or b < 2.0:
        raise ValueError("a" + "b")
    program.guard("item", a)
    classes.union(a, b)
    out.append(-g * b + y / a)
    return Arr(a.dtype, b.dims)
'''


def edits():
    return {(m.kind, m.line): m for m in mutants("rule.py", TEXT)}


@pytest.mark.parametrize("kind, line, after", [
    ("drop a term", 8, "y / a"), ("flip a sign", 8, "g"), ("drop a factor", 8, "y * a"), ("change a constant", 4, "3.0"),
    ("drop a condition", 4, "a is None"), ("move a bound", 4, "b <= 2.0"), ("skip a guard", 6, "pass"), ("forget an alias", 7, "pass"),
    ("forget an item", 8, "pass"), ("widen a type", 9, "'float64'"),
])
def test_each_kind_of_edit_is_made(kind, line, after):
    found = {(m.kind, m.line, m.after) for m in mutants("rule.py", TEXT)}
    assert (kind, line, after) in found


def test_an_edit_changes_one_place_and_parses():
    found = list(mutants("rule.py", TEXT))
    assert len(found) > 15
    for m in found:
        ast.parse(m.text)
        changed = [k for k, (p, q) in enumerate(zip(TEXT.splitlines(), m.text.splitlines()), 1) if p != q]
        assert changed == [m.line]
        assert '"""A text + another."""' in m.text and 'raise ValueError("a" + "b")' in m.text


def test_only_lines_that_tests_execute():
    assert {m.line for m in mutants("rule.py", TEXT, frozenset({8}))} == {8}


def test_every_file_has_candidates():
    every = files()
    assert len(every) > 400 and all(pathlib.Path(ROOT / f).exists() for f in every)
    assert "tests/rules/test_rules.py" in candidates("transgrad/rules/arithmetic.py")
    assert all("tests/cross/test_cross.py" in candidates(f) for f in every[::50])

"""Every rule, called with tracked arguments: an entry of the result that an entry of an argument changes depends on it."""
from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from tests.rules.cases import FAMILIES, Case
from transgrad.errors import UnsupportedCall
from transgrad.passes.sparsity.calls import Tracker
from transgrad.passes.sparsity.graph import Graph
from transgrad.passes.sparsity.tracked import Tracked, fresh
from transgrad.rules import lookup

CASES = [(family, case) for family, cases in FAMILIES.items() for case in cases() if getattr(lookup(case.fn), "kind", "constant") != "constant"]


def _is_float(x: Any) -> bool:
    return isinstance(x, (float, np.floating)) or isinstance(x, np.ndarray) and x.dtype.kind == "f"


def _entries(result: Any) -> list[tuple[Any, Any]]:
    """Each number in a result, with what it depends on where that is told."""
    if isinstance(result, (list, tuple)):
        return [entry for item in result for entry in _entries(item)]
    if isinstance(result, Tracked):
        return [(v, int(i)) for v, i in zip(np.ravel(result.value).tolist(), np.ravel(result.ids).tolist())]
    return [(v, 0) for v in np.ravel(result).tolist()] if isinstance(result, (np.ndarray, np.generic, float, int, complex)) else []


def _copied(case: Case) -> list[Any]:
    """The arguments; functions and methods are who they are."""
    return [a if callable(a) else copy.deepcopy(a) for a in case.args]


def _check(case: Case) -> None:
    graph = Graph(sum(np.size(a) for a in case.args if _is_float(a)))
    caller = Tracker(graph)
    args: list[Any] = []
    columns: list[tuple[int, Any]] = []
    for k, a in enumerate(_copied(case)):
        if _is_float(a):
            start = len(columns) + 1
            columns += [(k, place) for place in np.ndindex(np.shape(a))]
            args.append(fresh(graph, a, np.arange(start, start + np.size(a)).reshape(np.shape(a)), True))
        else:
            args.append(a)
    try:
        entries = _entries(caller.call(case.fn, tuple(args), dict(case.options)))
    except UnsupportedCall:
        return
    starts, found = graph.elements([node for _, node in entries])
    sets = [set(found[a:b].tolist()) for a, b in zip(starts, starts[1:])]
    for number, (k, place) in enumerate(columns):
        if k in case.kwargs.get("fixed", ()):
            continue
        moved = _copied(case)
        if isinstance(moved[k], np.ndarray):
            moved[k][place] += 1e-7
        else:
            moved[k] = type(moved[k])(moved[k] + 1e-7)
        after = [v for v, _ in _entries(case.fn(*moved, **copy.deepcopy(dict(case.options))))]
        assert len(after) == len(entries)
        for (before, _), now, on in zip(entries, after, sets):
            changed = before != now and not (before != before and now != now)
            assert not changed or number in on or abs(now - before) < 1e-12


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_no_dependence_is_missed(family: str) -> None:
    for name, case in CASES:
        if name == family:
            try:
                _check(case)
            except Exception as error:
                raise AssertionError(f"{case}") from error

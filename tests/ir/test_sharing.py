"""What a function returns shares memory with its arguments only where the analyses say so."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.rules.cases import FAMILIES
from transgrad.ir.effects import aliases, writes
from transgrad.ir.infer import type_of
from transgrad.ir.ops import Call, Lit, Value
from transgrad.ir.types import UNKNOWN


def arrays_of(x: Any) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(x, np.ndarray):
        yield x
    elif isinstance(x, (list, tuple)):
        for part in x:
            yield from arrays_of(part)
    elif isinstance(x, dict):
        yield from arrays_of(list(x.values()))


def operand(x: Any) -> Value | Lit:
    return Value(type_of(x) or UNKNOWN) if isinstance(x, (np.ndarray, list, tuple)) and any(True for _ in arrays_of(x)) else Lit(x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", FAMILIES)
def test_results(family: str) -> None:
    unknown = []
    for case in FAMILIES[family]():
        before = [[a.copy() for a in arrays_of(x)] for x in case.args]
        try:
            with np.errstate(all="ignore"):
                made = case.fn(*case.args, **case.options)
        except Exception:       # cases of what is refused
            continue
        args, kwargs = [operand(x) for x in case.args], {k: operand(v) for k, v in case.options.items()}
        op = Call(case.fn, args, kwargs, results=[Value(type_of(made) or UNKNOWN)])
        known = aliases(op)
        for x, a, was in zip(case.args, args, before):
            shares = any(np.shares_memory(part, whole) for part in arrays_of(made) for whole in arrays_of(x))
            changed = any(not np.array_equal(old, new, equal_nan=True) for old, new in zip(was, arrays_of(x)))
            if shares and a not in known or changed and a not in writes(op):
                unknown.append(str(case))
    assert not unknown

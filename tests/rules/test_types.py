"""The types inferred for calls of every function that has a rule, against what NumPy returns."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from transgrad.ir.infer import infer, type_of
from transgrad.ir.ops import Lit, Value
from transgrad.ir.types import UNKNOWN, Arr, Dim, ListT, Num

from .cases import FAMILIES, Case
from .test_on_ir import agrees

CASES = [pytest.param(c, id=f"{family}-{c}") for family, cases in FAMILIES.items() for c in cases() if c.by_rule]


def operand(x: Any) -> Any:
    if isinstance(x, (float, complex, np.ndarray, np.generic)):
        return Value(type_of(x))
    if isinstance(x, list) and x and not all(isinstance(v, int) for v in x):
        return Value(ListT(type_of(x[0]), len(x)))
    return Lit(x)


def as_float32(x: Any) -> Any:
    if isinstance(x, np.ndarray) and x.dtype.kind in "fc":
        return x.astype(np.float32 if x.dtype.kind == "f" else np.complex64)
    return [as_float32(v) for v in x] if isinstance(x, list) else x


@pytest.mark.parametrize("single", (False, True))
@pytest.mark.parametrize("case", CASES)
def test_type_of_result(case: Case, single: bool) -> None:
    if single and not case.ends_in_single:
        pytest.skip("SciPy's function does not return")
    kwargs = case.options
    args = [as_float32(a) for a in case.args] if single else list(case.args)
    with np.errstate(all="ignore"):
        t = infer(case.fn, list(map(operand, args)), {k: operand(v) for k, v in kwargs.items()})
        y = case.fn(*args, **kwargs)
    assert agrees(t, y), f"inferred {t}"


def array(*dims: Any, dtype: str = "float64") -> Value:
    return Value(Arr(dtype, tuple(Dim(d == 1, None if d == 1 else d) for d in dims)))


@pytest.mark.parametrize(("fn", "args", "want"), [
    (np.unique, [array("n")], "float64[?]"),
    (np.repeat, [array("n"), array("n", dtype="int64")], "float64[?]"),
    (np.where, [array("n", dtype="bool")], "(int64[?])"),
    (np.tile, [array("n"), Value(Num("int"))], "float64[?]"),
    (np.matmul, [array("n", "m"), array("m", 1)], "float64[n,1]"),
    (np.concatenate, [Value(ListT(Arr("float64", (Dim(False, "n"),)), 2))], "float64[n]"),
    (np.concatenate, [Value(ListT(Arr("float64", (Dim(None, "n"),)), 2))], "float64[?]"),
])
def test_lengths(fn: Any, args: list[Any], want: str) -> None:
    assert str(infer(fn, args)) == want


def test_nothing_with_effects_is_run() -> None:
    called = []

    def effect(x: float) -> float:
        called.append(x)
        return x

    state = np.random.get_state()[1].copy()  # type: ignore[union-attr, index]
    assert infer(effect, [Value(Num("float"))]) == UNKNOWN
    assert infer(np.random.normal, [Lit(0.0), Lit(1.0), Lit(3)]) == Arr("float64", (Dim(False, ("<const>", 3)),))
    assert not called
    assert (np.random.get_state()[1] == state).all()  # type: ignore[index]



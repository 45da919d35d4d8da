"""The corpus on the tape: every function whole, against the oracles that judge the compiler."""
from __future__ import annotations

import contextlib
import copy
import io
import warnings
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests import oracles
from tests.corpus.modes import _expected
from tests.corpus.registry import Case, load
from transgrad.transforms.arguments import bind
from transgrad.transforms.fallback import TapedVariant


def on_tape(case: Case) -> Any:
    derivative = tg.grad(case.f, argnums=case.wrt)
    values = bind(case.f, derivative.__signature__, copy.deepcopy(case.args), copy.deepcopy(case.kwargs))
    return TapedVariant(derivative, {}, tg.UnsupportedSyntax("for the test")).call_with(values)


@pytest.mark.parametrize("case", load(), ids=lambda c: f"{c.row}-{c.name}")
def test_gradient(case: Case) -> None:
    problem, want, error, _ = _expected(case)
    with np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = on_tape(case)
    oracles.assert_close(got, want, problem.point, rtol=case.rtol, error=error)

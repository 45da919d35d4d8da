"""Every function of the corpus, and its gradient, for a whole batch: what a loop over the examples gives."""
from __future__ import annotations

import contextlib
import copy
import io
import warnings
import zlib
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests import oracles
from transgrad import tree

from .refused import REFUSED
from .registry import Case, load

_EXAMPLES = 4
#: what they return differs from call to call
_CHANGING = {"generator_passed_in", "globals_counted", "attribute_of_passed_object"}


def _varied(rng: np.random.Generator) -> Any:
    def change(x: Any) -> Any:
        new = np.asarray(x) * (1.0 + 0.3 * rng.normal(size=np.shape(x))) + 0.2 * rng.normal(size=np.shape(x))
        return new.astype(x.dtype) if isinstance(x, np.ndarray) else np.float64(new)
    return change


def _is_real(x: Any) -> bool:
    leaves = tree.flatten(x)[0]
    return bool(leaves) and all(isinstance(v, float) or isinstance(v, np.ndarray) and v.dtype.kind == "f" for v in leaves)


def _cases() -> list[Case]:
    return [c for c in load() if not c.kwargs and c.name not in _CHANGING and f"{c.row}-{c.name}" not in REFUSED
            and any(_is_real(c.args[k]) for k in c.wrt)]


def _stacked(results: list[Any]) -> Any:
    return tree.map_leaves(lambda *xs: np.stack(xs), *results)


@pytest.mark.parametrize("mode", ["value", "gradient"])
@pytest.mark.parametrize("case", _cases(), ids=lambda c: f"{c.row}-{c.name}")
def test_batch(case: Case, mode: str) -> None:
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    chosen = [k for k in case.wrt if _is_real(case.args[k])]
    f = case.f if mode == "value" else tg.grad(case.f, argnums=tuple(chosen), fallback="error")
    rows = [[tree.map_leaves(_varied(rng), copy.deepcopy(a)) if k in chosen else copy.deepcopy(a) for k, a in enumerate(case.args)]
            for _ in range(_EXAMPLES)]
    with np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            want = [f(*copy.deepcopy(row)) for row in rows]
        except (ValueError, ArithmeticError, IndexError, KeyError, np.linalg.LinAlgError):
            pytest.skip("the function raises for one of the examples")
        args = [_stacked([copy.deepcopy(row[k]) for row in rows]) if k in chosen else rows[0][k] for k in range(len(case.args))]
        got = tg.vmap(f, in_axes=tuple(0 if k in chosen else None for k in range(len(args))), fallback="error")(*args)
    if all(np.ndim(leaf) == 0 and not isinstance(leaf, (int, float, complex, np.number)) for leaf in tree.flatten(want[0])[0]):
        return
    oracles.assert_same(got, _stacked(want))

"""Runs a function of the corpus on Numba and on NumPy, and says whether the two agree."""
import copy
import warnings

import numpy as np

import transgrad as tg
from tests.corpus.registry import Case
from tests.outcomes import outcome_of


def same(got, want, scale=None):
    """Equal in structure and dtype, and to rounding in value (of the whole, as a sum in another order is)."""
    if isinstance(want, dict):
        assert got.keys() == want.keys()
        return [same(got[k], want[k]) for k in want]
    if isinstance(want, (tuple, list)):
        assert type(got) is type(want) and len(got) == len(want), (type(got), type(want))
        return [same(g, w) for g, w in zip(got, want)]
    if isinstance(want, (np.ndarray, np.generic, float, complex, int, bool)):
        g, w = np.asarray(got), np.asarray(want)
        assert g.shape == w.shape, (g.shape, w.shape)
        assert g.dtype == w.dtype, (g.dtype, w.dtype)
        tolerance = 1e-4 if w.dtype in (np.float32, np.complex64) else 1e-9
        finite = np.abs(w[np.isfinite(w)])
        np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance * max(1.0, finite.max() if finite.size else 1.0))
    elif isinstance(want, np.random.Generator):
        assert got.bit_generator.state == want.bit_generator.state
    elif hasattr(want, "__dict__"):
        assert type(got) is type(want)
        same(vars(got), vars(want))
    else:
        assert got == want or got is want, (got, want)


def compare(case: Case, backend="numba"):
    """Value and gradient, and what is left of the arguments, on both."""
    def run(backend):
        args, kwargs = copy.deepcopy(case.args), copy.deepcopy(case.kwargs)
        out = tg.value_and_grad(case.f, argnums=case.wrt, fallback="error", backend=backend)(*args, **kwargs)
        return out, args
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want, want_args = run("numpy")
        got, got_args = run(backend)
    same(got, want)
    same(list(got_args), list(want_args))


def tried(case: Case, seconds=60):
    """'right', 'wrong', 'refused' or 'crashed', and why."""
    outcome = outcome_of(lambda: compare(case), seconds)
    return outcome.kind, outcome.cause

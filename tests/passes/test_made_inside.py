"""Functions of small arrays that make other arrays, which elements are no numbers for: for a batch as long as these, as for one of another
length."""
from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning", "ignore::transgrad.BatchLoopWarning")
CONST = np.array([1.0, 2.0, 3.0])
MADE = [
    "np.arange(3.0)", "np.arange(1.0, 4.0)", "np.arange(3)", "np.linspace(0.0, 1.0, 3)", "np.ones(3) * 2.0", "np.eye(3)[1]",
    "np.identity(3)[0]", "np.array([1.0, 2.0, 3.0])", "np.full(3, a[0])", "np.full(3, 2.0)", "np.zeros(3) + a", "np.tri(3)[1]",
    "np.diag(a)[0]", "np.geomspace(1.0, 8.0, 3)", "np.logspace(0.0, 1.0, 3)", "np.repeat(a[0], 3)", "np.tile(a[1], 3)",
    "np.outer(a, a)[2]", "np.cumsum(a)", "np.hanning(3)", "np.vander(a, 3)[0]", "np.meshgrid(a, a)[0][1]", "np.indices((3,))[0]",
    "np.atleast_1d(a[0])", "np.broadcast_to(a[0], 3)", "np.sort(a)", "np.flip(a)", "np.roll(a, 1)", "np.polyfit([0.0, 1.0, 2.0], a, 2)",
    "np.fft.rfft(a).real[0]", "np.random.default_rng(0).normal(size=3)", "np.asarray(CONST)", "CONST", "LIST", "np.mgrid[0:3]",
    "np.r_[a[0], 1.0, 2.0]", "np.concatenate([a[:1], np.arange(2.0)])", "np.r_[0:3]", "np.cross(a, CONST)", "np.interp(CONST, CONST, a)",
    "np.convolve(a, [1.0, 2.0])[:3]", "np.where(CONST > 1.5, a, 0.0)", "np.hypot(3.0, 4.0)", "np.float64(3.0)", "float(a[0]) * CONST",
    "np.kron([1.0], a)", "np.trace(np.outer(a, CONST))", "np.bincount([0, 1, 2])", "np.searchsorted(CONST, 1.5)",
    "np.digitize(1.5, CONST)", "np.gradient(a)", "np.diff(a, prepend=0.0)", "np.ediff1d(a, to_begin=0.0)", "np.unwrap(a)",
    "np.clip(a, 1.0, 2.0)", "np.prod(a)", "np.max(a)", "np.argmax(a)", "np.mean(a)", "np.std(a)", "np.count_nonzero(a)",
    "np.linalg.norm(a)", "np.linalg.inv(np.diag(a))[1]", "np.linalg.solve(np.diag(a), CONST)", "a.tolist()[1]", "len(a)", "a.size",
    "sum(a)", "max(a)", "list(a)[1]", "[x ** 2 for x in a][2]", "np.array([x ** 2 for x in a])", "np.array([i * 1.0 for i in range(3)])",
    "np.zeros_like(a) + 1.0", "np.ones_like(CONST)", "np.full_like(a, 2.0)", "np.triu(np.ones((3, 3)))[1]",
    "np.einsum('i,j->ij', a, CONST)[1]", "np.tensordot(a, CONST, 1)", "np.inner(a, CONST)", "np.vdot(CONST, a)", "a @ CONST",
    "np.expand_dims(a, 0)[0]", "a[[2, 0, 1]]", "a[np.array([2, 0, 1])]", "a[CONST > 1.5].sum()", "a[:, None][:, 0]", "a[None][0]",
    "a[::-1]", "np.take(a, [0, 0, 1])", "np.select([CONST > 2.0, CONST > 1.0], [a, 2.0 * a], 0.0)",
    "np.piecewise(a, [a > 1.0], [lambda t: t ** 2, 0.5])", "np.sinc(a)", "np.heaviside(a, 0.5)", "np.sign(a)", "np.floor(a)",
    "np.mod(a, 0.7)",
]
BATCHES = [np.abs(np.random.default_rng(n).normal(size=(n, 3))) + 0.3 for n in (3, 7)]


def program(made: str) -> Callable[..., Any]:
    text = f"def f(a):\n    b = a.copy()\n    b[0] = a[1] ** 2\n    c = {made}\n    return np.sum(a * c) + np.sum(b * c * a)\n"
    file = f"<made inside {made}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    space: dict[str, Any] = {"np": np, "CONST": CONST, "LIST": CONST.tolist()}
    exec(compile(text, file, "exec"), space)
    return space["f"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("made", MADE)
def test_batches(made: str) -> None:
    f = program(made)
    for batch in BATCHES:
        np.testing.assert_allclose(tg.vmap(f)(batch), [f(x) for x in batch], rtol=1e-9)
        try:
            want = [tg.grad(f, fallback="error")(x) for x in batch]
        except tg.TransgradError:
            continue
        np.testing.assert_allclose(tg.vmap(tg.grad(f))(batch), want, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(tg.vmap(tg.jacfwd(f))(batch), want, rtol=1e-9, atol=1e-12)

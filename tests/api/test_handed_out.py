"""Functions that hand out what they are given, or a view of it, where one of both is written to: right, or refused; compiled in each
mode and on the tape."""
from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal

import transgrad as tg
from transgrad.transforms.fallback import TapedVariant

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning", "ignore::transgrad.BatchLoopWarning",
                                        "ignore::DeprecationWarning", "ignore::FutureWarning")
M = np.array([[0.8, 1.3], [1.8, 2.3]])
#: of the array b; of some of them nothing can be written to
MADE = [
    "b.conj()", "b.conjugate()", "np.conj(b)", "np.real_if_close(b)", "np.asarray_chkfinite(b)", "np.linalg.matrix_power(b, 1)",
    "np.linalg.matrix_power(b, 2)", "np.linalg.matrix_transpose(b)", "np.linalg.diagonal(b)", "np.diagonal(b)", "np.einsum('ij->ji', b)",
    "np.einsum('ii->i', b)", "np.einsum('ij->i', b)", "np.einsum('ij', b)", "np.einsum(b, [0, 1], [1, 0])", "np.einsum('ij,j->ij', b, b[0])",
    "np.nan_to_num(b)", "np.nan_to_num(b, copy=False)", "np.nan_to_num(b, False)", "np.diff(b, n=0)", "np.diff(b)", "np.float64(b)",
    "np.lib.stride_tricks.sliding_window_view(b[0], 2)", "np.astype(b, float, copy=False)", "b.astype(float, copy=False)",
    "b.astype(float)", "b.astype(float, 'K', 'unsafe', True, False)", "np.array(b, copy=None)", "np.array(b)", "np.copy(b)",
    "np.require(b, float)", "np.meshgrid(b[0], b[1], copy=False)[0]", "np.meshgrid(b[0], b[1])[0]", "np.broadcast_arrays(b, m)[0]",
    "np.broadcast_arrays(m, b)[1]", "np.broadcast_to(b[0], (2, 2))", "np.trim_zeros(b[0])", "np.atleast_1d(b)", "np.atleast_2d(b[0])",
    "np.atleast_3d(b)", "np.atleast_1d(m, b)[1]", "np.ascontiguousarray(b)", "np.asfortranarray(b)", "np.flip(b, 0)", "np.fliplr(b)",
    "np.rot90(b)", "np.split(b, 2)[0]", "np.hsplit(b, 2)[1]", "b.view()", "np.asarray(b)", "np.moveaxis(b, 0, 1)", "np.rollaxis(b, 1)",
    "np.expand_dims(b, (0, 2))", "b[..., None].squeeze()", "b.swapaxes(0, 1).reshape(2, 2, 1)", "b.real", "b.T", "b.ravel()",
    "b.ravel('F')", "b.T.ravel()", "b.flatten()", "b.reshape(-1)", "b[::-1].reshape(4)", "b.copy().T.reshape(4)", "np.array(b.T).ravel()",
    "np.ravel(np.copy(b.T))", "b.__copy__()", "b.transpose(1, 0)", "np.polyder(b[0], 0)", "np.polyint(b[0], 0)", "np.fft.fftn(b, axes=()).real",
    "list(b)[0]", "max(b[0], b[1], key=np.sum)", "(b, m)[0]", "b if m[0, 0] > 0 else m", "b + 0.0", "+b", "np.positive(b)", "np.abs(b)",
    "scipy.signal.freqs([1.0, 2.0], [1.0, 0.5], b[0])[0]", "scipy.signal.abcd_normalize(b, b, b, b)[0]", "b[np.newaxis][0]", "b[:, ...]",
    "np.concatenate([b])", "np.stack([b])[0]", "np.tile(b, 1)", "np.where(True, b, m)", "np.squeeze(b)", "np.unstack(b)[0]",
    "b[:, ::2].ravel()", "b[:, ::2].flatten()", "b[:, ::2].reshape(-1)", "b[0, ::1].ravel()", "b[::2, 1].ravel()", "b[1:].ravel()",
    "np.ascontiguousarray(b[:, ::2])", "np.asarray(b[:, ::2])", "(2.0 * b).ravel()", "(b * m).T.reshape(4)",
]
#: what is refused although nothing is written to any more
STRICT = {"b.ravel('F')", "list(b)[0]", "np.unstack(b)[0]", "np.nan_to_num(b, copy=False)", "np.nan_to_num(b, False)"}
THEN = {"through it": "c[0] = c[0] * m[0, 1]", "behind it": "b[0] = b[0] * m[0, 1]", "before it": ""}


def program(made: str, then: str) -> Callable[..., Any]:
    before = "    b[0] = b[0] * m[1, 1]\n" if not then else ""
    text = f"def f(m):\n    b = m * 1.5\n{before}    c = {made}\n    {then or 'pass'}\n    return np.sum(b ** 2 * m) + 3.0 * np.sum(c ** 3)\n"
    file = f"<handed out {made} {then}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    space: dict[str, Any] = {"np": np, "scipy": scipy}
    exec(compile(text, file, "exec"), space)
    return space["f"]  # type: ignore[no-any-return]


def differences(f: Callable[..., Any], m: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    out, h = np.zeros(m.shape), 1e-6
    for i in np.ndindex(m.shape):
        step = np.zeros(m.shape)
        step[i] = h
        out[i] = (f(m + step) - f(m - step)) / (2 * h)
    return out


def on_the_tape(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda m: TapedVariant(tg.grad(f), {}, tg.UnsupportedSyntax("for the test")).call_with({"m": m})


@pytest.mark.parametrize("then", THEN)
@pytest.mark.parametrize("made", MADE)
def test_it_is_right_or_refused(made: str, then: str) -> None:
    f = program(made, THEN[then])
    try:
        want = differences(f, M)
    except ValueError as error:
        assert "read-only" in str(error)
        return
    several = np.stack([M, M * M - 0.1, M / 2])
    cases: dict[str, tuple[Callable[[], Any], Any]] = {
        "grad": (lambda: tg.grad(f, fallback="error")(M), want),
        "any grad": (lambda: tg.grad(f)(M), want),
        "jacfwd": (lambda: tg.jacfwd(f, fallback="error")(M), want),
        "jvp": (lambda: tg.jvp(f, (M,), (M * M,))[1], np.sum(want * M * M)),
        "tape": (lambda: on_the_tape(f)(M), want),
        "vmap": (lambda: tg.vmap(f, fallback="error")(several), np.array([f(m) for m in several])),
        "vmap of grad": (lambda: tg.vmap(tg.grad(f, fallback="error"), fallback="error")(several), [differences(f, m) for m in several]),
    }
    for name, (run, expected) in cases.items():
        try:
            found = run()
        except (tg.TransgradError, ValueError) as error:        # of views that are found to lie apart only in a run
            assert not isinstance(error, ValueError) or "copy the array" in str(error), name
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5, err_msg=name)
    if then == "before it" and made not in STRICT:        # nothing is written to any more: it is a value as any other
        cases["grad"][0]()

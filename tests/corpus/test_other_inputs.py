"""Every function of the corpus away from its own arguments, where other branches are taken and loops run for longer."""
from __future__ import annotations

import contextlib
import copy
import inspect
import io
import signal
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests import oracles
from transgrad import tree
from transgrad.transforms.arguments import bind
from transgrad.transforms.derivative import Derivative
from transgrad.transforms.transformations import Forward
from transgrad.transforms.options import Options

from .refused import REFUSED
from .registry import Case, load

_TRIES = 6
#: results that differ from call to call
_CHANGING = {"generator_passed_in", "seeded_noise", "globals_counted", "attribute_of_passed_object"}


def _moved(rng: np.random.Generator, k: int) -> Any:
    """Changes a number or array of floats: by little, by much, and to the other sign."""
    def move(x: Any) -> Any:
        if isinstance(x, (float, np.floating)) or isinstance(x, np.ndarray) and x.dtype.kind == "f":
            scale = (0.1, 0.5, 2.0)[k % 3] * (-1.0 if k % 2 else 1.0)
            new = np.asarray(x) * (1.0 + rng.normal(size=np.shape(x)) * abs(scale)) * np.sign(scale) + scale * rng.normal(size=np.shape(x))
            return type(x)(new) if not isinstance(x, np.ndarray) else new.astype(x.dtype)
        return x
    return move


class _EndlessError(BaseException):
    """At these arguments the function does not come to an end."""


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise _EndlessError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ends(f: Any, args: Any, kwargs: Any) -> bool:
    """Whether the function itself comes to an end."""
    try:
        with _limited(0.5):
            _outcome(f, args, kwargs)
    except _EndlessError:
        return False
    return True


def _outcome(f: Any, args: Any, kwargs: Any) -> Any:
    with np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
        try:
            return f(*copy.deepcopy(args), **copy.deepcopy(kwargs))
        except (ArithmeticError, ValueError, IndexError, KeyError, TypeError, AssertionError, np.linalg.LinAlgError) as error:
            return type(error).__name__


def _finite(x: Any) -> bool:
    return all(np.all(np.isfinite(leaf)) for _, leaf in oracles.leaves(x))


@pytest.mark.parametrize("case", [c for c in load() if c.name not in _CHANGING and f"{c.row}-{c.name}" not in REFUSED],
                         ids=lambda c: f"{c.row}-{c.name}")
def test_value_and_gradient(case: Case) -> None:
    """The value is Python's, exceptions included, and the gradient agrees with the forward derivative."""
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    both = tg.value_and_grad(case.f, argnums=case.wrt, fallback="error")
    for k in range(_TRIES):
        args = tuple(tree.map_leaves(_moved(rng, k), copy.deepcopy(a)) if n in case.wrt else a for n, a in enumerate(case.args))
        if not _ends(case.f, args, case.kwargs):
            continue
        want = _outcome(case.f, args, case.kwargs)
        got = _outcome(both, args, case.kwargs)
        if isinstance(want, str) or isinstance(got, str):
            # whether a complex number comes out of a real function is not known when compiling
            assert got == want or got == "TypeError" or np.iscomplexobj(want), (args, want, got)
            continue
        value, gradient = got
        oracles.assert_same(value, want)
        if case.kwargs or not _finite(gradient) or _takes_any_number(case.f):
            continue
        tangents = tuple(tree.map_leaves(_direction, args[n]) for n in case.wrt)
        slope = _along(case, args, tangents)
        products = [np.real(np.conj(g) * t) for (_, g), (_, t) in zip(oracles.leaves(gradient), oracles.leaves(tangents))]
        inner, size = sum(float(np.sum(p)) for p in products), sum(float(np.sum(np.abs(p))) for p in products)
        assert abs(slope - inner) <= 1e-6 * max(1.0, size), (args, slope, inner)


def _takes_any_number(f: Any) -> bool:
    """Whether the tangents would have to be packed as the arguments are."""
    return any(p.kind is p.VAR_POSITIONAL for p in inspect.signature(f).parameters.values())


def _direction(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return np.cos(np.arange(x.size)).reshape(x.shape).astype(x.dtype)
    return type(x)(0.7) if isinstance(x, (float, complex, np.inexact)) else x


def _along(case: Case, args: tuple[Any, ...], tangents: tuple[Any, ...]) -> float:
    """The forward derivative, by the text of the derivative itself: the other arguments are passed on."""
    forward = Derivative(Forward(False), case.f, case.wrt, None, Options("error"))
    names = list(forward.primal_signature.parameters)
    dots = {f"{names[n]}_dot": t for n, t in zip(case.wrt, tangents)}
    values = bind(case.f, forward.primal_signature, copy.deepcopy(args), {})
    with np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
        return float(np.real(forward.call_with({**values, **dots})[1]))

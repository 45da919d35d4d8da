"""Values that leave a function as text, or through a thread, and come back: followed, or refused; never a derivative of 0."""
from __future__ import annotations

import contextlib
import io
import os
import pathlib
import queue
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import transgrad as tg

_POOL = ThreadPoolExecutor(1)
_FOLDER = tempfile.mkdtemp()
_PATH = os.path.join(_FOLDER, "number.txt")


def redirected(x: float) -> float:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        print(x * 2.0)
    return float(text.getvalue()) * x


def redirected_errors(x: float) -> float:
    text = io.StringIO()
    with contextlib.redirect_stderr(text):
        print(x * 2.0, file=sys.stderr)
    return float(text.getvalue()) * x


def printed_to_text(x: float) -> float:
    text = io.StringIO()
    print(x * 2.0, file=text)
    return float(text.getvalue()) * x


def written_and_read(x: float) -> float:
    with open(_PATH, "w") as file:
        file.write(str(x * 2.0))
    with open(_PATH) as file:
        return float(file.read()) * x


def written_by_path(x: float) -> float:
    pathlib.Path(_PATH).write_text(repr(float(x * 2.0)))
    return float(pathlib.Path(_PATH).read_text()) * x


def saved_as_text(x: float) -> float:
    np.savetxt(_PATH, np.array([x * 2.0]))
    return float(np.loadtxt(_PATH)) * x


def saved(x: float) -> float:
    path = os.path.join(_FOLDER, "number.npy")
    np.save(path, x * 2.0)
    return float(np.load(path)) * x


def warned(x: float) -> float:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.warn(str(x * 2.0), stacklevel=1)
    return float(str(seen[-1].message)) * x


def environment(x: float) -> float:
    os.environ["TRANSGRAD_TEST_NUMBER"] = str(x * 2.0)
    return float(os.environ["TRANSGRAD_TEST_NUMBER"]) * x


def own_stdout(x: float) -> float:
    before = sys.stdout
    sys.stdout = io.StringIO()
    try:
        print(x * 2.0)
        text = sys.stdout.getvalue()
    finally:
        sys.stdout = before
    return float(text) * x


def thread(x: float) -> float:
    found: queue.Queue[float] = queue.Queue()
    worker = threading.Thread(target=lambda: found.put(x * 2.0))
    worker.start()
    worker.join()
    return found.get() * x


def new_pool(x: float) -> float:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda y: y * 2.0, x).result() * x


def pool_from_outside(x: float) -> float:
    return _POOL.submit(lambda y: y * 2.0, x).result() * x


FUNCTIONS = (redirected, redirected_errors, printed_to_text, written_and_read, written_by_path, saved_as_text, saved, warned, environment,
             own_stdout, thread, new_pool, pool_from_outside)
FOLLOWED = (thread, new_pool, pool_from_outside)


@pytest.mark.filterwarnings("ignore:.*:transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("mode", ["grad", "jvp"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_right_or_refused(f: Callable[[float], float], mode: str) -> None:
    _POOL.submit(lambda: np.sin(1.0)).result()      # the thread is there before the derivative runs
    before = sys.stdout, sys.stderr
    try:
        found: Any = tg.grad(f)(3.0) if mode == "grad" else tg.jvp(f, (3.0,), (1.0,))[1]
    except (tg.TransgradError, TypeError, RuntimeError):
        assert f not in FOLLOWED
    else:
        np.testing.assert_allclose(found, 12.0)
    assert (sys.stdout, sys.stderr) == before


def test_text_that_is_only_written_does_no_harm(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: float) -> float:
        y = x * x
        print("y =", y)
        with open(_PATH, "a") as file:
            file.write(f"{y}\n")
        return 3.0 * y
    assert tg.grad(f, fallback="error")(2.0) == 12.0
    assert capsys.readouterr().out == "y = 4.0\n"


def test_an_assigned_attribute_of_a_module_is_put_back() -> None:
    def f(x: float) -> float:
        before = sys.stdout
        sys.stdout = io.StringIO()
        print("hello")
        sys.stdout = before
        return x * x
    out = sys.stdout
    assert tg.grad(f)(3.0) == 6.0
    assert sys.stdout is out

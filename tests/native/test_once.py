"""Functions that only machine code calls are compiled with the function that Python calls, and do what they do alone."""
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import transgrad as tg

X = np.linspace(-1.0, 1.0, 12).reshape(4, 3)


def picked(a, k):
    """Too large to be written out; raises where an index is out of range."""
    total = 0.0
    for i in range(len(a)):
        if a[i, k] > 0.0:
            for j in range(a.shape[1]):
                total += a[i, j] * a[i, k]
        else:
            total -= np.sin(a[i, k])
    return total


def halves(a, k):
    """Calls the same function as its caller does."""
    total = 0.0
    for i in range(2):
        if k >= 0:
            total += picked(a[i::2], k)
        else:
            total -= 1.0
    return total


def nested(a, k):
    return picked(a, k) * halves(a, k) + halves(a * 2.0, k)


def fits(a, b):
    """A loop over elements that compares lengths."""
    out = a
    for _ in range(2):
        out = np.tanh(out) * b + a
        if out[0, 0] > 100.0:
            raise ValueError("too large")
    return out


def sums(a, b):
    return np.sum(fits(a, b) * a)


def power(x, n):
    """Calls itself."""
    if n == 0:
        return 1.0
    for _ in range(2):
        x = x * 1.0
    return x * power(x, n - 1)


def powers(x, n):
    return power(x, n) + power(x, 2)


def decorators(text):
    return [line.partition("(")[0] for line in text.splitlines() if line.startswith("@")]


@pytest.mark.parametrize("transform", [tg.compile, tg.grad, tg.jacfwd])
def test_as_on_numpy(transform):
    fast = transform(nested, backend="numba")
    np.testing.assert_allclose(fast(X, 1), transform(nested)(X, 1), rtol=1e-12)
    found = decorators(fast.source)
    assert found[-1] == "@njit_outer" and set(found[:-1]) <= {"@njit_inner", "@apart_inner"} and "@njit_inner" in found


def test_exceptions_of_inner_functions():
    fast = tg.compile(nested, backend="numba")
    assert fast(X, 2) == pytest.approx(nested(X, 2), rel=1e-12)
    with pytest.raises(IndexError):
        fast(X, 3)
    with pytest.raises(ValueError, match="broadcast"):
        tg.grad(sums, backend="numba")(X, np.ones((4, 2)))
    with pytest.raises(ValueError, match="too large"):
        tg.compile(sums, backend="numba")(X, np.full((4, 3), -1e6))


def test_other_layouts():
    fast = tg.grad(nested, backend="numba")
    for a in (X, X[::-1], np.asfortranarray(X), X[:0]):
        want = tg.grad(nested)(a, 0)
        np.testing.assert_allclose(fast(a, 0), want, rtol=1e-12)


def test_recursion():
    fast = tg.compile(powers, backend="numba")
    assert fast(1.5, 4) == pytest.approx(powers(1.5, 4), rel=1e-12)
    assert set(decorators(fast.source)) <= {"@njit", "@apart"}


def test_several_threads():
    fast = tg.compile(sums, backend=tg.Numba(parallel=True))
    np.testing.assert_allclose(fast(X, X), sums(X, X), rtol=1e-12)
    assert "@njit_inner" not in fast.source


def test_another_process_reads_it_from_the_disk(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("\n".join([
        "import numpy as np", "import transgrad as tg", "from tests.native.test_once import nested, X",
        "fast = tg.grad(nested, backend='numba')", "print(repr(fast(X, 1).tolist()))",
        "try:", "    fast(X, 3)", "except IndexError:", "    print('an index')",
        "print(fast.explain())"]))
    env = {**os.environ, "TRANSGRAD_CACHE": str(tmp_path / "texts"), "NUMBA_CACHE_DIR": str(tmp_path / "code"),
           "PYTHONPATH": str(pathlib.Path(tg.__file__).parent.parent)}
    ran = [subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    for out in ran:
        np.testing.assert_allclose(eval(out.splitlines()[0]), tg.grad(nested)(X, 1), rtol=1e-12)
        assert out.splitlines()[1] == "an index"
    assert "from disk" in ran[1] and "from disk" not in ran[0]

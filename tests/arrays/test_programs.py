"""Programs of several kinds, and the other transformations, on arrays of other libraries."""
from __future__ import annotations

import math

import numpy as np
import pytest

import transgrad as tg

pytest.importorskip("array_api_compat")

from array_api_compat import array_namespace

from . import harness

_MODULES = {"array-api-strict": "array_api_strict", "torch": "torch", "jax": "jax", "dask": "dask.array"}
X = np.array([0.5, 1.0, 2.0])


def scalar(x):
    xp = array_namespace(x)
    return xp.sum(xp.sin(x) * x)


def vector(x):
    xp = array_namespace(x)
    return xp.sin(x) * x


def nested(x):
    return (tg.grad(scalar)(x) ** 2).sum() if hasattr(x, "sum") else array_namespace(x).sum(tg.grad(scalar)(x) ** 2)


def total(x):
    return array_namespace(x).sum(x)


def number_of_an_element(x):
    return float(x[0]) * x[1] + math.sin(x[2])


def while_loop(x):
    n = 0
    while n < 3:
        x = x * x
        n += 1
    return total(x)


def closure(x):
    k = x[0]

    def scaled(t):
        return t * k

    return total(scaled(x))


def of_a_list(xs):
    return sum([total(v ** 2) for v in xs])


def keyword(x, *, scale=2.0):
    return total(x * scale)


def branch(x):
    if x[0] > 0:
        return total(x ** 2)
    return total(x)


def conditional(x):
    return total(x if float(x[0]) > 0 else -x)


def steps(x):
    for _ in range(6):
        x = 0.9 * x + 0.1 * x * x
    return total(x)


PROGRAMS = {
    "nested": lambda x: tg.grad(nested)(x), "float": lambda x: tg.grad(number_of_an_element)(x),
    "while": lambda x: tg.grad(while_loop)(x), "closure": lambda x: tg.grad(closure)(x),
    "list": lambda x: tg.grad(of_a_list)([x, x * 2.0]), "keyword": lambda x: tg.grad(keyword)(x, scale=3.0),
    "branch": lambda x: tg.grad(branch)(x), "conditional": lambda x: tg.grad(conditional)(x),
    "jacobian": lambda x: tg.jacobian(vector)(x), "jacrev": lambda x: tg.jacrev(vector)(x), "jacfwd": lambda x: tg.jacfwd(vector)(x),
    "hessian": lambda x: tg.hessian(scalar)(x), "linearize": lambda x: tg.linearize(vector, x)[1](x),
    "compile": lambda x: tg.compile(scalar)(x), "vmap": lambda x: tg.vmap(tg.grad(scalar))(x[None, :]),
    "hvp": lambda x: tg.hvp(scalar, (x,), (x,)), "checkpoint": lambda x: tg.grad(steps, checkpoint=True)(x),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", [pytest.param(name, marks=[pytest.mark.slow] if name in ("jax", "dask") else []) for name in _MODULES])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(library, name):
    pytest.importorskip(_MODULES[library])
    convert = harness.converter(library)
    harness.compare(PROGRAMS[name](convert(X)), PROGRAMS[name](X), library)


def test_nan_checks_are_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="nan='raise' checks NumPy arrays"):
        tg.grad(scalar, nan="raise")(torch.ones(3))


def test_half_precision_of_other_kinds_is_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="arrays of dtype torch.bfloat16 have no counterpart in NumPy"):
        tg.grad(scalar)(torch.ones(3, dtype=torch.bfloat16))


def test_a_tensor_in_a_function_of_numpy_arrays():
    """A constant of a library that does not combine with NumPy stays where nothing is differentiated, and is refused elsewhere."""
    torch = pytest.importorskip("torch")
    weights = torch.ones(3, dtype=torch.float64)

    def apart(x):
        return np.sum(x ** 2) * float(torch.sum(weights))

    def together(x):
        return np.sum(x * weights)

    np.testing.assert_allclose(tg.grad(apart)(X), 6.0 * X)
    with pytest.raises(TypeError, match="NumPy arrays are passed to a function of torch arrays"):
        tg.grad(together)(X)


@pytest.mark.parametrize("library", ["torch", "array_api_strict"])
def test_arguments_that_share_memory_and_are_written_to(library: str) -> None:
    xp = pytest.importorskip(library)
    compat = pytest.importorskip("array_api_compat")

    def f(x, y):
        x[0] = 2.0 * y[1]
        return compat.array_namespace(x).sum(x * y)
    make = xp.tensor if library == "torch" else xp.asarray
    gradient = tg.grad(f, (0, 1))
    for _ in range(2):
        a, b = make([1.0, 2.0, 3.0]), make([1.0, 2.0, 3.0])
        np.testing.assert_array_equal(np.asarray(gradient(a, b)), [[0.0, 2.0, 3.0], [4.0, 4.0, 3.0]])
        for other in (a, a[:]) if library == "torch" else (a,):
            with pytest.raises(tg.UnsupportedSyntax, match="writes to its argument 'x', which shares memory with 'y'"):
                gradient(a, other)

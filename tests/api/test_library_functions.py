"""NumPy's, math's and Python's own functions, passed to transformations as they are."""
import math

import numpy as np
import pytest

import transgrad as tg

X = np.array([0.5, 1.2, -0.9, 2.1])
M = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, -0.3], [0.4, 0.1, 1.8]])
V = np.array([0.3, -0.8, 1.2])

#: function, arguments; the same as a def
CASES = [
    (np.max, (X,)), (np.mean, (M,)), (np.prod, (X,)), (np.std, (X,)), (np.var, (M,)), (np.nansum, (X,)), (np.linalg.norm, (X,)),
    (np.quantile, (X, 0.3)), (np.percentile, (X, 30.0)), (np.average, (X,)), (np.matmul, (M, V)), (np.dot, (V, V)),
    (np.meshgrid, (V,)), (np.meshgrid, (V, X)), (max, ([1.0, 2.0],)), (min, (2.0, 3.0)), (math.hypot, (1.0, 2.0)), (math.sin, (0.3,)),
    (sum, ([1.0, 2.0],)), (np.ndarray.sum, (V,)), (abs, (-1.2,)),
]


def as_def(f):
    def called(*args):
        return f(*args)
    return called


def results(f, args):
    """What the transformations return, or the type of the error."""
    ones = tuple([1.0] * len(a) if isinstance(a, list) else np.ones_like(a) if isinstance(a, np.ndarray) else 1.0 for a in args)
    value = f(*args)
    found = {
        "jvp": lambda: tg.jvp(f, args, ones), "vjp": lambda: tg.vjp(f, *args)[1](value), "linearize": lambda: tg.linearize(f, *args)[1](*ones),
        "jacfwd": lambda: tg.jacfwd(f, argnums=tuple(range(len(args))))(*args),
        "jacrev": lambda: tg.jacrev(f, argnums=tuple(range(len(args))))(*args),
    }
    if np.ndim(value) == 0:
        found["grad"] = lambda: tg.grad(f)(*args)
        found["checkpoint"] = lambda: tg.grad(tg.checkpoint(f))(*args)
        found["grad of grad"] = lambda: tg.grad(lambda x: np.sum(tg.grad(f)(x, *args[1:])))(args[0])
    out = {}
    for name, call in found.items():
        try:
            out[name] = call()
        except TypeError as error:
            out[name] = str(error)[:20]
    return out


def same(a, b):
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return a == b if isinstance(a, str) else np.shape(a) == np.shape(b) and np.allclose(a, b, equal_nan=True)


@pytest.mark.parametrize("f, args", CASES, ids=lambda x: getattr(x, "__name__", None))
def test_as_in_a_function(f, args):
    direct, wrapped = results(f, args), results(as_def(f), args)
    for name in direct:
        assert same(direct[name], wrapped[name]), name

"""The Hessian of Rosenbrock's function, as a full matrix."""
import numpy as np

from ..workload import Cannot, Rewritten, Workload


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def by_hand(x):
    """Three diagonals of a matrix of zeros."""
    n = len(x)
    out = np.zeros((n, n))
    flat = out.ravel()
    left = x[:-1]
    main = flat[::n + 1]
    main[:-1] = 1200.0 * left * left - 400.0 * x[1:] + 2.0
    main[1:] += 200.0
    flat[1::n + 1] = -400.0 * left
    flat[n::n + 1] = flat[1::n + 1]
    return out


def for_numba(x):
    """Element by element."""
    n = len(x)
    out = np.zeros((n, n))
    for i in range(n - 1):
        out[i, i] += 1200.0 * x[i] * x[i] - 400.0 * x[i + 1] + 2.0
        out[i + 1, i + 1] += 200.0
        out[i, i + 1] = out[i + 1, i] = -400.0 * x[i]
    return out


def in_casadi():
    import casadi

    def f(x):
        n = x.numel()
        left = x[:n - 1]
        return casadi.sum1(100.0 * (x[1:] - left ** 2) ** 2 + (1.0 - left) ** 2)
    f.matrices = True
    return f


def arguments(rng, n):
    return (rng.normal(size=n),)


workload = Workload(rosenbrock, by_hand, arguments, {"n=10": 10, "n=300": 300}, tiny=4, transform="hessian", numba=for_numba,
                    peers={"jax": "as written", "torch": "as written", "autograd": "as written",
                           "mygrad": Cannot("only first derivatives of scalars are supported"), "casadi": Rewritten(in_casadi)},
                    reasons={
                        "by hand": "a few operations more on vectors: by hand, the terms of the main diagonal are collected to one "
                            "polynomial, which rounds otherwise",
                    })

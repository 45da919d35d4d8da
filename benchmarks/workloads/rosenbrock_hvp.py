"""The product of the Hessian of Rosenbrock's function with a vector."""
import numpy as np

from ..workload import Cannot, Rewritten, Workload
from .rosenbrock_hessian import in_casadi, rosenbrock


def by_hand(x, v):
    left, right = x[:-1], x[1:]
    v_left, v_right = v[:-1], v[1:]
    out = np.empty_like(x)
    q = left * v_left
    q *= 2.0
    np.subtract(v_right, q, out=q)          # the change of x[1:] - x[:-1] ** 2
    s = left * left
    np.subtract(right, s, out=s)
    s *= v_left
    inner = out[:-1]
    np.multiply(left, q, out=inner)
    inner += s
    inner *= -400.0
    inner += 2.0 * v_left
    out[-1] = 0.0
    q *= 200.0
    out[1:] += q
    return out


def for_numba(x, v):
    """One pass."""
    out = np.zeros_like(x)
    for i in range(len(x) - 1):
        q = v[i + 1] - 2.0 * x[i] * v[i]
        out[i] += 2.0 * v[i] - 400.0 * (x[i] * q + (x[i + 1] - x[i] * x[i]) * v[i])
        out[i + 1] += 200.0 * q
    return out


def arguments(rng, n):
    return rng.normal(size=n), rng.normal(size=n)


workload = Workload(rosenbrock, by_hand, arguments, {"n=1,000": 1_000, "n=100,000": 100_000}, tiny=4, transform="hvp", numba=for_numba,
                    peers={"jax": "as written", "torch": "as written", "autograd": "as written",
                           "mygrad": Cannot("only first derivatives of scalars are supported"), "casadi": Rewritten(in_casadi)},
                    reasons={"JAX, jitted": "fusion"})

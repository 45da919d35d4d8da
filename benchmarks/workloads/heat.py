"""Slice writes: the heat equation in two dimensions, stepped in place, with a conductivity that differs from place to place."""
import numpy as np

from ..workload import Cannot, Rewritten, Workload


def deviation(u0, c, target, steps):
    u = u0.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] += c * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
    return np.sum((u - target) ** 2)


def by_hand(u0, c, target, steps):
    """The differences alone are kept: the step is linear in the field."""
    u = u0.copy()
    kept = np.empty((steps, *c.shape))
    for s in kept:
        np.add(u[2:, 1:-1], u[:-2, 1:-1], out=s)
        s += u[1:-1, 2:]
        s += u[1:-1, :-2]
        s -= 4.0 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += c * s

    u_bar = u
    u_bar -= target
    u_bar *= 2.0
    c_bar = np.zeros_like(c)
    q, t = np.empty_like(c), np.empty_like(c)
    for s in kept[::-1]:
        inner = u_bar[1:-1, 1:-1]
        np.multiply(s, inner, out=t)
        c_bar += t
        np.multiply(c, inner, out=q)
        u_bar[2:, 1:-1] += q
        u_bar[:-2, 1:-1] += q
        u_bar[1:-1, 2:] += q
        u_bar[1:-1, :-2] += q
        q *= 4.0
        inner -= q
    return u_bar, c_bar


def for_numba(u0, c, target, steps):
    """Loops over the points, two buffers."""
    n, m = u0.shape
    u = u0.copy()
    kept = np.empty((steps, n - 2, m - 2))
    for k in range(steps):
        for i in range(n - 2):
            for j in range(m - 2):
                kept[k, i, j] = u[i + 2, j + 1] + u[i, j + 1] + u[i + 1, j + 2] + u[i + 1, j] - 4.0 * u[i + 1, j + 1]
        for i in range(n - 2):
            for j in range(m - 2):
                u[i + 1, j + 1] += c[i, j] * kept[k, i, j]

    c_bar = np.zeros_like(c)
    u_bar = 2.0 * (u - target)
    q = np.zeros((n, m))
    for k in range(steps - 1, -1, -1):
        for i in range(n - 2):
            for j in range(m - 2):
                c_bar[i, j] += kept[k, i, j] * u_bar[i + 1, j + 1]
                q[i + 1, j + 1] = c[i, j] * u_bar[i + 1, j + 1]
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u_bar[i, j] += q[i - 1, j] + q[i + 1, j] + q[i, j - 1] + q[i, j + 1] - 4.0 * q[i, j]
        for i in range(1, n - 1):
            u_bar[i, 0] += q[i, 1]
            u_bar[i, m - 1] += q[i, m - 2]
        for j in range(1, m - 1):
            u_bar[0, j] += q[1, j]
            u_bar[n - 1, j] += q[n - 2, j]
    return u_bar, c_bar


def in_jax():
    """A loop of a known length, each step a new array."""
    import jax
    import jax.numpy as jnp

    def f(u0, c, target, steps):
        def step(u, _):
            s = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
            return u.at[1:-1, 1:-1].add(c * s), None
        return jnp.sum((jax.lax.scan(step, u0, length=steps)[0] - target) ** 2)
    return f


def with_copy(copy):
    """The text as it is, but for the copy."""
    def f(u0, c, target, steps):
        u = copy(u0)
        for _ in range(steps):
            u[1:-1, 1:-1] += c * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
        return ((u - target) ** 2).sum()
    return f


def in_torch():
    return with_copy(lambda u: u.clone())


def in_mygrad():
    return with_copy(lambda u: +u)


def in_autograd():
    """Each step a new array."""
    import autograd.numpy as anp

    def f(u0, c, target, steps):
        u = u0
        for _ in range(steps):
            s = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
            u = u + anp.pad(c * s, 1, "constant")
        return anp.sum((u - target) ** 2)
    return f


def arguments(rng, size):
    n, steps = size
    return rng.normal(size=(n, n)), rng.uniform(0.05, 0.2, (n - 2, n - 2)), rng.normal(size=(n, n)), steps


workload = Workload(deviation, by_hand, arguments, {"100 x 100, 50 steps": (100, 50)}, tiny=(5, 3), wrt=(0, 1), limit="in-place",
                    numba=for_numba,
                    peers={"jax": Rewritten(in_jax), "torch": Rewritten(in_torch), "autograd": Rewritten(in_autograd),
                           "mygrad": Rewritten(in_mygrad), "casadi": Cannot("a graph of millions of scalar operations")})

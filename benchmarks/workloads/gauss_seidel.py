"""Element writes over and over: sweeps of Gauss and Seidel with over-relaxation, each point from neighbours just written."""
import numpy as np

from ..workload import Rewritten, Workload


def residual(u0, f, omega, sweeps):
    u = u0.copy()
    n = len(u)
    for _ in range(sweeps):
        for i in range(1, n - 1):
            u[i] = (1.0 - omega) * u[i] + 0.5 * omega * (u[i - 1] + u[i + 1] + f[i])
    return np.sum(u ** 2)


def by_hand(u0, f, omega, sweeps):
    """On lists of floats; what ``omega`` multiplies is kept."""
    u, forcing = u0.tolist(), f.tolist()
    n = len(u)
    half, rest = 0.5 * omega, 1.0 - omega
    kept = []
    for _ in range(sweeps):
        before = u[0]
        for i in range(1, n - 1):
            old = u[i]
            average = before + u[i + 1] + forcing[i]
            kept.append(0.5 * average - old)
            u[i] = before = rest * old + half * average

    u_bar = [2.0 * value for value in u]
    f_bar = [0.0] * n
    omega_bar = 0.0
    pop = kept.pop
    for _ in range(sweeps):
        after = u_bar[n - 1]
        for i in range(n - 2, 0, -1):
            g = u_bar[i]
            omega_bar += g * pop()
            h = half * g
            f_bar[i] += h
            u_bar[i + 1] = after + h
            u_bar[i - 1] += h
            after = rest * g
        u_bar[1] = after
    return np.array(u_bar), np.array(f_bar), omega_bar


def for_numba(u0, f, omega, sweeps):
    """The same on arrays."""
    n = len(u0)
    u = u0.copy()
    half, rest = 0.5 * omega, 1.0 - omega
    kept = np.empty((sweeps, n))
    for k in range(sweeps):
        for i in range(1, n - 1):
            average = u[i - 1] + u[i + 1] + f[i]
            kept[k, i] = 0.5 * average - u[i]
            u[i] = rest * u[i] + half * average

    u_bar = 2.0 * u
    f_bar = np.zeros(n)
    omega_bar = 0.0
    for k in range(sweeps - 1, -1, -1):
        for i in range(n - 2, 0, -1):
            g = u_bar[i]
            omega_bar += g * kept[k, i]
            h = half * g
            f_bar[i] += h
            u_bar[i + 1] += h
            u_bar[i - 1] += h
            u_bar[i] = rest * g
    return u_bar, f_bar, omega_bar


def in_jax():
    """A scan over the points inside one over the sweeps."""
    import jax
    import jax.numpy as jnp

    def f(u0, f, omega, sweeps):
        def point(before, row):
            now, after, forcing = row
            now = (1.0 - omega) * now + 0.5 * omega * (before + after + forcing)
            return now, now

        def sweep(u, _):
            inner = jax.lax.scan(point, u[0], (u[1:-1], u[2:], f[1:-1]))[1]
            return u.at[1:-1].set(inner), None
        return jnp.sum(jax.lax.scan(sweep, u0, length=sweeps)[0] ** 2)
    return f


def in_lists():
    """Numbers in a list, for tools whose arrays cannot be written to where they have been read."""
    def f(u0, f, omega, sweeps):
        n = u0.shape[0]
        u = [u0[i] for i in range(n)]
        for _ in range(sweeps):
            for i in range(1, n - 1):
                u[i] = (1.0 - omega) * u[i] + 0.5 * omega * (u[i - 1] + u[i + 1] + f[i])
        return sum(value * value for value in u)
    return f


def arguments(rng, size):
    n, sweeps = size
    return rng.normal(size=n), rng.normal(size=n), 1.3, sweeps


workload = Workload(residual, by_hand, arguments, {"100 points, 20 sweeps": (100, 20)}, tiny=(5, 3), wrt=(0, 1, 2), limit="in-place",
                    numba=for_numba,
                    peers={"jax": Rewritten(in_jax), "torch": Rewritten(in_lists), "autograd": Rewritten(in_lists),
                           "mygrad": Rewritten(in_lists), "casadi": Rewritten(in_lists)})

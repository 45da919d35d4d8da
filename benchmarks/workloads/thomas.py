"""Element writes: a system with three diagonals solved by elimination, one unknown after the other."""
import numpy as np

from ..workload import Rewritten, Workload


def energy(lower, diagonal, upper, right):
    n = len(right)
    c = np.zeros(n)
    d = np.zeros(n)
    x = np.zeros(n)
    c[0] = upper[0] / diagonal[0]
    d[0] = right[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / pivot
        d[i] = (right[i] - lower[i] * d[i - 1]) / pivot
    x[n - 1] = d[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return np.sum(x * x)


def by_hand(lower, diagonal, upper, right):
    """On lists of floats; a pivot is kept as its reciprocal."""
    n = len(right)
    low, dia, up, rig = lower.tolist(), diagonal.tolist(), upper.tolist(), right.tolist()
    q = 1.0 / dia[0]
    c_now, d_now = up[0] * q, rig[0] * q
    c, d, inverse = [c_now], [d_now], [q]
    for i in range(1, n):
        below = low[i]
        q = 1.0 / (dia[i] - below * c_now)
        c_now = up[i] * q
        d_now = (rig[i] - below * d_now) * q
        inverse.append(q)
        c.append(c_now)
        d.append(d_now)
    x = [0.0] * n
    x[n - 1] = now = d_now
    for i in range(n - 2, -1, -1):
        x[i] = now = d[i] - c[i] * now

    c_bar, d_bar = [0.0] * n, [0.0] * n
    x_bar = 2.0 * x[0]
    for i in range(n - 1):
        d_bar[i] = x_bar
        after = x[i + 1]
        c_bar[i] = -x_bar * after
        x_bar = 2.0 * after - x_bar * c[i]
    d_bar[n - 1] = x_bar

    lower_bar, diagonal_bar, upper_bar, right_bar = [0.0] * n, [0.0] * n, [0.0] * n, [0.0] * n
    c_now, d_now = 0.0, d_bar[n - 1]
    for i in range(n - 1, 0, -1):
        q = inverse[i]
        g, h = c_now * q, d_now * q
        pivot_bar = -g * c[i] - h * d[i]
        upper_bar[i] = g
        right_bar[i] = h
        diagonal_bar[i] = pivot_bar
        lower_bar[i] = -h * d[i - 1] - pivot_bar * c[i - 1]
        below = low[i]
        c_now = c_bar[i - 1] - pivot_bar * below
        d_now = d_bar[i - 1] - h * below
    q = inverse[0]
    g, h = c_now * q, d_now * q
    upper_bar[0] = g
    right_bar[0] = h
    diagonal_bar[0] = -g * c[0] - h * d[0]
    return np.array(lower_bar), np.array(diagonal_bar), np.array(upper_bar), np.array(right_bar)


def for_numba(lower, diagonal, upper, right):
    """The same on arrays."""
    n = len(right)
    c, d, inverse, x = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    inverse[0] = 1.0 / diagonal[0]
    c[0] = upper[0] * inverse[0]
    d[0] = right[0] * inverse[0]
    for i in range(1, n):
        q = 1.0 / (diagonal[i] - lower[i] * c[i - 1])
        inverse[i] = q
        c[i] = upper[i] * q
        d[i] = (right[i] - lower[i] * d[i - 1]) * q
    x[n - 1] = d[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]

    c_bar, d_bar = np.zeros(n), np.empty(n)
    x_bar = 2.0 * x[0]
    for i in range(n - 1):
        d_bar[i] = x_bar
        c_bar[i] = -x_bar * x[i + 1]
        x_bar = 2.0 * x[i + 1] - x_bar * c[i]
    d_bar[n - 1] = x_bar

    lower_bar, diagonal_bar, upper_bar, right_bar = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    lower_bar[0] = 0.0
    for i in range(n - 1, -1, -1):
        g, h = c_bar[i] * inverse[i], d_bar[i] * inverse[i]
        pivot_bar = -g * c[i] - h * d[i]
        upper_bar[i] = g
        right_bar[i] = h
        diagonal_bar[i] = pivot_bar
        if i > 0:
            lower_bar[i] = -h * d[i - 1] - pivot_bar * c[i - 1]
            c_bar[i - 1] -= pivot_bar * lower[i]
            d_bar[i - 1] -= h * lower[i]
    return lower_bar, diagonal_bar, upper_bar, right_bar


def in_jax():
    """Two scans."""
    import jax
    import jax.numpy as jnp

    def f(lower, diagonal, upper, right):
        def down(carry, row):
            c, d = carry
            a, b, up, r = row
            pivot = b - a * c
            carry = up / pivot, (r - a * d) / pivot
            return carry, carry

        def up(x, row):
            x = row[1] - row[0] * x
            return x, x
        c, d = jax.lax.scan(down, (0.0, 0.0), (lower.at[0].set(0.0), diagonal, upper, right))[1]
        x = jax.lax.scan(up, 0.0, (c, d), reverse=True)[1]
        return jnp.sum(x * x)
    return f


def in_lists():
    """Numbers in lists, for tools whose arrays cannot be written to where they have been read."""
    def f(lower, diagonal, upper, right):
        n = right.shape[0]
        c, d = [upper[0] / diagonal[0]], [right[0] / diagonal[0]]
        for i in range(1, n):
            pivot = diagonal[i] - lower[i] * c[i - 1]
            c.append(upper[i] / pivot)
            d.append((right[i] - lower[i] * d[i - 1]) / pivot)
        x = d[n - 1]
        total = x * x
        for i in range(n - 2, -1, -1):
            x = d[i] - c[i] * x
            total = total + x * x
        return total
    return f


def arguments(rng, n):
    return rng.uniform(-1, 1, n), rng.uniform(3, 4, n), rng.uniform(-1, 1, n), rng.normal(size=n)


workload = Workload(energy, by_hand, arguments, {"500 unknowns": 500}, tiny=5, wrt=(0, 1, 2, 3), limit="in-place", numba=for_numba,
                    peers={"jax": Rewritten(in_jax), "torch": Rewritten(in_lists), "autograd": Rewritten(in_lists),
                           "mygrad": Rewritten(in_lists), "casadi": Rewritten(in_lists)},
                    reasons={
                        "by hand": "a pivot is computed again from what it was made of, and divided by; by hand, its reciprocal is "
                            "kept, which rounds otherwise",
                        "primal": "the interpreter: four shadows a turn",
                    })

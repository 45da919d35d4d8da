"""A fixed point of arrays in a ``while`` loop: the equilibrium of a small recurrent network."""
import numpy as np

from ..workload import Cannot, Rewritten, Workload


def equilibrium(w, b, target, tol):
    x = np.zeros_like(b)
    change = 1.0
    while change > tol:
        y = np.tanh(w @ x + b)
        change = np.max(np.abs(y - x))
        x = y
    return np.sum((x - target) ** 2)


def by_hand(w, b, target, tol):
    """The states are kept; that the loop converged is not made use of."""
    x = np.zeros_like(b)
    states = [x]
    change = 1.0
    while change > tol:
        y = np.tanh(w @ x + b)
        change = np.max(np.abs(y - x))
        x = y
        states.append(x)

    x_bar = 2.0 * (x - target)
    inner = []
    for y in reversed(states[1:]):
        s = y * y
        np.subtract(1.0, s, out=s)
        s *= x_bar
        inner.append(s)
        x_bar = s @ w
    before = np.array(states[-2::-1])
    inner = np.array(inner)
    return inner.T @ before, inner.sum(axis=0)


def for_numba(w, b, target, tol):
    """The states in an array that grows when it has to; products by the same library."""
    n = len(b)
    states = np.empty((64, n))
    states[0] = 0.0
    count = 1
    change = 1.0
    while change > tol:
        if count == len(states):
            states = np.concatenate((states, np.empty((count, n))))
        y = w @ states[count - 1]
        change = 0.0
        for i in range(n):
            y[i] = np.tanh(y[i] + b[i])
            change = max(change, abs(y[i] - states[count - 1, i]))
        states[count] = y
        count += 1

    x_bar = 2.0 * (states[count - 1] - target)
    inner = np.empty((count - 1, n))
    for k in range(count - 1, 0, -1):
        for i in range(n):
            inner[k - 1, i] = x_bar[i] * (1.0 - states[k, i] ** 2)
        x_bar = inner[k - 1] @ w
    return inner.T @ states[:count - 1], inner.sum(axis=0)


def in_jax():
    """The fixed point by its implicit function, which is how a ``while_loop`` has a gradient."""
    import jax
    import jax.numpy as jnp

    def f(w, b, target, tol):
        def solve(residual, start):
            def step(state):
                y = state[0] + residual(state[0])
                return y, jnp.max(jnp.abs(y - state[0]))
            return jax.lax.while_loop(lambda state: state[1] > tol, step, (start, 1.0))[0]

        x = jax.lax.custom_root(lambda x: jnp.tanh(w @ x + b) - x, jnp.zeros_like(b), solve,
                                lambda g, y: jnp.linalg.solve(jax.jacobian(g)(y), y))
        return jnp.sum((x - target) ** 2)
    return f


def arguments(rng, n):
    return 0.4 * rng.normal(size=(n, n)) / np.sqrt(n), rng.normal(size=n), rng.normal(size=n), 1e-13


workload = Workload(equilibrium, by_hand, arguments, {"50 states": 50}, tiny=4, wrt=(0, 1), limit="loop", numba=for_numba,
                    peers={"jax": Rewritten(in_jax), "torch": "as written", "autograd": "as written", "mygrad": "as written",
                           "casadi": Cannot("the trip count depends on the data")},
                    reasons={
                        "by hand": "states are kept in two lists, before and after each turn; by hand in one",
                        "by hand, Numba": "an outer product a turn; one product of matrices at the end would do",
                    })

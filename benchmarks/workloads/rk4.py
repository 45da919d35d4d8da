"""Runge and Kutta's method of order four with a preallocated trajectory: a predator-prey model fitted to observations."""
import numpy as np

from ..workload import Rewritten, Workload


def rates(z, p):
    prey, predator = z
    return np.array([p[0] * prey - p[1] * prey * predator, p[2] * prey * predator - p[3] * predator])


def misfit(p, z0, dt, observed):
    z = np.empty((len(observed), 2))
    z[0] = z0
    for k in range(len(observed) - 1):
        k1 = rates(z[k], p)
        k2 = rates(z[k] + 0.5 * dt * k1, p)
        k3 = rates(z[k] + 0.5 * dt * k2, p)
        k4 = rates(z[k] + dt * k3, p)
        z[k + 1] = z[k] + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum((z - observed) ** 2)


def by_hand(p, z0, dt, observed):
    """On floats: arrays of two are dearer to make than to compute with."""
    a, b, c, d = map(float, p)
    half, sixth = 0.5 * dt, dt / 6.0
    x, y = map(float, z0)
    path = [(x, y)]
    for _ in range(len(observed) - 1):
        xy = x * y
        x1, y1 = a * x - b * xy, c * xy - d * y
        u, v = x + half * x1, y + half * y1
        uv = u * v
        x2, y2 = a * u - b * uv, c * uv - d * v
        u, v = x + half * x2, y + half * y2
        uv = u * v
        x3, y3 = a * u - b * uv, c * uv - d * v
        u, v = x + dt * x3, y + dt * y3
        uv = u * v
        x, y = x + sixth * (x1 + 2.0 * (x2 + x3) + a * u - b * uv), y + sixth * (y1 + 2.0 * (y2 + y3) + c * uv - d * v)
        path.append((x, y))

    z_bar = (2.0 * (np.array(path) - observed)).tolist()
    a_bar = b_bar = c_bar = d_bar = 0.0
    x_bar, y_bar = z_bar[-1]
    for k in range(len(observed) - 2, -1, -1):
        x, y = path[k]
        x1, y1 = a * x - b * x * y, c * x * y - d * y
        u2, v2 = x + half * x1, y + half * y1
        x2, y2 = a * u2 - b * u2 * v2, c * u2 * v2 - d * v2
        u3, v3 = x + half * x2, y + half * y2
        x3, y3 = a * u3 - b * u3 * v3, c * u3 * v3 - d * v3
        u4, v4 = x + dt * x3, y + dt * y3

        g, h = sixth * x_bar, sixth * y_bar
        cross = u4 * v4
        a_bar += g * u4
        b_bar -= g * cross
        c_bar += h * cross
        d_bar -= h * v4
        cross = c * h - b * g
        u, v = a * g + cross * v4, cross * u4 - d * h
        x_new, y_new = x_bar + u, y_bar + v

        g, h = 2.0 * sixth * x_bar + dt * u, 2.0 * sixth * y_bar + dt * v
        cross = u3 * v3
        a_bar += g * u3
        b_bar -= g * cross
        c_bar += h * cross
        d_bar -= h * v3
        cross = c * h - b * g
        u, v = a * g + cross * v3, cross * u3 - d * h
        x_new += u
        y_new += v

        g, h = 2.0 * sixth * x_bar + half * u, 2.0 * sixth * y_bar + half * v
        cross = u2 * v2
        a_bar += g * u2
        b_bar -= g * cross
        c_bar += h * cross
        d_bar -= h * v2
        cross = c * h - b * g
        u, v = a * g + cross * v2, cross * u2 - d * h
        x_new += u
        y_new += v

        g, h = sixth * x_bar + half * u, sixth * y_bar + half * v
        cross = x * y
        a_bar += g * x
        b_bar -= g * cross
        c_bar += h * cross
        d_bar -= h * y
        cross = c * h - b * g
        gx, gy = z_bar[k]
        x_bar, y_bar = x_new + a * g + cross * y + gx, y_new + cross * x - d * h + gy
    return np.array([a_bar, b_bar, c_bar, d_bar]), np.array([x_bar, y_bar])


def for_numba(p, z0, dt, observed):
    """The same stage by stage, with the trajectory in an array."""
    a, b, c, d = p[0], p[1], p[2], p[3]
    steps = len(observed) - 1
    half, sixth = 0.5 * dt, dt / 6.0
    path = np.empty((steps + 1, 2))
    x, y = z0[0], z0[1]
    path[0, 0], path[0, 1] = x, y
    for k in range(steps):
        x1, y1 = a * x - b * x * y, c * x * y - d * y
        u, v = x + half * x1, y + half * y1
        x2, y2 = a * u - b * u * v, c * u * v - d * v
        u, v = x + half * x2, y + half * y2
        x3, y3 = a * u - b * u * v, c * u * v - d * v
        u, v = x + dt * x3, y + dt * y3
        x, y = x + sixth * (x1 + 2.0 * (x2 + x3) + a * u - b * u * v), y + sixth * (y1 + 2.0 * (y2 + y3) + c * u * v - d * v)
        path[k + 1, 0], path[k + 1, 1] = x, y

    p_bar = np.zeros(4)
    stages = np.empty((4, 2))
    weights = (sixth, 2.0 * sixth, 2.0 * sixth, sixth)
    lengths = (half, half, dt)
    x_bar, y_bar = 2.0 * (path[steps, 0] - observed[steps, 0]), 2.0 * (path[steps, 1] - observed[steps, 1])
    for k in range(steps - 1, -1, -1):
        x, y = path[k, 0], path[k, 1]
        u, v = x, y
        for s in range(4):
            stages[s, 0], stages[s, 1] = u, v
            if s < 3:
                u, v = x + lengths[s] * (a * u - b * u * v), y + lengths[s] * (c * u * v - d * v)
        x_new = x_bar + 2.0 * (x - observed[k, 0])
        y_new = y_bar + 2.0 * (y - observed[k, 1])
        gx, gy = 0.0, 0.0
        for s in range(3, -1, -1):
            u, v = stages[s, 0], stages[s, 1]
            g, h = weights[s] * x_bar, weights[s] * y_bar
            if s < 3:
                g += lengths[s] * gx
                h += lengths[s] * gy
            p_bar[0] += g * u
            p_bar[1] -= g * u * v
            p_bar[2] += h * u * v
            p_bar[3] -= h * v
            cross = c * h - b * g
            gx, gy = a * g + cross * v, cross * u - d * h
            x_new += gx
            y_new += gy
        x_bar, y_bar = x_new, y_new
    return p_bar, np.array([x_bar, y_bar])


def in_jax():
    """A scan over the steps."""
    import jax
    import jax.numpy as jnp

    def rates(z, p):
        cross = z[0] * z[1]
        return jnp.stack([p[0] * z[0] - p[1] * cross, p[2] * cross - p[3] * z[1]])

    def f(p, z0, dt, observed):
        def step(z, seen):
            k1 = rates(z, p)
            k2 = rates(z + 0.5 * dt * k1, p)
            k3 = rates(z + 0.5 * dt * k2, p)
            k4 = rates(z + dt * k3, p)
            z = z + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
            return z, jnp.sum((z - seen) ** 2)
        return jnp.sum((z0 - observed[0]) ** 2) + jnp.sum(jax.lax.scan(step, z0, observed[1:])[1])
    return f


def in_lists(stack):
    """The states in a list, for tools whose arrays cannot be written to."""
    def f(p, z0, dt, observed):
        def rates(z):
            cross = z[0] * z[1]
            return stack([p[0] * z[0] - p[1] * cross, p[2] * cross - p[3] * z[1]])
        z = z0
        cost = ((z - observed[0]) ** 2).sum()
        for k in range(1, len(observed)):
            k1 = rates(z)
            k2 = rates(z + 0.5 * dt * k1)
            k3 = rates(z + 0.5 * dt * k2)
            k4 = rates(z + dt * k3)
            z = z + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
            cost = cost + ((z - observed[k]) ** 2).sum()
        return cost
    return f


def in_torch():
    import torch
    return in_lists(torch.stack)


def in_autograd():
    import autograd.numpy as anp
    return in_lists(anp.array)


def in_mygrad():
    import mygrad
    return in_lists(mygrad.stack)


def in_casadi():
    import casadi

    def f(p, z0, dt, observed):
        def rates(z):
            cross = z[0] * z[1]
            return casadi.vertcat(p[0] * z[0] - p[1] * cross, p[2] * cross - p[3] * z[1])
        z = z0
        cost = casadi.sumsqr(z.T - observed[0, :])
        for k in range(1, observed.shape[0]):
            k1 = rates(z)
            k2 = rates(z + 0.5 * dt * k1)
            k3 = rates(z + 0.5 * dt * k2)
            k4 = rates(z + dt * k3)
            z = z + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
            cost += casadi.sumsqr(z.T - observed[k, :])
        return cost
    return f


def arguments(rng, steps):
    return np.array([0.55, 0.028, 0.024, 0.80]), np.array([30.0, 4.0]), 0.05, np.abs(rng.normal(20, 5, size=(steps + 1, 2)))


workload = Workload(misfit, by_hand, arguments, {"500 steps": 500}, tiny=6, wrt=(0, 1), limit="in-place", numba=for_numba,
                    peers={"jax": Rewritten(in_jax), "torch": Rewritten(in_torch), "autograd": Rewritten(in_autograd),
                           "mygrad": Rewritten(in_mygrad), "casadi": Rewritten(in_casadi)},
                    reasons={
                        "by hand": "products that two terms of a stage have in common are not factored",
                    })

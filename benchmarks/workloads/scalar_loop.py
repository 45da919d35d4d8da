"""A scalar loop with branches: a mass on a spring with dry friction, between two walls it bounces off."""
import numpy as np

from ..workload import Rewritten, Workload

WALL, LOSS, DT = 1.0, 0.8, 0.01


def bouncing(x, v, stiffness, friction, steps):
    cost = 0.0
    for _ in range(steps):
        force = -stiffness * x
        if v > 0.0:
            force -= friction
        elif v < 0.0:
            force += friction
        v += DT * force
        x += DT * v
        if abs(x) > WALL:
            x = (2.0 * WALL if x > 0.0 else -2.0 * WALL) - x
            v = -LOSS * v
        cost += x * x
    return cost


def by_hand(x, v, stiffness, friction, steps):
    """Kept are the positions, the signs of the velocity, and at which steps it bounced."""
    xs, signs, bounced = [], [], []
    for _ in range(steps):
        xs.append(x)
        force = -stiffness * x
        if v > 0.0:
            force -= friction
            signs.append(-1.0)
        elif v < 0.0:
            force += friction
            signs.append(1.0)
        else:
            signs.append(0.0)
        v += DT * force
        x += DT * v
        if abs(x) > WALL:
            x = (2.0 * WALL if x > 0.0 else -2.0 * WALL) - x
            v = -LOSS * v
            bounced.append(True)
        else:
            bounced.append(False)

    x_bar = v_bar = stiffness_bar = friction_bar = 0.0
    after = x
    for k in range(steps - 1, -1, -1):
        x_bar += 2.0 * after
        if bounced[k]:
            x_bar = -x_bar
            v_bar *= -LOSS
        v_bar += DT * x_bar
        force_bar = DT * v_bar
        after = xs[k]
        friction_bar += signs[k] * force_bar
        stiffness_bar -= after * force_bar
        x_bar -= stiffness * force_bar
    return x_bar, v_bar, stiffness_bar, friction_bar


def for_numba(x, v, stiffness, friction, steps):
    """The same with arrays for the lists."""
    xs, signs, bounced = np.empty(steps + 1), np.empty(steps), np.empty(steps, np.bool_)
    for k in range(steps):
        xs[k] = x
        sign = -1.0 if v > 0.0 else 1.0 if v < 0.0 else 0.0
        signs[k] = sign
        v += DT * (sign * friction - stiffness * x)
        x += DT * v
        bounced[k] = abs(x) > WALL
        if bounced[k]:
            x = (2.0 * WALL if x > 0.0 else -2.0 * WALL) - x
            v = -LOSS * v
    xs[steps] = x

    x_bar = v_bar = stiffness_bar = friction_bar = 0.0
    for k in range(steps - 1, -1, -1):
        x_bar += 2.0 * xs[k + 1]
        if bounced[k]:
            x_bar = -x_bar
            v_bar *= -LOSS
        v_bar += DT * x_bar
        force_bar = DT * v_bar
        friction_bar += signs[k] * force_bar
        stiffness_bar -= xs[k] * force_bar
        x_bar -= stiffness * force_bar
    return x_bar, v_bar, stiffness_bar, friction_bar


def in_jax():
    """A scan, with both sides of each branch computed."""
    import jax
    import jax.numpy as jnp

    def f(x, v, stiffness, friction, steps):
        def step(state, _):
            x, v = state
            v = v + DT * (-stiffness * x - jnp.sign(v) * friction)
            x = x + DT * v
            out = jnp.abs(x) > WALL
            x = jnp.where(out, jnp.where(x > 0.0, 2.0 * WALL, -2.0 * WALL) - x, x)
            v = jnp.where(out, -LOSS * v, v)
            return (x, v), x * x
        return jnp.sum(jax.lax.scan(step, (x, v), length=steps)[1])
    return f


def in_place_of_nothing():
    """The text without ``+=``, which would write into the arguments of some tools, and without ``abs``."""
    def f(x, v, stiffness, friction, steps):
        cost = 0.0
        for _ in range(steps):
            force = -stiffness * x
            if v > 0.0:
                force = force - friction
            elif v < 0.0:
                force = force + friction
            v = v + DT * force
            x = x + DT * v
            if x > WALL or x < -WALL:
                x = (2.0 * WALL if x > 0.0 else -2.0 * WALL) - x
                v = -LOSS * v
            cost = cost + x * x
        return cost
    return f


def in_casadi():
    """Both sides of each branch in the graph."""
    import casadi

    def f(x, v, stiffness, friction, steps):
        cost = 0.0
        for _ in range(steps):
            v = v + DT * (-stiffness * x - casadi.sign(v) * friction)
            x = x + DT * v
            out = casadi.fabs(x) > WALL
            x = casadi.if_else(out, casadi.if_else(x > 0.0, 2.0 * WALL, -2.0 * WALL) - x, x)
            v = casadi.if_else(out, -LOSS * v, v)
            cost += x * x
        return cost
    return f


def arguments(rng, steps):
    return 0.3, 1.7, 4.0, 0.1, steps


workload = Workload(bouncing, by_hand, arguments, {"1,000 steps": 1_000}, tiny=60, wrt=(0, 1, 2, 3), limit="loop", numba=for_numba,
                    peers={"jax": Rewritten(in_jax), "torch": Rewritten(in_place_of_nothing), "autograd": "as written",
                           "mygrad": Rewritten(in_place_of_nothing), "casadi": Rewritten(in_casadi)},
                    reasons={
                        "by hand": "positions are kept before and after each step; by hand, one of them",
                    })

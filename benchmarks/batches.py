"""Per-example gradients of a small model for a batch of a thousand: one call of ``vmap(grad)`` against a loop, and against JAX."""
from __future__ import annotations

import numpy as np

import transgrad as tg

from .timing import compare

LIMIT = 50.0
BATCH = 1000


def loss(w1, b1, w2, x, y):
    """A network with one hidden layer, and a branch on its output."""
    h = np.tanh(x @ w1 + b1)
    r = h @ w2 - y
    if abs(r) < 0.5:
        return 0.5 * r * r
    return 0.5 * (abs(r) - 0.25)


def _jitted():
    """The same by JAX, rewritten for it; None where it is not installed."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)

    def loss(w1, b1, w2, x, y):
        r = jnp.tanh(x @ w1 + b1) @ w2 - y
        return jnp.where(jnp.abs(r) < 0.5, 0.5 * r * r, 0.5 * (jnp.abs(r) - 0.25))

    compiled = jax.jit(jax.vmap(jax.grad(loss, (0, 1, 2)), (None, None, None, 0, 0)))
    return lambda *args: jax.block_until_ready(compiled(*args))


def main() -> bool:
    """Prints the ratios; whether the first holds."""
    rng = np.random.default_rng(0)
    args = (rng.normal(size=(4, 8)), rng.normal(size=8), rng.normal(size=8), rng.normal(size=(BATCH, 4)), rng.normal(size=BATCH))
    gradient = tg.grad(loss, (0, 1, 2), fallback="error")
    batched = tg.vmap(gradient, in_axes=(None, None, None, 0, 0))

    def loop():
        rows = [gradient(*args[:3], x, y) for x, y in zip(args[3], args[4])]
        return [np.stack(column) for column in zip(*rows)]

    assert all(np.allclose(a, b) for a, b in zip(batched(*args), loop()))
    jitted = _jitted()
    thunks = [lambda: batched(*args), loop, *([lambda: jitted(*args)] if jitted else [])]
    ratios = compare(thunks, rounds=21, target=0.01)
    print(f"per-example gradients, batch {BATCH}")
    print(f"  a loop takes {ratios[1]:7.1f} times as long (limit {LIMIT:.0f})   {'ok' if ratios[1] >= LIMIT else 'UNDER'}")
    if jitted:
        print(f"  jax.jit(vmap(grad)), rewritten, {ratios[2]:7.2f} times")
    return ratios[1] >= LIMIT


if __name__ == "__main__":
    main()

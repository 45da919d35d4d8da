"""JAX, in double precision, jitted; numbers that are int are known when it compiles, and arrays are on its device beforehand."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..workload import Workload
from .twins import function_for

__all__ = ["prepare"]


def prepare(workload: Workload, args: tuple[Any, ...]) -> Callable[[], Any]:
    """Runs the derivative and waits for it."""
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)
    f, argnums = function_for(workload, "jax", jnp), workload.argnums
    derivative = {
        "grad": lambda: jax.grad(f, argnums),
        "hessian": lambda: jax.hessian(f, argnums),
        "hvp": lambda: lambda x, v: jax.jvp(jax.grad(f), (x,), (v,))[1],
        "jacfwd": lambda: jax.jacfwd(f, argnums),
        "blocks": lambda: jax.vmap(jax.jacrev(f, argnums)),
    }[workload.transform]()
    fixed = tuple(k for k, a in enumerate(args) if isinstance(a, int))
    compiled = jax.jit(derivative, static_argnums=fixed)
    given = [a if k in fixed else jax.tree_util.tree_map(jnp.asarray, a) for k, a in enumerate(args)]
    return lambda: jax.block_until_ready(compiled(*given))

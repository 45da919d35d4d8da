"""Runs an expression in a library and says what came of it, in arrays."""
from __future__ import annotations

import contextlib
import dataclasses
import warnings
from typing import Any

import numpy as np

import transgrad

NAMES = ("x", "y", "v", "u", "w", "sq", "lower", "spd", "b3", "c3", "s", "z", "n")


def values() -> dict[str, Any]:
    """The inputs, in double precision."""
    rng = np.random.default_rng(11)

    def inner(*sizes: int) -> Any:
        return rng.uniform(0.25, 0.75, sizes)
    sq = inner(3, 3) + np.eye(3)
    signed = rng.normal(size=(3, 4))
    holes = inner(3, 4)
    holes[1, 2] = np.nan
    return {"x": inner(3, 4), "y": inner(3, 4), "v": inner(4), "u": inner(1, 4), "w": inner(2, 4), "sq": sq, "lower": np.tril(sq),
            "spd": sq @ sq.T + 2 * np.eye(3), "b3": inner(2, 3, 4), "c3": inner(2, 4, 3), "s": signed, "z": signed + 1j * inner(3, 4), "n": holes}


PLACES = {"idx": np.array([0, 2]), "I2": np.array([[0, 1, 2, 0]]), "m": np.arange(12).reshape(3, 4) % 3 > 0}


def cast(array: Any, dtype: str) -> Any:
    """An input in the precision that is tested; a complex one stays complex."""
    kind = dtype if array.dtype.kind != "c" else {"float64": "complex128", "float32": "complex64"}[dtype]
    return array.astype(kind)


def inputs(lib: Any, dtype: str, requires_grad: bool = True) -> dict[str, Any]:
    """Leaves of a library."""
    return {k: lib.tensor(cast(a, dtype), requires_grad=requires_grad) for k, a in values().items()}


def evaluate(lib: Any, program: str, leaves: dict[str, Any]) -> list[Any]:
    """The results of an expression, as a list."""
    lib.manual_seed(3)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        out = eval(program, {"torch": lib, **leaves, **{k: lib.tensor(a) for k, a in PLACES.items()}})
    return list(out) if isinstance(out, (tuple, list)) else [out]


def array(t: Any) -> Any:
    """The elements of a tensor of either library."""
    if isinstance(t, transgrad.Tensor):
        return t._array
    return t.detach().resolve_conj().resolve_neg().numpy(force=True)


@dataclasses.dataclass
class Seen:
    """What can be seen of a result."""

    value: Any
    dtype: str
    shape: tuple[int, ...]
    name: str | None
    view: bool
    strides: tuple[int, ...] | None
    requires_grad: bool


def seen(t: Any) -> Any:
    """What can be seen of a tensor; anything else as it is."""
    if not hasattr(t, "grad_fn"):
        return t
    name = None if t.grad_fn is None else t.grad_fn.name().rpartition("::")[2]
    view = t._is_view()
    return Seen(np.array(array(t)), str(t.dtype).replace("torch.", ""), tuple(t.shape), name, view, tuple(t.stride()) if view else None,
                t.requires_grad)


def loss(lib: Any, results: list[Any], seed: int) -> Any:
    """A real number that depends on all elements of the results."""
    rng, total = np.random.default_rng(seed), None
    for t in results:
        if hasattr(t, "grad_fn") and t.requires_grad:
            real = lib.view_as_real(t.resolve_conj()) if t.is_complex() else t
            term = (real.to(lib.float64) * lib.tensor(rng.uniform(0.5, 1.5, tuple(real.shape)))).sum()
            total = term if total is None else total + term
    return total


def gradients(lib: Any, program: str, dtype: str, order: int) -> dict[str, Any]:
    """Gradients of the loss by the inputs (and, of order 2, those of a loss of the gradients), where there are any."""
    leaves = inputs(lib, dtype)
    total = loss(lib, evaluate(lib, program, leaves), 5)
    names, found = list(leaves), {}
    for k in range(order):
        if total is None or not total.requires_grad:
            break
        with contextlib.ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            stack.enter_context(np.errstate(all="ignore"))
            warnings.simplefilter("ignore")
            grads = lib.autograd.grad(total, [leaves[n] for n in names], create_graph=k + 1 < order, allow_unused=True)
        found |= {f"{n}{k + 1}": np.array(array(g)) for n, g in zip(names, grads) if g is not None}
        total = loss(lib, [g for g in grads if g is not None], 6 + k)
    return found


def assert_same(mine: Any, theirs: Any, rtol: float, what: str) -> None:
    """Equal numbers to rounding; NaN equals NaN."""
    scale = float(np.max(np.abs(theirs[np.isfinite(theirs)]), initial=1.0))
    np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol * scale, equal_nan=True, err_msg=what)

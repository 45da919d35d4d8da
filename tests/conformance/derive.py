"""All derivatives of one expression: gradients, second derivatives, forward mode, and the node it leaves on the tape."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .observe import is_tensor, name_of

VALUES: dict[str, Any] = {
    "v": [0.63, -1.28, 1.91],
    "u": [1.5, 0.75, -0.5],
    "p": [0.2, 0.55, 0.85],
    "q": [1.5, 2.25, 3.75],
    "m": [[0.3, -1.1, 0.7], [1.9, 0.4, -0.6]],
    "n": [[1.2, 0.5, -0.8], [-0.4, 2.1, 0.9]],
    "a": [[2.0, 0.3, -0.5], [0.4, 1.5, 0.2], [-0.1, 0.6, 3.0]],
    "h": [[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 3.0]],
    "b": np.cos(np.arange(24.0) * 1.7).reshape(2, 3, 4).tolist(),
    "e": [3.0],
    "s": 0.7,
    "z": [0.5 + 1j, -1.25 - 0.5j, 2.0 + 0.25j],
    "w": [1.5 - 0.5j, 0.75 + 1.5j, -0.5 + 0.1j],
    "Z": [[1.0 + 0.5j, 0.2 - 1j], [0.3 + 0.1j, 2.0 - 0.5j]],
}
INDICES: dict[str, Any] = {
    "i": [2, 0, 2],
    "j": [[0, 2], [1, 1]],
    "J": [[0, 2, 1], [1, 1, 0]],
    "P": [[0, 2, 1], [1, 2, 0]],
    "k": [[True, False, True], [False, True, True]],
    "l": [True, False, True],
}


def names(text: str) -> list[str]:
    """The differentiable inputs that an expression reads."""
    return [name for name in VALUES if re.search(rf"(?<![\w.\"']){name}(?![\w\"'=(])", text)]


def inputs(torch: Any, chosen: list[str], dtype: str | None = None) -> list[Any]:
    real = getattr(torch, dtype or "float64")
    return [torch.tensor(VALUES[n], dtype=torch.complex128 if n in "zwZ" else real, requires_grad=True) for n in chosen]


def expression(torch: Any, text: str, chosen: list[str]) -> Callable[..., Any]:
    """The expression as a function of its differentiable inputs."""
    others = {n: torch.tensor(value) for n, value in INDICES.items()} | {"torch": torch, "np": np}
    code = compile(text, text, "eval")
    return lambda *xs: eval(code, {**others, **dict(zip(chosen, xs))})


def derivatives(torch: Any, text: str, dtype: str | None = None, second: bool = True, forward: bool = True, node: bool = True) -> dict[str, Any]:
    """The results of an expression with flags and nodes, and its derivatives in both modes and of both orders.

    ``node=False`` leaves the nodes out, for what is one primitive here and a composition there.
    """
    chosen = names(text)
    xs = inputs(torch, chosen, dtype)
    call = expression(torch, text, chosen)
    out = call(*xs)
    seen = {"out": out if node else _values(out)}
    outs = [o for o in (out if isinstance(out, (tuple, list)) else [out]) if is_tensor(o) and o.requires_grad]
    if not outs:
        return seen
    try:
        grads = torch.autograd.grad(outs, xs, [weights(torch, o) for o in outs], create_graph=second, allow_unused=True)
    except NotImplementedError:
        return seen | {"unsupported": True}
    seen["gradients"] = [None if g is None else g.detach().clone() for g in grads]
    if second:
        seen["second"] = second_order(torch, grads, xs)
    if forward:
        seen["forward"] = tangents(torch, call, xs)
    return seen


def _values(out: Any) -> Any:
    if isinstance(out, (tuple, list)):
        return [_values(o) for o in out]
    return [out.detach(), out.requires_grad] if is_tensor(out) else out


def weights(torch: Any, out: Any) -> Any:
    """A cotangent without symmetry."""
    count = int(np.prod(tuple(out.shape)))
    values = np.cos(np.arange(count) + 0.5)
    if out.is_complex():
        values = values + 0.5j * np.sin(np.arange(count) + 0.25)
    return torch.tensor(values, dtype=out.dtype).reshape(out.shape)


def second_order(torch: Any, grads: Any, xs: list[Any]) -> Any:
    used = [g for g in grads if g is not None and g.requires_grad]
    if not used:
        return [torch.zeros_like(x) for x in xs]
    try:
        found = torch.autograd.grad(used, xs, [weights(torch, g) for g in used], allow_unused=True, materialize_grads=True)
    except NotImplementedError:
        return {"unsupported": True}
    except RuntimeError as error:
        if "not implemented" in str(error) or "does not require grad" in str(error):
            return {"unsupported": True}
        raise
    return list(found)


def tangents(torch: Any, call: Callable[..., Any], xs: list[Any]) -> Any:
    forward_ad = torch.autograd.forward_ad
    with torch.no_grad(), forward_ad.dual_level():
        duals = [forward_ad.make_dual(x.detach().clone(), weights(torch, x)) for x in xs]
        try:
            out = call(*duals)
        except NotImplementedError:
            return {"unsupported": True}
        outs = out if isinstance(out, (tuple, list)) else [out]
        return [forward_ad.unpack_dual(o).tangent if is_tensor(o) and name_of(o.dtype)[0] in "fcb" else None for o in outs]


def by_differences(torch: Any, text: str) -> dict[str, bool]:
    """Whether the tangent of an expression is the slope of its values, and the gradient agrees with the tangent."""
    chosen = names(text)
    xs, call = inputs(torch, chosen), expression(torch, text, chosen)
    directions = [weights(torch, x) for x in xs]
    step = 1e-6
    with torch.no_grad():
        there, back = (call(*(x + sign * step * t for x, t in zip(xs, directions))).numpy() for sign in (1, -1))
    slope = (there - back) / (2 * step)
    tangent = tangents(torch, call, xs)[0].numpy()
    cotangent = weights(torch, call(*xs))
    gradients = torch.autograd.grad(call(*xs), xs, cotangent)
    forward = np.sum(np.conj(cotangent.numpy()) * tangent).real
    reverse = sum(np.sum(np.conj(g.numpy()) * t.numpy()).real for g, t in zip(gradients, directions))
    return {"the tangent is the slope": bool(np.allclose(tangent, slope, atol=1e-6)), "the gradient agrees": bool(np.isclose(forward, reverse))}

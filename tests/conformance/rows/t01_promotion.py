"""T1: dtypes of results."""
from __future__ import annotations

import itertools

from ..collect import each
from ..observe import name_of

NAMES = ("bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128")


@each(
    "x + y", "x * y", "torch.maximum(x.real, y.real)", "torch.where(x == x, x, y)", "x == y", "torch.cat([x, y])", "torch.stack([x, y])",
    "torch.result_type(x, y)",
)
def of_two_tensors(torch, text):
    return _table(torch, text, lambda a, b: {"x": torch.ones(2, dtype=a), "y": torch.ones(2, dtype=b)})


@each("x + y", "x * y", "x / y", "x == y")
def with_a_zero_dim_tensor(torch, text):
    return _table(torch, text, lambda a, b: {"x": torch.ones(2, dtype=a), "y": torch.ones((), dtype=b)})


def _table(torch, text, values):
    seen = {}
    for a, b in itertools.product(NAMES, NAMES):
        if {a[-2:], b[-2:]} & {"16"} and "complex" in a + b:
            continue
        scope = values(getattr(torch, a), getattr(torch, b))
        try:
            result = eval(text, {"torch": torch, **scope})
            seen[f"{a} {b}"] = name_of(getattr(result, "dtype", result))
        except (RuntimeError, TypeError):
            seen[f"{a} {b}"] = "refused"
    return seen


@each(
    "x + 1", "x + 1.5", "x + 1j", "x * True", "x / 2", "2 / x", "x // 2", "x % 2", "x ** 2", "x ** 0.5", "2 ** x", "2.0 ** x", "-x",
    "abs(x)", "x == 1", "x.sum()", "x.mean()", "x.prod()", "x.cumsum(0)", "x.sin()", "x.exp()", "x.sqrt()", "x.sigmoid()", "x.std()",
    "x.max()", "x.argmax()", "x.softmax(0)", "x.norm()", "x.floor()", "x.round()", "x.sign()", "x.reciprocal()", "x.atan2(x)",
    "x.clamp(0, 1)", "x.clamp(0.0, 1.5)", "x @ x", "x.any()", "x.logical_not()", "x.relu()", "x.pow(2)", "x.square()", "x.var()",
    "x.median()", "x.angle()", "x.real", "x.conj()", "torch.where(x == x, x, 0)", "torch.where(x == x, 1.5, x)", "torch.full_like(x, 1)",
    "x.masked_fill(x == x, 2)", "x.lerp(x, 0.5)", "x.trunc()", "torch.true_divide(x, x)", "x.float()", "x.double()", "x.half()",
    "x.bfloat16()", "x.long()", "x.bool()", "x.cfloat()", "x.sum(dtype=torch.float64)", "x.logsumexp(0)", "x.outer(x)",
)
def of_one(torch, text):
    seen = {}
    for a in NAMES:
        if a[-2:] == "16" and "1j" in text:
            continue
        try:
            seen[a] = name_of(eval(text, {"torch": torch, "x": torch.ones(2, dtype=getattr(torch, a))}).dtype)
        except (RuntimeError, TypeError):
            seen[a] = "refused"
    return seen


@each("x += y", "x *= y", "x /= y", "x -= y", "x **= y", "x[:] = y", "x.copy_(y)")
def in_place(torch, text):
    """An in-place result keeps its dtype, or the operation is refused."""
    seen = {}
    for a, b in itertools.product(NAMES, NAMES):
        scope = {"torch": torch, "x": torch.ones(2, dtype=getattr(torch, a)), "y": torch.ones(2, dtype=getattr(torch, b))}
        try:
            exec(text, scope)
            seen[f"{a} {b}"] = name_of(scope["x"].dtype)
        except (RuntimeError, TypeError):
            seen[f"{a} {b}"] = "refused"
    return seen


def gradients_have_the_dtype_of_their_input(torch):
    seen = []
    for a, b in itertools.product(("float16", "bfloat16", "float32", "float64", "complex64"), repeat=2):
        x, y = (torch.ones(2, dtype=getattr(torch, n), requires_grad=True) for n in (a, b))
        out = (x * y).sum()
        (out.abs() if out.is_complex() else out).backward()
        seen.append([name_of(out.dtype), name_of(x.grad.dtype), name_of(y.grad.dtype)])
    return seen


@each(
    "np.sqrt(2) * x", "np.sqrt(2) + x", "np.sqrt(2) - x", "np.float64(2) / x", "np.float64(2) ** x", "np.float64(2) > x", "np.float64(2) == x", "np.int64(2) * x",
    "np.int64(2) * n", "np.float64(2) * n", "np.float32(2) * x.double()", "np.complex128(2j) * x", "x * np.sqrt(2)", "x / np.int64(2)",
)
def numbers_of_numpy(torch, text):
    """A NumPy scalar beside a tensor is a number, on either side: it does not make float64 of float32"""
    import numpy as np

    return eval(text, {"np": np, "x": torch.tensor([1.0, 2.0, 4.0], requires_grad=True), "n": torch.tensor([1, 2, 3])})

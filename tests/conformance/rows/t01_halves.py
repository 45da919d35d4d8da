"""T1: numbers of 16 bits are computed with in 32, and rounded once."""
from __future__ import annotations

from ..collect import each

DTYPES = ("bfloat16", "float16")


def _thousand(torch, dtype):
    """Numbers whose running sum outgrows the precision of their dtype."""
    return (torch.arange(1000.0) % 7 + 1).to(getattr(torch, dtype))


@each(*(f"{text} | {dtype}" for dtype in DTYPES for text in (
    "x.sum()", "x.mean()", "x.var()", "x.std(unbiased=False)", "x.cumsum(0)[-1]", "x.norm()", "x.softmax(0).sum()", "x.logsumexp(0)", "(x / 8).sigmoid()[:9]",
    "x @ x / 64", "x.view(10, 100).sum(1, keepdim=True)", "x.view(10, 100) @ x[:100]", "torch.einsum('i,i', x, x / 64)", "x.view(10, 100).mean(0)[:5]",
    "x.lerp(x * 2, 0.3)[:9]", "x.nan_to_num()[:3]",
)))
def sums(torch, text):
    text, _, dtype = text.partition(" | ")
    return eval(text, {"torch": torch, "x": _thousand(torch, dtype)})


@each(*(f"{text} | {dtype}" for dtype in DTYPES for text in (
    "x + b", "x * b", "b.expand(1000)", "x[:, None] + b.view(1)", "(x / b).relu()", "x.view(1000, 1) @ b.view(1, 1)", "torch.where(x > 2, x, b)",
)))
def gradient_of_what_broadcasts(torch, text):
    text, _, dtype = text.partition(" | ")
    b = torch.ones(1, dtype=getattr(torch, dtype), requires_grad=True)
    y = eval(text, {"torch": torch, "b": b, "x": _thousand(torch, dtype) / 8})
    y.backward(torch.ones(y.shape, dtype=y.dtype))
    return b.grad

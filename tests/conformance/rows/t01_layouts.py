"""T1: in which order the elements of a result lie."""
from __future__ import annotations

from ..collect import each


@each(
    "a * b", "b * a", "a + b", "a + torch.ones(3)", "torch.ones(3) * a", "torch.maximum(b, a)", "torch.where(a > 0, a, b)", "torch.where(a > 0, b, a)",
    "a.clone()", "torch.addcmul(b, a, a)", "torch.addcmul(a, b, b)", "b + a.sum(0)", "a[:, :1] * b", "b * a[:1]", "a.exp()", "a.float()", "a.double()",
    "a.cumsum(0)", "a.softmax(0)", "a.log_softmax(1)", "a.flip(0)", "a.sum(0)", "a.sum(1)", "a.mean(1)", "a.prod(1)", "a.amax(1)", "a.std(1)",
    "torch.stack([a, a])", "torch.cat([a, a])", "a.clamp(0, 1)", "a.contiguous()", "torch.zeros_like(a)", "a ** 2", "a ** b", "2 - a", "a > b", "b > a",
    "a.relu()", "a.sigmoid()", "a.lerp(b, 0.5)", "b.lerp(a, 0.5)", "a.permute(1, 0, 2) * b.permute(1, 0, 2)", "a[::2] * 1", "a[:, :, ::2] * b[:, :, ::2]",
    "a.expand(2, 4, 2, 3) * 1", "b[:1].expand(4, 2, 3) * a", "a.t_ and a.mT * 1", "b.mT + b.mT", "b.mT + a.mT", "a.atan2(b)", "a.abs()", "-a",
    "a[0] * b[:, :, :1]", "b[0] * a", "torch.hypot(a, b)", "b.transpose(0, 2) + torch.ones(1)",
)
def strides_of_results(torch, text):
    a = torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1)
    y = eval(text, {"torch": torch, "a": a, "b": torch.ones(4, 2, 3)})
    return list(y.shape), [s for s, n in zip(y.stride(), y.shape) if n > 1], y.is_contiguous()

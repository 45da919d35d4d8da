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
    "a.sort(0)[0]", "a.argsort(-1)", "a[[0, 1]]", "a[:, [1, 0]]", "a[..., [0, 1]]", "a[[0, 1], [1, 0]]", "a[a[:, 0, 0] > 0]", "a[[0, 1], :, [1, 0]]",
    "a[::2, [0, 1]]", "b[:, torch.tensor([[0, 1], [1, 0]]).t()]", "a.rot90()", "a.rot90(2, (0, 2))", "a.topk(1, 1)[0]", "a.index_fill(1, torch.tensor([0]), 1)",
    "torch.rand_like(a)", "torch.full_like(a, 2)", "a.nansum(0)", "a.all(0)", "a.aminmax(dim=0)[0]", "a.logsumexp(0)", "a[:, ::2].logsumexp(0)",
    "a.select_scatter(b[0], 0, 0)", "a.put(torch.tensor([0]), torch.tensor([1.0]))", "torch.gradient(a, dim=0)[0]",
    "a[0] * b[:, :, :1]", "b[0] * a", "torch.hypot(a, b)", "b.transpose(0, 2) + torch.ones(1)",
)
def strides_of_results(torch, text):
    a = torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1)
    y = eval(text, {"torch": torch, "a": a, "b": torch.ones(4, 2, 3)})
    return list(y.shape), [s for s, n in zip(y.stride(), y.shape) if n > 1], y.is_contiguous()


@each("torch.cat([a, b])", "torch.cat([a, b], 1)", "torch.cat([a, b], 3)", "torch.cat([a, c])", "torch.cat([c, a])", "torch.cat([a])",
      "torch.cat([a, one], 1)", "torch.cat([one, one], 1)", "torch.cat([c.transpose(1, 2), c.transpose(1, 2)])", "torch.cat([v, v], 1)",
      "torch.cat([a[:, :2], a[:, 2:]], 1)", "torch.cat([a[..., ::2], a[..., ::2]], 1)", "torch.cat([a, b.double()])", "torch.hstack([a, b])",
      "torch.cat([torch.ones(1, 1, 4, 5), torch.ones(1, 1, 4, 5)])", "torch.cat([torch.ones(2, 3, 1, 1), torch.ones(2, 3, 1, 1)], 1)",
      "one", "one.to(memory_format=torch.contiguous_format)", "c.to(memory_format=torch.channels_last)", "v.contiguous()", "a.roll(1, 0)",
      "torch.nn.functional.pad(a, (1, 1))", "torch.nn.functional.pad(c, (1, 1))", "torch.cat([a[:1], a[1:]]).exp() + a")
def strides_with_channels_last(torch, text):
    """What joins, pads or rolls images whose channels are last has them last."""
    c = torch.arange(120.0).reshape(2, 3, 4, 5)
    a = c.to(memory_format=torch.channels_last)
    one = torch.ones(2, 1, 4, 5).to(memory_format=torch.channels_last)
    v = torch.arange(240.0).reshape(2, 3, 4, 5, 2).to(memory_format=torch.channels_last_3d)
    y = eval(text, {"torch": torch, "a": a, "b": a + 1, "c": c, "one": one, "v": v})
    return list(y.shape), list(y.stride()), y.is_contiguous(), y


@each("e.sort(0)[0]", "e.flip(0)", "e[[0, 1]]", "e[:, [0, 1]]", "e.index_fill(0, torch.tensor([0]), 1)", "torch.zeros_like(e)", "torch.rand_like(e)",
      "e.rot90()", "e.topk(1, 0)[0]", "e.select_scatter(e[0], 0, 0)", "e.logsumexp(0)", "e + 1", "e.clone()", "e.masked_fill(e > 2, 0)")
def strides_of_what_was_expanded(torch, text):
    y = eval(text, {"torch": torch, "e": torch.arange(6.0).reshape(2, 3).t().expand(2, 3, 2)})
    return list(y.shape), [s for s, n in zip(y.stride(), y.shape) if n > 1]


@each(
    "torch.linalg.inv(s)", "torch.linalg.inv(b)", "torch.linalg.solve(s, r)", "torch.linalg.solve(s, r[:, 0])", "torch.linalg.solve(b, b)",
    "torch.linalg.solve(s, r.mT, left=False)", "torch.linalg.cholesky(p)", "torch.linalg.cholesky(p, upper=True)", "torch.linalg.qr(r)",
    "torch.linalg.qr(r, mode='complete')", "torch.linalg.qr(b)", "torch.linalg.svd(r, full_matrices=False)", "torch.linalg.svd(b)", "torch.svd(r)",
    "torch.linalg.eigh(p)", "torch.linalg.eigh(b @ b.mT)", "torch.linalg.eig(s)", "torch.linalg.lu(s)", "torch.linalg.lu_factor(s)",
    "torch.linalg.pinv(r)", "torch.linalg.matrix_exp(s)", "torch.linalg.matrix_power(s, -2)", "torch.cholesky_inverse(torch.linalg.cholesky(p))",
    "torch.cholesky_solve(r, torch.linalg.cholesky(p))", "torch.linalg.solve_triangular(s.triu(), r, upper=True)", "torch.linalg.inv_ex(s)",
    "torch.lu_solve(r, *torch.linalg.lu_factor(s))", "torch.linalg.svdvals(b)", "torch.linalg.multi_dot([s, s, r])",
)
def strides_of_factors(torch, text):
    """LAPACK's matrices are column-major."""
    s = torch.tensor([[3.0, 1.0, 0.5], [0.2, 4.0, 1.0], [0.3, 0.1, 5.0]])
    r = torch.tensor([[1.0, 2.0], [3.0, 5.0], [0.5, 0.7]])
    found = eval(text, {"torch": torch, "s": s, "r": r, "p": s @ s.t(), "b": torch.stack([s, s + 1])})
    return [[list(y.shape), list(y.stride())] for y in (found if isinstance(found, tuple) else (found,))]

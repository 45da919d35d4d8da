"""T1: reductions, cumulative operations, sorting."""
from __future__ import annotations

from ..collect import each
from ..derive import derivatives


@each(
    "v.sum()", "m.sum(0)", "m.sum(dim=1, keepdim=True)", "m.sum(axis=1, keepdims=True)", "b.sum((0, 2))", "b.sum(dim=[0, -1])",
    "torch.sum(m, 1)", "m.sum(dtype=torch.float32)", "s.sum()", "m.mean()", "m.mean(1)", "m.mean(dim=0, keepdim=True)", "b.mean((1, 2))",
    "m.prod()", "m.prod(1)", "m.prod(0, keepdim=True)", "m.nansum()", "m.nanmean()", "m.nanmean(1)", "m.std()", "m.std(1)",
    "m.std(dim=1, unbiased=False)", "m.std(1, correction=0)", "m.var()", "m.var(1, keepdim=True)", "m.var(unbiased=False)",
    "b.var((0, 2))", "torch.var_mean(m)", "torch.var_mean(m, 1)", "torch.std_mean(m, dim=0)", "torch.var_mean(m, dim=1, unbiased=False)",
    "m.norm()", "m.norm(1)", "m.norm(dim=1)", "m.norm(p=1, dim=0)", "m.norm(p=3, dim=1, keepdim=True)", "m.norm(float('inf'))",
    "m.norm('fro')", "m.norm(p=0)", "torch.norm(m, 2, 1)", "m.logsumexp(1)", "m.logsumexp(0, keepdim=True)", "b.logsumexp((0, 1))",
    "torch.logsumexp(m, -1)", "m.count_nonzero()", "m.any()", "m.all()", "k.any(1)", "k.all(0)", "k.sum()", "i.sum()", "i.prod()",
    "k.sum(1)", "i.float().mean()", "m.renorm(2, 0, 1.0)", "m.dist(n, 3)", "m.trace()", "a.trace()", "m.aminmax()", "m.aminmax(dim=1)",
)
def reductions(torch, text):
    return derivatives(torch, text)


@each(
    "m.max()", "m.min()", "m.max(1)", "m.max(dim=1, keepdim=True)", "m.min(0)", "m.max(1).values", "m.max(1)[0]", "m.amax()", "m.amin()",
    "m.amax(1)", "m.amax((0, 1), keepdim=True)", "m.amin(0)", "torch.max(m)", "torch.max(m, 1)", "torch.min(m, dim=0)", "torch.amax(m, 0)",
    "m.argmax()", "m.argmax(1)", "m.argmin(dim=0, keepdim=True)", "m.median()", "m.median(1)", "m.median(dim=0, keepdim=True)",
    "m.nanmedian()", "m.mode(1)", "m.kthvalue(2)", "m.kthvalue(2, dim=0)", "(m*0).max()", "(m*0).amax()", "(m*0).amin(1)", "(m*0).max(1)",
    "(m*0).median()", "(m*0).min()",
)
def selections(torch, text):
    return derivatives(torch, text)


@each(
    "v.sort()", "m.sort(0)", "m.sort(dim=1, descending=True)", "m.sort(1).values", "m.sort(stable=True, dim=0)", "torch.sort(m, 1)",
    "m.argsort()", "m.argsort(0, descending=True)", "m.msort()", "m.topk(2)", "m.topk(1, dim=0)", "m.topk(2, largest=False)",
    "torch.topk(m, 2, 1)", "m.topk(2).indices", "i.sort()", "i.unique()", "i.unique(return_counts=True)", "m.cumsum(0)", "m.cumsum(dim=1)",
    "torch.cumsum(m, 1)", "m.cumprod(1)", "m.cumprod(dim=0)", "m.cummax(1)", "m.cummin(0)", "m.logcumsumexp(1)", "m.diff()",
    "m.diff(dim=0)", "m.diff(n=2)", "torch.cumulative_trapezoid(m)", "i.bincount()", "torch.histc(m, 3)", "torch.searchsorted(q, v)",
    "torch.bucketize(v, q)", "i.cumsum(0)", "k.cumsum(1)", "torch.unique_consecutive(i)", "m.cov()", "m.corrcoef()",
)
def ordered(torch, text):
    return derivatives(torch, text)


@each(
    "m.quantile(0.4)", "m.quantile(0.4, dim=1)", "m.nanquantile(0.3)", "torch.trapezoid(m)", "torch.trapz(m, dx=0.5)",
)
def compositions(torch, text):
    """Operations that PyTorch composes of others, with nodes of its own choice."""
    return derivatives(torch, text, node=False)

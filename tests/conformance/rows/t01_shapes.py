"""T1: shapes, views, joining."""
from __future__ import annotations

from ..collect import each
from ..derive import derivatives


@each(
    "m.view(3, 2)", "m.view(-1)", "m.view((6,))", "m.view(torch.int64).shape", "m.view_as(a[:2])", "m.reshape(3, 2)", "m.reshape(-1)",
    "m.T.reshape(6)", "m.T.reshape(2, 3)", "m.reshape_as(a[:2])", "m.flatten()", "b.flatten(1)", "b.flatten(0, 1)",
    "b.flatten(start_dim=1)", "m.ravel()", "m.T.ravel()", "v.unflatten(0, (3, 1))", "m.t()", "m.T", "m.mT", "m.H", "m.adjoint()", "b.mT",
    "m.transpose(0, 1)", "b.transpose(1, -1)", "torch.transpose(m, 0, 1)", "b.permute(2, 0, 1)", "b.permute((1, 0, 2))",
    "torch.permute(b, (2, 1, 0))", "b.movedim(0, 2)", "b.moveaxis(0, 1)", "b.swapaxes(0, 1)", "b.swapdims(0, 2)", "v.unsqueeze(0)",
    "v.unsqueeze(-1)", "torch.unsqueeze(v, 1)", "e.squeeze()", "m[None].squeeze(0)", "m[None].squeeze()",
    "m[None, :, None].squeeze((0, 2))", "v.expand(2, 3)", "v.expand(2, -1)", "e.expand(3)", "v.expand_as(m)", "v.broadcast_to((2, 3))",
    "torch.broadcast_to(v, (2, 3))", "torch.broadcast_tensors(v, m)", "s.expand(2, 2)", "m.narrow(1, 0, 2)", "torch.narrow(m, 0, 1, 1)",
    "m.select(1, 2)", "m.select(dim=0, index=-1)", "torch.select(m, 0, 0)", "m.diagonal()", "b.diagonal(1, 0, 2)", "a.diagonal(offset=-1)",
    "m.unbind()", "m.unbind(1)", "torch.unbind(m, 0)", "m.split(1)", "b.split(2, dim=2)", "b.split([1, 3], 2)", "m.chunk(2)",
    "b.chunk(3, dim=1)", "m.tensor_split(2)", "b.hsplit(3)", "b.vsplit(2)", "v.unfold(0, 2, 1)", "m.unfold(1, 2, 1)",
    "m.as_strided((2, 2), (1, 2))", "torch.as_strided(m, (2,), (2,), 1)", "m.contiguous()", "m.T.contiguous()", "v.view_as(v)",
    "m.squeeze(1)", "m.detach()", "torch.atleast_2d(v)", "torch.atleast_1d(s)", "torch.atleast_3d(m)", "torch.swapaxes(m, 0, 1)",
)
def views(torch, text):
    return derivatives(torch, text)


@each(
    "torch.cat([v, u])", "torch.cat((m, n), 1)", "torch.cat([m, n], dim=0)", "torch.cat([v, v])", "torch.concat([v, u])",
    "torch.concatenate([v, u], dim=0)", "torch.stack([v, u])", "torch.stack((v, u), 1)", "torch.stack([v, u], dim=-1)",
    "torch.hstack([m, n])", "torch.vstack([v, u])", "torch.dstack([m, n])", "torch.column_stack([v, u])", "v.repeat(2)", "m.repeat(2, 1)",
    "v.repeat(2, 2)", "m.tile((2,))", "torch.tile(v, (2, 1))", "v.repeat_interleave(2)", "m.repeat_interleave(2, dim=1)",
    "v.repeat_interleave(i)", "m.flip(0)", "m.flip((0, 1))", "m.fliplr()", "m.flipud()", "torch.flip(m, [1])", "m.roll(1)", "m.roll(1, 0)",
    "m.roll((1, 2), (0, 1))", "m.rot90()", "m.rot90(2)", "a.tril()", "a.triu(1)", "a.tril(diagonal=-1)", "torch.triu(a)", "v.diag()",
    "a.diag()", "a.diag(1)", "v.diag_embed()", "v.diagflat()", "torch.block_diag(m, a)", "torch.meshgrid(v, u, indexing='ij')",
    "torch.cartesian_prod(v, u)", "v.clone()", "m.T.clone()", "v.to(torch.float32)", "v.float()", "v.double()", "v.half()", "v.long()",
    "v.bool()", "v.int()", "v.to(v)", "v.type(torch.float32)", "v.cfloat()", "v.cdouble()", "v.bfloat16()", "v.to(torch.complex128)",
    "v.type_as(i)", "v.cpu()", "v.to('cpu')", "v.to(torch.float64)", "i.to(torch.float64)", "v.new_zeros(2)", "v.new_ones((2, 2))",
    "v.new_full((2,), 3.0)", "v.new_empty(0)", "v.new_tensor([1.0])", "torch.zeros_like(v)", "torch.ones_like(m)", "torch.full_like(v, 2)",
    "torch.empty_like(v).shape", "torch.rand_like(v).shape", "torch.nn.functional.pad(v, (1, 1))", "torch.take(m, i)", "v.tolist()",
    "v[:0].sum()", "torch.cat([v[:0], u])",
)
def joined(torch, text):
    return derivatives(torch, text)


@each(
    "torch.combinations(v)",
)
def compositions(torch, text):
    """Operations that PyTorch composes of others, with nodes of its own choice."""
    return derivatives(torch, text, node=False)

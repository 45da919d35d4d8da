"""T1: the operations that no other table names, with all their derivatives."""
from __future__ import annotations

from ..collect import each
from ..derive import derivatives


@each(
    "m.narrow_copy(1, 0, 2)", "m.split_with_sizes([1, 2], 1)[1]", "m.sum_to_size(1, 3)",
    "torch.row_stack([m, n])", "m.clone().divide_(n)", "m.clone().multiply_(n)", "m.clone().subtract_(n)", "p.clone().arcsin_()", "p.clone().arccos_()",
    "v.clone().arctan_()", "v.clone().arcsinh_()", "q.clone().arccosh_()", "q.clone().acosh_()", "p.clone().arctanh_()", "v.clone().arctan2_(u)",
    "v.clone().ldexp_(u)", "v.clone().fix_()", "v.clone().le_(u)", "v.clone().ne_(u)", "v.clone().not_equal_(0)",
    "v.clone().greater_equal_(u)", "torch.nn.functional.pad(m, (1, 1))",
)
def the_rest(torch, text):
    return derivatives(torch, text)


@each(
    "torch.constant_pad_nd(m, (1, 2, 0, 1), 0.5)", "torch.constant_pad_nd(b, (-1, 2))", "torch.constant_pad_nd(z, (2, -1), 1j)",
    "torch.cosine_similarity(m, n)", "torch.cosine_similarity(m, n, dim=0, eps=1e-6)", "torch.cosine_similarity(b, n[:, :, None], 1)",
    "b.dsplit(2)[1]", "torch.dsplit(b, [1, 3])", "torch.dsplit(b * (1 + 0.5j), 2)[0]",
    "torch.frobenius_norm(m, (0, 1))", "torch.frobenius_norm(b, (1,), keepdim=True)", "torch.frobenius_norm(Z, (0, 1))",
    "torch.nuclear_norm(m)", "torch.nuclear_norm(b, (0, 2), keepdim=True)", "torch.nuclear_norm(Z)",
    "m.index_reduce(1, i[:2], n[:, :2], 'prod')", "m.index_reduce(1, i, n, 'mean')", "torch.index_reduce(m, 1, i, n, 'amax', include_self=False)",
    "torch.index_reduce(v, 0, i, u, 'amin')", "torch.index_reduce(q, 0, i, u, 'prod', include_self=False)",
    "torch.lu_unpack(*torch.linalg.lu_factor(a))[1:]", "torch.lu_unpack(*torch.linalg.lu_factor(m))[1]", "torch.lu_unpack(*torch.linalg.lu_factor(Z))[2]",
    "torch.lu_solve(m.T, *torch.linalg.lu_factor(a))", "m.mT.lu_solve(*torch.linalg.lu_factor(a))", "torch.lu_solve(Z.T, *torch.linalg.lu_factor(Z))",
    "torch.linalg.lu_solve(*torch.linalg.lu_factor(a), m, left=False, adjoint=True)",
    "torch.linalg.lu(m)[2]", "torch.linalg.lu(torch.stack([m, n]).mT)[1]", "torch.linalg.lu_factor(torch.stack([m, n]))[0]", "torch.linalg.lu_factor(m.T)[0]",
    "torch.linalg.lu(Z[:1])[2]", "torch.orgqr(a, v)", "a.orgqr(v[:2])", "torch.orgqr(Z, z[:2])", "torch.pdist(a)", "torch.pdist(m, 1)", "torch.nn.functional.pdist(a, 3.5)",
)
def factors_norms_and_slices(torch, text):
    return derivatives(torch, text, node=False)

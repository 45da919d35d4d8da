"""T1: products and linear algebra."""
from __future__ import annotations

from ..collect import each, ours
from ..derive import by_differences, derivatives


@each(
    "m.matmul(a)", "m @ v", "v @ u", "m.mm(a)", "torch.mm(m, a)", "m.mv(v)", "torch.mv(a, v)", "v.dot(u)", "torch.dot(v, u)", "v.vdot(u)",
    "v.outer(u)", "torch.outer(v, p)", "v.ger(u)", "b.bmm(b.mT)", "torch.bmm(b, b.transpose(1, 2))", "m.addmm(m, a)",
    "m.addmm(n, a, beta=0.5, alpha=2)", "torch.addmm(v, m, a)", "v.addmv(a, u)", "a.addr(v, u)", "torch.baddbmm(b @ b.mT, b, b.mT)",
    "torch.addbmm(a, b, b.mT)", "m.kron(n)", "torch.kron(v, u)", "v.cross(u)", "torch.cross(m, n, dim=1)", "torch.linalg.cross(v, u)",
    "torch.cdist(m, n)", "torch.trace(a)", "torch.linalg.vecdot(m, n)", "torch.nn.functional.linear(m, a, v)",
)
def products(torch, text):
    return derivatives(torch, text)


@each(
    "a.det()", "torch.det(a)", "torch.linalg.det(a)", "a.logdet()", "a.slogdet()", "torch.linalg.slogdet(a)", "a.inverse()",
    "torch.inverse(a)", "torch.linalg.inv(a)", "a.pinverse()", "torch.linalg.pinv(m)", "torch.linalg.solve(a, v)",
    "torch.linalg.solve(a, h)", "torch.linalg.solve_triangular(a, h, upper=True)", "torch.linalg.lstsq(a, h).solution",
    "((h + h.T) / 2).cholesky()", "torch.linalg.cholesky((h + h.T) / 2)", "torch.linalg.cholesky((h + h.T) / 2, upper=True)",
    "v[:, None].cholesky_solve(h.tril())", "torch.linalg.qr(a)", "a.qr()", "torch.linalg.eigh((h + h.T) / 2).eigenvalues",
    "torch.linalg.eigh((h + h.T) / 2)[1].abs()", "torch.linalg.eigvalsh((h + h.T) / 2)", "torch.linalg.eigvals(a).abs().sum()",
    "torch.linalg.svd(m).S", "m.svd()[1]", "torch.linalg.svd(m, full_matrices=False)[1]", "torch.linalg.norm(m)",
    "torch.linalg.norm(m, 'nuc')", "torch.linalg.norm(m, 2)", "torch.linalg.norm(v, 1)", "torch.linalg.vector_norm(m, 3, dim=1)",
    "torch.linalg.vector_norm(m)", "torch.linalg.matrix_norm(m)", "torch.linalg.matrix_power(a, 3)", "a.matrix_power(2)", "a.matrix_exp()",
    "torch.linalg.matrix_exp(a)", "torch.linalg.lu_factor(a)[0]", "torch.linalg.matrix_rank(a)", "torch.linalg.diagonal(a)",
    "torch.linalg.householder_product(a, v)", "a.matrix_exp().trace()", "torch.linalg.inv(torch.stack([a, h]))",
    "torch.linalg.det(torch.stack([a, h]))", "torch.linalg.solve(torch.stack([a, h]), m)", "torch.linalg.matrix_norm(m, 'nuc')",
    "torch.linalg.matrix_norm(m, 1)",
)
def decompositions(torch, text):
    return derivatives(torch, text)


@each(
    "torch.fft.fft(v)", "torch.fft.ifft(z)", "torch.fft.rfft(v)", "torch.fft.irfft(z)", "torch.fft.irfft(z, n=4)", "torch.fft.fft(z, n=4)",
    "torch.fft.fft(m, dim=0)", "torch.fft.fft(v, norm='ortho')", "torch.fft.fft2(m)", "torch.fft.ifft2(m)", "torch.fft.fftn(b)",
    "torch.fft.ifftn(b, dim=(0, 1))", "torch.fft.rfft2(m)", "torch.fft.irfft2(m + 0j)", "torch.fft.rfftn(b)", "torch.fft.hfft(z)",
    "torch.fft.fftshift(m)", "torch.fft.ifftshift(m, dim=1)", "torch.fft.fftfreq(4)", "torch.fft.rfftfreq(4, 0.5)",
    "torch.fft.ifft(torch.fft.fft(v)).real",
)
def transforms(torch, text):
    return derivatives(torch, text)


@each(
    "b @ b.mT", "v @ a", "torch.matmul(a, b)", "v.inner(u)", "m.inner(n)", "torch.einsum('ij,jk->ik', m, a)",
    "torch.einsum('ij,kj->', m, n)", "torch.einsum('bij,bkj->bik', b, b)", "torch.einsum('ii->i', a)", "torch.einsum('ii', a)",
    "torch.einsum('i,j', v, u)", "torch.einsum('...i,i->...', m, v)", "torch.einsum('ij->ji', m)", "torch.tensordot(m, a, 1)",
    "torch.tensordot(m, n, dims=([0, 1], [0, 1]))", "torch.chain_matmul(m, a, a)", "torch.linalg.multi_dot([m, a, v])",
    "torch.linalg.svdvals(m)", "torch.linalg.cond(a)", "torch.linalg.lu(a)[1]", "torch.linalg.vander(v)",
    "torch.linalg.tensorinv(a.reshape(3, 3), ind=1)", "torch.fft.ihfft(v)",
)
def compositions(torch, text):
    """Operations that PyTorch composes of others, with nodes of its own choice."""
    return derivatives(torch, text, node=False)


@ours
@each("torch.triangular_solve(h, a).solution", "torch.cholesky_inverse(h.tril())")
def tangents_by_differences(torch, text):
    """Tangents that PyTorch 2.13 gets wrong."""
    return by_differences(torch, text)

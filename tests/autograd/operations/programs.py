"""Expressions that mean the same here and in PyTorch, by family.

Inputs: ``x``, ``y`` (3, 4), ``v`` (4,), ``u`` (1, 4), ``w`` (2, 4), ``sq``, ``lower`` and ``spd`` (3, 3), ``b3`` (2, 3, 4) and ``c3`` (2, 4, 3), all in
(0.25, 0.75) but for what makes ``sq`` and ``spd`` regular; ``s`` (3, 4) of both signs; ``z`` (3, 4) complex; ``n`` (3, 4) with a NaN;
``idx``, ``I2``, ``m``: places, places along dimension 1, a mask.
"""
from __future__ import annotations

UNARY = """
x.abs() s.abs() x.absolute() x.acos() x.arccos() torch.acos(x) (x+1).acosh() x.asin() x.asinh() x.atan() x.atanh() x.ceil() s.ceil() x.cos()
x.cosh() x.deg2rad() x.digamma() x.erf() x.erfc() x.erfinv() x.exp() torch.exp(input=x) x.exp2() x.expm1() s.fix() s.floor() s.frac() x.i0()
x.lgamma() x.log() x.log10() x.log1p() x.log2() x.logit() x.logit(0.3) x.mvlgamma(1) (x+1).mvlgamma(2) n.nan_to_num() s.neg() s.negative()
x.polygamma(1) torch.polygamma(2,x) s.positive() +s -s abs(s) x.rad2deg() x.reciprocal() s.relu() s.round() s.round(decimals=1) x.rsqrt() s.sgn()
s.sigmoid() s.sign() s.sin() s.sinc() s.sinh() x.sqrt() s.square() s.tan() s.tanh() s.trunc() s.angle() torch.celu(s) torch.celu(s,0.7)
torch.selu(s) torch.threshold(s,0.1,3.) s.hardshrink() s.hardshrink(0.2) torch.prelu(s,v) s.prelu(v[:1]) torch.special.entr(x) torch.special.expit(x)
torch.special.erfcx(x) torch.special.log_ndtr(x) torch.special.ndtri(x) torch.special.i0e(x) torch.special.i1(x) torch.special.i1e(x)
torch.special.multigammaln(x+2,2) torch.special.psi(x) torch.special.gammaln(x) torch.special.exp2(x) torch.special.logit(x)
z.abs() z.angle() z.sgn() z.exp() z.log() z.sqrt() z.sin() z.cos() z.tan() z.sinh() z.cosh() z.tanh() z.asin() z.acos() z.atan() z.asinh()
z.acosh() z.atanh() z.reciprocal() z.rsqrt() z.square() z.sigmoid() z.neg() z.conj_physical() z.real z.imag torch.real(z) torch.imag(z) x.real x.conj()
torch.view_as_real(z) torch.view_as_complex(b3[...,:2]) x.clone() x.float() x.double() x.half() x.to(torch.float32) x.to(torch.complex128)
x.cdouble() z.to(torch.complex64) x.type_as(y.float()) x.contiguous() x.t().contiguous() x.detach()
"""

BINARY = """
x+y x-y x*y x/y x+2 2+x x-2 x*2 2*x x/2 x**2 x**y x**3 x**0.5 x**-1 s%x s%0.3 x+True x.add(y) x.add(y,alpha=2) x.add(2,alpha=3) x.sub(y,alpha=2)
x.subtract(y) torch.rsub(x,y) torch.rsub(x,2) torch.rsub(x,y,alpha=2) x.mul(y) x.multiply(2) x.div(y) x.divide(y) x.true_divide(y)
(9*s).div(x,rounding_mode='floor') (9*s).div(x,rounding_mode='trunc') (9*s).div(2,rounding_mode='floor') s.remainder(x) s.remainder(0.3)
s.fmod(x) s.fmod(0.3) x.pow(2) x.pow(y) x.pow(0) x.pow(1) torch.pow(2,x) 2**x x.float_power(2) x.float_power(y) x.maximum(y) x.minimum(y) x.max(y)
x.min(y) x.fmax(y) x.fmin(y) n.fmax(y) n.fmin(y) x.atan2(y) s.arctan2(x) x.hypot(y) s.logaddexp(y) s.logaddexp2(y) s.copysign(y) s.copysign(-1.)
x.ldexp(y) x.ldexp(idx[1]) s.xlogy(y) x.xlogy(2.) x.nextafter(y) x.lerp(y,0.3) x.lerp(y,0.7) x.lerp(y,w[:1]) x.addcmul(x,y) x.addcmul(x,y,value=2)
x.addcdiv(x,y) x.addcdiv(x,v,value=-1) x.clamp(0.3,0.5) x.clamp(min=0.3) x.clamp(max=0.5) x.clamp(min=y) x.clamp(y,v) x.clip(0.3)
x.clamp(0.6,0.4) x.clamp_min(0.3) x.clamp_max(0.5) x.clamp_min(v) x.clamp_max(y) x+v v+x x*u x.mul(x)
z+z z*z z/z z-z z*x x*z x/z z/x z+x x-z z*2 x*2j z*1j z**2 z**0.5 z**x x**z 2**z torch.complex(x,y) torch.polar(x,y) z.lerp(z*2,0.3) z.addcmul(z,x)
z.addcdiv(z,x) torch.where(m,z,x) torch.where(m,x,y) torch.where(m,x,2.) torch.where(m,2.,x) x.where(m,y) torch.where(m,x,v) torch.where(m,x,idx[1])
x*idx[0] x+idx[1] torch.special.xlog1py(x,y) x.dist(y) x.dist(y,1) x.dist(y,3) torch.cdist(x,w) torch.cdist(x,w,1.) torch.cdist(x,w,3.) torch.pdist(x)
"""

REDUCTIONS = """
x.sum() x.sum(0) x.sum(1,keepdim=True) x.sum((0,1)) x.sum(dim=-1) x.sum(axis=1,keepdims=True) torch.sum(x,0) torch.sum(input=x,dim=1) x.sum(0,dtype=torch.float32)
x.sum(()) n.nansum() n.nansum(0) x.nanmean() n.nanmean(0) x.mean() x.mean(0) x.mean((0,1),keepdim=True) x.prod() x.prod(0) x.prod(1,keepdim=True)
x.max() x.min() x.max(0) x.min(1) x.max(1,keepdim=True) x.max(dim=0)[0] x.max(0).values x.amax() x.amax(0) x.amin((0,1)) x.amin(1,keepdim=True) x.aminmax()
x.aminmax(dim=0) x.aminmax(dim=1,keepdim=True) x.argmax() x.argmin(1) x.argmax(0,keepdim=True) x.median() x.median(0) x.median(1,keepdim=True) n.nanmedian()
n.nanmedian(0) n.median() n.median(1) x.mode(0) x.kthvalue(2) x.kthvalue(2,0,True) x.std() x.std(0) x.std(0,False) x.std(unbiased=False) x.std(1,correction=0)
x.var() x.var(0) x.var((0,1)) x.var(1,keepdim=True) x.var(correction=2) z.var() z.std(0) z.mean() z.sum(0) z.prod() torch.var_mean(x) torch.var_mean(x,1)
torch.std_mean(x,0) x.norm() x.norm(1) x.norm(3) x.norm(float('inf')) x.norm(float('-inf')) x.norm(0) x.norm(dim=0) x.norm(p=1,dim=1,keepdim=True) x.norm('fro')
x.norm('nuc') z.norm() z.norm(1) x.logsumexp(0) x.logsumexp((0,1)) x.logsumexp(1,keepdim=True) s.logcumsumexp(0) s.logcumsumexp(1) s.softmax(0) s.softmax(-1)
s.log_softmax(0) s.log_softmax(1) s.softmax(0,dtype=torch.float32) x.cumsum(0) x.cumsum(1) x.cumprod(0) s.cumprod(1) s.cummax(0) s.cummin(1) z.cumsum(0)
z.cumprod(1) x.diff() x.diff(2,0) x.diff(prepend=u,dim=0) x.all() x.any(0) x.count_nonzero() x.count_nonzero(1) torch.trapezoid(x) torch.trapezoid(x,v)
torch.trapezoid(x,dx=2.,dim=0) torch.cumulative_trapezoid(x) torch.gradient(x) torch.gradient(x,spacing=2.,dim=0) x.cov() x.corrcoef() x.renorm(2,0,0.5) x.quantile(0.3)
x.quantile(0.3,dim=0) x.quantile(0.5,1,True) n.nanquantile(0.3) x.nanquantile(0.5,dim=1) x.quantile(0.3,interpolation='lower') x.quantile(0.3,0,interpolation='nearest')
x.quantile(0.3,0,interpolation='midpoint') x.sum_to_size(3,1) x.sum_to_size(4)
"""

SHAPES = """
x.reshape(12) x.reshape(2,-1) x.reshape((4,3)) x.t().reshape(12) x.view(12) x.view(-1,6) x.view((2,6)) x.view_as(x) x.reshape_as(x) x.flatten() x.ravel()
x.t().flatten() b3.flatten(1) b3.flatten(0,1) x.unflatten(1,(2,2)) x.unflatten(1,(2,-1)) x.transpose(0,1) torch.transpose(x,0,1) x.swapaxes(0,1) x.swapdims(0,1)
x.t() x.T x.mT x.H x.mH z.H z.mH b3.mT x.adjoint() z.adjoint() x.permute(1,0) b3.permute(2,0,1) b3.permute((1,2,0)) torch.permute(b3,(1,2,0)) b3.movedim(0,2)
b3.movedim((0,1),(2,0)) b3.moveaxis(-1,0) x.unsqueeze(0) x.unsqueeze(-1) torch.unsqueeze(x,1) u.squeeze() u.squeeze(0) u.squeeze(1) u.squeeze((0,))
x.expand(2,3,4) u.expand(3,4) u.expand(3,-1) u.expand_as(x) u.broadcast_to((3,4)) x.repeat(2,1) x.repeat(2,1,3) x.tile((2,1)) x.tile((2,)) x.repeat_interleave(2)
x.repeat_interleave(2,dim=0) x.repeat_interleave(torch.tensor([1,2,3]),dim=0) x.narrow(0,0,2) x.narrow(1,-2,1) x.select(0,1) x.select(1,-1) x.unbind() x.unbind(1)
x.split(2) x.split([1,2]) x.split(3,dim=1) torch.split(x,2) x.chunk(2) x.chunk(3,1) x.tensor_split(2) x.tensor_split((1,3),1) x.hsplit(2) x.vsplit(3) b3.dsplit(2)
x.unfold(0,2,1) x.unfold(1,2,2) x.as_strided((2,2),(1,2)) x.as_strided((2,2),(4,1),1) x.diagonal() x.diagonal(1) b3.diagonal(0,1,2) x.diag() v.diag() v.diag(1)
v.diagflat() v.diag_embed() x.diag_embed(1) x.tril() x.triu(1) x.trace() x.roll(1) x.roll(1,0) x.roll((1,2),(0,1)) x.flip(0) x.flip(0,1) x.flip((0,)) x.fliplr()
x.flipud() x.rot90() x.rot90(2) x.rot90(-1,(1,0)) torch.cat([x,y]) torch.cat((x,y),1) torch.concat([x,y],dim=-1) torch.stack([x,y]) torch.stack([x,y],-1)
torch.hstack([x,y]) torch.vstack([x,y]) torch.dstack([x,y]) torch.column_stack([x,y]) torch.column_stack([v,v]) torch.block_diag(x,y,v)
torch.broadcast_tensors(x,v) torch.meshgrid(v,v,indexing='ij') torch.meshgrid(v,v[:2],indexing='xy') torch.cartesian_prod(v,v) torch.atleast_1d(x.sum())
torch.atleast_2d(v) torch.atleast_3d(x) torch.atleast_3d(v) torch.cat([x,x.float()]) torch.constant_pad_nd(x,(1,2)) torch.constant_pad_nd(x,(-1,0,1,1),2.)
x.narrow_copy(0,0,1) x.contiguous().view(4,3) x[:,1:].reshape(-1) b3.transpose(0,1)[0]
"""

INDEXING = """
x[0] x[-1] x[0:2] x[0:2,1] x[...,1] x[None] x[:,None] x[idx] x[idx,1] x[1,idx] x[m] x[[0,1]] x[idx,:2] x[:,idx] x[idx[:,None],idx] x[torch.tensor(1)] x[True] x[False]
x[...] x[:] x[1,2] x[::2] x[1:,::2] b3[:,0] b3[0,:,idx] b3[:,idx,0] b3[idx[:1],:,idx] b3[...,0,:] x[-2:] x[m[:,0]] x[m[:,0],1] x[5:] x[:0] x[(0,1)] x[idx,None]
x[[True,False,True]] x[torch.tensor([[0,1],[1,2]])] x[I2[0],I2[0]] x.gather(1,I2) x.gather(0,I2[:,:3]) torch.gather(x,1,I2) x.scatter(1,I2,u) x.scatter(1,I2,2.)
x.scatter_add(1,I2,u) x.scatter_add(0,torch.tensor([[0,0,1,2]]),u) x.scatter_reduce(1,I2,u,reduce='sum')
x.scatter_reduce(1,I2,u,reduce='prod') x.scatter_reduce(1,I2,u,reduce='mean') x.scatter_reduce(1,I2,u,reduce='amax') x.scatter_reduce(1,I2,u,reduce='amin',include_self=False)
x.scatter_reduce(1,I2,u,reduce='mean',include_self=False) x.index_select(0,idx) x.index_select(1,torch.tensor([0,0,2])) x.index_add(0,idx,w) x.index_add(0,idx,w,alpha=2)
x.index_add(0,torch.tensor([1,1]),w) x.index_copy(0,idx,w) x.index_fill(0,idx,1.) x.index_fill(0,idx,v[0]) x.index_put((idx,),w) x.index_put((idx,),v[0],accumulate=True)
x.index_reduce(0,idx,w,'prod') x.index_reduce(0,idx,w,'amax') x.index_reduce(0,idx,w,'mean') x.masked_fill(m,1.) x.masked_fill(m,v[0]) x.masked_select(m) v.masked_select(m)
x.masked_scatter(m,y) x.take(idx) x.take(torch.tensor([[1,1],[5,0]])) x.take_along_dim(I2,1) x.take_along_dim(I2[0]) x.put(idx,v[:2]) x.put(idx,v[:2],accumulate=True)
x.sort() x.sort(0) x.sort(descending=True) x.sort(dim=0,stable=True) x.argsort() x.argsort(0,True) x.msort() x.topk(2) x.topk(2,0) x.topk(2,largest=False)
x.select_scatter(v,0,0) x.slice_scatter(u,0,0,1) x.slice_scatter(w,0,1,3) x.diagonal_scatter(v[:3]) x.as_strided_scatter(v[:2],(2,),(1,)) torch.nonzero(m) torch.argwhere(m)
torch.where(m) x.nonzero(as_tuple=True) torch.searchsorted(v.sort().values,x) torch.bucketize(x,v.sort().values) torch.isin(idx,torch.tensor([2])) torch.bincount(idx)
torch.unique(idx) torch.unique(torch.tensor([3,1,3]),return_inverse=True,return_counts=True) torch.unique_consecutive(torch.tensor([1,1,2,1]),return_counts=True) torch.histc(x,4,0.,1.)
torch.embedding(x,idx) torch.tril_indices(3,3) torch.triu_indices(2,3,1)
"""

PRODUCTS = """
x.mm(y.T) sq@sq sq@v[:3] v[:3]@sq sq.mv(v[:3]) v@v v.dot(v) v.vdot(v) z[0].vdot(z[1]) z[0].dot(z[1]) v.inner(v) x.inner(y) v.outer(v) v.ger(v) b3@c3 b3@v v[:3]@b3 x@c3[0] b3@x.T
x@c3 b3.bmm(c3) b3.matmul(c3) torch.mm(sq,sq) z@z.mT z.mm(z.mH) torch.addmm(sq,x,y.T) torch.addmm(sq,x,y.T,beta=2,alpha=3) torch.addmm(v[:3],x,y.T,beta=0)
torch.addmv(v[:3],x,v) torch.addr(x,v[:3],v) torch.baddbmm(b3@c3,b3,c3) torch.addbmm(sq,b3,c3,beta=0.5) torch.chain_matmul(sq,sq,sq) torch.linalg.multi_dot([sq,sq,sq])
torch.einsum('ij,kj->ik',x,y) torch.einsum('ij->i',x) torch.einsum('ii->i',sq) torch.einsum('ii',sq) torch.einsum('i,i',v,v) torch.einsum('bij,bjk->bik',b3,c3)
torch.einsum('bij,bjk',[b3,c3]) torch.einsum('...ij,...jk->...ik',b3,c3) torch.einsum('i,j,k->ijk',v,v,v) torch.einsum('ij->ji',x) torch.einsum('ij->',x)
torch.einsum(x,[0,1],y,[2,1],[0,2]) torch.tensordot(x,y,dims=2) torch.tensordot(x,y,dims=([1],[1])) torch.tensordot(sq,sq,1) torch.kron(x,y) torch.kron(v,sq)
torch.cross(sq,sq+x[:,:3],dim=1) torch.cross(sq,x[:,:3],dim=0) torch.linalg.cross(sq,x[:,:3]) torch.cosine_similarity(x,y) torch.linalg.vecdot(x,y) torch.linalg.vecdot(z,z)
"""

LINALG = """
sq.det() torch.linalg.det(spd) (b3@c3+spd).det() sq.slogdet() spd.logdet() sq.inverse() torch.linalg.inv(sq) sq.pinverse() x.pinverse() torch.linalg.pinv(x)
torch.linalg.solve(sq,spd) torch.linalg.solve(sq,v[:3]) torch.linalg.solve(sq,x) torch.linalg.solve(sq,w[:,:3],left=False) torch.linalg.solve_triangular(sq,x,upper=True)
torch.linalg.solve_triangular(sq,x,upper=False,unitriangular=True) torch.linalg.solve_triangular(sq,w[:,:3],upper=True,left=False) torch.triangular_solve(x,sq)[0]
spd.cholesky() spd.cholesky(upper=True) torch.linalg.cholesky(spd) torch.cholesky_solve(x,lower) torch.cholesky_solve(x,lower.mT,upper=True) torch.cholesky_inverse(lower)
torch.linalg.svdvals(x) torch.linalg.svd(x,full_matrices=False)[1] torch.linalg.eigh(spd)[0] torch.linalg.eigvalsh(spd) torch.linalg.eigvalsh(spd,UPLO='U')
torch.linalg.eigh(spd)[1].abs() torch.linalg.eigvals(sq).abs().sum() torch.linalg.qr(sq) torch.linalg.qr(x.T) sq.qr() torch.linalg.qr(sq,mode='r')[1]
torch.linalg.svd(x,full_matrices=False)[0].abs() torch.linalg.svd(x,full_matrices=False)[2].abs() x.svd()[2].abs() torch.linalg.lstsq(x.T,b3[0].T)[0] torch.linalg.matrix_exp(sq)
torch.matrix_exp(b3@c3) sq.matrix_power(0) sq.matrix_power(1) sq.matrix_power(2) sq.matrix_power(3) sq.matrix_power(-2) torch.linalg.norm(x) torch.linalg.norm(x,'nuc')
torch.linalg.norm(x,2) torch.linalg.norm(x,-2) torch.linalg.norm(x,1) torch.linalg.norm(x,float('inf')) torch.linalg.norm(v,3) torch.linalg.norm(x,'fro',dim=(0,1))
torch.linalg.norm(x,dim=1) torch.linalg.matrix_norm(x) torch.linalg.matrix_norm(b3,1) torch.linalg.matrix_norm(b3,2) torch.linalg.matrix_norm(b3,'nuc',keepdim=True)
torch.linalg.vector_norm(x) torch.linalg.vector_norm(x,3) torch.linalg.vector_norm(x,1,dim=0) torch.linalg.vector_norm(x,0.5) torch.linalg.cond(sq) torch.linalg.cond(sq,1)
torch.linalg.lu(sq)[1] torch.linalg.lu(sq)[2] torch.linalg.lu_factor(sq)[0] torch.lu_solve(x,*torch.linalg.lu_factor(sq)) torch.linalg.tensorsolve(sq,v[:3])
torch.linalg.tensorinv(sq,ind=1) torch.linalg.vander(v) torch.linalg.vander(v,N=3) torch.vander(v) torch.vander(v,3,True) torch.linalg.diagonal(b3) torch.linalg.matrix_rank(sq)
torch.linalg.inv_ex(sq)[0] torch.linalg.cholesky_ex(spd)[0] torch.linalg.solve_ex(sq,x)[0] (z@z.mH+4*spd).det() (z@z.mH+4*spd).slogdet()[1]
torch.linalg.inv(z@z.mH+4*spd) torch.linalg.solve(z@z.mH+4*spd,z) torch.linalg.cholesky(z@z.mH+torch.eye(3)) torch.linalg.eigvalsh(z@z.mH+torch.eye(3)) torch.linalg.svdvals(z) torch.linalg.svd(z,full_matrices=False)[0].abs() torch.linalg.svd(z,full_matrices=False)[2].abs() torch.linalg.qr(z.mH) torch.linalg.qr(x)[0] torch.linalg.qr(x)[1] torch.linalg.qr(z)[1]
torch.linalg.svd(sq)[0].abs() torch.linalg.svd(x)[1] torch.linalg.svd(x)[0].abs() torch.linalg.pinv(z) z.norm('nuc') torch.linalg.norm(z,2) torch.linalg.norm(z,1) torch.linalg.eig(sq)[1].abs() torch.linalg.solve(b3@c3,w[:,:3])
"""

FOURIER = """
torch.fft.fft(x) torch.fft.fft(z) torch.fft.fft(x,5) torch.fft.fft(x,3,0) torch.fft.fft(x,norm='ortho') torch.fft.ifft(z) torch.fft.ifft(z,norm='forward') torch.fft.rfft(x)
torch.fft.rfft(x,5) torch.fft.rfft(x,dim=0) torch.fft.irfft(z) torch.fft.irfft(z,5) torch.fft.irfft(z,4,0) torch.fft.fft2(x) torch.fft.ifft2(z) torch.fft.fftn(b3)
torch.fft.fftn(b3,dim=(0,1)) torch.fft.fftn(x,(4,5)) torch.fft.ifftn(z) torch.fft.rfft2(x) torch.fft.rfftn(b3) torch.fft.irfft2(z) torch.fft.irfftn(z,(3,5)) torch.fft.hfft(z)
torch.fft.hfft(z,5,norm='ortho') torch.fft.ihfft(x) torch.fft.hfft2(z) torch.fft.ihfft2(x) torch.fft.fftshift(x) torch.fft.ifftshift(x,0) torch.fft.fftfreq(5,0.5) torch.fft.rfftfreq(5)
"""

FAMILIES = {name.lower(): text for name, text in (
    ("UNARY", UNARY), ("BINARY", BINARY), ("REDUCTIONS", REDUCTIONS), ("SHAPES", SHAPES), ("INDEXING", INDEXING), ("PRODUCTS", PRODUCTS),
    ("LINALG", LINALG), ("FOURIER", FOURIER))}


def programs() -> list[tuple[str, str]]:
    """Family and expression of each."""
    return [(name, p) for name, text in FAMILIES.items() for p in _split(text)]


def _split(text: str) -> list[str]:
    """The expressions in a text: they are apart by white space outside of brackets."""
    found, depth, word = [], 0, ""
    for c in text + " ":
        depth += (c in "([{") - (c in ")]}")
        if c.isspace() and depth == 0:
            found += [word] if word else []
            word = ""
        else:
            word += c
    return found

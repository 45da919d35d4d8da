"""Where an operation differs from PyTorch's, and why."""
from __future__ import annotations

_EINSUM = ("torch.einsum('ij->i',x)", "torch.einsum('ii->i',sq)", "torch.einsum('ii',sq)", "torch.einsum('i,j,k->ijk',v,v,v)",
           "torch.einsum('ij->ji',x)", "torch.einsum('ij->',x)")

#: PyTorch makes several nodes where there is one here, which has the name of PyTorch's last one in most cases but not in these
NAMES: dict[str, str | None] = {
    **dict.fromkeys(_EINSUM, "ViewBackward0"),
    **dict.fromkeys(("torch.trapezoid(x)", "torch.trapezoid(x,v)", "torch.trapezoid(x,dx=2.,dim=0)"), "SumBackward1"),
    **dict.fromkeys(("torch.gradient(x)", "torch.gradient(x,spacing=2.,dim=0)"), "GradientBackward0"),
    "x.quantile(0.5,1,True)": "UnsqueezeBackward1", "x@c3": "UnsafeViewBackward0",
    "torch.chain_matmul(sq,sq,sq)": "MmBackward0", "torch.linalg.multi_dot([sq,sq,sq])": "MultiDotBackward0",
    "torch.linalg.matrix_norm(b3,'nuc',keepdim=True)": "ViewBackward0",
    "torch.linalg.cond(sq)": "DivBackward0", "torch.linalg.cond(sq,1)": "MulBackward0",
    "torch.lu_solve(x,*torch.linalg.lu_factor(sq))": "LinalgSolveExBackward0",
    **dict.fromkeys(("torch.linalg.qr(x)[1]", "torch.linalg.qr(z)[1]"), "CatBackward0"),
    **dict.fromkeys(("torch.linalg.vander(v)", "torch.linalg.vander(v,N=3)", "torch.vander(v,3,True)"), "PowBackward1"),
}

#: The result is a view there and none here, or the other way round: of memory that nothing else can see, but for conjugates, which
#: PyTorch puts off and which are computed at once here
VIEWS = {
    "x.quantile(0.3)", "x.quantile(0.3,dim=0)", "x.quantile(0.5,1,True)", "n.nanquantile(0.3)", "x.nanquantile(0.5,dim=1)",
    "x.quantile(0.3,interpolation='lower')", "x.quantile(0.3,0,interpolation='nearest')", "x.quantile(0.3,0,interpolation='midpoint')",
    "z.H", "z.mH", "z.adjoint()", "torch.where(m)", "x.nonzero(as_tuple=True)", "v.inner(v)", "x.inner(y)", "torch.chain_matmul(sq,sq,sq)",
    "torch.linalg.multi_dot([sq,sq,sq])", "torch.einsum('ij,kj->ik',x,y)", "torch.einsum('i,i',v,v)", "torch.einsum('bij,bjk->bik',b3,c3)",
    "torch.einsum('bij,bjk',[b3,c3])", "torch.einsum('...ij,...jk->...ik',b3,c3)", "torch.einsum(x,[0,1],y,[2,1],[0,2])",
    "torch.tensordot(x,y,dims=2)", "torch.tensordot(x,y,dims=([1],[1]))", "torch.tensordot(sq,sq,1)",
    "torch.linalg.cond(sq)", "torch.fft.ihfft(x)",
}

#: A gradient is there for what PyTorch says requires none, or none for what it says requires one
NEEDS = {"sq.matrix_power(0)"}

#: PyTorch raises, or its gradient is not that of the function: what a factor's unread triangle is, and what was overwritten, has none
NO_GRADIENT = {
    "x.as_strided_scatter(v[:2],(2,),(1,))", "torch.cholesky_solve(x,lower)", "torch.cholesky_solve(x,lower.mT,upper=True)",
    "torch.cholesky_inverse(lower)", "torch.linalg.qr(sq,mode='r')[1]", "torch.linalg.cond(sq,1)", "torch.vander(v)",
    "torch.vander(v,3,True)", "x.scatter(1,I2,u)", "torch.where(m,z,x)",
}
#: PyTorch has no derivative of the derivative
NO_SECOND = {"torch.cdist(x,w)", "torch.cdist(x,w,1.)", "torch.cdist(x,w,3.)", "torch.pdist(x)"}

"""Inside `vmap` everything that can be done with a Tensor is done for each example, or refused: never for something else in silence."""
import copy
import pickle

import numpy as np
import pytest

import transgrad as tg

EXPRESSIONS = """
torch.tensor(a); torch.as_tensor(a); a.new_tensor(a); torch.full((2,),a[0]); torch.full_like(a,a[0]); torch.tensor([a[0],a[1]])
torch.linspace(a[0],a[1],3); torch.asarray(a); a.new_full((2,),a[0]); a.fill_(a[0]); a.clone().fill_(a[1]); torch.where(a>2,a,0.)
torch.Tensor(a); torch.FloatTensor(a); a.type(torch.float64); a.type_as(a.double()); a.contiguous(); a.stride()[0]*a
a.is_contiguous()*a; a.nelement()*a; a.clamp(a[0],a[1]); a.clamp(min=a[1]); a.pow(a[0]); torch.pow(2,a); a.add(a,alpha=a[0])
a.mul(a[0]); a[0]*a; a.div(a,rounding_mode='floor'); a.masked_fill(a>1,a[0]); torch.addcmul(a,a,a,value=2); torch.lerp(a,a,a[0])
torch.lerp(a,a,0.5); torch.einsum('i,j->ij',a,a); torch.cartesian_prod(a,a); torch.combinations(a); torch.block_diag(a,a)
torch.cdist(a[None],a[None]); torch.vander(a); torch.meshgrid(a,a,indexing='ij')[0]; torch.repeat_interleave(a,2)
a.repeat_interleave(2); torch.diff(a); torch.trapezoid(a); torch.gradient(a)[0]; torch.bucketize(a,torch.tensor([2.,3.]))
torch.searchsorted(torch.tensor([2.,3.]),a); a.histc(3); torch.isin(a,torch.tensor([1.])); torch.polygamma(1,a)
torch.nn.functional.softplus(a); torch.nn.functional.relu(a); a.relu(); torch.nn.functional.linear(a,torch.ones(2,3))
torch.nn.functional.one_hot(a.long(),8); torch.nn.functional.pad(a,(1,1)); torch.special.logit(a/10); a.numpy().sum()*a; np.sin(a)
np.add(a,1); np.sum(a); a.sum().tolist()*a; list(a)[0]; sum(a); max(a[0],a[1]); a in [a]; bool(a[0])*a; int(a[0])*a; a.equal(a)*a
torch.equal(a,a)*a; a.allclose(a)*a; (a==a).all()*a; a.var_mean() if hasattr(a,'var_mean') else a; torch.var_mean(a)[0]
a.renorm(2,0,1.); torch.renorm(a[None],2,0,1.); a.index_put((torch.tensor([0]),),a[1:2]); a.index_fill(0,torch.tensor([0]),a[1])
a.put(torch.tensor([0]),a[1:2]); torch.select_scatter(a,a[1],0,0); torch.slice_scatter(a,a[:1],0,0,1)
a.scatter_reduce(0,torch.tensor([0,0,1]),a,'sum'); torch.index_add(a,0,torch.tensor([0]),a[:1]); torch.view_as_real(torch.complex(a,a))
torch.polar(a,a).real; a.to_sparse().to_dense(); a.unflatten(0,(3,1)); a.float_power(2); a.cov(); torch.corrcoef(torch.stack([a,a*a]))
torch.linalg.norm(a); torch.linalg.matrix_rank(torch.outer(a,a)); torch.linalg.cond(torch.eye(3)+torch.outer(a,a))
torch.logdet(torch.eye(3)+torch.outer(a,a)); torch.linalg.slogdet(torch.eye(3)+torch.outer(a,a))[1]
torch.linalg.lstsq(torch.eye(3),a[:,None])[0]; torch.linalg.multi_dot([a,torch.eye(3),a]); torch.matrix_exp(torch.outer(a,a)/10)
a.as_strided((2,),(1,)); torch.broadcast_to(a,(2,3)); torch.atleast_2d(a); torch.hstack([a,a]); torch.dstack([a,a])
torch.column_stack([a,a]); torch.tensor_split(a,3)[0]; torch.hsplit(a,3)[0]; a.swapaxes(0,0); torch.fft.fft(a).real
torch.fft.rfft(a).imag; torch.fft.fftshift(a); torch.nanmedian(a); torch.quantile(a,.5); torch.std_mean(a)[1]; torch.logcumsumexp(a,0)
torch.mode(a)[0]; torch.kthvalue(a,2)[0]; torch.unique_consecutive(a); a.nonzero(); torch.frexp(a)[0]; torch.ldexp(a,a)
torch.nextafter(a,a+1); torch.gcd(a.long(),a.long()*2); torch.bitwise_and(a.long(),1); a.long()<<1; ~(a>1); a.bool(); a.int().float()
a.half().float(); a.sgn(); torch.heaviside(a,a); torch.copysign(a,-a); torch.hypot(a,a); torch.fmod(a,2); torch.remainder(2,a); 2-a
2**a; 2//a; 2%a
""".replace("\n", ";").split(";")


@pytest.mark.parametrize("text", [e.strip() for e in EXPRESSIONS if e.strip()])
def test_right_or_refused(text):
    def f(a):
        return eval(text, {"a": a, "torch": tg, "np": np})
    x = tg.arange(6.0).reshape(2, 3) + 1
    try:
        found = tg.vmap(f, in_dims=0)(x.clone())
    except (RuntimeError, TypeError, ValueError):
        return
    expected = tg.stack([f(row.clone()) for row in x])
    assert found.shape == expected.shape and found.dtype == expected.dtype and np.allclose(found.numpy(), expected.numpy(), equal_nan=True)


@pytest.mark.parametrize("read", [copy.deepcopy, pickle.dumps, np.array, np.asarray, lambda a: float(a[0]), tg.tensor, tg.Tensor, lambda a: a.data_ptr(),
                                  lambda a: a.tolist(), lambda a: a.numpy(), lambda a: np.linalg.norm(a.data)])
def test_its_numbers_are_not_read(read):
    with pytest.raises(RuntimeError):
        tg.vmap(lambda a: read(a) and a, in_dims=0)(tg.ones(2, 3))


def test_what_it_looks_like():
    def f(a):
        assert (a.shape, a.stride(), a.is_contiguous(), a.numel(), a.nbytes, a.element_size(), a.dtype) == ((3, 4), (4, 1), True, 12, 48, 4, tg.float32)
        assert a.t().stride() == (1, 4) and not a.t().is_contiguous() and len(a) == 3 and np.ndim(a) == 2
        return a
    tg.vmap(f, in_dims=0)(tg.ones(2, 3, 4))

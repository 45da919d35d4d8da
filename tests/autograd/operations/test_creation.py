"""Constructors, casts, typed aliases and random numbers against PyTorch: the same seed gives the same numbers."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import transgrad

from .harness import array

torch = pytest.importorskip("torch")

MADE = """
torch.tensor(1) torch.tensor(1.5) torch.tensor(True) torch.tensor(1j) torch.tensor([]) torch.tensor([[]]) torch.tensor([1,2]) torch.tensor([1,2.]) torch.tensor([[1.],[2.]])
torch.tensor((1,2)) torch.tensor(range(3)) torch.tensor(np.arange(3)) torch.tensor(np.float32(2)) torch.tensor(np.ones(2)) torch.tensor([1,2],dtype=torch.float64)
torch.tensor([True,False]) torch.tensor([1.,2.],requires_grad=True) torch.tensor([torch.tensor(1.),torch.tensor(2.)]) torch.tensor(1,dtype=torch.bool)
torch.as_tensor([1,2.]) torch.as_tensor(np.arange(3.)) torch.as_tensor(np.arange(3),dtype=torch.float32) torch.from_numpy(np.arange(4.)) torch.asarray([1,2])
torch.scalar_tensor(2) torch.zeros(2,3) torch.zeros((2,3)) torch.zeros([2]) torch.zeros(()) torch.zeros(2,dtype=torch.int64) torch.ones(2,3) torch.ones(2,requires_grad=True)
torch.full((2,2),3) torch.full((2,),1.5) torch.full((2,),True) torch.full((2,),1,dtype=torch.float32) torch.eye(3) torch.eye(2,3) torch.arange(5) torch.arange(1,4)
torch.arange(0,1,0.25) torch.arange(5.) torch.arange(3,0,-1) torch.arange(0,2,dtype=torch.float64) torch.linspace(0,1,5) torch.linspace(1,2,3,dtype=torch.float64)
torch.logspace(0,2,3) torch.zeros_like(x) torch.ones_like(x,dtype=torch.int32) torch.full_like(x,2) torch.zeros_like(x.t()) torch.empty_like(x).shape torch.empty(2,3).shape
x.new_zeros(2) x.new_ones((2,3)) x.new_full((2,),3.) x.new_tensor([1,2]) x.new_empty(2).shape x.new(2,3).shape torch.empty_strided((2,2),(1,2)).stride() torch.complex(x,x)
torch.FloatTensor([1,2]) torch.LongTensor([1,2]) torch.DoubleTensor([[1]]) torch.ByteTensor([1]) torch.BoolTensor([1,0]) torch.IntTensor([1]) torch.FloatTensor(2,3).shape
torch.Tensor([1,2]) torch.Tensor(2,3).shape isinstance(torch.FloatTensor([1]),torch.Tensor) isinstance(x,torch.FloatTensor) isinstance(x,torch.DoubleTensor)
x.float() x.double() x.half() x.long() x.int() x.short() x.char() x.byte() x.bool() x.cfloat() x.cdouble() x.to(torch.float64) x.to('cpu') x.to(x.double()) x.type(torch.float64)
x.type() x.double().type() torch.can_cast(torch.float32,torch.int32) torch.promote_types(torch.int32,torch.float32) torch.result_type(x,1) torch.result_type(torch.arange(2),1.)
torch.is_tensor(x) torch.is_tensor(1) torch.is_floating_point(x) torch.is_complex(x) torch.numel(x) x.nelement() x.element_size() x.dim() x.ndim x.size() x.size(0) x.size(-1)
x.shape x.stride() x.stride(0) x.t().stride() x.is_contiguous() x.t().is_contiguous() x[1:].storage_offset() x.T.shape torch.Size([2,3]).numel() x.numpy().sum() x.tolist()
torch.tensor(3).item() torch.equal(x,x) torch.equal(x,x+1) torch.allclose(x,x+1e-9) torch.allclose(x,x+1) x.eq(x) x.ne(x) (x>0.5) torch.isclose(x,x)
torch.hann_window(5) torch.hamming_window(4,False) torch.blackman_window(5) torch.bartlett_window(6) torch.kaiser_window(5) torch.hann_window(1) torch.broadcast_shapes((2,1),(3,))
torch.finfo(torch.float32).eps torch.finfo(torch.float64).max torch.finfo().tiny torch.iinfo(torch.int32).max torch.finfo(torch.float16).bits torch.device('cpu').type
torch.device('cuda',0).index str(torch.device('cpu')) x.device.type x.is_cuda torch.iinfo(torch.uint8).min
"""
DRAWN = """
torch.rand(5) torch.rand(3,dtype=torch.float64) torch.rand(2,3) torch.rand(2,dtype=torch.complex64) torch.randn(3) torch.randn(15) torch.randn(16) torch.randn(20)
torch.randn(40,dtype=torch.float64) torch.randn(5,dtype=torch.float64) torch.randn(4,4,dtype=torch.complex128) torch.rand_like(x) torch.randn_like(x) torch.randint(10,(6,))
torch.randint(-5,5,(2,3)) torch.randint(0,2**40,(3,)) torch.randperm(10) torch.bernoulli(x) torch.bernoulli(x.double()) x.bernoulli(0.3) torch.normal(x,1.) torch.normal(0.,1.,(3,))
torch.normal(x,x.abs()) torch.multinomial(torch.tensor([.1,.2,.3,.4]),3) torch.multinomial(torch.tensor([.1,.2,.3,.4]),5,replacement=True) torch.multinomial(torch.rand(3,4),2)
torch.empty(6).uniform_(-1,1) torch.empty(6).normal_(1.,2.) torch.empty(17).normal_() torch.empty(4).bernoulli_(0.4) torch.empty(4).exponential_(2.) torch.empty(3).cauchy_()
torch.empty(3).log_normal_() torch.empty(4).geometric_(0.3) torch.empty(4,dtype=torch.int64).random_(10) torch.empty(4,dtype=torch.int64).random_(2,8)
torch.dropout(x,0.5,True) torch.rand(3,generator=torch.Generator().manual_seed(4)) torch.cat([torch.randn(3),torch.rand(2),torch.randn(2)]) torch.initial_seed() torch.randn(0)
torch.rand(4,dtype=torch.float16) torch.randn(3).double()+torch.rand(3)
"""
PROMOTED = """
i+1 i+1. i+True i/2 i//2 i/i i*1j f+i d+f f+1j h+f h+1 b+1 b+b b*1.5 i**2 i**2. 2**i 2.**i f**2 u+1 u+i s+f s+d f+sd d+sf i+sf f+si i+si b+si i.sum() u.sum()
b.sum() i.sum(dtype=torch.float32) b.cumsum(0) u.cumsum(0) i.prod() f.sum() i.exp() i.sqrt() b.sin() i.sigmoid() i.reciprocal() i.rsqrt() i.atan2(i) i.abs() i.float().mean()
f.mul(d) f.add(si) i.div(i) i.div(i,rounding_mode='floor') i.floor_divide(2) i%2 i.remainder(2) f%2 i.clamp(1,2) i.clamp(0.5) f.clamp(1) torch.where(b,i,f) torch.where(b,1,2.)
torch.cat([i,f]) torch.stack([f,d]) f.maximum(d) i.maximum(sf) f==i i<f b&b i&1 i|i ~b ~i i^i i<<1 b.logical_and(i) f.lerp(f,0.5) f.addcmul(f,f) torch.complex(f,f) d.to(f).dtype
f.hypot(f) i.float_power(2) f.pow(i) i.pow(f) i.copysign(f) f.fmod(i) f.ldexp(i) i.xlogy(f) c.abs() c+f c*d c.real c.angle() f.angle() i.angle() torch.polar(f,f)
"""


def split(text: str) -> list[str]:
    from .programs import _split
    return _split(text)


def run(lib: Any, program: str) -> Any:
    lib.manual_seed(3)
    x = lib.tensor([[0.25, 0.5, 0.75], [0.1, 0.9, 0.6]])
    two = lib.tensor([1, 2, 3])
    space = {"torch": lib, "np": np, "x": x, "i": two, "f": two.float(), "d": two.double(), "h": two.half(), "b": lib.tensor([True, False, True]),
             "u": two.byte(), "s": two.short(), "c": two.cfloat(), "si": lib.tensor(2), "sf": lib.tensor(2.0), "sd": lib.tensor(2.0, dtype=lib.float64)}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return eval(program, space)


def same(mine: Any, theirs: Any, rtol: float) -> None:
    if hasattr(theirs, "grad_fn"):
        assert str(mine.dtype) == str(theirs.dtype)
        assert (tuple(mine.shape), mine.requires_grad) == (tuple(theirs.shape), theirs.requires_grad)
        np.testing.assert_allclose(mine._array, array(theirs), rtol=rtol, atol=1e-7, equal_nan=True)
    elif isinstance(theirs, torch.dtype):
            assert str(mine) == str(theirs)
    elif isinstance(theirs, (float, np.floating)):
        assert mine == pytest.approx(theirs)
    else:
        assert mine == theirs


@pytest.mark.parametrize("program", split(MADE))
def test_made(program: str) -> None:
    same(run(transgrad, program), run(torch, program), 1e-6)


@pytest.mark.parametrize("program", split(DRAWN))
def test_drawn(program: str) -> None:
    same(run(transgrad, program), run(torch, program), 1e-3 if "float16" in program else 1e-5)


@pytest.mark.parametrize("program", [p for p in split(PROMOTED)])
def test_promoted(program: str) -> None:
    same(run(transgrad, program), run(torch, program), 1e-5)


def test_the_stream_goes_on_from_its_state() -> None:
    for lib in (transgrad, torch):
        lib.manual_seed(1)
        lib.randn(3)
        state = lib.get_rng_state()
        first = lib.randn(5).tolist()
        lib.set_rng_state(state)
        assert lib.randn(5).tolist() == first


def test_from_numpy_shares_memory() -> None:
    a = np.zeros(3)
    t = transgrad.from_numpy(a)
    t.add_(1)
    assert a.tolist() == [1.0, 1.0, 1.0] and t.numpy() is not None
    with pytest.raises(TypeError, match="expected np.ndarray"):
        transgrad.from_numpy([1.0])


@pytest.mark.parametrize("program", ["torch.tensor('a')", "torch.tensor([1,[2]])", "torch.zeros(-1)", "torch.arange(0,1,0)", "torch.arange(1,0)", "torch.randint(3,3,(1,))",
                                     "torch.tensor([1,2],requires_grad=True)", "torch.multinomial(torch.tensor([-1.,1.]),1)", "torch.bernoulli(torch.tensor(2.))",
                                     "torch.tensor(1.).to('cuda')", "torch.finfo(torch.int32)", "torch.iinfo(torch.float32)", "torch.eye(2,device='cuda')"])
def test_refused(program: str) -> None:
    with pytest.raises((TypeError, ValueError, RuntimeError, AssertionError)) as theirs:
        run(torch, program)
    with pytest.raises(RuntimeError if theirs.type is AssertionError else theirs.type):
        run(transgrad, program)

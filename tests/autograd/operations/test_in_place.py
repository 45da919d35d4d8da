"""In-place twins against PyTorch: result, dtype, node, version, gradients of all that went in, writes through views."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import transgrad
from transgrad.autograd.ops import METHODS

from .harness import array, assert_same, evaluate, inputs, loss

torch = pytest.importorskip("torch")

#: what follows a copy of x (s where the name starts with ``s.``); the method is in place
CALLS = """
abs_() s.abs_() absolute_() acos_() arccos_() asin_() atan_() ceil_() cos_() cosh_() deg2rad_() digamma_() erf_() erfc_() erfinv_() exp_() exp2_()
expm1_() s.fix_() s.floor_() s.frac_() i0_() lgamma_() log_() log10_() log1p_() log2_() logit_() nan_to_num_() neg_() negative_() rad2deg_()
reciprocal_() s.relu_() s.round_() s.round_(decimals=1) rsqrt_() s.sgn_() s.sigmoid_() s.sign_() sin_() sinc_() sinh_() sqrt_() square_() tan_() tanh_()
s.trunc_() add_(y) add_(y,alpha=2) add_(2) sub_(y) sub_(y,alpha=2) subtract_(1) mul_(y) mul_(2) multiply_(y) div_(y) div_(2) divide_(y)
true_divide_(y) div_(y,rounding_mode='floor') s.remainder_(y) s.remainder_(0.3) s.fmod_(y) s.fmod_(0.3) pow_(2) pow_(y) float_power_(2) atan2_(y) arctan2_(y)
hypot_(y) s.copysign_(y) ldexp_(y) xlogy_(y) lerp_(y,0.3) lerp_(y,y) addcmul_(y,y,value=2) addcdiv_(y,y) clamp_(0.3,0.5) clamp_(min=y) clip_(0.3) clamp_min_(0.3)
clamp_max_(y) tril_() triu_(1) cumsum_(0) cumprod_(1) renorm_(2,0,0.5) masked_fill_(m,1.) masked_fill_(m,v[0]) masked_scatter_(m,y) index_fill_(0,idx,1.)
index_add_(0,idx,w) index_copy_(0,idx,w) index_put_((idx,),w) index_put_((idx,),w,accumulate=True) scatter_(1,I2[:,:3],u[:,:3]) scatter_(1,I2,2.) scatter_add_(1,I2,u)
scatter_reduce_(1,I2,u,reduce='prod') put_(idx,v[:2]) zero_() fill_(2.) fill_(v[0]) copy_(y) copy_(v) addmm_(x,y.T@x) unsqueeze_(0) squeeze_() t_() transpose_(0,1)
swapaxes_(0,1) swapdims_(0,1) as_strided_((2,2),(1,2)) polygamma_(1) mvlgamma_(1)
"""


def programs() -> list[str]:
    return ["({}*1).{}".format("s" if c.startswith("s.") else "x", c.removeprefix("s.")) for c in CALLS.split()]


def both(lib: Any, program: str) -> tuple[Any, dict[str, Any]]:
    """The result, and gradients of a loss of it."""
    leaves = inputs(lib, "float64")
    out = evaluate(lib, program, leaves)[0]
    total = loss(lib, [out], 5)
    grads = lib.autograd.grad(total, list(leaves.values()), allow_unused=True)
    return out, {k: np.array(array(g)) for k, g in zip(leaves, grads) if g is not None}


@pytest.mark.parametrize("program", programs())
def test_in_place(program: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        theirs, their_grads = both(torch, program)
        mine, my_grads = both(transgrad, program)
    assert mine.grad_fn.name().rpartition("::")[2] == theirs.grad_fn.name().rpartition("::")[2]
    assert (mine._version, tuple(mine.shape), tuple(mine.stride())) == (theirs._version, tuple(theirs.shape), tuple(theirs.stride()))
    assert_same(mine._array, array(theirs), 1e-9, program)
    for name in set(their_grads) | set(my_grads):
        zero = np.zeros_like(their_grads.get(name, my_grads.get(name)))
        assert_same(my_grads.get(name, zero), their_grads.get(name, zero), 1e-8, f"{program}: {name}")


@pytest.mark.parametrize("call", ["exp_()", "mul_(2)", "add_(v[:2])", "clamp_(0.3,0.5)", "zero_()", "copy_(v[:2])", "pow_(2)", "sigmoid_()", "tril_()", "t_()"])
def test_through_a_view(call: str) -> None:
    """A write to a view is a write to its base, in value and gradient."""
    def run(lib: Any) -> tuple[Any, Any, str]:
        leaves = inputs(lib, "float64")
        base = leaves["x"] * 1
        eval(f"base[:2, 1:3].{call}", {"base": base, "v": leaves["v"]})
        (grad,) = lib.autograd.grad(loss(lib, [base], 5), [leaves["x"]])
        return np.array(array(base)), np.array(array(grad)), base.grad_fn.name().rpartition("::")[2]
    for a, b in zip(run(transgrad), run(torch)):
        if isinstance(a, str):
            assert a == b
        else:
            assert_same(a, b, 1e-9, call)


def test_twins_are_those_of_torch() -> None:
    """Every method with a trailing underscore is one that PyTorch has, and those of PyTorch are here where the method itself is."""
    mine = {name for name in METHODS if name.endswith("_") and not name.startswith("_")}
    theirs = {name for name in dir(torch.Tensor) if name.endswith("_") and not name.startswith("_")}
    assert mine <= theirs
    assert {name for name in theirs - mine if name[:-1] in METHODS and not hasattr(transgrad.Tensor, name)} == set()


def test_a_leaf_that_requires_grad_is_not_written_to() -> None:
    for lib in (torch, transgrad):
        x = lib.ones(3, requires_grad=True)
        for write in (lambda: x.mul_(2), lambda: x.zero_(), lambda: x.unsqueeze_(0)):
            with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
                write()
        with lib.no_grad():
            assert x.mul_(2).tolist() == [2.0, 2.0, 2.0]
            assert x._version == 1

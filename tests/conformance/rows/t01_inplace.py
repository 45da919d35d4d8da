"""T1: the in-place twins, with version, node and derivatives."""
from __future__ import annotations

from ..collect import each
from ..derive import derivatives
from ..observe import raises

EVERYWHERE = """abs_ neg_ exp_ exp2_ expm1_ sin_ cos_ tan_ sinh_ cosh_ tanh_ asinh_ atan_ sigmoid_ square_ sinc_ erf_ erfc_ sign_ sgn_ relu_ floor_
    ceil_ round_ trunc_ frac_ deg2rad_ rad2deg_ nan_to_num_ zero_ negative_ absolute_ conj_physical_ detach_"""
FRACTIONS = "log_ log2_ log10_ log1p_ sqrt_ rsqrt_ reciprocal_ asin_ acos_ atanh_ logit_ erfinv_ lgamma_ digamma_"


@each(*(f"v.clone().{name}()" for name in EVERYWHERE.split()), *(f"p.clone().{name}()" for name in FRACTIONS.split()))
def of_one(torch, text):
    return derivatives(torch, text)


@each(
    "v.clone().add_(u)", "v.clone().add_(u, alpha=2)", "v.clone().add_(1)", "v.clone().sub_(u)", "v.clone().sub_(u, alpha=0.5)",
    "v.clone().mul_(u)", "v.clone().mul_(2)", "v.clone().div_(q)", "v.clone().div_(2)", "q.clone().pow_(2)", "q.clone().pow_(u)",
    "v.clone().remainder_(p)", "v.clone().fmod_(p)", "v.clone().atan2_(u)", "v.clone().hypot_(u)", "v.clone().copysign_(u)",
    "v.clone().xlogy_(q)", "v.clone().lerp_(u, 0.25)", "v.clone().addcmul_(u, p)", "v.clone().addcdiv_(u, q, value=2)",
    "v.clone().clamp_(-1, 1)", "v.clone().clamp_min_(0)", "v.clone().clamp_max_(0)", "v.clone().clip_(0, 1)",
    "v.clone().masked_fill_(l, 2.0)", "v.clone().masked_scatter_(l, u)", "v.clone().fill_(3.0)", "v.clone().fill_(s)",
    "v.clone().copy_(u)", "m.clone().copy_(v)", "v.clone().float().copy_(u)", "m.clone().cumsum_(1)", "m.clone().cumprod_(1)",
    "a.clone().tril_()", "a.clone().triu_(1)", "m.clone().index_add_(1, i, n)", "m.clone().index_copy_(1, i[:2], n[:, :2])",
    "m.clone().index_fill_(1, i, 4.0)", "v.clone().index_put_((i[:2],), u[:2])", "v.clone().index_put_((i,), u, accumulate=True)",
    "m.clone().scatter_(1, P, n)", "m.clone().scatter_(1, J, 2.0)", "m.clone().scatter_add_(1, J, n)",
    "m.clone().scatter_reduce_(1, J, n, 'sum')", "m.clone().addmm_(m, a)", "v.clone().addmv_(a, u)", "a.clone().addr_(v, u)",
    "m.clone().put_(i[:2], u[:2])", "a.clone().fill_diagonal_(1.0)", "v.clone().eq_(u)", "v.clone().gt_(0)", "v.clone().float_power_(2)",
    "m.clone().renorm_(2, 0, 1.0)", "torch.relu_(v.clone())", "torch.exp_(v.clone())", "v.clone().true_divide_(u)",
)
def of_two(torch, text):
    return derivatives(torch, text)


@each(
    "m.clone().t_()", "m.clone().transpose_(0, 1)", "m.clone().unsqueeze_(0)", "m[None].clone().squeeze_()", "m[None].clone().squeeze_(0)",
    "m.clone().swapaxes_(0, 1)", "m.clone().swapdims_(0, 1)", "m.clone().as_strided_((2,), (1,))", "v.clone().detach_()",
    "v.clone().requires_grad_()", "m.clone().zero_().add_(n)", "m.clone().mul_(2).add_(n).exp_()",
)
def of_shape(torch, text):
    return derivatives(torch, text)


def _statement(torch, code):
    """Run statements on a clone ``y`` of the matrix ``x``; the result is ``y`` and the gradient of its weighted sum."""
    x = torch.tensor([[0.3, -1.1, 0.7], [1.9, 0.4, -0.6]], dtype=torch.float64, requires_grad=True)
    u = torch.tensor([1.5, 0.75, -0.5], dtype=torch.float64, requires_grad=True)
    scope = {
        "torch": torch,
        "x": x,
        "y": x * 1,
        "u": u,
        "i": torch.tensor([2, 0]),
        "k": torch.tensor([[True, False, True], [False, True, True]]),
    }
    exec(code, scope)
    y = scope["y"]
    backward = (y * torch.arange(1.0, 7.0, dtype=torch.float64).reshape(2, 3)).sum().backward
    return {"backward": raises(backward), "y": y, "x": x, "u": u}


@each(
    "y += 1", "y -= u", "y *= u", "y /= 2", "y **= 2", "y[0] = 5", "y[0] = u", "y[:, 1] = 7.0", "y[..., 0] = u[:2]", "y[0, 1] = u[0]",
    "y[k] = 0", "y[k] *= 2", "y[k] = u[[0, 1, 2, 0]]", "y[:, i] = 0", "y[:, i] += u[:2]", "y[[0, 1], [1, 2]] = u[:2]", "y[None] = 3",
    "y[1:] = u", "y[:] = 0", "y[()] = 1", "y[y > 0] = 0", "y[0] += u", "y[0] *= y[1]", "y[0][1] = 4", "y[:, ::2] *= 3", "y.data[0] = 1",
    "y[0, 0] = 3; y[0, 1] = y[0, 0] * 2", "y[torch.tensor([0])] = u", "y[[True, False]] = u", "y.t()[0] = u[:2]", "y.view(-1)[2:5] *= u",
    "y.select(0, 1).mul_(u)", "y.diagonal().fill_(0)", "y.narrow(1, 0, 2).zero_()", "y[0].copy_(u)", "y[0].add_(u).mul_(2)",
    "z = y[1]; z *= z", "torch.add(y.detach(), 1, out=torch.empty(2, 3, dtype=torch.float64))", "y[0:0] = 1", "y[i > 5] = u",
    "y[-1, -1] = u.sum()", "y[:, -1:] = u[:2, None]", "y.unsqueeze(0).mul_(2)", "y.transpose(0, 1).add_(u[:, None])",
    "y = y.expand(2, 2, 3).sum(0); y.add_(1)", "y.flatten()[0] = 1", "y.reshape(6)[1:3].mul_(3)",
)
def statements(torch, text):
    return _statement(torch, text)

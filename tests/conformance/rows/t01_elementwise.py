"""T1: element-wise operations, their nodes and all their derivatives."""
from __future__ import annotations

from ..collect import each
from ..derive import derivatives

EVERYWHERE = """abs absolute neg negative positive exp exp2 expm1 sin cos tan sinh cosh tanh asinh arcsinh atan arctan sigmoid square sinc erf erfc
    sign sgn relu floor ceil round trunc fix frac deg2rad rad2deg i0 nan_to_num"""
FRACTIONS = "log log2 log10 log1p sqrt rsqrt reciprocal asin arcsin acos arccos atanh arctanh logit erfinv lgamma digamma"


@each(*(f"v.{name}()" for name in EVERYWHERE.split()))
def smooth(torch, text):
    return derivatives(torch, text)


@each(*(f"p.{name}()" for name in FRACTIONS.split()))
def of_fractions(torch, text):
    return derivatives(torch, text)


@each(
    "q.acosh()", "q.arccosh()", "q.mvlgamma(2)", "q.polygamma(1)", "torch.polygamma(2, q)", "q.frexp()", "p.logit(1e-3)",
    "v.round(decimals=1)", "v.nan_to_num(1.0, 2.0)", "v.hardshrink(0.6)", "v.prelu(p[:1])", "torch.celu(v)", "torch.selu(v)",
    "torch.rrelu(v, 0.2, 0.2)", "torch.threshold(v, 0.1, 9.0)",
)
def special(torch, text):
    return derivatives(torch, text)


@each(
    "v + u", "v - u", "v * u", "v / u", "v + 2", "2 - v", "v * 2", "3 / v", "v / 2", "-v", "+v", "abs(v)", "v ** 2", "v ** 3.0", "q ** u",
    "2 ** v", "q ** -1", "v ** 0", "v.detach() // 1", "v % 1", "v % p", "m @ a", "m * v", "m + s", "s * m", "m / s", "s - m", "m - m",
    "v * v", "v / v", "(v > u) * v", "v + 1j", "v * (2 - 1j)", "v * 0", "v * True", "v + i", "i * v", "v / i.abs().add(1)", "i + 1",
    "i / 2", "i * 1.5", "i // 2", "i % 2", "l + 1", "l * v", "~l", "l & l", "l | ~l", "l ^ l", "i << 1", "i >> 1", "i & 1", "i | 1", "-i",
    "abs(i)", "i ** 2",
)
def operators(torch, text):
    return derivatives(torch, text)


@each(
    "v == u", "v != u", "v < u", "v <= 0.5", "v > 0", "v >= u", "v.eq(u)", "v.ne(0.5)", "v.lt(u)", "v.le(u)", "v.gt(u)", "v.ge(u)",
    "torch.eq(v, u)", "v.isnan()", "v.isinf()", "v.isfinite()", "v.isclose(u)", "v.allclose(v)", "v.equal(v)", "torch.equal(v, u)",
    "v.logical_not()", "v.logical_and(u)", "v.logical_or(u)", "v.logical_xor(u)", "v.signbit()", "v.isreal()", "v.isposinf()",
    "v.isneginf()", "i.bitwise_and(1)", "i.bitwise_or(1)", "i.bitwise_xor(3)", "i.bitwise_not()", "i.gcd(i + 1)", "i.lcm(i + 1)",
    "torch.isin(i, i[:1])", "torch.allclose(v, u)", "torch.is_tensor(v)", "s.is_nonzero()",
)
def comparisons(torch, text):
    return derivatives(torch, text)


@each(
    "v.add(u)", "v.add(u, alpha=2)", "torch.add(v, u, alpha=-0.5)", "v.sub(u, alpha=2)", "v.subtract(u)", "v.mul(u)", "v.multiply(2)",
    "v.div(u)", "v.divide(u)", "v.true_divide(u)", "v.div(u, rounding_mode='floor')", "v.div(u, rounding_mode='trunc')",
    "torch.rsub(v, u)", "v.detach().floor_divide(u.detach())", "v.remainder(p)", "v.fmod(p)", "q.pow(u)", "q.pow(2)", "torch.pow(2.0, v)",
    "torch.pow(q, 2)", "q.float_power(2)", "v.atan2(u)", "v.arctan2(u)", "v.hypot(u)", "v.maximum(u)", "v.minimum(u)", "v.fmax(u)",
    "v.fmin(u)", "v.maximum(v)", "v.max(u)", "v.min(u)", "v.copysign(u)", "v.ldexp(i)", "v.logaddexp(u)", "v.logaddexp2(u)", "v.xlogy(q)",
    "torch.xlogy(0.0, q)", "v.lerp(u, 0.3)", "v.lerp(u, p)", "v.addcmul(u, p, value=2)", "v.addcdiv(u, q, value=0.5)",
    "torch.heaviside(v.detach(), p.detach())", "v.dist(u)", "v.dist(u, 1)", "v.nextafter(u)", "torch.true_divide(v, 2)", "v.mul(m)",
    "m.add(v)", "e + m", "m * e", "s + s", "e.expand(3) * v",
)
def two_arguments(torch, text):
    return derivatives(torch, text)


@each(
    "v.clamp(-1, 1)", "v.clamp(min=0)", "v.clamp(max=0.5)", "v.clamp_min(0.5)", "v.clamp_max(0.5)", "v.clip(-1, 1)", "v.clamp(p, q)",
    "v.clamp(min=u)", "torch.clamp(v, 0.5, 2.0)", "torch.where(v > 0, v, u)", "torch.where(l, v, 0.0)", "v.where(l, u)",
    "torch.where(l, 1.0, v)", "torch.where(k, m, n)", "v.masked_fill(l, 9.0)", "v.masked_fill(l, s)", "m.masked_fill(k, -1)",
    "torch.relu(v - v)", "(v - v).abs()", "(v - v).clamp(min=0)", "(v - v).sign()", "(v - v).norm()", "(v - v).sqrt()", "torch.sgn(v)",
    "(v * 0).sinc()", "(v * 0).pow(0)", "(v - v) ** 2", "(v - v).pow(1.5)", "torch.maximum(v, v.clone())", "(v - v).cumprod(0)",
    "(v - v).prod()", "(v - v).hypot(v - v)", "(v*0).xlogy(q)", "(v*0).std()", "torch.log(v * 0)",
)
def kinks(torch, text):
    """Where the derivative has a choice."""
    return derivatives(torch, text, second=False)


@each("(v - v).atan2(u - u)", "torch.sgn(v - v)", "(v - v).norm(3)")
def kinks_in_reverse(torch, text):
    """Kinks where PyTorch's two modes disagree."""
    return derivatives(torch, text, second=False, forward=False)


@each("torch.maximum(v, v + float('nan'))", "torch.minimum(v + float('nan'), v)", "torch.maximum(v, torch.full_like(v, float('nan')))",
      "torch.minimum(u, torch.where(v > 0, float('nan'), v))", "torch.maximum(u, u / torch.zeros(3) - u / torch.zeros(3))")
def an_extremum_that_is_no_number(torch, text):
    """Both operands have the whole gradient."""
    return derivatives(torch, text, second=False, forward=False)


@each(
    "v.softmax(0)", "m.softmax(1)", "m.softmax(dim=0)", "torch.softmax(m, -1)", "v.log_softmax(0)", "m.log_softmax(-1)",
    "torch.log_softmax(m, 0)", "m.softmax(1, dtype=torch.float32)", "torch.special.expit(v)", "torch.special.logsumexp(m, 1)",
    "torch.special.erf(v)", "torch.special.xlog1py(p, q)", "torch.special.entr(p)", "torch.special.ndtr(v)", "torch.special.log1p(p)",
    "torch.special.gammaln(q)", "torch.special.psi(q)", "torch.special.i0e(v)", "torch.special.i1(v)", "torch.special.ndtri(p)",
    "torch.special.softmax(m, 1)", "torch.special.sinc(v)", "torch.special.zeta(q, p)",
)
def softmax_and_special(torch, text):
    return derivatives(torch, text)

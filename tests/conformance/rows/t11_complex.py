"""T11: complex values: conjugate Wirtinger gradients, real and complex mixed."""
from __future__ import annotations

from ..collect import each, ours
from ..derive import by_differences, derivatives
from ..observe import raises


@each(
    "z + w", "z - w", "z * w", "z / w", "z + v", "v - z", "z * v", "v / z", "z / v", "z * 2", "z * (1 + 2j)", "2j / z", "z ** 2", "z ** 3",
    "z ** w", "2 ** z", "-z", "z.abs()", "abs(z)", "z.angle()", "z.real", "z.imag", "z.conj() * z", "z.sgn()", "z.exp()", "z.log()",
    "z.sqrt()", "z.rsqrt()", "z.sin()", "z.cos()", "z.tan()", "z.sinh()", "z.cosh()", "z.tanh()", "z.asin()", "z.acos()", "z.atan()",
    "z.asinh()", "z.acosh()", "z.atanh()", "z.reciprocal()", "z.square()", "z.log2()", "z.log10()", "z.log1p()", "z.expm1()", "z.exp2()",
    "z.sigmoid()", "z.sum()", "z.mean()", "z.prod()", "z.cumsum(0)", "z.cumprod(0)", "z.norm()", "z.norm(1)", "z.std()", "z.var()",
    "Z.renorm(2, 0, 0.5)", "Z.renorm(1, 1, 0.5)", "z @ w", "z.vdot(w)", "z.dot(w)", "z.outer(w)", "Z @ Z", "Z.mm(Z)", "Z.T", "Z.det()", "Z.inverse()", "torch.linalg.solve(Z, Z.H)",
    "Z.trace()", "torch.linalg.norm(Z)", "torch.linalg.matrix_exp(Z)", "torch.linalg.slogdet(Z)",
    "torch.linalg.cholesky(Z @ Z.mH + torch.eye(2))", "torch.linalg.eigvalsh(Z @ Z.mH)", "torch.linalg.qr(Z)[1].abs()",
    "torch.complex(v, u)", "torch.polar(p, v)", "torch.view_as_real(z)", "torch.view_as_complex(torch.stack([v, u], 1))", "torch.real(z)",
    "torch.imag(z)", "z.conj_physical()", "torch.where(l, z, w)", "torch.cat([z, w])", "torch.cat([z, v])", "torch.stack([z, v])",
    "z.to(torch.complex64)", "v.to(torch.complex128)", "v + 0j", "z.real * z.imag", "z.abs() ** 2", "z[0]", "z[i]", "z.flip(0)",
    "z.masked_fill(l, 1j)", "z.index_add(0, i, w)", "z.addcmul(w, w)", "z.lerp(w, 0.5)", "z.kron(w)", "z.sinc()", "z.clone()",
    "(z - z).abs()", "z == w", "z != w", "z.isfinite()", "z.isreal()", "torch.isclose(z, w)", "z.is_complex()",
    "z.view(3, 1)", "z.clone().mul_(v)", "z.clone().add_(w)", "z.clone().div_(w)", "z.clone().real.add_(v)", "Z.tril()", "Z.diagonal()",
    "z.sum().abs()", "z.real.sum() + z.imag.prod()", "z.mul(w.conj()).real", "torch.linalg.vector_norm(z)", "torch.fft.fft(z)",
    "torch.fft.ifft(z)", "z.pow(2).abs()", "z.var(unbiased=False)", "torch.var_mean(z)", "z.new_ones(2)",
)
def derivatives_of(torch, text):
    return derivatives(torch, text)


def conjugate_gradients(torch):
    """The gradient is the one of steepest ascent: that of ``Re(c z)`` is the conjugate of ``c``."""
    z = torch.tensor([1 + 2j], requires_grad=True)
    ((3 + 4j) * z).real.sum().backward()
    return z


def gradient_of_the_squared_modulus(torch):
    z = torch.tensor([1 + 2j, -0.5j], requires_grad=True)
    (z * z.conj()).real.sum().backward()
    return z


def a_real_operand_gets_a_real_gradient(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    (x * z).abs().sum().backward()
    return x, z


def real_output_of_a_complex_input(torch):
    z = torch.tensor([3 + 4j], requires_grad=True)
    return [
        torch.autograd.grad(f(z).sum(), z)
        for f in (lambda t: t.abs(), lambda t: t.real, lambda t: t.imag, lambda t: t.angle(), lambda t: t.abs().log())
    ]


def complex_output_of_a_real_input(torch):
    x = torch.tensor([0.5], requires_grad=True)
    y = x * (1 + 2j)
    return torch.autograd.grad(y, x, torch.tensor([1 + 0j]), retain_graph=True), torch.autograd.grad(y, x, torch.tensor([1j]))


def needs_a_real_scalar(torch):
    z = torch.tensor(1 + 2j, requires_grad=True)
    return (
        raises((z * z).backward, "grad can be implicitly created only for real scalar outputs but got torch.complex64"),
        (z * z).backward(torch.tensor(1j)),
        z,
    )


def a_step_of_steepest_descent(torch):
    z = torch.tensor([1 + 2j], dtype=torch.complex128, requires_grad=True)
    losses = []
    for _ in range(5):
        loss = (z - (0.5 - 1j)).abs().pow(2).sum()
        z.grad = None
        loss.backward()
        with torch.no_grad():
            z -= 0.25 * z.grad
        losses.append(loss.item())
    return losses, z


def second_derivatives(torch):
    z = torch.tensor([1 + 2j], requires_grad=True)
    (g,) = torch.autograd.grad((z**3).real.sum(), z, create_graph=True)
    return g.detach(), torch.autograd.grad(g.abs().sum(), z)


def a_real_function_through_complex_numbers(torch):
    x = torch.tensor([0.3, 0.7], requires_grad=True)
    y = torch.exp(1j * x)
    return torch.autograd.grad((y.real + y.imag).sum(), x), (x.cos() - x.sin()).detach()


def types_and_views(torch):
    z = torch.tensor([1 + 2j, 3j])
    r = z.real
    r[0] = 9
    z.imag.mul_(2)
    return (
        z,
        r,
        z.conj().resolve_conj(),
        r._base is z,
        torch.view_as_real(z)._base is z,
        z.real.stride(),
        raises(lambda: torch.ones(2).imag, "imag is not implemented for tensors with non-complex dtypes"),
    )


def errors(torch):
    z = torch.tensor([1 + 2j])
    return [
        raises(lambda: z > z),
        raises(lambda: z.max()),
        raises(lambda: z.clamp(0, 1)),
        raises(lambda: z.floor()),
        raises(lambda: float(z)),
        raises(lambda: z.relu()),
        raises(lambda: torch.complex(torch.ones(1), torch.ones(1, dtype=torch.float64)), "Expected object of scalar type"),
        raises(lambda: z.sort()),
        raises(lambda: z % 2),
        raises(lambda: torch.view_as_real(torch.ones(2)), "view_as_real is only supported for complex tensors"),
    ]


def custom_functions(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx, g):
            (z,) = ctx.saved_tensors
            return g * (2 * z).conj()

    z = torch.tensor([1 + 2j], requires_grad=True)
    Square.apply(z).real.sum().backward()
    x = torch.tensor([2.0], requires_grad=True)
    return (
        z,
        torch.autograd.grad(Square.apply(x * 1j).real.sum(), x),
        torch.autograd.gradcheck(Square.apply, torch.tensor([1 + 2j], dtype=torch.complex128, requires_grad=True)),
    )


@each(
    "z.conj()", "Z.H", "Z.mH", "Z.adjoint()", "torch.einsum('ij,jk', Z, Z.conj())", "torch.conj(z)", "torch.linalg.svdvals(Z)",
    "z.conj().resolve_conj()", "torch.linalg.vecdot(z, w)", "Z.logdet()",
)
def compositions(torch, text):
    """Operations that PyTorch composes of others, with nodes of its own choice."""
    return derivatives(torch, text, node=False)


@ours
@each("z ** v", "q ** z")
def tangents_by_differences(torch, text):
    """Tangents that PyTorch 2.13 gets wrong."""
    return by_differences(torch, text)


@each(
    "x.fill_(1j)", "x.fill_(1 + 0j)", "x[0] = 1j", "x[0] = 1 + 0j", "x[:] = 1j", "x[[0, 1]] = 1j", "x[x > 0] = 1j", "x[0] = torch.tensor(2j)", "x.copy_(torch.tensor([1j, 2]))",
    "x.index_fill_(0, torch.tensor([0]), 1j)", "x.index_put_((torch.tensor([0]),), torch.tensor(1j))", "x.scatter_(0, torch.tensor([0]), 1j)", "x.masked_fill_(x > 0, 1j)",
    "y = torch.full_like(x, 1j)", "y = x.new_full((2,), 1j)", "y = torch.full((2,), 1j, dtype=torch.float32)", "n.fill_(1j)", "n[0] = 1j", "b.fill_(1j)", "x.add_(1j)", "z.fill_(1j)", "z[0] = 2j",
)
def an_imaginary_part_is_never_lost_in_silence(torch, text):
    """A number with an imaginary part does not go into a real tensor"""
    x, z = torch.tensor([1.0, 2.0]), torch.tensor([1j, 2])
    n, b = torch.tensor([1, 2]), torch.tensor([True, False])
    return raises(lambda: exec(text, {"torch": torch, "x": x, "n": n, "b": b, "z": z})), x, n, b, z


CANNOT = "value cannot be converted to type "
NUMBERS = {
    "n.fill_(float('nan'))": CANNOT + "int64_t without overflow", "n.fill_(float('inf'))": CANNOT, "n.fill_(1.5)": "", "n[0] = 1.5": "", "u.fill_(300)": CANNOT + "uint8_t", "u.fill_(-1)": "",
    "u[0] = 300": CANNOT, "h.fill_(1e6)": CANNOT + "c10::Half", "x.fill_(1e300)": CANNOT + "float", "x[0] = 1e300": CANNOT, "x.fill_(float('inf'))": "", "y = torch.full((2,), 1e50)": CANNOT,
    "y = torch.full((2,), 300, dtype=torch.uint8)": CANNOT, "y = torch.tensor([300], dtype=torch.uint8)": CANNOT, "b.fill_(2)": "", "y = torch.full_like(n, 1.5)": "", "x.fill_(None)": "fill_() received an invalid combination",
    "x.fill_('a')": "fill_() received", "x.fill_([1])": "fill_() received", "x.fill_(torch.ones(2))": "fill_ only supports 0-dimension value tensor", "x.fill_(3)": "",
}


@each(*NUMBERS)
def numbers_that_a_dtype_does_not_hold(torch, text):
    """A number that the dtype does not hold is refused, and nothing is written"""
    x, h, n = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0]).half(), torch.tensor([1, 2])
    u, b = torch.tensor([1, 2], dtype=torch.uint8), torch.tensor([True, False])
    return raises(lambda: exec(text, {"torch": torch, "x": x, "h": h, "n": n, "u": u, "b": b}), *filter(None, [NUMBERS[text]])), x, h, n, u, b

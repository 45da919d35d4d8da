"""`gradcheck` and `gradgradcheck`: what passes, what fails, and what a failure says."""
import warnings

import numpy as np
import pytest


def real(torch, *shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).uniform(0.2, 1.0, shape), dtype=torch.float64, requires_grad=True)


def cplx(torch, *shape, seed=1):
    r = np.random.default_rng(seed)
    return torch.tensor(r.uniform(0.2, 1.0, shape) + 1j * r.uniform(0.2, 1.0, shape), dtype=torch.complex128, requires_grad=True)


def custom(torch, derivative, tangent=None):
    """x -> 2 x with the given derivatives."""
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return derivative(g)

        @staticmethod
        def jvp(ctx, t):
            return tangent(t)
    return Double.apply


FUNCTIONS = {
    "two inputs": (lambda torch, x, y: (x * y).sin(), lambda torch: (real(torch, 2, 3), real(torch, 3))),
    "two outputs": (lambda torch, x, y: (x * y, x.exp().sum()), lambda torch: (real(torch, 2, 3), real(torch, 3))),
    "an integer output": (lambda torch, x: (x.sin(), torch.arange(3)), lambda torch: (real(torch, 3),)),
    "a constant output": (lambda torch, x: (x.detach(), x.sin()), lambda torch: (real(torch, 3),)),
    "an option": (lambda torch, x, n: x * n, lambda torch: (real(torch, 2), 3)),
    "complex": (lambda torch, z: z * z * z.conj(), lambda torch: (cplx(torch, 2),)),
    "complex to real": (lambda torch, z: z.abs(), lambda torch: (cplx(torch, 2),)),
    "real to complex": (lambda torch, x: torch.complex(x, x ** 2), lambda torch: (real(torch, 2),)),
    "mixed": (lambda torch, z, x: z * x, lambda torch: (cplx(torch, 2, 2), real(torch, 2))),
    "empty": (lambda torch, x: x * 2, lambda torch: (torch.zeros(0, 2, dtype=torch.float64, requires_grad=True),)),
    "scalar": (lambda torch, x: x ** 3, lambda torch: (real(torch),)),
    "a list": (lambda torch, x: [x.sin(), x.cos()], lambda torch: (real(torch, 2),)),
}


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("name", [n for n in FUNCTIONS])
def test_what_is_right_passes(torch, name, fast_mode):
    if name == "a constant output" and fast_mode:
        name = "two outputs"        # PyTorch's fast mode pairs the projections wrongly here
    f, inputs = FUNCTIONS[name]
    x = inputs(torch)
    both = dict(check_forward_ad=name != "a constant output", fast_mode=fast_mode, check_grad_dtypes=True)
    assert torch.autograd.gradcheck(lambda *a: f(torch, *a), x, **both)
    batched = name not in ("empty", "an option", "mixed")
    assert torch.autograd.gradcheck(lambda *a: f(torch, *a), x, check_batched_grad=batched, check_undefined_grad=False)
    if name not in ("empty", "an option"):
        assert torch.autograd.gradgradcheck(lambda *a: f(torch, *a), x, fast_mode=fast_mode)


def test_forward_over_reverse(torch):
    x = real(torch, 3)
    assert torch.autograd.gradgradcheck(lambda x: x.sin() * x, x, check_fwd_over_rev=True)
    assert torch.autograd.gradgradcheck(lambda x: x.sin() * x, x, check_fwd_over_rev=True, check_rev_over_rev=False, check_undefined_grad=False)
    assert torch.autograd.gradcheck(lambda x: x.sin() * x, x, check_forward_ad=True, check_backward_ad=False, check_batched_forward_grad=True)


@pytest.mark.parametrize("options", [dict(gen_non_contig_grad_outputs=True), dict(check_batched_grad=True), dict(check_undefined_grad=False)])
def test_options_of_gradgradcheck(torch, options):
    x, y = real(torch, 2, 3), real(torch, 3)
    assert torch.autograd.gradgradcheck(lambda x, y: (x * y).exp(), (x, y), **options)
    v = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda x, y: (x * y).exp(), (x, y), v, **options)


def test_a_single_tensor_and_a_list(torch):
    x = real(torch, 2)
    assert torch.autograd.gradcheck(lambda a: a.sin(), x) is True
    assert torch.autograd.gradcheck(lambda a: a.sin(), [x]) is True


def failure(torch, f, inputs, **options):
    check = torch.autograd.gradcheck
    with pytest.raises(RuntimeError) as caught:
        check(f, inputs, **options)
    assert type(caught.value).__name__ == "GradcheckError"
    assert check(f, inputs, raise_exception=False, **options) is False
    return str(caught.value)


def test_numerical_beside_analytical(torch):
    wrong = custom(torch, lambda g: g * 3, lambda t: t * 4)
    x, z = real(torch, 2), cplx(torch, 2)
    matrix = "tensor([[2.0000, 0.0000],\n        [0.0000, 2.0000]], dtype=torch.float64)"
    three = "tensor([[3., 0.],\n        [0., 3.]], dtype=torch.float64)"
    said = failure(torch, wrong, x)
    assert f"Jacobian mismatch for output 0 with respect to input 0,\nnumerical:{matrix}\nanalytical:{three}\n" in said
    said = failure(torch, wrong, x, check_forward_ad=True, check_backward_ad=False)
    assert "Jacobian computed with forward mode mismatch for output 0 with respect to input 0,\nnumerical:" in said
    said = failure(torch, wrong, z)
    assert said.startswith("While considering the imaginary part of complex outputs only, Jacobian mismatch for output 0 with respect to input 0")
    assert "analytical:tensor([[0.+3.j, 0.+0.j],\n        [0.+0.j, 0.+3.j]], dtype=torch.complex128)" in said
    said = failure(torch, wrong, z, check_forward_ad=True, check_backward_ad=False)
    assert said.startswith("While considering the imaginary part of complex inputs only, Jacobian computed with forward mode mismatch")
    said = failure(torch, lambda a, b: (a * b, wrong(b)), (x, x.detach().clone().requires_grad_()))
    assert "Jacobian mismatch for output 1 with respect to input 1" in said


def test_fast_mode_shows_the_whole_jacobians(torch):
    said = failure(torch, custom(torch, lambda g: g * 3), real(torch, 2), fast_mode=True)
    assert "Jacobian mismatch for output 0 with respect to input 0,\nnumerical:" in said
    assert "Numerical:\n tensor([[2.0000, 0.0000],\n" in said and "Analytical:\ntensor([[3., 0.],\n" in said
    assert "The max per-element difference (slow mode) is: " in said


def test_tolerances(torch):
    slightly = custom(torch, lambda g: g * 2.0001)
    x = real(torch, 2)
    assert torch.autograd.gradcheck(slightly, x)
    assert "Jacobian mismatch" in failure(torch, slightly, x, rtol=1e-6, atol=1e-6)
    assert torch.autograd.gradcheck(slightly, x, rtol=0.0, atol=1e-3)
    assert torch.autograd.gradcheck(lambda a: a ** 3, x, eps=1e-4)


def test_functions_that_are_constant_for_the_tape(torch):
    x = real(torch, 2)
    assert torch.autograd.gradcheck(lambda a: torch.ones(3, dtype=torch.float64), x)
    for fast_mode in (False, True):
        assert "Numerical gradient for function expected to be zero" in failure(torch, lambda a: a.detach() * 2, x, fast_mode=fast_mode)


def test_a_backward_that_differs_from_run_to_run(torch):
    factors = iter(range(10 ** 6))
    noisy = custom(torch, lambda g: g * (2 + 1e-7 * next(factors)))
    x = real(torch, 2)
    assert "Backward is not reentrant" in failure(torch, noisy, x)
    assert torch.autograd.gradcheck(noisy, x, nondet_tol=1e-3)


def test_a_backward_that_forgets_its_cotangent(torch):
    x = real(torch, 1)
    assert "backward not multiplied by grad_output" in failure(torch, custom(torch, lambda g: torch.full_like(g, 2.0)), x)


def test_undefined_gradients(torch):
    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            return g * 2 + h * 3        # fails for None

    x = real(torch, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(TypeError):
            torch.autograd.gradcheck(Two.apply, x, check_undefined_grad=True)


def test_what_cannot_be_checked(torch):
    check, twice = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    x = real(torch, 2)
    f = lambda a: a.sin()
    for run, kind, words in [
        (lambda: check(f, x.detach()), ValueError, "expects at least one input tensor to require gradient"),
        (lambda: check(f, torch.ones(1, dtype=torch.float64, requires_grad=True).expand(3)), RuntimeError, "0th input has a dimension with stride 0"),
        (lambda: check(f, x, check_backward_ad=False), AssertionError, "at least one of check_forward_ad or check_backward_ad"),
        (lambda: check(f, x, check_forward_ad=True, check_backward_ad=False, check_batched_grad=True), AssertionError, "requires check_backward_ad"),
        (lambda: check(f, x, check_batched_forward_grad=True), AssertionError, "requires check_forward_ad to be True"),
        (lambda: twice(f, x, check_rev_over_rev=False), AssertionError, "at least one of check_fwd_over_rev or check_rev_over_rev"),
        (lambda: twice(f, x, check_fwd_over_rev=True, check_rev_over_rev=False), AssertionError, "check_undefined_grad=True requires check_rev_over_rev"),
        (lambda: twice(f, x, check_fwd_over_rev=True, check_rev_over_rev=False, check_undefined_grad=False, check_batched_grad=True), AssertionError,
         "check_batched_grad=True requires check_rev_over_rev"),
        (lambda: check(f, x, 1e-6), TypeError, "positional argument"),
    ]:
        with pytest.raises(kind) as caught:
            run()
        assert words in str(caught.value)


def test_single_precision_is_warned_of(torch):
    x = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision floating point or complex"):
        assert torch.autograd.gradcheck(lambda a: a * 2, x, eps=1e-2, atol=1e-2)


def test_the_perturbed_input_is_restored(torch):
    x = real(torch, 2, 2)
    before, version = x.detach().numpy().copy(), x._version
    seen = []

    def f(a):
        seen.append(a)
        return a.t() @ a
    assert torch.autograd.gradcheck(f, x)
    assert np.array_equal(x.detach().numpy(), before) and x._version == version and x.grad is None
    assert seen[0] is x
    view = real(torch, 4, 4)
    assert torch.autograd.gradcheck(lambda a: a.sin(), view[::2, 1:3].detach().requires_grad_())


def test_wrong_outputs(torch):
    x = real(torch, 2)
    flips = iter([3, 3, 2] + [3] * 1000)
    with pytest.raises(AssertionError, match="Expected `func` to return outputs with the same shape"):
        torch.autograd.gradcheck(lambda a: a.sum() * torch.ones(next(flips), dtype=torch.float64), x)


def test_functions_of_the_module(torch):
    assert torch.autograd.gradcheck.__name__ == "gradcheck" and torch.autograd.gradgradcheck.__name__ == "gradgradcheck"

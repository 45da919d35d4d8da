"""T10: gradcheck and gradgradcheck."""
from __future__ import annotations

from ..collect import each
from ..observe import raises


def _wrong(torch, where=1.0):
    """A function whose gradient is not that of its value."""

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx, g):
            return g * 3 * ctx.saved_tensors[0] * where

    return Wrong.apply


def _scope(torch):
    d = torch.float64
    return {
        "torch": torch,
        "gradcheck": torch.autograd.gradcheck,
        "gradgradcheck": torch.autograd.gradgradcheck,
        "x": torch.tensor([0.5, 1.5, -2.0], dtype=d, requires_grad=True),
        "y": torch.tensor([1.0, 2.0, 0.5], dtype=d, requires_grad=True),
        "m": torch.tensor([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0]], dtype=d, requires_grad=True),
        "z": torch.tensor([1 + 2j, -0.5 + 1j], dtype=torch.complex128, requires_grad=True),
        "c": torch.ones(3, dtype=d),
        "f32": torch.tensor([0.5, 1.5], requires_grad=True),
        "wrong": _wrong(torch),
    }


@each(
    "gradcheck(torch.sin, x)", "gradcheck(torch.sin, (x,))", "gradcheck(torch.mul, (x, y))", "gradcheck(torch.mul, [x, y])",
    "gradcheck(lambda a: (a, a * 2), (x,))", "gradcheck(lambda a, k: a * k, (x, 3.0))", "gradcheck(torch.mul, (x, c))",
    "gradcheck(torch.matmul, (m, x))", "gradcheck(lambda a: a.sum(), x)", "gradcheck(torch.exp, z)",
    "gradcheck(lambda t: t.conj() * t, z)", "gradcheck(torch.abs, z)", "gradcheck(torch.view_as_real, z)",
    "gradcheck(lambda a: a * 1j, x)", "gradcheck(torch.sin, x, fast_mode=True)", "gradcheck(torch.mul, (x, y), fast_mode=True)",
    "gradcheck(torch.exp, z, fast_mode=True)", "gradcheck(torch.sin, x, check_forward_ad=True)",
    "gradcheck(torch.mul, (x, y), check_forward_ad=True, check_backward_ad=False)", "gradcheck(torch.exp, z, check_forward_ad=True)",
    "gradcheck(torch.sin, x, check_batched_grad=True)",
    "gradcheck(torch.sin, x, check_forward_ad=True, check_batched_forward_grad=True, check_batched_grad=True)",
    "gradcheck(torch.sin, x, eps=1e-5, atol=1e-4, rtol=1e-2)", "gradcheck(torch.sin, x, check_undefined_grad=False)",
    "gradcheck(torch.sin, x, check_grad_dtypes=True)", "gradcheck(torch.sin, x, nondet_tol=1e-8)",
    "gradcheck(wrong, x, raise_exception=False)", "gradcheck(wrong, x, raise_exception=False, fast_mode=True)",
    "gradcheck(torch.sin, x, masked=True)", "gradcheck(torch.sin, f32, eps=1e-3, atol=1e-2, rtol=1e-2)",
    "gradcheck(lambda a: a.detach() * 2, x, raise_exception=False)", "gradcheck(lambda a, b: a * 2, (x, y))",
    "gradcheck(torch.sort, (x,))", "gradgradcheck(torch.sin, x)", "gradgradcheck(torch.mul, (x, y))", "gradgradcheck(torch.exp, z)",
    "gradgradcheck(lambda a: a ** 3, x, torch.ones(3, dtype=torch.float64, requires_grad=True))",
    "gradgradcheck(torch.sin, x, gen_non_contig_grad_outputs=True)", "gradgradcheck(torch.sin, x, fast_mode=True)",
    "gradgradcheck(torch.sin, x, check_fwd_over_rev=True)",
    "gradgradcheck(torch.sin, x, check_fwd_over_rev=True, check_rev_over_rev=False, check_undefined_grad=False)",
    "gradgradcheck(torch.sin, x, check_batched_grad=True)",
    "gradgradcheck(torch.sin, x, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False)",
    "gradgradcheck(wrong, x)", "gradcheck(lambda a: a * 2, x, raise_exception=True)",
    "gradcheck(torch.linalg.inv, torch.eye(2, dtype=torch.float64).mul(2).requires_grad_())", "gradcheck(torch.cumsum, (m, 1))",
)
def passes(torch, text):
    return eval(text, _scope(torch))


def a_wrong_gradient(torch):
    s = _scope(torch)
    return [
        raises(
            lambda: s["gradcheck"](s["wrong"], s["x"]),
            "Jacobian mismatch for output 0 with respect to input 0",
            "numerical:tensor",
            "analytical:tensor",
        ),
        raises(
            lambda: s["gradcheck"](s["wrong"], s["x"], fast_mode=True),
            "Jacobian mismatch for output 0 with respect to input 0",
            "fast mode",
        ),
        raises(lambda: s["gradcheck"](s["wrong"], (s["z"],)), "Jacobian mismatch"),
    ]


def a_wrong_second_gradient(torch):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx, g):
            return g * 2 * ctx.saved_tensors[0].detach()

    s = _scope(torch)
    return (
        s["gradcheck"](Wrong.apply, s["x"]),
        raises(lambda: s["gradgradcheck"](Wrong.apply, s["x"]), "mismatch"),
        s["gradgradcheck"](Wrong.apply, s["x"], raise_exception=False),
    )


def a_wrong_forward_gradient(torch):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)
            return x**2

        @staticmethod
        def backward(ctx, g):
            return g * 2 * ctx.saved_tensors[0]

        @staticmethod
        def jvp(ctx, t):
            return t * 5

    s = _scope(torch)
    return s["gradcheck"](Wrong.apply, s["x"]), raises(
        lambda: s["gradcheck"](Wrong.apply, s["x"], check_forward_ad=True),
        "Jacobian computed with forward mode mismatch for output 0 with respect to input 0",
    )


def nothing_requires_grad(torch):
    s = _scope(torch)
    return raises(
        lambda: s["gradcheck"](torch.sin, s["c"]),
        "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.",
    ), raises(lambda: s["gradcheck"](lambda x: x, (3.0,)), "gradcheck expects at least one input tensor to require gradient")


def options_that_exclude_each_other(torch):
    s = _scope(torch)
    return [
        raises(
            lambda: s["gradcheck"](torch.sin, s["x"], check_forward_ad=False, check_backward_ad=False),
            "Expected at least one of check_forward_ad or check_backward_ad to be True",
        ),
        raises(
            lambda: s["gradcheck"](
                torch.sin, s["x"], check_undefined_grad=True, check_backward_ad=False, check_forward_ad=True, check_batched_grad=True
            ),
            "Setting check_batched_grad=True requires check_backward_ad to be True",
        ),
        raises(
            lambda: s["gradcheck"](torch.sin, s["x"], check_batched_forward_grad=True),
            "Setting check_batched_forward_grad=True requires check_forward_ad to be True",
        ),
    ]


def single_precision_warns(torch):
    import warnings

    s = _scope(torch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        s["gradcheck"](torch.sin, s["f32"], raise_exception=False)
    return any(
        "requires gradient and is not a double precision floating point or complex. This check will likely fail if all the inputs are not of double precision floating point or complex."
        in str(w.message)
        for w in caught
    )


def overlapping_memory(torch):
    x = torch.ones(1, dtype=torch.float64).expand(3).requires_grad_()
    return raises(
        lambda: torch.autograd.gradcheck(torch.sin, x),
        "The 0th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able to compute the numerical gradients correctly",
    )


def non_deterministic_backward(torch):
    calls = []

    class Drifts(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            calls.append(1)
            return g * (2 + 1e-9 * len(calls))

    s = _scope(torch)
    return raises(
        lambda: s["gradcheck"](Drifts.apply, s["x"]),
        "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, although analytical gradient matches numerical gradient.",
        "nondet_tol",
    ), s["gradcheck"](Drifts.apply, s["x"], nondet_tol=1e-3)


def undefined_gradients(torch):
    class Needs(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            given = ([2 * g] if g is not None else []) + ([3 * h] if h is not None else [])
            return sum(given) if given else torch.ones(3, dtype=torch.float64)

    s = _scope(torch)
    return raises(lambda: s["gradcheck"](Needs.apply, s["x"]), "Expected"), s["gradcheck"](Needs.apply, s["x"], check_undefined_grad=False)


def names_of_the_module(torch):
    g = torch.autograd.gradcheck
    from importlib import import_module

    module = import_module(f"{torch.__name__}.autograd.gradcheck")
    return (
        callable(g),
        module.GradcheckError.__mro__[1].__name__,
        callable(module.get_numerical_jacobian),
        callable(module.get_analytical_jacobian),
    )


def outputs_of_wrong_kinds(torch):
    s = _scope(torch)
    return raises(lambda: s["gradcheck"](lambda x: [1, 2], s["x"])), s["gradcheck"](lambda x: (x * 2, x.argmax()), s["x"])

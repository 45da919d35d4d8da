"""T8: jacobian, hessian, vjp, jvp, vhp, hvp."""
from __future__ import annotations

from ..collect import each
from ..observe import raises

NAMES = ("jacobian", "hessian", "vjp", "jvp", "vhp", "hvp")


def _scope(torch):
    f = torch.autograd.functional
    return {name: getattr(f, name) for name in NAMES} | {
        "torch": torch,
        "x": torch.tensor([1.0, 2.0]),
        "y": torch.tensor([0.5, -1.0]),
        "s": torch.tensor(2.0),
        "m": torch.tensor([[1.0, 2.0], [3.0, 4.0]]),
        "v": torch.tensor([1.0, 10.0]),
        "o": torch.ones(2, 2),
        "square": lambda x: x * x,
        "cube_sum": lambda x: (x**3).sum(),
        "both": lambda x, y: (x * y, x + y),
        "mixed": lambda x, y: (x**2 * y).sum(),
        "rows": lambda x: x.exp().sum(1),
        "scalar": lambda x: x**2,
        "linear": lambda x: (3 * x).sum(),
        "constant": lambda x: torch.ones(2),
        "half": lambda x, y: x * 2,
        "halfsum": lambda x, y: (x**2).sum(),
        "complexed": lambda z: z * z,
        "z": torch.tensor([1 + 2j, -0.5j]),
    }


@each(
    "jacobian(square, x)", "jacobian(rows, m)", "jacobian(both, (x, y))", "jacobian(lambda x: (x, x * 2), x)", "jacobian(mixed, (x, y))",
    "jacobian(scalar, s)", "jacobian(square, x, vectorize=True)", "jacobian(both, (x, y), vectorize=True)",
    "jacobian(rows, m, vectorize=True)", "jacobian(square, x, vectorize=True, strategy='forward-mode')",
    "jacobian(both, (x, y), vectorize=True, strategy='forward-mode')", "jacobian(rows, m, vectorize=True, strategy='forward-mode')",
    "jacobian(square, x, create_graph=True)", "jacobian(rows, m, create_graph=True)", "jacobian(square, x, strict=True)",
    "jacobian(half, (x, y))", "jacobian(constant, x)", "jacobian(lambda x: x.sum(), m)", "jacobian(lambda x: x[None] * m[0, 0], x).shape",
    "jacobian(square, x.requires_grad_())", "jacobian(square, x, False, False, True)", "jacobian(half, (x, y), vectorize=True)",
    "jacobian(lambda x: x.double(), x)", "jacobian(square, x, strategy='reverse-mode')",
    "jacobian(lambda x: x.view(2, 1) * x, x, vectorize=True)",
)
def jacobian(torch, text):
    return eval(text, _scope(torch))


@each(
    "hessian(cube_sum, x)", "hessian(mixed, (x, y))", "hessian(cube_sum, m)", "hessian(scalar, s)",
    "hessian(cube_sum, x, create_graph=True)", "hessian(linear, x)", "hessian(halfsum, (x, y))", "hessian(cube_sum, x, vectorize=True)",
    "hessian(mixed, (x, y), vectorize=True)", "hessian(cube_sum, x, strict=True)", "hessian(lambda x: x.sum().sin(), x)",
    "hessian(lambda x: (x ** 3).sum(0, keepdim=True), x)",
)
def hessian(torch, text):
    return eval(text, _scope(torch))


@each(
    "vjp(square, x, v)", "vjp(rows, m, v)", "vjp(both, (x, y), (v, v))", "vjp(cube_sum, x)", "vjp(mixed, (x, y))",
    "vjp(square, x, v, create_graph=True)", "vjp(square, x, v, strict=True)", "vjp(half, (x, y), v)", "vjp(constant, x, v)",
    "vjp(lambda x: (x, x * 2), x, (v, v))", "vjp(cube_sum, x, s)", "vjp(square, x, v=v)", "jvp(square, x, v)", "jvp(rows, m, o)",
    "jvp(both, (x, y), (v, v))", "jvp(scalar, s)", "jvp(mixed, (x, y), (v, v))", "jvp(square, x, v, create_graph=True)",
    "jvp(square, x, v, strict=True)", "jvp(half, (x, y), (v, v))", "jvp(constant, x, v)", "jvp(linear, x, v)",
    "jvp(lambda x: (x, x * 2), x, v)",
)
def products(torch, text):
    return eval(text, _scope(torch))


@each(
    "vhp(cube_sum, x, v)", "vhp(mixed, (x, y), (v, v))", "vhp(scalar, s)", "vhp(cube_sum, m, o)", "vhp(cube_sum, x, v, create_graph=True)",
    "vhp(cube_sum, x, v, strict=True)", "vhp(linear, x, v)", "vhp(halfsum, (x, y), (v, v))", "hvp(cube_sum, x, v)",
    "hvp(mixed, (x, y), (v, v))", "hvp(scalar, s)", "hvp(cube_sum, m, o)", "hvp(cube_sum, x, v, create_graph=True)",
    "hvp(cube_sum, x, v, strict=True)", "hvp(linear, x, v)", "hvp(halfsum, (x, y), (v, v))",
)
def hessian_products(torch, text):
    return eval(text, _scope(torch))


def hessian_by_forward_mode(torch):
    s = _scope(torch)
    one = s["hessian"](s["cube_sum"], s["x"], vectorize=True, outer_jacobian_strategy="forward-mode")
    two = s["hessian"](s["mixed"], (s["x"], s["y"]), vectorize=True, outer_jacobian_strategy="forward-mode")
    return one.detach(), [[block.detach() for block in row] for row in two]


def results_may_be_differentiated(torch):
    s = _scope(torch)
    x = s["x"].requires_grad_()
    return [
        torch.autograd.grad(result.sum(), x)[0]
        for result in (
            s["jacobian"](s["square"], x, create_graph=True),
            s["hessian"](s["cube_sum"], x, create_graph=True),
            s["vjp"](s["square"], x, s["v"], create_graph=True)[1],
            s["jvp"](s["square"], x, s["v"], create_graph=True)[1],
            s["vhp"](s["cube_sum"], x, s["v"], create_graph=True)[1],
            s["hvp"](s["cube_sum"], x, s["v"], create_graph=True)[1],
        )
    ]


def results_are_detached(torch):
    s = _scope(torch)
    x = s["x"].requires_grad_()
    return (
        s["jacobian"](s["square"], x).requires_grad,
        s["vjp"](s["square"], x, s["v"])[0].requires_grad,
        s["hvp"](s["cube_sum"], x, s["v"])[1].requires_grad,
        x.grad,
    )


def strict_errors(torch):
    s = _scope(torch)
    x, y, v = s["x"], s["y"], s["v"]
    return [
        raises(
            lambda: s["jacobian"](s["half"], (x, y), strict=True),
            "Output 0 of the user-provided function is independent of input 1. This is not allowed in strict mode.",
        ),
        raises(
            lambda: s["jacobian"](s["constant"], x, strict=True),
            "Output 0 of the user-provided function does not require gradients. The outputs must be computed in a differentiable manner from the input when running in strict mode.",
        ),
        raises(
            lambda: s["hessian"](s["linear"], x, strict=True),
            "the jacobian of the user-provided function with respect to input 0 is independent of the input. This is not allowed in strict mode",
        ),
        raises(
            lambda: s["vjp"](s["half"], (x, y), v, strict=True),
            "The output of the user-provided function is independent of input 1. This is not allowed in strict mode.",
        ),
        raises(lambda: s["jvp"](s["constant"], x, v, strict=True), "does not require gradients"),
        raises(lambda: s["vhp"](s["halfsum"], (x, y), (v, v), strict=True), "independent of input 1"),
        raises(lambda: s["hvp"](s["halfsum"], (x, y), (v, v), strict=True), "independent of input 1"),
        raises(
            lambda: s["jacobian"](s["square"], x, strict=True, vectorize=True),
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together",
        ),
    ]


def shape_errors(torch):
    s = _scope(torch)
    x, v = s["x"], s["v"]
    return [
        raises(
            lambda: s["hessian"](s["square"], x), "The Tensor returned by the function given to hessian should contain a single element"
        ),
        raises(lambda: s["hvp"](s["square"], x, v), "The Tensor returned by the function given to hvp should contain a single element"),
        raises(lambda: s["vhp"](s["square"], x, v), "The Tensor returned by the function given to vhp should contain a single element"),
        raises(
            lambda: s["vjp"](s["square"], x),
            "The vector v can only be None if the user-provided function returns a single Tensor with a single element.",
        ),
        raises(
            lambda: s["jvp"](s["square"], x),
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element.",
        ),
        raises(lambda: s["vjp"](s["square"], x, torch.ones(3)), "v has invalid size: should be torch.Size([2]) but got torch.Size([3])."),
        raises(lambda: s["vjp"](s["square"], x, (v, v)), "The given v should contain a single Tensor."),
        raises(lambda: s["jvp"](s["square"], x, torch.ones(3)), "v has invalid size"),
        raises(
            lambda: s["vhp"](s["cube_sum"], x),
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element",
        ),
        raises(lambda: s["hvp"](s["cube_sum"], x, torch.ones(1)), "v has invalid size"),
        raises(lambda: s["hessian"](s["both"], (x, v)), "The function given to hessian should return a single Tensor"),
    ]


def type_errors(torch):
    s = _scope(torch)
    x = s["x"]
    return [
        raises(
            lambda: s["jacobian"](lambda t: 3, x),
            "The outputs of the user-provided function given to jacobian must be either a Tensor or a tuple of Tensors but the given outputs of the user-provided function has type <class 'int'>.",
        ),
        raises(
            lambda: s["jacobian"](s["square"], 3.0),
            "The inputs given to jacobian must be either a Tensor or a tuple of Tensors but the given inputs has type <class 'float'>.",
        ),
        raises(
            lambda: s["jacobian"](s["both"], (x, 3)),
            "must be either a Tensor or a tuple of Tensors but the value at index 1 has type <class 'int'>.",
        ),
        raises(lambda: s["vjp"](s["square"], x, 3), "The v given to vjp must be either a Tensor or a tuple of Tensors"),
        raises(
            lambda: s["jacobian"](s["square"], x, vectorize=True, strategy="sideways"),
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint:',
        ),
        raises(
            lambda: s["hessian"](s["cube_sum"], x, outer_jacobian_strategy="sideways"),
            'Expected strategy to be either "forward-mode" or "reverse-mode"',
        ),
        raises(lambda: s["jacobian"](s["square"], x, strategy="forward-mode"), "vectorize"),
        raises(lambda: s["jacobian"](s["square"], x, create_graph=True, vectorize=True, strategy="forward-mode"), "create_graph=True"),
    ]


def captured_constants(torch):
    """What is no input is captured, as the documents show."""
    s = _scope(torch)
    constant, flag = torch.tensor([3.0, 4.0]), True
    return s["jacobian"](lambda x: x * constant if flag else x, s["x"])


def inputs_are_not_touched(torch):
    s = _scope(torch)
    x = s["x"]
    s["jacobian"](s["square"], x)
    s["hessian"](s["cube_sum"], x)
    return x, s["jacobian"](lambda t: t.clone().mul_(2), x), x


def vhp_is_hvp_transposed(torch):
    s = _scope(torch)
    a = torch.tensor([[1.0, 2.0], [0.0, 3.0]])
    f = lambda x: x @ a @ x.exp()
    return s["vhp"](f, s["x"], s["v"])[1], s["hvp"](f, s["x"], s["v"])[1], s["hessian"](f, s["x"])


@each("vhp(f, x, x, strict=True)", "hvp(f, x, x, strict=True)", "hessian(f, x, strict=True)", "vhp(f, x, x)", "hvp(f, x, x)", "hessian(f, x)")
def strict_looks_at_outputs_first(torch, text):
    """That an output does not depend on the inputs is said before that it has more than one element"""
    scope = {name: getattr(torch.autograd.functional, name) for name in ("vhp", "hvp", "hessian")}
    strict = ["Output 0 of the user-provided function does not require gradients."] if "strict" in text else ["should contain a single element"]
    return raises(lambda: eval(text, {**scope, "f": lambda x: torch.ones(2), "x": torch.ones(3)}), *strict)

"""State that outlives a call, single precision, functions that fill buffers: what a review of the tape found."""
from __future__ import annotations

from ..collect import each, ours
from ..observe import raises


def _x(torch, *values):
    return torch.tensor(values or (1.0, -2.0), dtype=torch.float64, requires_grad=True)


@each("y * y", "y.sin()", "y.exp() * y", "(y * y).sum() * y")
def a_saved_tensor_detached_in_place(torch, text):
    """What was saved and then detached in place is refused."""
    x = _x(torch)
    y = x * 2
    z = eval(text, {"y": y})
    y.detach_()
    return [raises(lambda: z.sum().backward(), "has been detached in-place")]


@each("x.requires_grad_(False)", "x.detach_()")
def a_leaf_frozen_after_it_was_saved(torch, text):
    x = _x(torch)
    z = x.sin()
    eval(text, {"x": x})
    z.sum().backward()
    return [x.grad, z.grad_fn.name()]


@each("torch.ones(3, dtype=torch.float64)", "torch.ones(1, 2, dtype=torch.float64)", "torch.ones(2, dtype=torch.complex128)",
      "torch.ones(2, dtype=torch.float64)", "torch.ones(2)")
def gradients_given_for_an_edge(torch, text):
    x = _x(torch)
    edge = torch.autograd.graph.get_gradient_edge(x * x)
    try:
        torch.autograd.backward((edge,), (eval(text, {"torch": torch}),))
    except RuntimeError as error:
        return str(error)[:40]
    return x.grad


def an_edge_made_by_hand(torch):
    x = _x(torch)
    y = (x * x).sum()
    return torch.autograd.grad(torch.autograd.graph.GradientEdge(y.grad_fn, 0), x)


def hooks_entered_during_backward(torch):
    """A context that a hook enters ends with its node."""
    x, log = _x(torch), []

    def enter(grads):
        torch.autograd.graph.saved_tensors_hooks(lambda t: (log.append("pack"), t)[1], lambda t: t).__enter__()
    y = x.sin()
    y.grad_fn.register_prehook(enter)
    torch.autograd.grad(y.sum(), x, create_graph=True)
    log.append("after")
    _ = x * x
    return log


@each("x ** 2", "x.square()", "x ** 3", "x ** 1", "x.relu()", "(x ** 2).sum()", "torch.nn.functional.leaky_relu(x)", "x * x",
      "torch.nn.functional.hardtanh(x)", "torch.nn.functional.threshold(x, 0.0, 0.0)", "torch.nn.functional.smooth_l1_loss(x, x.detach() * 0)",
      "torch.nn.functional.huber_loss(x, x.detach() * 0)", "x.pow(2).relu()", "x ** 2.5", "x.abs()", "x.clamp(-1, 1.5)")
def where_a_derivative_graph_ends(torch, text):
    """Derivatives of derivatives, until there is none."""
    x = _x(torch)
    y, seen = eval(text, {"torch": torch, "x": x}), []
    for _ in range(4):
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True, allow_unused=True)
        seen.append(None if g is None else [g.detach(), g.requires_grad])
        if g is None or not g.requires_grad:
            break
        y = g
    return seen


@each("hvp(f, x.detach(), torch.ones(2, dtype=torch.float64), create_graph=True)", "hessian(f, x.detach(), create_graph=True)",
      "hvp(f, x.detach(), torch.ones(2, dtype=torch.float64), strict=True, create_graph=True)", "hessian(f, x.detach(), strict=True)")
def products_of_a_quadratic(torch, text):
    space = vars(torch.autograd.functional) | {"torch": torch, "x": _x(torch), "f": lambda x: (x ** 2).sum()}
    found = eval(text, space)
    return [[t.detach(), t.requires_grad] for t in (found if isinstance(found, tuple) else (found,))]


@each("x ** p", "x.to(torch.complex128) ** p", "(-2.0) ** p", "x ** (1 + 2j)")
def complex_exponents_of_negative_bases(torch, text):
    x = _x(torch, -2.0, 3.0)
    p = torch.tensor([1 + 2j, 1 + 1j], dtype=torch.complex128, requires_grad=True)
    y = eval(text, {"x": x, "p": p, "torch": torch})
    (y * (1 + 0.5j)).sum().abs().backward()
    return [y.detach(), x.grad, p.grad]


@each("jacfwd(lambda z: z * z)(z)", "jacrev(lambda z: z * z)(z)", "jacfwd(lambda x: x * (1 + 2j))(x)", "jacrev(lambda z: z.real)(z)")
def jacobians_of_complex_numbers(torch, text):
    z = torch.tensor([1 + 2j, 3 - 1j])
    return raises(lambda: eval(text, {"jacfwd": torch.func.jacfwd, "jacrev": torch.func.jacrev, "z": z, "x": torch.ones(2)}),
                  "to be real but received complex tensor at flattened input idx: 0")


@ours
@each("cholesky(a @ a.mH + 3 * eye)", "eigh(a + a.mH)[0]", "eigh(a + a.mH)[1].abs()", "eig(a)[0].abs()", "eigvals(a).abs()", "svd(a)[1]",
      "svd(a)[0].abs()", "qr(a)[1].abs()", "qr(a)[0].abs()", "pinv(a).abs()", "lstsq(a, b).solution.abs()",
      "lu_solve(*lu_factor(a), b).abs()", "solve(a, b).abs()", "svdvals(a)", "matrix_norm(a, 'nuc')")
def single_precision_in_linear_algebra(torch, text):
    """Gradients of gradients, forward mode, forward over reverse and vmap of gradients, in float32 and complex64, against double."""
    import numpy as np
    rng = np.random.default_rng(3)
    real, imaginary, right = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=(3, 2))
    direction = rng.normal(size=(3, 3))

    def ways(g, a, t):
        def f(a):
            y = g(a).sum()
            return y.real if y.is_complex() else y

        def gradient(a, create_graph=True):
            a = a if a.requires_grad else a.clone().requires_grad_()
            return a, torch.autograd.grad(f(a), a, create_graph=create_graph)[0]
        a1, first = gradient(a)
        dot = (first * t.conj()).sum().real if first.is_complex() else (first * t).sum()
        yield torch.autograd.grad(dot, a1)[0] if first.requires_grad else first
        yield torch.func.jvp(f, (a,), (t,))[1]
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(a.clone().requires_grad_(), t)
            tangent = torch.autograd.forward_ad.unpack_dual(torch.autograd.grad(f(dual), dual, create_graph=True)[0]).tangent
            yield torch.zeros_like(a) if tangent is None else tangent
        yield torch.func.vmap(torch.func.grad(f))(torch.stack([a, 2 * a]))
    facts = {}
    for low, high, array in ((torch.float32, torch.float64, real), (torch.complex64, torch.complex128, real + 1j * imaginary)):
        found = []
        for dtype in (low, high):
            a, b = torch.tensor(array).to(dtype), torch.tensor(right).to(dtype)
            space = vars(torch.linalg) | {name: getattr(torch.linalg, name) for name in (
                "cholesky", "eigh", "eig", "eigvals", "svd", "qr", "pinv", "lstsq", "lu_solve", "lu_factor", "solve", "svdvals", "matrix_norm")}
            found.append([t.detach() for t in ways(
                lambda a, space=space, b=b: eval(text, space | {"a": a, "b": b, "eye": torch.eye(3, dtype=a.dtype)}), a,
                torch.tensor(direction).to(dtype))])
        for k, (single, double) in enumerate(zip(*found)):
            scale = 1 + double.abs().max().item()
            same = (single.to(high) - double.to(high)).abs().max().item() < 5e-3 * scale
            facts[f"{k} {low}"] = same and single.dtype in (low, low.to_real())
    return facts


def _filled(torch):
    def by_item(x):
        y = torch.zeros(3, dtype=torch.float64)
        y[0], y[1], y[2] = x[0] * x[1], x[1].sin(), x[0] ** 2
        return y

    def by_loop(x):
        y = torch.empty(3, dtype=torch.float64)
        for i in range(3):
            y[i] = x[i % 2] * (i + 1) * x[0]
        return y

    def by_row(x):
        y = x.new_zeros(2, 2)
        y[0], y[1] = x, x * x
        return y.sum(0)

    def diagonal(x):
        y = torch.zeros(2, 2, dtype=torch.float64)
        y.diagonal().copy_(x * x)
        return y @ x

    def scattered(x):
        return torch.zeros(4, dtype=torch.float64).scatter_(0, torch.tensor([1, 3]), x * x)

    def accumulated(x):
        y = torch.zeros(2, dtype=torch.float64)
        y += x * x
        return y.mul_(x)

    def by_column(x):
        y = torch.zeros(2, 3, dtype=torch.float64)
        y[:, 1] = x ** 3
        y[0].add_(x[1])
        return y.sum(1)
    return locals()


@each("by_item", "by_loop", "by_row", "diagonal", "scattered", "accumulated", "by_column")
def functions_that_fill_a_buffer(torch, text):
    """Jacobians and Hessians of functions that write into a buffer of their own."""
    f, x = _filled(torch)[text], torch.tensor([1.5, -0.5], dtype=torch.float64)
    functional = torch.autograd.functional
    return [torch.func.jacfwd(f)(x), torch.func.jacrev(f)(x), torch.func.hessian(lambda x: (f(x) ** 2).sum())(x),
            functional.jacobian(f, x, vectorize=True, strategy="forward-mode"),
            functional.hessian(lambda x: (f(x) ** 2).sum(), x, vectorize=True, outer_jacobian_strategy="forward-mode").detach()]


@each("y.mul_(x)", "y.div_(x)", "y.pow_(2)", "y.pow_(x)", "y.mul_(3.0)", "y.sin_()", "y.exp_()", "y.clamp_(0.0, 5.0)", "y.sigmoid_()",
      "y.addcmul_(x, x)", "y.lerp_(x, 0.5)", "y.zero_()", "y.sqrt_()")
def writes_under_vmap_of_grad(torch, text):
    """In-place operations inside grad inside vmap, and their second derivatives."""
    def f(x):
        y = x * 2 + 5
        eval(text, {"x": x, "y": y})
        return (y * x).sum()
    x = torch.tensor([[1.5, -0.5], [0.5, 2.0]], dtype=torch.float64)
    return [torch.func.vmap(torch.func.grad(f))(x), torch.func.hessian(f)(x[0]), torch.func.vmap(torch.func.jacrev(torch.func.grad(f)))(x)]


def what_is_the_same_for_all_examples_is_not_written_to(torch):
    def f(x):
        y = torch.zeros(2, dtype=torch.float64)
        y[0] = x.sum()
        return y
    return raises(lambda: torch.func.vmap(f)(torch.ones(3, 2, dtype=torch.float64)), "vmap: inplace arithmetic", "has more elements than `self`")


@each("no_grad", "inference_mode", "set_grad_enabled(False)")
def what_holds_without_recording(torch, text):
    """The fast path without recording: values, versions, flags, views, layouts, promotions."""
    x, y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), torch.ones(2, 2)
    buffer, w = torch.zeros(2, 2), x.detach().clone().requires_grad_()
    with eval(f"torch.{text}" + "()" * ("(" not in text), {"torch": torch}):
        rows = [x * y, x + 1, 2 - x, x / y, x ** 2, x.sin(), x.relu(), x.t() * y, x @ y, x.sum(), x.sum(0), x[0], x[0] * 2, x.view(4), x.t(),
                x.chunk(2), x.max(0), x.clamp(0, 2), x.sigmoid(), torch.cat([x, y]), x.float() * y.double(), torch.where(x > 2, x, y), x > 2,
                x.exp().sum().sqrt(), x.mean(1, keepdim=True), x.reshape(-1), x.unsqueeze(0), x.int() + 1]
        buffer += x
        buffer.mul_(2).sub_(y).div_(3.0)
        w -= 0.5 * y
        own = buffer if text != "inference_mode" else None
    strides = [list(t.stride()) for t in rows if not isinstance(t, tuple)]
    return [rows, strides, buffer.clone(), buffer._version, w, w._version, w.grad_fn is None, None if own is None else own.is_leaf]

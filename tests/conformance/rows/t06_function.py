"""T6: custom Functions."""
from __future__ import annotations

from ..functions import leaf as _x
from ..functions import made as _make
from ..observe import raises


def combined_forward(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x

    x = _x(torch)
    y = Square.apply(x)
    y.sum().backward()
    return (
        y,
        x,
        type(y.grad_fn).__name__,
        y.grad_fn.name(),
        isinstance(y.grad_fn, torch.autograd.graph.Node),
        [f[0].name() for f in y.grad_fn.next_functions],
    )


def separate_setup_context(torch):
    class Power(torch.autograd.Function):
        @staticmethod
        def forward(x, n):
            return x**n

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, n = inputs
            ctx.save_for_backward(x)
            ctx.n = n
            ctx.inputs = type(inputs).__name__, len(inputs)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * ctx.n * x ** (ctx.n - 1), None

    x = _x(torch)
    y = Power.apply(x, 3)
    seen = y.grad_fn.inputs
    y.sum().backward()
    return y, x, seen


def forward_runs_without_tracking(torch):
    seen = []
    F = _make(
        torch,
        forward=lambda ctx, x: seen.append((torch.is_grad_enabled(), x.requires_grad, (x * 2).requires_grad)) or x * 2,
        backward=lambda ctx, g: seen.append((torch.is_grad_enabled(), g.requires_grad)) or g * 2,
    )
    x = _x(torch)
    F.apply(x).sum().backward()
    torch.autograd.grad(F.apply(x).sum(), x, create_graph=True)
    return seen


def vjp_instead_of_backward(torch):
    F = _make(torch, forward=lambda ctx, x: x * 3, vjp=lambda ctx, g: g * 3)
    x = _x(torch)
    F.apply(x).sum().backward()
    return x, raises(
        lambda: _make(torch, forward=lambda ctx, x: x * 3, vjp=lambda ctx, g: g, backward=lambda ctx, g: g).apply(x).sum().backward(),
        "Implementing both 'backward' and 'vjp' for a custom Function is not allowed",
    )


def no_backward(torch):
    F = _make(torch, forward=lambda ctx, x: x * 3)
    x = _x(torch)
    return (
        raises(
            F.apply(x).sum().backward,
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD",
        ),
        F.apply(torch.ones(2)),
        raises(lambda: _make(torch).apply(x), "You must implement the forward function for custom autograd.Function"),
    )


def needs_input_grad(torch):
    seen = []
    F = _make(
        torch,
        forward=lambda ctx, x, y, n: seen.append(ctx.needs_input_grad) or x * y * n,
        backward=lambda ctx, g: (
            seen.append(ctx.needs_input_grad) or (g if ctx.needs_input_grad[0] else None, g if ctx.needs_input_grad[1] else None, None)
        ),
    )
    x = _x(torch)
    F.apply(x, torch.ones(2), 3).sum().backward()
    F.apply(torch.ones(2), x * 2, 3).sum().backward()
    return seen, x


def several_inputs_and_outputs(torch):
    class SumAndDifference(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b, a - b

        @staticmethod
        def backward(ctx, gs, gd):
            return gs + gd, gs - gd

    a, b = _x(torch), _x(torch)
    s, d = SumAndDifference.apply(a, b)
    (s * 2 + d * 3).sum().backward()
    return s, d, s.grad_fn is d.grad_fn, a, b


def unused_outputs_are_zeros(torch):
    seen = []
    F = _make(torch, forward=lambda ctx, x: (x * 1, x.sum()), backward=lambda ctx, g, h: seen.append((g, h)) or g)
    x = _x(torch)
    F.apply(x)[0].sum().backward()
    F.apply(x)[1].backward()
    return seen, x


def materialized_or_not(torch):
    seen = []
    F = _make(
        torch,
        forward=lambda ctx, x: ctx.set_materialize_grads(False) or (x * 1, x * 2),
        backward=lambda ctx, g, h: seen.append((g is None, h is None)) or (g if h is None else h * 2),
    )
    x = _x(torch)
    a, b = F.apply(x)
    a.sum().backward(retain_graph=True)
    b.sum().backward()
    return seen, x


def non_tensor_arguments_and_outputs(torch):
    F = _make(
        torch,
        forward=lambda ctx, x, name, options, flag: (x * 2, name, 7, None),
        backward=lambda ctx, *gs: (sum(g for g in gs if g is not None), None, None, None),
    )
    x = _x(torch)
    out = F.apply(x, "name", {"k": 1}, True)
    out[0].sum().backward()
    return out, x


def keyword_arguments(torch):
    F = _make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: g)
    return raises(lambda: F.apply(x=_x(torch)))


def a_list_as_output(torch):
    F = _make(torch, forward=lambda ctx, x: [x * 2, x * 3], backward=lambda ctx, *g: g[0] * 2)
    out = raises(lambda: F.apply(_x(torch)))
    return out


def none_gradients(torch):
    F = _make(torch, forward=lambda ctx, x, y: x * y, backward=lambda ctx, g: (None, g))
    x, y = _x(torch), _x(torch)
    F.apply(x, y).sum().backward()
    return x.grad, y.grad


def surplus_nones_are_forgiven(torch):
    F = _make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: (g * 2, None, None))
    x = _x(torch)
    F.apply(x).sum().backward()
    return x


def wrong_number_of_gradients(torch):
    more = _make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: (g, g))
    fewer = _make(torch, forward=lambda ctx, x, y: x * y, backward=lambda ctx, g: g)
    return raises(more.apply(_x(torch)).sum().backward, "returned an incorrect number of gradients (expected 1, got 2)"), raises(
        fewer.apply(_x(torch), _x(torch)).sum().backward, "returned an incorrect number of gradients (expected 2, got 1)"
    )


def wrong_shape_of_gradients(torch):
    F = _make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: torch.ones(5))
    return raises(
        F.apply(_x(torch)).sum().backward,
        "MadeBackward returned an invalid gradient at index 0",
        "got [5] but expected shape compatible with [2]",
    )


def gradients_are_summed_to_the_input_and_cast(torch):
    F = _make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: torch.ones(3, 2, dtype=torch.float64))
    x = _x(torch)
    F.apply(x).sum().backward()
    return x


def gradient_for_an_input_without(torch):
    """A gradient where none is needed is dropped; for what is not a Tensor it is an error."""
    ok = _make(torch, forward=lambda ctx, x, c: x * c, backward=lambda ctx, g: (g, g))
    bad = _make(torch, forward=lambda ctx, x, n: x * n, backward=lambda ctx, g: (g, g))
    x = _x(torch)
    ok.apply(x, torch.ones(2)).sum().backward()
    return x, raises(
        bad.apply(x, 2).sum().backward,
        "returned a gradient different than None at position 2, but the corresponding forward input was not a Variable",
    )


def backward_returns_no_tensor(torch):
    F = _make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: 3.0)
    return raises(F.apply(_x(torch)).sum().backward, "expected Variable or None (got float)")


def double_backward(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * g

    x = _x(torch)
    (g,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    return g.detach(), h.detach(), torch.autograd.grad(h.sum(), x), g.grad_fn is not None, h.requires_grad


def saved_result_and_double_backward(torch):
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return g * y

    x = _x(torch)
    (g,) = torch.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
    g.sum().backward()
    return g.detach(), x


def once_differentiable(torch):
    F = _make(torch, forward=lambda ctx, x: x * 2, backward=torch.autograd.function.once_differentiable(lambda ctx, g: g * 2))
    x = _x(torch)
    v = torch.ones(2, requires_grad=True)
    (free,) = torch.autograd.grad(F.apply(x), x, torch.ones(2), create_graph=True)
    (bound,) = torch.autograd.grad(F.apply(x), x, v, create_graph=True)
    return (
        free.requires_grad,
        bound.requires_grad,
        raises(lambda: bound.sum().backward(), "trying to differentiate twice a function that was marked with @once_differentiable"),
    )


def once_differentiable_leads_to_new_leaves(torch):
    """What is returned leads to leaves of its own: gradients of what was given do not come, and nothing is raised on the way to others."""
    F = _make(torch, forward=lambda ctx, x, y: x * y, backward=torch.autograd.function.once_differentiable(lambda ctx, g: (g * 2, g * 3)))
    x, y, v = _x(torch), _x(torch), torch.ones(2, requires_grad=True)
    a, b = torch.autograd.grad(F.apply(x, y), [x, y], v, create_graph=True)
    node = a.grad_fn
    sums = a.sum()
    sums.backward(inputs=[x, v], retain_graph=True)
    return (node is b.grad_fn, a.output_nr, b.output_nr, [(n.name(), n.variable is x, k) for n, k in node.next_functions],
            torch.autograd.grad(sums, v, allow_unused=True, retain_graph=True), x.grad, v.grad,
            raises(lambda: torch.autograd.grad(sums, v, retain_graph=True), "appears to not have been used in the graph"),
            raises(lambda: sums.backward(), "trying to differentiate twice a function that was marked with @once_differentiable"))


def jvp_static_method(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_forward(x)
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

        @staticmethod
        def jvp(ctx, t):
            return 2 * ctx.saved_tensors[0] * t

    fw = torch.autograd.forward_ad
    x = _x(torch)
    with fw.dual_level():
        y = Square.apply(fw.make_dual(x, torch.tensor([1.0, 10.0])))
        return fw.unpack_dual(y).tangent.detach(), fw.unpack_dual(y).primal.detach(), y.requires_grad


def jvp_missing(torch):
    F = _make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: g)
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        return raises(
            lambda: F.apply(fw.make_dual(torch.ones(2), torch.ones(2))),
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD",
        )


def jvp_with_non_tensors_and_none(torch):
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, n):
            ctx.n = n
            return x * n, y + 1

        @staticmethod
        def jvp(ctx, xt, yt, nt):
            assert nt is None
            return xt * ctx.n, yt

    fw = torch.autograd.forward_ad
    with fw.dual_level():
        a, b = Scale.apply(fw.make_dual(torch.ones(2), torch.ones(2)), torch.zeros(2), 3)
        return fw.unpack_dual(a).tangent, fw.unpack_dual(b).tangent


def vmap_static_method(torch):
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(x, n):
            return x * n

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.n = inputs[1]

        @staticmethod
        def backward(ctx, g):
            return g * ctx.n, None

        @staticmethod
        def vmap(info, in_dims, x, n):
            assert info.batch_size == 3 and info.randomness == "error"
            return Scale.apply(x, n) * 100, in_dims[0]

    x = torch.arange(6.0).reshape(3, 2)
    return torch.vmap(lambda r: Scale.apply(r, 2.0))(x), torch.vmap(lambda r: Scale.apply(r, 2.0), in_dims=0, out_dims=1)(x)


def generate_vmap_rule(torch):
    class Square(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    x = torch.arange(6.0).reshape(3, 2).requires_grad_()
    y = torch.vmap(Square.apply)(x)
    y.sum().backward()
    return y.detach(), x


def vmap_without_a_rule(torch):
    class F(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

    return raises(lambda: torch.vmap(F.apply)(torch.ones(2, 2)), "it does not have vmap support")


def calling_under_no_grad(torch):
    F = _make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: g)
    with torch.no_grad():
        y = F.apply(_x(torch))
    return y, F.apply(torch.ones(2))


def a_function_within_a_function(torch):
    inner = _make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: g * 2)

    def backward(ctx, g):
        with torch.enable_grad():
            t = ctx.t.detach().requires_grad_()
            return torch.autograd.grad(inner.apply(t).exp(), t, g)[0]

    outer = _make(torch, forward=lambda ctx, x: setattr(ctx, "t", x) or (x * 2).exp(), backward=backward)
    x = _x(torch)
    outer.apply(x).sum().backward()
    return x


def integer_outputs_do_not_require_grad(torch):
    F = _make(torch, forward=lambda ctx, x: (x * 2, x.long()), backward=lambda ctx, g, h: g * 2)
    x = _x(torch)
    a, b = F.apply(x)
    return a, b, a.sum().backward(), x


def hooks_on_the_node(torch):
    log = []
    F = _make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: log.append("backward") or g * 2)
    x = _x(torch)
    y = F.apply(x)
    y.grad_fn.register_hook(lambda gi, go: log.append("post"))
    y.grad_fn.register_prehook(lambda go: log.append("pre"))
    y.register_hook(lambda g: log.append("tensor"))
    y.sum().backward()
    return log, x


def error_in_backward_reaches_the_user(torch):
    def backward(ctx, g):
        raise LookupError("from backward")

    F = _make(torch, forward=lambda ctx, x: x * 2, backward=backward)
    return raises(F.apply(_x(torch)).sum().backward, "from backward")


def nested_lists_are_not_inputs(torch):
    F = _make(torch, forward=lambda ctx, xs: xs[0] * 2, backward=lambda ctx, g: None)
    y = F.apply([_x(torch)])
    return y


def saved_tensors_in_forward(torch):
    seen = []

    def forward(ctx, x):
        ctx.save_for_backward(x)
        seen.append(ctx.to_save[0] is x)
        return x * 2

    F = _make(torch, forward=forward, backward=lambda ctx, g: g)
    F.apply(_x(torch))
    return seen


def gradient_at_the_base_of_a_view_made_before_a_write(torch):
    """The view's history is written anew when the Function asks for it; its node comes before that of the Function."""
    double = _make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: g * 2)
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    v = y[1:]
    y.mul_(x)
    return torch.autograd.grad(double.apply(v).sum(), [y, x], allow_unused=True)

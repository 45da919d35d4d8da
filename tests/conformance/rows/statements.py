"""Statements of the documents that needed a closer look: views inside Functions, printing, inference tensors, jvp, hooks, nesting."""
from __future__ import annotations

import warnings

from ..collect import each
from ..observe import raises


def a_function_that_writes_into_a_view_of_its_temporary(torch):
    class Fill(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            made = torch.zeros(2, 3)
            made[0].copy_(x)
            made.t()[1].fill_(3)
            row = made[1]
            row.add_(x)
            return row

        @staticmethod
        def backward(ctx, g):
            return g
    x = torch.ones(3, requires_grad=True)
    y = Fill.apply(x) * 1
    y.sum().backward()
    return [y.detach(), x.grad]


def a_view_that_a_function_returns_is_not_written_to(torch):
    class First(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            made = x.clone()
            part = made[:2]
            part.zero_()
            return part

        @staticmethod
        def backward(ctx, g):
            return torch.cat([g, g[:1]])
    x = torch.ones(3, requires_grad=True)
    y = First.apply(x)
    y.sum().backward()
    return [y.detach(), x.grad, raises(lambda: First.apply(x).add_(1), "is a view and is being modified inplace")]


def a_warning_that_is_an_error_in_anomaly_mode(torch):
    """It does not take the place of the error that is being explained."""
    x = torch.zeros(1, requires_grad=True)
    with torch.autograd.detect_anomaly():
        y = (x.sqrt() * 0).sum()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return raises(y.backward, "Function 'SqrtBackward0' returned nan values in its 0th output")


@each("x.mul_(2)", "x.mul_(torch.ones(3, requires_grad=True))")
def printing_a_view_made_without_recording(torch, text):
    x = torch.ones(3, requires_grad=True) * 2
    with torch.no_grad():
        v = x[:2]
    eval(text, {"x": x, "torch": torch})
    return repr(v)


@each("x.transpose_(0, 1)", "x.t_()", "x.squeeze_(1)", "x.unsqueeze_(0)", "x.as_strided_((2,), (1,))", "x.swapaxes_(0, 1)")
def shapes_of_inference_tensors(torch, text):
    """In place, inside inference mode; outside it is refused."""
    with torch.inference_mode():
        x, other = torch.ones(2, 3), torch.ones(2, 3)
        y = eval(text, {"x": x})
        seen = [list(y.shape), list(y.stride()), y is x, y.is_inference()]
    return [*seen, raises(lambda: eval(text, {"x": other}), "Inplace update to inference tensor outside InferenceMode is not allowed")]


def shapes_of_empty_tensors(torch):
    x = torch.empty(0, 3)
    return [list(x.as_strided((0,), (1,)).shape), list(x.as_strided((2, 0), (1, 1)).shape), list(x.transpose_(0, 1).shape),
            list(x.as_strided_((0, 2), (1, 1)).shape), raises(lambda: torch.empty(0).as_strided((1,), (1,)), "are out of bounds for storage of size 0")]


def _pushed(torch, function, *args):
    forward_ad = torch.autograd.forward_ad
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.ones(2), torch.ones(2))
        y = function.apply(x, *args)
        return y is x, forward_ad.unpack_dual(y).tangent


def jvp_of_functions(torch):
    """None for integers, views of the given tangents, tangents written in place."""
    function, seen = torch.autograd.Function, []

    class Times(function):
        @staticmethod
        def forward(ctx, x, i):
            return x * i

        @staticmethod
        def jvp(ctx, t, i):
            seen.append(i is None)
            return t * 2

    class Flat(function):
        @staticmethod
        def forward(ctx, x):
            return x.view(-1)

        @staticmethod
        def jvp(ctx, t):
            return t.view(-1)

    class Other(Flat):
        @staticmethod
        def jvp(ctx, t):
            return t.clone().view(-1)

    class Twice(function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def jvp(ctx, t):
            return t.mul_(2)

    class Apart(Twice):
        @staticmethod
        def jvp(ctx, t):
            return t * 2
    return [_pushed(torch, Times, torch.tensor([1, 2])), _pushed(torch, Flat), _pushed(torch, Twice), seen,
            raises(lambda: _pushed(torch, Other), "A custom Function", "the jvp is not returning a view"),
            raises(lambda: _pushed(torch, Apart), "An inplace custom Function is not modifying the forward mode gradients inplace")]


def hooks_where_no_gradient_arrives(torch):
    """Hooks are called for undefined gradients as well."""
    log = []

    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return None
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g: log.append(["leaf", g is None]))
    x.register_post_accumulate_grad_hook(lambda p: log.append("accumulated"))
    y = x * 2
    y.register_hook(lambda g: log.append(["y", g is None]))
    y.grad_fn.register_prehook(lambda g: log.append(["pre", g[0] is None]))
    y.grad_fn.register_hook(lambda i, o: log.append(["post", i[0] is None, o[0] is None]))
    Nothing.apply(y).sum().backward()
    a, b = (x * 1).unbind(0)
    a.register_hook(lambda g: log.append(["a", g is None]))
    b.register_hook(lambda g: log.append(["b", g is None]))
    Nothing.apply(a).sum().backward()
    return [log, x.grad]


def gradcheck_calls_hooks_for_undefined_gradients(torch):
    log = []

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, a, b):
            return a + 2 * b

    def f(x):
        a, b = Two.apply(x)
        a.register_hook(lambda g: log.append(g is None))
        return a, b
    checked = torch.autograd.gradcheck(f, torch.ones(2, dtype=torch.float64, requires_grad=True))
    return [checked, True in log, False in log]


@each("x ** n", "0.0 ** n", "torch.pow(x, n)", "torch.pow(0, n)")
def powers_of_zero(torch, text):
    x = torch.zeros(4, dtype=torch.float64, requires_grad=True)
    n = torch.tensor([2.0, 0.0, 1.0, -1.0], dtype=torch.float64, requires_grad=True)
    y = eval(text, {"x": x, "n": n, "torch": torch})
    y.sum().backward()
    return [y.detach(), x.grad, n.grad]


def two_thousand_sweeps_one_inside_another(torch):
    """A backward that calls backward, and so on: without recursion."""
    class Nested(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, g):
            if not ctx.depth:
                return g, None
            (x,) = ctx.saved_tensors
            with torch.enable_grad():
                y = x.detach().requires_grad_()
                Nested.apply(y, ctx.depth - 1).sum().backward()
            return y.grad * g, None
    x = torch.ones(2, requires_grad=True)
    Nested.apply(x, 2000).sum().backward()
    return x.grad


@each("x.nonexistent_thing()", "x.grad_fn.nonexistent", "x.shape.nonexistent")
def errors_of_the_users_own(torch, text):
    """An AttributeError inside a Function stays what it is."""
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return eval(text, {"x": g})
    return raises(lambda: Wrong.apply(torch.ones(2, requires_grad=True)).sum().backward(), "nonexistent")


def a_function_with_two_rules_for_maps(torch):
    """A Function states its rule for vmap, or has one generated, but not both."""
    class Both(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x):
            return x * 2, in_dims[0]
    return raises(lambda: torch.vmap(Both.apply)(torch.ones(2)), "generate_vmap_rule=True")


def marks_and_savings_of_a_context(torch):
    """None may be saved; a later call replaces an earlier one; a mark may come before the write."""
    seen = []

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(y)
            ctx.save_for_backward(x, None)
            ctx.mark_dirty(x)
            x.mul_(2)
            return x

        @staticmethod
        def backward(ctx, g):
            seen.append([t if t is None else t.tolist() for t in ctx.saved_tensors])
            return g * 2, None

    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward()
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g * (1 + len(ctx.saved_tensors))
    x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.ones(2)
    z = x * 1
    stale = z * z
    out = Doubled.apply(z, y)
    out.sum().backward()
    w = torch.ones(2, requires_grad=True)
    Nothing.apply(w).sum().backward()
    return [seen, out is z, x.grad, w.grad, raises(lambda: stale.sum().backward(), "modified by an inplace operation")]


@each("half", "float", "double", "bfloat16", "cfloat", "cdouble")
def dtypes_that_may_require_grad(torch, text):
    x = torch.ones(2, dtype=getattr(torch, text), requires_grad=True)
    (x * x).abs().sum().backward()
    return [x.grad, x.grad.dtype == x.dtype]


@each("int", "long", "bool", "uint8")
def dtypes_that_may_not_require_grad(torch, text):
    dtype = getattr(torch, text)
    return [raises(lambda: torch.ones(2, dtype=dtype, requires_grad=True), "Only Tensors of floating point"),
            raises(lambda: torch.ones(2, dtype=dtype).requires_grad_(), "only Tensors of floating point")]


def a_graph_is_made_anew_each_time(torch):
    """Python's control flow decides what is differentiated."""
    x, rows = torch.tensor(1.5, requires_grad=True), []
    for steps in (0, 1, 3):
        y = x * 1
        for k in range(steps):
            y = y * x if y < 3 else y + k
        rows.append(torch.autograd.grad(y, x)[0].item())
    return rows


@each("jacobian", "hessian")
def entries_have_the_dtypes_of_inputs(torch, text):
    functional = torch.autograd.functional
    inputs = (torch.ones(2, dtype=torch.float32), torch.ones(1, dtype=torch.float64))
    found = getattr(functional, text)(lambda a, b: (a.double() * b).pow(2).sum(), inputs)
    return [[str(t.dtype), list(t.shape)] for row in found for t in (row if isinstance(row, tuple) else (row,))]


@each("values().zero_()", "values().mul_(2)", "zero_()", "add_(s)", "copy_(s)")
def writes_to_a_detached_sparse_tensor(torch, text):
    """What of the original changes with it."""
    s = torch.sparse_coo_tensor(torch.tensor([[0, 2]]), torch.tensor([1.0, 2.0]), (3,)).coalesce()
    d = s.detach()
    try:
        eval(f"d.{text}", {"d": d, "s": s.clone()})
    except RuntimeError as error:
        return type(error).__name__
    return [s.to_dense(), d.to_dense()]


def events_come_in_the_order_of_registration(torch):
    """A table without a key to sort by."""
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        y = x.exp()
        z = y.sin()
        z.sum()
    names = [e.name for e in prof.function_events if e.name in ("aten::exp", "aten::sin", "aten::sum")]
    table = prof.key_averages().table()
    return [names, [n for n in sorted(names, key=table.index)]]


def metadata_of_an_unpacked_tensor_is_overwritten(torch):
    """Only the numbers of the tensor that an unpack hook returns count."""
    other = torch.zeros(2, requires_grad=True) * 1

    def unpack(kept):
        return other.detach() * 0 + torch.tensor(kept, requires_grad=True)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), unpack):
        y = x.pow(2)
    saved = y.grad_fn._saved_self
    y.sum().backward()
    return [x.grad, saved.requires_grad, saved.grad_fn is None, other.grad_fn is not None]


def computations_with_frozen_inputs(torch):
    """Results require grad if and only if one of their inputs does, and what requires none is no part of the graph."""
    a, b, c = torch.ones(2), torch.ones(2, requires_grad=True), torch.ones(2)
    frozen, mixed = a * c, a * b
    (mixed + frozen).sum().backward()
    return [frozen.requires_grad, frozen.grad_fn, frozen.is_leaf, mixed.requires_grad, mixed.is_leaf, a.grad, b.grad.shape == b.shape,
            [type(n).__name__ if n else None for n, _ in mixed.grad_fn.next_functions]]

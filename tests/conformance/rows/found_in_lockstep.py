"""Programs that random graphs found to differ once the numbers of both libraries were kept the same to the bit."""
from __future__ import annotations

from ..collect import each
from ..observe import raises

INF, NAN = float("inf"), float("nan")


@each("0.5", "-0.5", "-1", "2", "3", "-2", "1")
def powers_without_a_logarithm(torch, text):
    """A root of -inf is no number, that of -0.0 is -0.0; roots of negative numbers lie on the axis exactly."""
    x = torch.tensor([0.0, -0.0, -INF, INF, 4.0], dtype=torch.float64)
    z = torch.tensor([-1.119, -0.365, 2.0], dtype=torch.complex64)
    return torch.copysign(torch.ones(5, dtype=torch.float64), x.pow(float(text)).nan_to_num(nan=7.0)), x.pow(float(text)), z.pow(float(text)).asinh()


@each("torch.copysign(x, y)", "torch.copysign(y, x)", "x.addcdiv(y, y.detach() + 2)", "torch.lerp(y, y + 1, x)", "y ** x", "x ** y.abs()")
def what_is_saved_for_one_of_several(torch, text):
    """An operand that the gradients of several others need is saved whichever of them is wanted, and so is a result."""
    seen = []
    for write in range(3):
        x, y = torch.tensor([0.5, 2.0], requires_grad=True), torch.tensor([1.5, 0.25])
        scope = {"torch": torch, "x": x * 1, "y": y}
        out = eval(text, scope)
        torch.autograd.graph.increment_version((scope["x"], y, out)[write])
        seen.append(raises(lambda out=out: out.sum().backward()))
    return seen


def a_result_is_saved_where_no_gradient_needs_it(torch):
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    y = torch.copysign(torch.tensor([1.5, 0.25]), x)
    y.sum().backward()
    return raises(lambda: y.sum().backward(), "a second time"), x


def an_operand_that_cannot_be_saved_but_need_not_be(torch):
    x = torch.tensor([0.5, -2.0], requires_grad=True)
    with torch.inference_mode():
        sign = torch.tensor([-1.0, 1.0])
    y = torch.copysign(x, sign)
    y.sum().backward()
    return y, x


@each("t5.select_scatter(t5.select(0, 0) * 2, 0, 1)", "t5.slice_scatter(t5[:1] * 2, 0, 0, 1)", "torch.diagonal_scatter(t5, torch.diagonal(t5) * 2)")
def scatters_keep_gaps(torch, text):
    """A copy with something else in a part of it lies in memory as the tensor does, gaps included."""
    x = torch.arange(12.0).reshape(2, 2, 3).requires_grad_()
    seen = []
    for t5 in (x[:, :, ::2], x[:, :, 1:], x.transpose(0, 2), x[:, :1].expand(2, 2, 3), x.transpose(0, 1)[:, :, :2]):
        y = eval(text, {"torch": torch, "t5": t5})
        seen.append([y.detach(), y.stride()])
    return seen


@each("y.t_()", "y.unsqueeze_(0)", "y.squeeze_(0)", "y.transpose_(0, 1)", "y.data = three", "y.data = wide")
def shapes_changed_without_recording(torch, text):
    """What arrives at an operation has to fit the shape that its result had."""
    seen = []
    for mode in (torch.no_grad, torch.inference_mode):
        for make in (lambda x: x.tanh(), lambda x: x / x, lambda x: x * 2, lambda x: x):
            for use in (lambda y: y.sum(), lambda y: (y[...] * y).sum(), lambda y: (y + 1).sum()):
                x = torch.tensor([[0.5, -1.5, 0.25]], requires_grad=True)
                y = make(x)
                held, scope = y * 2, {"y": y, "three": torch.ones(3), "wide": torch.ones(2, 1, 3)}
                with mode():
                    exec(text, scope)
                seen.append([raises(lambda y=y, use=use: use(y).backward()), x.grad is None or list(x.grad.shape), held.detach()])
    return seen


@each("y.t_()", "y.unsqueeze_(0)", "y.squeeze_(0)", "y.mul_(2)")
def gradients_retained_before_a_change_of_shape(torch, text):
    """What is retained is the gradient of the shape so far."""
    seen = []
    for view in (False, True):
        x = torch.tensor([[0.5, -1.5, 0.25]], requires_grad=True)
        y = (x * 1).view(1, 3) if view else x * 1
        y.retain_grad()
        exec(text, {"y": y})
        (y * y).sum().backward()
        seen.append([y.grad, x.grad])
    return seen


@each("x.t()", "x.expand(2, 2, 3)", "x[:, ::2]", "x")
def places_in_the_order_of_rows(torch, text):
    """`take` and `put` count in the order of rows however a tensor lies in memory."""
    x = torch.tensor([[0.5, -1.5, 0.25], [2.0, 1.0, -3.0]], requires_grad=True)
    y = eval(text, {"x": x})
    at = torch.tensor([0, 1, 1])
    (g,) = torch.autograd.grad(y.take(at).sum(), y)
    z = y.detach()
    return g, z.put(at[:2], torch.ones(2)), z.put(at, torch.ones(3), accumulate=True), y.put(at[:1], torch.ones(1)).sum()


@each("i.cumsum(0)", "i.cumprod(0)", "i.bool().cumsum(0)")
def a_running_sum_of_one_number_is_new(torch, text):
    i = torch.tensor(1)
    j = eval(text, {"i": i})
    j += 1
    return i, j


def norms_and_sums_of_exponentials_at_infinity(torch):
    nan = float("nan")
    z = torch.tensor([0j, 1 + 1j, complex(nan, nan), complex(INF, 0), complex(-INF, nan)], dtype=torch.complex128)
    finite = torch.logaddexp(z[:2, None], z[None, :2])
    others = [torch.logaddexp(a, b) for a in z for b in z]
    return z[3:].norm(), torch.tensor([complex(INF, nan)]).norm(dim=0), finite, [bool(v.isfinite()) for v in others]


@each("torch.where(y > 0, x, 0.5)", "torch.where(m, x, x)", "torch.where(m, 0.5, x)")
def operands_that_do_not_fit(torch, text):
    scope = {"torch": torch, "x": torch.ones(2, 3), "y": torch.ones(3, 2), "m": torch.ones(3, 2, dtype=torch.bool)}
    return raises(lambda: eval(text, scope), "must match the size of tensor")


@each("t.sub_(m)", "t.sub_(m, alpha=2)", "t -= m")
def a_boolean_is_refused_before_shared_memory_is(torch, text):
    t, m = torch.ones(1, 2).expand(3, 2), torch.ones(3, 2, dtype=torch.bool)
    return raises(lambda: exec(text, {"t": t, "m": m}), "Subtraction")


def bounds_of_another_dtype_are_saved_as_they_are(torch):
    x, most = torch.tensor([0.5, -2.0], requires_grad=True), torch.tensor([1, 0])
    y = x.clamp(max=most)
    most += 1
    with torch.inference_mode():
        lost = torch.tensor([True, False])
    return raises(lambda: y.sum().backward(), "modified by an inplace operation"), raises(lambda: x.clamp(max=lost), "nference tensor")


def a_trace_saves_no_matrix(torch):
    x = torch.ones(2, 3, requires_grad=True) * 1
    y = x.trace()
    x.mul_(2)
    (g,) = torch.autograd.grad(y, x, torch.tensor(INF), allow_unused=True)
    x.trace().backward()
    return g, y, y.grad_fn._saved_self_sym_sizes


def steps_along_one_element(torch):
    """They decide how later results lie in memory."""
    x = torch.arange(6.0).view(2, 3, 1).transpose(0, 1)
    y = x * x
    z = torch.arange(6.0).view(2, 1, 3).transpose(0, 2).expand(2, 3, 1, 2)
    return z * z, (z * z)[[0, 0]].stride(), y.stride(), y[:, [0, 0]].stride(), y[:, [0, 0]].as_strided((3,), (1,))


def an_index_is_sorted_of_a_view_whose_history_is_lost(torch):
    class Viewed(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return g

    x = torch.ones(2, 2, requires_grad=True) * 1
    y = Viewed.apply(x)
    x.t().mul_(2)
    return raises(lambda: y.argsort(0)), raises(lambda: y > 0)


def a_write_to_what_is_expanded_does_not_matter_where_nothing_is_beyond_it(torch):
    x = torch.ones(3, requires_grad=True) * 1
    y = x.expand(2, 3)
    y[y > 0] = 2.0
    torch.autograd.backward(x, torch.ones(3), inputs=[x])
    return x.grad, raises(lambda: x.sum().backward())


def a_mask_that_does_not_fit_a_view_of_a_leaf(torch):
    x = torch.ones(1, 3, requires_grad=True)
    return raises(lambda: x[:, :2].__setitem__(torch.tensor([True, False]), 0.5), "a view of a leaf")


def a_number_is_not_let_go_of_where_nothing_is_beyond(torch):
    x = torch.ones(3, requires_grad=True) * 1
    with torch.no_grad():
        y = x.view(3)
    seen = []
    for make in (lambda v: v * 0.5, lambda v: v / 0.5, lambda v: v + 2, lambda v: v - 2):
        z = make(y)
        z.sum().backward()
        seen.append(raises(lambda z=z: z.sum().backward()))
    return seen


def a_weight_without_dimensions(torch):
    x = torch.tensor(0.5)
    return x.lerp(x, torch.tensor(1j)), x.lerp(x + 1, torch.tensor(0.25, dtype=torch.float64)), raises(
        lambda: torch.ones(2).lerp(torch.ones(2), torch.ones(2, dtype=torch.float64)))


@each("b.real", "b.T.real", "b.real.T", "b.T[0].real[1:]", "b[0].imag", "torch.view_as_real(b)[0].T", "torch.view_as_complex(torch.view_as_real(b)).T[1:]")
def histories_of_the_parts_of_complex_tensors(torch, text):
    """What reads numbers as others has a node of its own when a view's history is made anew, and so has each step after it."""
    seen = []
    for written in ("b", "v", "b.T", "v[...]"):
        x = torch.tensor([[1 + 1j, 2.0], [3.0, 4j]], dtype=torch.complex64, requires_grad=True)
        scope = {"torch": torch, "b": x * 1}
        scope["v"] = v = eval(text, scope)
        eval(f"{written}.mul_(2)", scope)
        (v * v).abs().sum().backward()
        node, names = v.grad_fn, []
        while node is not None:
            names.append(node.name())
            node = node.next_functions[0][0] if node.next_functions else None
        seen.append([names, scope["b"].grad_fn.name(), x.grad])
    return seen


def memory_of_another_dtype_behind_a_view(torch):
    """Its history is made anew as that of the view it was."""
    x = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    y = x * 2
    v = y.transpose(0, 0)
    v.data = torch.ones(2)
    y.mul_(3)
    return v.grad_fn, v.grad_fn.next_functions[0][0]


def what_is_not_chosen_has_no_share_in_what_is_no_number(torch):
    seen = []
    for choose in ("max", "min", "median", "nanmedian"):
        x = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
        getattr(x, choose)().backward(torch.tensor(float("nan")))
        seen.append(x.grad)
    return seen


def the_roots_are_looked_at_one_after_the_other(torch):
    x = torch.ones(3, requires_grad=True) * 1
    with torch.no_grad():
        view = x.view(-1)
    x.mul_(2)
    leaf = torch.ones(3)
    ones = torch.ones(3)
    return (raises(lambda: torch.autograd.grad([leaf, view], [view], [ones, ones]), "does not require grad"),
            raises(lambda: torch.autograd.grad([view, leaf], [view], [ones, ones]), "no_grad mode"))


@each("1", "inf", "-inf")
def what_is_no_number_has_no_sign_in_a_norm(torch, text):
    x = torch.tensor([[NAN, 1.0, -2.0], [0.0, INF, 1.0]], dtype=torch.float64, requires_grad=True)
    x.norm(float(text), 1).sum().backward()
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x.detach(), torch.ones(2, 3, dtype=torch.float64))
        return x.grad, torch.autograd.forward_ad.unpack_dual(dual.norm(float(text), 1)).tangent


@each("float16", "bfloat16")
def numbers_of_16_bits_have_the_nodes_of_others(torch, text):
    """The edges of operands that are numbers, what is saved, and what a second backward is refused for."""
    dtype, seen = getattr(torch, text), []
    for make in (lambda v: v * 2.5, lambda v: 3.0 * v, lambda v: v + 2, lambda v: v / 2, lambda v: v.clamp(max=1.0), lambda v: v.sigmoid(), lambda v: v - v):
        x = torch.tensor([0.5, -2.0], dtype=dtype, requires_grad=True)
        y = make(x)
        edges = [node is None for node, _ in y.grad_fn.next_functions]
        y.sum().backward()
        seen.append([y, edges, x.grad, raises(lambda y=y: y.sum().backward())])
    return seen


@each("float16", "bfloat16")
def matrices_of_16_bits(torch, text):
    a = torch.tensor([[2.0, 0.5], [0.5, 3.0]], dtype=getattr(torch, text))
    linalg = torch.linalg
    return (linalg.matrix_power(a, 3), [raises(lambda f=f: f(a)) for f in (
        linalg.inv, linalg.slogdet, linalg.pinv, linalg.det, linalg.cholesky, linalg.eigvalsh, linalg.svdvals, linalg.qr, linalg.matrix_rank)],
        raises(lambda: linalg.lstsq(a, a)))


@each("view[:, 1]", "view[1]", "view.real", "view[:, :1].T", "view.T[0]", "view.real[0]", "view.real.T[1]", "view")
def writes_to_views_of_what_was_turned_in_place(torch, text):
    """What a write replaces has no share in the gradient, wherever it now lies in the base."""
    seen = []
    for dtype in (torch.float64, torch.complex128):
        for make in (lambda b: b.view(2, 3), lambda b: b[:, ::2], lambda b: b.T.T, lambda b: torch.view_as_real(b)[..., 0] if b.is_complex() else b[...]):
            x = torch.arange(1.0, 7.0).reshape(2, 3).to(dtype).requires_grad_()
            base = x * x
            view = make(base)
            base.t_()
            part = eval(text, {"view": view})
            part.mul_(2)
            weights = torch.arange(1.0, 1 + view.numel()).reshape(view.shape).to(view.dtype)
            (view * weights).sum().abs().backward()
            seen.append([x.grad, view.grad_fn, base.grad_fn, view.detach()])
    return seen


def a_failed_write_to_a_view_lets_go_of_nothing(torch):
    x = torch.ones(3, requires_grad=True) * 1
    part = x[:2]
    part.tanh_()
    with torch.no_grad():
        part.clip_(-2, 0.5)
    return [raises(lambda: x.sum().backward(), "modified by an inplace operation") for _ in range(2)]


def waiting_for_the_first_gradient_holds_no_accumulator(torch):
    x, seen = torch.ones(1, 3, requires_grad=True), []
    torch.autograd.graph.register_multi_grad_hook([x, x], lambda g: seen.append(g), mode="any")
    with torch.inference_mode():
        x.transpose_(0, 1)
    x.sum().backward()
    return seen, x.grad


def views_of_several_are_refused_before_their_history_is_looked_for(torch):
    x = torch.ones(2, 3, requires_grad=True).double()
    part = x.split(1, 1)[0]
    x.data = torch.ones(2, 3)
    x[1] *= 1.25
    return raises(lambda: part.grad_fn, "multiple views")


def booleans_of_what_may_not_be_looked_at(torch):
    """A copy into what has no gradient asks nothing of the history of its source."""
    class Viewed(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return g

    x = torch.ones(3, requires_grad=True)
    y = Viewed.apply(x)
    torch.autograd.graph.increment_version(y)
    return torch.zeros(3, dtype=torch.bool).copy_(y)


@each("torch.linalg.eigvalsh(a)", "torch.linalg.svdvals(a)", "torch.linalg.eigvals(a)")
def values_of_a_factorization_are_saved(torch, text):
    x = torch.tensor([[2.0, 0.5], [0.5, 3.0]], dtype=torch.float64, requires_grad=True)
    y = eval(text, {"torch": torch, "a": x * 1})
    torch.autograd.graph.increment_version(y)
    return raises(lambda: y.abs().sum().backward(), "modified by an inplace operation")


def the_matrix_is_not_needed_beside_its_singular_vectors(torch):
    x = torch.tensor([[2.0, 0.5], [0.5, 3.0]], dtype=torch.float64, requires_grad=True)
    a = x * 1
    values = torch.linalg.svd(a)[1]
    a.zero_()
    values.sum().backward()
    return x.grad


def second_derivatives_of_the_values_of_a_complex_matrix(torch):
    z = torch.tensor([[2.0, 0.5 + 1j], [0.5 - 1j, 3.0]], dtype=torch.complex128, requires_grad=True)
    values, _ = torch.linalg.eigh(z)
    (g,) = torch.autograd.grad((values * values * values).sum(), z, create_graph=True)
    g.abs().sum().backward()
    return g.detach(), z.grad


@each("-0.5", "-2", "3", "-1", "0.5")
def powers_as_an_operator(torch, text):
    x = torch.tensor([-INF, -2.0, -0.0, 0.0, 4.0, INF], dtype=torch.float64)
    return x ** float(text), x.pow(float(text)), 1 / (x ** float(text))


def how_often_zero_goes_into_a_number_does_not_change(torch):
    x, y = torch.tensor([0.5, 2.0], requires_grad=True), torch.zeros(2, requires_grad=True)
    g = torch.autograd.grad(x.fmod(y).sum(), y, create_graph=True)[0]
    return g.detach(), torch.autograd.grad(g.sum(), [x, y], allow_unused=True)


@each("x.register_hook", "y.register_hook", "y.retain_grad", "y.grad_fn.register_prehook", "y.grad_fn.register_hook")
def hooks_of_a_root_that_leads_nowhere_wanted(torch, text):
    """Those of its tensors are called, those of its node are not."""
    x = torch.ones(3, requires_grad=True)
    y, other, log = x * 2, torch.ones(3, requires_grad=True) * 1, []
    hook = eval(text, {"x": x, "y": y})
    if text.endswith("retain_grad"):
        hook()
    else:
        hook(lambda *gs: log.append(len(gs)))
    root = x if text[0] == "x" else y
    torch.autograd.grad(root, other, torch.ones(3), allow_unused=True)
    torch.autograd.grad([root, other], other, [torch.ones(3), torch.ones(3)])
    return len(log), root.grad, x.grad


def no_edge_of_a_view_that_was_made_without_recording(torch):
    x = torch.ones(3, requires_grad=True) * 1
    with torch.no_grad():
        view = x[1:]
    return raises(lambda: torch.autograd.graph.get_gradient_edge(view))


@each("view", "no_grad", "leaf", "several", "multi_output")
def versions_of_what_a_function_refuses_to_have_written_to(torch, text):
    """The mark counts before the refusal."""
    class Dirty(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(2)
            return (x, x + 1) if text in ("view", "several") else x

        @staticmethod
        def backward(ctx, *gs):
            return gs[0]

    leaf = torch.ones(3, requires_grad=True)
    base = leaf * 1
    with torch.set_grad_enabled(text != "no_grad"):
        x = {"leaf": leaf, "several": base, "multi_output": base.split(1)[0]}.get(text, base[:2])
    return raises(lambda: Dirty.apply(x) is not None), base._version, leaf._version


@each("torch.ones(3, dtype=torch.complex64)", "torch.ones(4)", "torch.ones(3, dtype=torch.float64)", "torch.ones(2, 3)", "torch.ones(1)")
def gradients_beside_those_of_the_memory_before(torch, text):
    """What does not fit the gradient that is there is refused."""
    x = torch.ones(3, requires_grad=True)
    (x * 2).sum().backward()
    x.data = eval(text)
    return raises(lambda: x.backward(torch.ones_like(x))), x.grad.detach(), raises(lambda: (x * 2).real.sum().backward())


@each("complex128", "float64", "float32")
def an_accumulator_for_each_dtype(torch, text):
    x = torch.ones(3, requires_grad=True)
    before = (x * 2).grad_fn.next_functions[0][0]
    x.data = torch.ones(3, dtype=getattr(torch, text))
    return (x * 2).grad_fn.next_functions[0][0] is before


@each("y.set_(z)", "y.set_(z.detach())", "y.set_(y.detach())", "y.detach().set_(z)", "y.set_()", "x.set_(z)", "x[0].set_(z)", "torch.ones(2).set_(z * 2)",
      "torch.ones(2).set_(torch.ones(2, dtype=torch.float64))")
def other_memory_for_what_has_a_history(torch, text):
    """`set_` has no derivative: backward says so, and a leaf or a view of one is not given other memory."""
    x, z = torch.ones(2, 3, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    names = {"torch": torch, "x": x, "y": y, "z": z}
    return raises(lambda: eval(text, names), *["leaf"] * (text[0] == "x")), y, y._version, raises(lambda: y.sum().backward()), x.grad


@each("x.set_(z)", "y.set_(z)")
def other_memory_while_nothing_is_recorded(torch, text):
    x, z = torch.ones(2, 3, requires_grad=True), torch.full((2, 2), 3.0)
    y = x * 2
    with torch.no_grad():
        eval(text, {"x": x, "y": y, "z": z})
    return x, y.detach(), y._version, raises(lambda: (x * x).sum().backward()), x.grad


@each("x.resize_(3)", "x.resize_(2, 3)", "x.resize_(6)", "x.detach().resize_(3, 2)", "x[0].resize_(2)", "x.resize_as_(torch.ones(2))", "x.resize_as_(x)",
      "x.t().resize_(3, 2)", "x[:, ::2].resize_(2, 2)", "x[:, 1].resize_(2)")
def versions_after_another_size(torch, text):
    x = torch.arange(6.0).reshape(2, 3)
    return eval(text), x._version


@each("y.as_strided((2,), (1,))", "y.as_strided((1,), (2,), 1)", "y.view(3, 1).as_strided((2, 1), (1, 1))", "y[1:]", "y.view(3, 1).t()")
def batches_of_gradients_through_writes_to_windows(torch, text):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * x
    window = eval(text)
    window *= torch.tensor(3.0)
    vectors = torch.stack([torch.ones_like(y), torch.tensor([1.0, -2.0, 0.5])])
    return torch.autograd.grad(y, x, vectors, is_grads_batched=True, retain_graph=True), torch.autograd.grad(y, x, vectors[1])


def hooks_on_what_was_saved_before_others(torch):
    """The hooks of now do not pack what was saved before them."""
    y = torch.ones(2, requires_grad=True).abs().log()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: 1 / 0, lambda t: t):
        y.grad_fn._raw_saved_self.register_hooks(lambda t: t.clone(), lambda t: t * 2)
    y.sum().backward()
    return y.grad_fn.name()


@each("c.div(2, rounding_mode='floor')", "c.div_(2, rounding_mode='trunc')", "i.reciprocal_()", "b.neg_()", "b.sigmoid_()")
def dtypes_that_an_operation_has_no_kernel_for(torch, text):
    names = {"c": torch.ones(2) * 1j, "i": torch.tensor([1, 2]), "b": torch.tensor([True, False])}
    return raises(lambda: eval(text, names))


def sums_of_a_sparse_tensor_that_stores_nothing(torch):
    x = torch.zeros(2, 3, requires_grad=True)
    return torch.sparse.sum(x.to_sparse(), 1).to_dense()


def gradients_of_a_leaf_whose_memory_has_shrunk(torch):
    x = torch.ones(2, 3, requires_grad=True)
    y = x.amin()
    x.data = x.data.resize_([2, 1])
    return raises(lambda: y.backward(), "invalid gradient at index 0"), x.grad

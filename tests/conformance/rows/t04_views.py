"""T4: views: bases, history rewritten by writes, and which views refuse them."""
from __future__ import annotations

from ..collect import each
from ..observe import raises


def _y(torch):
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    return x, x * 1


@each(
    "y[0]", "y[:, 1:]", "y[...]", "y[None]", "y.t()", "y.T", "y.view(6)", "y.reshape(6)", "y.t().reshape(6)", "y.flatten()",
    "y.unsqueeze(0)", "y.squeeze()", "y.expand(2, 2, 3)", "y.narrow(0, 0, 1)", "y.select(1, 0)", "y.diagonal()", "y.permute(1, 0)",
    "y.transpose(0, 1)", "y.swapaxes(0, 1)", "y.detach()", "y.data", "y.view_as(y)", "y.unfold(1, 2, 1)", "y.as_strided((2,), (1,))",
    "y.contiguous()", "y.t().contiguous()", "y.clone()", "y.to(torch.float32)", "y.float()", "y.double()", "y.real", "y.conj()", "y[[0]]",
    "y[y > 2]", "y.ravel()", "y.movedim(0, 1)", "y.view(torch.int32)", "y.split(1)[0]", "y.unbind()[1]", "y.chunk(2)[1]", "y[0][1:]",
    "y.view(3, 2)[1]", "y.mT", "y.adjoint()", "y.tensor_split(2)[0]", "y.squeeze(0)", "y.reshape_as(y)", "y.expand_as(y)",
    "y.broadcast_to((2, 3))", "y.requires_grad_()", "y.resolve_conj()", "y.cpu()", "y.type(torch.float32)", "torch.as_tensor(y)",
    "torch.atleast_3d(y)", "y.swapdims(0, 1)", "y.unflatten(1, (3, 1))", "y.repeat(1, 1)", "y.tile((1,))", "y.roll(0)", "y.flip(0)",
)
def which_are_views(torch, text):
    _, y = _y(torch)
    v = eval(text, {"torch": torch, "y": y})
    return v is y, v._is_view(), v._base is y, v.data_ptr() == y.data_ptr(), v.stride(), v.grad_fn and v.grad_fn.name()


def base_of_a_view_of_a_view(torch):
    _, y = _y(torch)
    v = y.view(6)[1:5].view(2, 2).t()[0]
    return v._base is y, v._is_view(), v.detach()._base is y, v.detach()._is_view(), y._base


def a_write_to_a_view_rewrites_the_base(torch):
    x, y = _y(torch)
    v = y[0]
    v.mul_(3)
    names = y.grad_fn.name(), v.grad_fn.name(), [f and f.name() for f, _ in y.grad_fn.next_functions]
    (y * y).sum().backward()
    return names, y, v, x


def a_write_to_the_base_rewrites_the_view_lazily(torch):
    x, y = _y(torch)
    v = y[0]
    before = v.grad_fn.name()
    y.mul_(3)
    after = v.grad_fn.name(), [f[0].name() for f in v.grad_fn.next_functions]
    v.sum().backward()
    return before, after, v, x


def kinds_of_regenerated_nodes(torch):
    seen = {}
    for name, make in {
        "index": lambda y: y[0],
        "view": lambda y: y.view(6),
        "t": lambda y: y.t(),
        "slice": lambda y: y[:, 1:],
        "expand": lambda y: y.expand(2, 2, 3),
        "narrow": lambda y: y.narrow(0, 0, 1),
        "chain": lambda y: y.view(6)[2:],
        "diagonal": lambda y: y.diagonal(),
        "unsqueeze": lambda y: y.unsqueeze(0),
    }.items():
        _, y = _y(torch)
        v = make(y)
        y.add_(1)
        seen[name] = v.grad_fn.name()
    return seen


def kinds_of_nodes_of_written_views(torch):
    seen = {}
    for name, make in {
        "index": lambda y: y[0],
        "view": lambda y: y.view(6),
        "t": lambda y: y.t(),
        "slice": lambda y: y[:, 1:],
        "narrow": lambda y: y.narrow(0, 0, 1),
        "chain": lambda y: y.view(6)[2:],
        "diagonal": lambda y: y.diagonal(),
    }.items():
        _, y = _y(torch)
        v = make(y)
        v.mul_(2)
        seen[name] = v.grad_fn.name(), y.grad_fn.name(), v._version, y._version
    return seen


def a_view_sees_writes_to_its_sibling(torch):
    x, y = _y(torch)
    a, b = y[0], y[:, 0]
    a.mul_(5)
    names = b.grad_fn.name(), a.grad_fn.name(), y.grad_fn.name()
    (a.sum() + b.sum() * 10).backward()
    return names, a, b, x


def several_writes_through_views(torch):
    x, y = _y(torch)
    y[0].mul_(2)
    y[:, 1].add_(x[:, 0])
    y.view(6)[3:].pow_(2)
    y.t()[2].zero_()
    (y * torch.arange(1.0, 7.0).reshape(2, 3)).sum().backward()
    return y, x


def a_view_of_a_constant_gets_history(torch):
    x = torch.ones(3, requires_grad=True)
    t = torch.zeros(2, 3)
    v = t[0]
    v.copy_(x)
    seen = t.requires_grad, t.grad_fn.name(), v.requires_grad, v.grad_fn.name(), v.is_leaf
    (t * 2).sum().backward()
    return seen, x, t


def a_constant_base_gets_history_by_setitem(torch):
    x = torch.ones(3, requires_grad=True)
    t = torch.zeros(2, 3)
    rows = t[0], t[1]
    t[0] = x * 2
    return [r.requires_grad for r in rows], rows[0].grad_fn.name(), rows[1].grad_fn.name(), t.sum().backward(), x


def clone_between_versions(torch):
    x, y = _y(torch)
    v = y.view(6)
    first = v.clone()
    y.mul_(2)
    second = v.clone()
    (first.sum() + second.sum() * 10).backward()
    return x, first, second


@each("tensor_split(2)", "hsplit(3)", "vsplit(2)")
def slices_may_be_written(torch, text):
    x, y = _y(torch)
    v = eval(f"y.{text}", {"y": y})[0]
    v.mul_(2)
    return v, y, y.sum().backward(), x


@each("unbind()", "unbind(1)", "split(1)", "chunk(2)", "split([1, 2], 1)")
def multi_output_views_refuse_writes(torch, text):
    _, y = _y(torch)
    v = eval(f"y.{text}", {"y": y})[0]
    return (
        raises(lambda: v.mul_(2), "is a view and is being modified inplace", "output of a function that returns multiple views"),
        v._is_view(),
        v._base is y,
    )


def multi_output_views_read(torch):
    x, y = _y(torch)
    a, b = y.unbind()
    (a * b).sum().backward()
    return a, b, x


def multi_output_views_of_a_written_base(torch):
    x, y = _y(torch)
    a, b = y.unbind()
    y.mul_(2)
    return raises(
        lambda: a.grad_fn, "is a view and its base or another view of its base has been modified inplace", "multiple views"
    ), raises(lambda: (a * 1).sum().backward(), "is a view and its base or another view of its base has been modified inplace")


def multi_output_views_of_a_constant(torch):
    a, b = torch.zeros(2, 2).unbind()
    a.add_(1)
    return a, b


def views_made_under_no_grad_refuse_writes(torch):
    _, y = _y(torch)
    with torch.no_grad():
        v = y[0]
    return (
        raises(lambda: v.mul_(2), "A view was created in no_grad mode and is being modified inplace with grad mode enabled"),
        v,
        v.requires_grad,
    )


def views_made_under_no_grad_of_a_leaf(torch):
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        v = x[:2]
        v.mul_(2)
    return raises(lambda: v.mul_(2), "A view was created in no_grad mode"), x, v.tolist()


def views_made_in_inference_mode_refuse_writes(torch):
    _, y = _y(torch)
    with torch.inference_mode():
        v = y[0]
    return raises(lambda: v.mul_(2), "A view was created in inference mode and is being modified inplace"), v.is_inference()


def detached_views(torch):
    x, y = _y(torch)
    d = y.detach()
    d[0] = 7
    v = d.view(6)
    return d, d._base, v._base is d, v._is_view(), y._version, y.sum().backward(), x


def a_view_of_a_leaf_under_no_grad_updates_it(torch):
    x = torch.zeros(2, 3, requires_grad=True)
    with torch.no_grad():
        x[0].fill_(5)
        x.view(-1)[4] = 2
        x.t()[2].add_(1)
    return x


def writing_the_base_after_saving_a_view(torch):
    x, y = _y(torch)
    v = y[0]
    z = v * v
    y[1].add_(1)
    return raises(z.sum().backward, "modified by an inplace operation")


def hooks_of_a_view_before_the_write(torch):
    """A hook stays on the node of registration time."""
    x, y = _y(torch)
    log = []
    v = y[0]
    v.register_hook(lambda g: log.append(("old", g.tolist())))
    v.mul_(2)
    v.register_hook(lambda g: log.append(("new", g.tolist())))
    y.sum().backward()
    return log, x


def view_with_another_dtype_of_complex(torch):
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    w = z * 1
    r = torch.view_as_real(w)
    r[:, 0].mul_(3)
    w.imag.zero_()
    (w.real.sum() + w.imag.sum() * 2).backward()
    return z, w, r._base is w, w.real._base is w, w.grad_fn.name()


def expand_then_write_to_the_base(torch):
    x = torch.tensor([2.0], requires_grad=True)
    y = x * 1
    e = y.expand(3)
    y.mul_(5)
    e.sum().backward()
    return e, x


def squeeze_in_place_of_a_view(torch):
    x, y = _y(torch)
    v = y[0:1]
    v.squeeze_(0)
    v.mul_(3)
    y.sum().backward()
    return v.shape, y, x


def transposed_in_place(torch):
    x, y = _y(torch)
    y.t_()
    (y[0] * 3).sum().backward()
    return y, y.stride(), x


def setitem_with_a_view_of_itself(torch):
    x, y = _y(torch)
    y[0] = y[1]
    y.sum().backward()
    return y, x


def setitem_with_the_values_it_has(torch):
    x, y = _y(torch)
    y[:, 0] = y[:, 1] * 2 + y[:, 0]
    y.sum().backward()
    return y, x


def mask_assignment_rewrites(torch):
    x, y = _y(torch)
    y[y > 2] = 0
    names = y.grad_fn.name()
    y.sum().backward()
    return names, y, x


def as_strided_of_a_view(torch):
    x, y = _y(torch)
    v = y[:, 1:].as_strided((2,), (3,), 2)
    v.mul_(10)
    y.sum().backward()
    return v, y, x


def inplace_on_a_view_that_saves_its_input(torch):
    x, y = _y(torch)
    y[1].pow_(2)
    y[0].exp_()
    z = y.sum()
    z.backward()
    y[0].exp_()
    y[1].add_(1)
    return raises(y.sum().backward, "modified by an inplace operation", "which is output 0 of Exp"), y, x


def double_backward_through_a_written_view(torch):
    x, y = _y(torch)
    y[0].mul_(y[1].clone())
    (g,) = torch.autograd.grad((y**3).sum(), x, create_graph=True)
    g.pow(2).sum().backward()
    return g.detach(), x


def _made(torch):
    """How a view can be made: in which mode, by what."""
    class Viewed(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return g
    modes = {"grad": torch.enable_grad, "no_grad": torch.no_grad, "inference": torch.inference_mode}
    calls = {"slice": lambda t: t[0:], "unbind": lambda t: t.unbind(0)[0], "custom": Viewed.apply}
    return [(f"{mode} {call}", modes[mode], calls[call]) for mode in modes for call in calls]


WORDS = {"custom": "custom Function", "several": "multiple views", "inference": "inside the inference_mode block", "no_grad": "inside the no_grad block"}


def refusals_of_views_of_views(torch):
    """Every way to make a view of a view, and how a write to each of the two is answered."""
    seen = {}
    for first, mode, call in _made(torch):
        for second, inner_mode, inner_call in _made(torch):
            with mode():
                a = call(torch.ones(2, 2, 2, requires_grad=True) * 1)
            with inner_mode():
                b = inner_call(a)
            answers = [raises(lambda view=view: view.mul_(2).sum().item(), "no such words") for view in (a, b)]
            seen[f"{first}, {second}"] = [next((name for name, words in WORDS.items() if words in answer["message"]), "done") for answer in answers]
    return seen


def a_view_made_without_recording_of_a_base_that_is_frozen(torch):
    x = torch.ones(2, 3, requires_grad=True)
    with torch.no_grad():
        v = x[None].movedim(0, 1)
    before = v.requires_grad, v.is_leaf
    x.requires_grad_(False)
    after = v.requires_grad, v.is_leaf
    x.requires_grad_()
    return before, after, v.requires_grad


@each("y.index_fill_(0, torch.tensor([0]), -0.5)", "y.masked_fill_(torch.tensor([[True], [False]]), 3.0)", "y.zero_()", "y.fill_(2.0)", "y.unfold(0, 1, 1).masked_fill_(y.unfold(0, 1, 1) > 0, 0.25)")
def write_where_elements_share_memory(torch, text):
    x = torch.tensor([1.0, -2.0, 3.0])
    y = x.expand(2, 3)
    eval(text, {"torch": torch, "y": y})
    return x, y


@each("v * w", "v / w", "w / v", "w - v / w", "v @ w", "w @ v", "torch.hypot(v, w)", "torch.hypot(w, v)", "v.pow(w)", "w.pow(v)", "torch.atan2(w, v)",
      "torch.logaddexp(w, v)", "v.addcdiv(v, w)", "v.addcdiv(w, v)", "w.addmm(v[:, None], w[None])", "torch.addmm(w, w[:, None], v[None])", "w.lerp(w, v)", "v.clone()", "torch.where(v > 0, v, w)", "v.addcmul(v, w)")
def what_was_viewed_without_recording_saves_nothing_for_others(torch, text):
    """It requires grad, and leads nowhere: an operand whose gradient is wanted is still saved for it."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        v = x.view(2)
    with torch.inference_mode():
        w = torch.ones(2)
    return raises(lambda: eval(text, {"torch": torch, "v": v, "w": w}))


@each(
    "v.exp()", "v.sin()", "torch.hypot(v, v)", "v.prod(0)", "v.cumprod(0)", "v * v", "v / v", "torch.ones(2) / v", "v.pow(2.0)", "v.pow(v)", "v.max(0)[0]",
    "v.amax(0)", "v.softmax(0)", "v.norm()", "v.lerp(v, v)", "torch.where(v > 0, v, v)", "v.std()", "v.clamp(0, 1)", "torch.minimum(v, v)", "v.sort(0)[0]",
    "v.addcmul(v, v)", "v.addcdiv(v, v)", "v.reciprocal()", "v.gather(0, torch.tensor([0]))", "torch.cat([v, v])", "torch.cat([v, x])", "v[[0, 1]]",
    "torch.linalg.inv(v.diag() + torch.eye(2))", "v.sum()",
)
def what_was_viewed_without_recording_is_checked_all_the_same(torch, text):
    """Gradients lead nowhere: what was saved is checked when the node runs, and a second time finds it freed."""
    def node(written):
        x = torch.tensor([1.0, 2.0], requires_grad=True) * 1
        with torch.no_grad():
            v = x.view(2)
        y = eval(text, {"torch": torch, "v": v, "x": x})
        z = y * 1.0
        torch.autograd.graph.increment_version({"no": torch.ones(1), "in": x, "out": y}[written])
        shown = [y.requires_grad, y.grad_fn, [edge[0] for edge in y.grad_fn.next_functions]]
        first = raises(lambda: (z if written == "out" else y).sum().backward())
        return shown, first, raises(lambda: y.sum().backward())
    return [node(written) for written in ("no", "in", "out")]


def a_write_to_a_flat_view_with_hooks_of_saved_tensors(torch):
    """The gradient of the base is looked at as the base was, whatever its strides."""
    x = torch.tensor([[-0.2, 1.8], [-1.6, 0.1]], requires_grad=True)
    y = x * 1
    flat = y.reshape(-1)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
        flat.mul_(flat.detach().clone())
    y.sum(0).backward(torch.tensor([1.0, 2.0]))
    return x.grad


def of_several_saved_tensors_the_same_one_is_found_changed_when_recorded(torch):
    """The order in which saved tensors are checked is that of their names, under create_graph too."""
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    base = x.exp()
    part = base.split(1)[0]
    y = base.sin() / part
    base.detach().add_(1)
    torch.autograd.graph.increment_version(base)
    return [raises(lambda: torch.autograd.grad(y.sum(), x, create_graph=c), "multiple views") for c in (False, True)]

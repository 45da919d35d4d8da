"""T4: version counters, and in-place operations on what is saved or a leaf."""
from __future__ import annotations

from ..collect import each
from ..observe import raises


def _xy(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    return x, x * 1


def versions_count_writes(torch):
    t = torch.zeros(3)
    seen = [t._version]
    for write in (
        lambda: t.add_(1),
        lambda: t.__setitem__(0, 1),
        lambda: t.zero_(),
        lambda: t.copy_(torch.ones(3)),
        lambda: t[1:].mul_(2),
        lambda: t.fill_(0),
        lambda: t.data.add_(1),
        lambda: t.detach().add_(1),
        lambda: torch.add(t, 1, out=t),
        lambda: t + 1,
        lambda: t.requires_grad_(),
        lambda: t.detach_(),
    ):
        write()
        seen.append(t._version)
    return seen


def versions_are_shared(torch):
    """Between a base, its views and ``detach()``; not with ``data`` and ``clone()``."""
    t = torch.zeros(4)
    view, detached, data, copy = t[:2], t.detach(), t.data, t.clone()
    t.add_(1)
    view.add_(1)
    detached.add_(1)
    return [a._version for a in (t, view, detached, data, copy, t.view(2, 2), t.detach()[0], t.data)]


def versions_under_no_grad(torch):
    t = torch.zeros(4, requires_grad=True)
    with torch.no_grad():
        t.add_(1)
        t[0] = 1
        v = t.view(2, 2)
        v.mul_(2)
    return t._version, v._version


def versions_of_numpy_writes(torch):
    t = torch.zeros(2)
    t.numpy()[0] = 1
    return t


def writing_to_what_is_saved(torch):
    x, y = _xy(torch)
    z = y * y
    y.add_(1)
    return raises(
        z.sum().backward,
        "one of the variables needed for gradient computation has been modified by an inplace operation",
        "[torch.FloatTensor [3]]",
        "is at version 1; expected version 0 instead",
        "Hint: enable anomaly detection",
    )


def writing_to_a_saved_result(torch):
    x, y = _xy(torch)
    z = y.exp()
    z.add_(1)
    return raises(z.sum().backward, "modified by an inplace operation", "which is output 0 of", "is at version 1; expected version 0")


def writing_to_what_is_not_saved(torch):
    x, y = _xy(torch)
    z = y + 2
    w = y * 2
    y.mul_(5)
    z.mul_(3)
    (z + w).sum().backward()
    return x, y, z


def writing_through_data_goes_unnoticed(torch):
    x, y = _xy(torch)
    z = y * y
    y.data.add_(1)
    z.sum().backward()
    return x, y


def writing_through_detach_is_noticed(torch):
    x, y = _xy(torch)
    z = y * y
    y.detach().add_(1)
    return raises(z.sum().backward, "modified by an inplace operation")


def writing_through_a_view_is_noticed(torch):
    x, y = _xy(torch)
    z = y * y
    y[0] = 9
    return raises(z.sum().backward, "modified by an inplace operation", "is at version 1")


def writing_to_saved_constants(torch):
    x, _ = _xy(torch)
    w = torch.ones(3)
    z = x * w
    w.zero_()
    return raises(z.sum().backward, "modified by an inplace operation", "is at version 1")


def writing_before_saving_is_fine(torch):
    x, y = _xy(torch)
    y.mul_(2)
    z = y * y
    z.sum().backward()
    return x, y, z


@each(
    "x.add_(1)", "x.mul_(2)", "x.zero_()", "x.copy_(torch.ones(3))", "x.exp_()", "x.fill_(1)", "x.__setitem__(0, 1)",
    "x.masked_fill_(x > 0, 1)", "x.clamp_(0, 1)", "x.index_add_(0, torch.tensor([0]), torch.ones(1))", "x.relu_()", "x.__iadd__(1)",
    "x.uniform_()", "x.normal_()", "x.t_()", "x.unsqueeze_(0)",
)
def on_a_leaf_that_requires_grad(torch, text):
    x = torch.ones(3, requires_grad=True)
    return raises(
        lambda: eval(text, {"torch": torch, "x": x}), "a leaf Variable that requires grad is being used in an in-place operation"
    ), x


@each(
    "x[:2].add_(1)", "x.view(3, 1).mul_(2)", "x[0].zero_()", "x.t().exp_()", "x.view(-1).__setitem__(0, 1)", "x.unsqueeze(0).fill_(2)",
    "x.narrow(0, 0, 1).copy_(torch.ones(1))", "x.expand(2, 3).add_(1)",
)
def on_a_view_of_a_leaf(torch, text):
    x = torch.ones(3, requires_grad=True)
    return raises(
        lambda: eval(text, {"torch": torch, "x": x}), "a view of a leaf Variable that requires grad is being used in an in-place operation"
    ), x


def a_leaf_becomes_a_non_leaf(torch):
    """A write of a Tensor that requires grad into one that does not."""
    x = torch.ones(3, requires_grad=True)
    t = torch.zeros(3)
    t.add_(x)
    u = torch.zeros(2, 3)
    u[0] = x * 2
    (t.sum() + u.sum()).backward()
    return t, u, x


def history_of_an_inplace_chain(torch):
    x, y = _xy(torch)
    old = y.grad_fn
    y.mul_(2).add_(3).pow_(2)
    y.sum().backward()
    return y, y.grad_fn is old, x


def augmented_assignment_keeps_the_object(torch):
    x, y = _xy(torch)
    z = y
    y += x
    y *= 2
    y -= 1
    y /= 4
    return y is z, y._version, y, y.sum().backward(), x


def inplace_with_itself(torch):
    x, y = _xy(torch)
    return raises(lambda: y.mul_(y).sum().backward(), "modified by an inplace operation")


def overlap_of_writes(torch):
    t = torch.ones(3).expand(2, 3)
    return (
        raises(
            lambda: t.add_(1), "unsupported operation: more than one element of the written-to tensor refers to a single memory location"
        ),
        raises(lambda: torch.zeros(4)[1:].copy_(torch.zeros(3)).shape),
        raises(lambda: t.zero_()),
    )


def result_that_does_not_fit(torch):
    t = torch.zeros(2, dtype=torch.int64)
    return [
        raises(lambda: t.add_(1.5), "result type Float can't be cast to the desired output type Long"),
        raises(lambda: torch.zeros(3).add_(torch.ones(2, 3)), "output with shape [3] doesn't match the broadcast shape [2, 3]"),
        raises(lambda: torch.zeros(2).add_(1j), "result type ComplexFloat can't be cast to the desired output type Float"),
        raises(lambda: t.div_(2), "result type Float can't be cast"),
        t.copy_(torch.tensor([1.5, 2.5])),
    ]


def out_argument(torch):
    x = torch.ones(3)
    out = torch.zeros(3)
    result = torch.add(x, 2, out=out)
    torch.mul(x, x, out=out)
    return (
        result is out,
        out,
        raises(
            lambda: torch.add(x.clone().requires_grad_(), 1, out=torch.zeros(3)),
            "add(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad",
        ),
    )


def zero_of_a_gradient(torch):
    x, y = _xy(torch)
    y.sum().backward()
    x.grad.zero_()
    return x


def detach_of_an_inplace_result(torch):
    x, y = _xy(torch)
    y.mul_(2)
    d = y.detach()
    d.mul_(3)
    return y, d, d.grad_fn, y.sum().backward(), x


def detach_in_place(torch):
    x, y = _xy(torch)
    z = y * 2
    z.detach_()
    leaf = x.detach_()
    return (
        z,
        z.is_leaf,
        leaf is x,
        x.requires_grad,
        raises(lambda: torch.ones(3, requires_grad=True).view(1, 3).detach_(), "Can't detach views in-place. Use detach() instead"),
    )


def detach_in_place_of_views(torch):
    base = torch.ones(4)
    view = base[:2]
    return raises(view.detach_, "Can't detach views in-place"), raises(
        lambda: (torch.ones(4, requires_grad=True) * 2)[0:2].detach_(), "Can't detach views"
    )


def increment_version(torch):
    t = torch.zeros(2)
    torch.autograd.graph.increment_version(t)
    torch.autograd.graph.increment_version([t, t[:1]])
    x, y = _xy(torch)
    z = y * y
    torch.autograd.graph.increment_version(y)
    return t._version, raises(z.sum().backward, "modified by an inplace operation")


def swapped_data(torch):
    a, b = torch.ones(2), torch.zeros(3)
    a.data, b.data = b.data, a.data
    return a, b


def copy_with_broadcast_and_dtype(torch):
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    y = torch.zeros(2, 2)
    y.copy_(x)
    (y * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    return y, x


def non_differentiable_inplace(torch):
    x, y = _xy(torch)
    with torch.no_grad():
        y[0] = 9
        y.mul_(2)
    y.sum().backward()
    return y, x


def requires_grad_in_place_of_a_written_buffer(torch):
    t = torch.zeros(3)
    t[1] = 5
    t.requires_grad_()
    (t * t).sum().backward()
    return t


def resize(torch):
    t = torch.zeros(2)
    t.resize_(3, 2)
    return (
        t.shape,
        raises(lambda: torch.zeros(2, requires_grad=True).resize_(3), "cannot resize variables that require grad"),
        raises(lambda: torch.zeros(2, requires_grad=True).resize_as_(t), "cannot resize variables that require grad"),
    )

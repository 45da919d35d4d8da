"""Programs that random graphs found to differ once the numbers of both libraries were kept the same to the bit."""
from __future__ import annotations

from ..collect import each
from ..observe import raises

INF = float("inf")


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

"""T2: backward and grad, their arguments, and what they refuse."""
from __future__ import annotations

from ..observe import raises, warns


def _leaf(torch, *values):
    return torch.tensor(values or (1.0, 2.0, 3.0), requires_grad=True)


def accumulates_into_leaves(torch):
    x = _leaf(torch)
    for _ in range(3):
        (x * x).sum().backward()
    return x


def accumulates_in_place_without_create_graph(torch):
    x = _leaf(torch)
    (x * x).sum().backward()
    first = x.grad
    x.sum().backward()
    return x.grad is first, first


def create_graph_replaces_grad(torch):
    x = _leaf(torch)
    (x * x).sum().backward()
    first = x.grad
    (x**3).sum().backward(create_graph=True)
    return x.grad is first, first, x.grad, x.grad.grad_fn.name()


def backward_of_the_gradient(torch):
    x = _leaf(torch)
    (x**3).sum().backward(create_graph=True)
    g = x.grad
    x.grad = None
    g.sum().backward()
    return x, g.detach()


def gradient_argument(torch):
    x = _leaf(torch)
    (x * 2).backward(torch.tensor([1.0, 10.0, 100.0]))
    (x * 2).backward(gradient=torch.ones(3))
    return x


def non_scalar_needs_a_gradient(torch):
    x = _leaf(torch)
    return raises((x * 2).backward, "grad can be implicitly created only for scalar outputs"), raises(
        lambda: torch.autograd.grad(x * 2, x), "grad can be implicitly created only for scalar outputs"
    )


def one_element_is_enough(torch):
    x = _leaf(torch, 2.0)
    (x * x).backward()
    y = torch.tensor([[3.0]], requires_grad=True)
    (y * y).backward()
    return x, y


def wrong_shape_of_gradient(torch):
    x = _leaf(torch)
    return [
        raises(
            lambda: (x * 2).backward(torch.ones(2)),
            "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of torch.Size([3])",
        ),
        raises(lambda: (x * 2).backward(torch.ones(1, 3)), "Mismatch in shape"),
        raises(lambda: x.sum().backward(torch.ones(1)), "Mismatch in shape"),
        raises(lambda: torch.autograd.grad(x * 2, x, torch.ones(4)), "Mismatch in shape: grad_output[0]"),
    ]


def wrong_dtype_of_gradient(torch):
    x = _leaf(torch)
    return [
        raises(
            lambda: (x * 2).backward(torch.ones(3, dtype=torch.complex64)),
            "For complex Tensors, both grad_output and output are required to have the same dtype",
        ),
        raises(
            lambda: (x * 1j).backward(torch.ones(3)), "For complex Tensors, both grad_output and output are required to have the same dtype"
        ),
        (x * 2).backward(torch.ones(3, dtype=torch.float64)),
        x,
    ]


def gradient_of_a_wrong_type(torch):
    x = _leaf(torch)
    return raises(lambda: (x * 2).backward(2.0), "'float' object is not iterable")


def wrong_count_of_gradients(torch):
    x = _leaf(torch)
    return raises(lambda: torch.autograd.backward([x * 2, x * 3], [torch.ones(3)]), "got 2 tensors and 1 gradients")


def several_outputs(torch):
    x = _leaf(torch)
    y = x * 2
    torch.autograd.backward([y.sum(), (y * y).sum()], retain_graph=True)
    torch.autograd.backward((y, y.exp().detach().requires_grad_()), (torch.ones(3), torch.ones(3)))
    return x


def duplicated_outputs(torch):
    x = _leaf(torch)
    y = (x * x).sum()
    torch.autograd.backward([y, y])
    return x, torch.autograd.grad([x.sum(), x.sum()], [x])


def duplicated_inputs(torch):
    x = _leaf(torch)
    (x * x).sum().backward(inputs=[x, x])
    return x, torch.autograd.grad((x * x).sum(), [x, x])


def nothing_requires_grad(torch):
    x = torch.ones(3)
    return [
        raises(x.sum().backward, "element 0 of tensors does not require grad and does not have a grad_fn"),
        raises(lambda: torch.autograd.grad(x.sum(), x), "does not require grad"),
        raises(lambda: torch.autograd.grad(_leaf(torch).sum(), x), "One of the differentiated Tensors does not require grad"),
        raises(torch.tensor(1).backward, "does not require grad and does not have a grad_fn"),
    ]


def unused_input(torch):
    x, y = _leaf(torch), _leaf(torch)
    out = (x * 2).sum()
    return [
        raises(
            lambda: torch.autograd.grad(out, [x, y]),
            "The differentiated Tensor at index 1 appears to not have been used in the graph",
            "allow_unused=True",
        ),
        torch.autograd.grad((x * 2).sum(), [x, y], allow_unused=True),
        torch.autograd.grad((x * 2).sum(), [x, y], materialize_grads=True),
        raises(
            lambda: torch.autograd.grad((x * 2).sum(), [x, y], allow_unused=False, materialize_grads=True),
            "Expected allow_unused to be True or not passed when materialize_grads=True",
        ),
    ]


def second_backward(torch):
    x = _leaf(torch)
    y = (x * x).sum()
    y.backward()
    return raises(y.backward, "Trying to backward through the graph a second time", "retain_graph=True"), x


def second_backward_without_buffers(torch):
    """A graph that saved nothing may be run again."""
    x = _leaf(torch)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    return x


def shared_part_of_a_graph(torch):
    x = _leaf(torch)
    a = x.exp()
    b, c = (a * 2).sum(), (a * 3).sum()
    b.backward()
    return raises(c.backward, "Trying to backward through the graph a second time"), x


def retain_graph(torch):
    x = _leaf(torch)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    y.backward()
    return x, raises(lambda: y.backward(retain_graph=True), "retain_graph=True")


def create_graph_retains_by_default(torch):
    x = _leaf(torch)
    y = (x * x).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (h,) = torch.autograd.grad(y, x)
    return g, h, raises(lambda: torch.autograd.grad(y, x), "a second time")


def create_graph_without_retaining(torch):
    x = _leaf(torch)
    y = (x * x).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
    return g, raises(lambda: torch.autograd.grad(y, x), "a second time")


def inputs_of_backward(torch):
    x, y = _leaf(torch), _leaf(torch)
    out = (x * y).sum()
    out.backward(inputs=[x], retain_graph=True)
    out.backward(inputs=y)
    return x, y


def inputs_may_be_non_leaves(torch):
    x = _leaf(torch)
    y = x * 2
    y.retain_grad()
    z = (y * y).sum()
    z.backward(inputs=[y])
    return x.grad, y.grad


def inputs_that_are_wrong(torch):
    x = _leaf(torch)
    y = (x * x).sum()
    return [
        raises(lambda: y.backward(inputs=[]), "cannot be empty"),
        raises(lambda: y.backward(inputs=[torch.ones(3)]), "can't retain_grad on Tensor that has requires_grad=False"),
        raises(lambda: torch.autograd.backward(y, inputs=(), retain_graph=True), "cannot be empty"),
    ]


def inputs_not_in_the_graph(torch):
    x, y = _leaf(torch), _leaf(torch)
    (x * x).sum().backward(inputs=[x, y])
    return x.grad, y.grad


def grad_of_a_non_leaf_input(torch):
    x = _leaf(torch)
    y = x * 2
    z = (y * y).sum()
    return torch.autograd.grad(z, y, retain_graph=True), torch.autograd.grad(z, [x, y], retain_graph=True), torch.autograd.grad(z, z)


def grad_does_not_accumulate(torch):
    x = _leaf(torch)
    return torch.autograd.grad((x * x).sum(), x), x.grad


def grad_of_itself(torch):
    x = _leaf(torch, 3.0)
    return torch.autograd.grad(x, x), torch.autograd.grad(x, x, torch.tensor([5.0]))


def backward_of_a_leaf(torch):
    x = torch.tensor(3.0, requires_grad=True)
    x.backward()
    x.backward(torch.tensor(2.0))
    return x


def only_inputs(torch):
    x = _leaf(torch)
    return warns(lambda: torch.autograd.grad((x * x).sum(), x, only_inputs=False), "only_inputs argument is deprecated"), x.grad


def grad_outputs_with_none(torch):
    x = _leaf(torch)
    return torch.autograd.grad([x.sum(), x * 2], x, [None, torch.ones(3)]), torch.autograd.grad(x.sum(), x, grad_outputs=torch.tensor(2.0))


def grad_variables(torch):
    x = _leaf(torch)
    seen = warns(lambda: torch.autograd.backward([x * 2], grad_variables=[torch.ones(3)]), "`grad_variables` is deprecated")
    return (
        seen,
        x,
        raises(
            lambda: torch.autograd.backward([x * 2], [torch.ones(3)], grad_variables=[torch.ones(3)]),
            "arguments both passed to `backward()`",
        ),
    )


def batched_gradients(torch):
    x = _leaf(torch)
    y = x**2
    return torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True), raises(
        lambda: torch.autograd.grad(x**2, x, torch.ones(3), is_grads_batched=True), "If `is_grads_batched=True`"
    )


def batched_gradients_of_several_outputs(torch):
    x, w = _leaf(torch), torch.tensor([[1.0, 2.0, 0.5], [0.0, 1.0, 1.0]], requires_grad=True)
    y = w @ x.exp()
    return torch.autograd.grad([y, x.sum()], [x, w], [torch.eye(2), torch.ones(2)], is_grads_batched=True, retain_graph=True)


def integer_and_boolean_outputs(torch):
    x = _leaf(torch)
    values, indices = x.sort()
    return indices, x.argmax(), x > 1, (x > 1).requires_grad, raises(x.argmax().backward, "does not require grad"), x.long()


def empty_tensors(torch):
    x = torch.empty(0, 3, requires_grad=True)
    x.sum().backward()
    y = torch.empty(0, requires_grad=True)
    return (
        x,
        raises(lambda: (y * 2).backward(), "grad can be implicitly created only for scalar outputs"),
        (y * 2).backward(torch.empty(0)),
        y,
    )


def empty_list_of_outputs(torch):
    return torch.autograd.backward([]), raises(lambda: torch.autograd.grad([], [_leaf(torch)]), "appears to not have been used")


def a_deep_graph(torch):
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(20_000):
        y = y + 1
    y.backward()
    del y
    return x


def a_wide_graph(torch):
    x = _leaf(torch)
    total = sum(x * i for i in range(200))
    total.sum().backward()
    return x


def implicit_gradient_of_complex(torch):
    z = torch.tensor(1 + 2j, requires_grad=True)
    return (
        raises((z * z).backward, "grad can be implicitly created only for real scalar outputs but got torch.complex64"),
        (z * z).backward(torch.tensor(1 + 0j)),
        z,
    )


def gradient_that_requires_grad(torch):
    x = _leaf(torch)
    v = torch.ones(3, requires_grad=True)
    (g,) = torch.autograd.grad(x * x, x, v, create_graph=True)
    return torch.autograd.grad(g.sum(), [v, x])


def grad_tensor_under_no_grad(torch):
    x = _leaf(torch)
    y = (x**3).sum()
    with torch.no_grad():
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    return g, g.requires_grad


def backward_inside_no_grad(torch):
    x = _leaf(torch)
    y = (x * x).sum()
    with torch.no_grad():
        y.backward()
    return x


def gradient_is_not_aliased(torch):
    """A gradient shares memory neither with the caller's nor with another one."""
    x, y = _leaf(torch), _leaf(torch)
    v = torch.ones(3)
    (x + y).backward(v)
    v.mul_(5)
    x.grad.mul_(7)
    return x, y, x.grad.data_ptr() == y.grad.data_ptr()


def outputs_of_wrong_kinds(torch):
    x = _leaf(torch)
    return (
        raises(lambda: torch.autograd.backward(3.0)),
        raises(lambda: torch.autograd.grad(x.sum(), 3.0)),
        raises(lambda: torch.autograd.grad(x.sum(), [None])),
    )


def argument_order(torch):
    x = _leaf(torch)
    y = x * x
    y.backward(torch.ones(3), True, False, [x])
    return (
        x,
        torch.autograd.grad([y], [x], [torch.ones(3)], True, False, True, True),
        torch.autograd.backward([y], [torch.ones(3)], True, False, None, [x]),
        x.grad,
    )

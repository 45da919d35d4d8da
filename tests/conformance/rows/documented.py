"""Statements of the documents, in their order, that no other module of this folder tests."""
from __future__ import annotations

import threading
import warnings

from ..observe import raises


def some_grad_tensors_are_none(torch):
    """None stands for scalars among the outputs."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.autograd.backward([x.sum(), x * x], [None, torch.tensor([1.0, 0.5])])
    with_constant = torch.autograd.grad([(x * 2).sum(), x.exp()], x, [None, torch.ones(2)])
    return [x.grad, *with_constant]


def retain_graph_defaults_to_create_graph(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x.exp() * x).sum()
    torch.autograd.grad(y, x, create_graph=True)
    torch.autograd.grad(y, x)
    return raises(lambda: torch.autograd.grad(y, x), "backward through the graph a second time")


def a_gradient_that_requires_grad(torch):
    """It is taken as a constant unless the sweep is recorded."""
    x, g = torch.ones(2, requires_grad=True), torch.tensor([2.0, 3.0], requires_grad=True)
    (x * 5).backward(g)
    plain = x.grad.requires_grad
    x.grad = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x * 5).backward(g, create_graph=True)
    return [plain, x.grad.requires_grad, torch.autograd.grad(x.grad.sum(), g)]


def unused_inputs(torch):
    x, z = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    y = (x * 2).sum()
    return [raises(lambda: torch.autograd.grad(y, [x, z], retain_graph=True), "appears to not have been used"),
            torch.autograd.grad(y, [x, z], allow_unused=True)]


def grad_modes_belong_to_a_thread(torch):
    seen = []

    def look():
        seen.append((torch.is_grad_enabled(), (torch.ones(1, requires_grad=True) * 2).requires_grad))
    with torch.no_grad():
        other = threading.Thread(target=look)
        other.start()
        other.join()
    return [seen, torch.is_grad_enabled()]


def zero_grad_keeps_the_layout(torch):
    p = torch.nn.Parameter(torch.arange(6.0).reshape(2, 3).t())
    (p * p).sum().backward()
    first = p.grad.stride()
    optimizer = torch.optim.SGD([p], lr=0.1)
    optimizer.zero_grad(set_to_none=False)
    zeroed = p.grad
    (p * p).sum().backward()
    kept = p.grad is zeroed, p.grad.stride()
    optimizer.zero_grad()
    return [first, kept, p.grad]


def a_layout_of_the_users_own(torch):
    """A zeroed gradient with other strides, assigned before the first pass, keeps them."""
    p = torch.ones(2, 3, requires_grad=True)
    p.grad = torch.zeros(3, 2).t()
    (p * 2).sum().backward()
    (p * p).sum().backward()
    return [p.grad.stride(), p.grad]


def leaves(torch):
    """Created by the user, or without requires_grad; not the results of operations."""
    tensors = torch.rand(3, requires_grad=True), torch.rand(3, requires_grad=True) + 2, torch.rand(3), torch.rand(3).requires_grad_(), torch.rand(3) * 2
    return [(t.is_leaf, t.grad_fn is None, t.requires_grad) for t in tensors]


def shapes_of_a_detached_tensor(torch):
    """A change of its size, stride or storage is an error or leaves the original alone."""
    x = torch.ones(2, 3, requires_grad=True)
    changes = (lambda d: d.resize_(3), lambda d: d.resize_as_(torch.ones(5)), lambda d: d.set_(torch.ones(4)), lambda d: d.transpose_(0, 1))
    errors = [raises(lambda change=change: change(x.detach())) for change in changes]
    return [errors, x.shape]


def a_detached_tensor_shares_memory(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y.detach().zero_()
    return [y.detach(), raises(lambda: y.sum().backward(), "modified by an inplace operation")]


def detaching_in_place(torch):
    x = torch.ones(4, requires_grad=True)
    y = x * 2
    view = y[:2]
    refused = raises(view.detach_, "detach")
    y = x * 3
    return [refused, y.detach_() is y, y.is_leaf, y.requires_grad, y.grad_fn]


def a_hook_and_its_handle(torch):
    v = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    h = v.register_hook(lambda grad: grad * 2)
    v.backward(torch.tensor([1.0, 2.0, 3.0]))
    first = v.grad.clone()
    h.remove()
    v.backward(torch.tensor([1.0, 2.0, 3.0]))
    return [first, v.grad]


def what_is_not_differentiable_gets_zeros(torch):
    class Sorted(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            values, index = x.sort()
            ctx.mark_non_differentiable(index)
            ctx.save_for_backward(x, index)
            return values, index

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g1, g2):
            x, index = ctx.saved_tensors
            seen.append((g2.shape, g2.dtype, g2.abs().sum()))
            return torch.zeros_like(x).index_add_(0, index, g1)
    seen = []
    x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
    values, index = Sorted.apply(x)
    (values * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    return [index.requires_grad, x.grad, seen]


def intermediate_values_are_differentiated_once(torch):
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, z):
            w = x * z
            out = x * y + y * z + w * y
            ctx.save_for_backward(x, y, w, out)
            ctx.z = z
            return out

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, grad_out):
            x, y, w, out = ctx.saved_tensors
            return grad_out * (y + y * ctx.z), grad_out * (x + ctx.z + w), None
    a, b = torch.tensor(1.0, requires_grad=True, dtype=torch.double), torch.tensor(2.0, requires_grad=True, dtype=torch.double)
    d = Product.apply(a, b, 4)
    first = torch.autograd.grad(d, (a, b), create_graph=True)
    return [d.detach(), [g.detach() for g in first], raises(lambda: first[0].backward(), "does not require grad")]


def forward_mode_of_a_function(torch):
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, z):
            ctx.save_for_backward(x, y)
            ctx.save_for_forward(x, y)
            ctx.z = z
            return x * y * z

        @staticmethod
        def jvp(ctx, x_t, y_t, _):
            x, y = ctx.saved_tensors
            seen.append(_)
            return ctx.z * (y * x_t + x * y_t)

        @staticmethod
        def vjp(ctx, grad_out):
            x, y = ctx.saved_tensors
            return ctx.z * grad_out * y, ctx.z * grad_out * x, None
    seen = []
    a, t = torch.tensor(1.0, requires_grad=True, dtype=torch.double), torch.tensor(1.0, dtype=torch.double)
    b = torch.tensor(2.0, requires_grad=True, dtype=torch.double)
    with torch.autograd.forward_ad.dual_level():
        d = Product.apply(torch.autograd.forward_ad.make_dual(a, t), b, 4)
        tangent = torch.autograd.forward_ad.unpack_dual(d).tangent
    d.backward()
    return [tangent.detach(), seen, a.grad, b.grad]


def a_write_that_is_marked(torch):
    class Inplace(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x_npy = x.numpy()
            x_npy += 1
            ctx.mark_dirty(x)
            return x

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, grad_output):
            return grad_output
    a = torch.tensor(1.0, requires_grad=True, dtype=torch.double).clone()
    b = a * a
    Inplace.apply(a)
    return [a.detach(), raises(b.backward, "modified by an inplace operation")]


def gradients_that_are_not_materialized(torch):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            ctx.save_for_backward(x)
            return x.clone(), x.clone()

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g1, g2):
            seen.append((g1 is None, g2 is None))
            x, = ctx.saved_tensors
            return torch.zeros_like(x) + (0 if g1 is None else g1) + (0 if g2 is None else g2)
    seen = []
    a = torch.tensor(1.0, requires_grad=True)
    b, _ = Twice.apply(a)
    b.backward()
    return [a.grad, seen]


def outputs_that_are_no_tensors(torch):
    """They are passed through, and backward gets None for them."""
    class Odd(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, "text", 3

        @staticmethod
        def backward(ctx, *grads):
            seen.append([g is None for g in grads])
            return grads[0] * 2
    seen = []
    x = torch.ones(2, requires_grad=True)
    y, text, number = Odd.apply(x)
    y.sum().backward()
    return [text, number, x.grad, seen]


def overlapping_inputs_fail_gradcheck(torch):
    x = torch.ones(1, dtype=torch.double).expand(3).requires_grad_()
    return raises(lambda: torch.autograd.gradcheck(lambda x: (x * x).sum(), (x,)), "")


def gradcheck_of_complex_functions(torch):
    z = torch.tensor([1.0 + 2.0j, -0.5j], dtype=torch.cdouble, requires_grad=True)
    checks = [lambda z: z * z, lambda z: z.abs(), lambda z: z.conj() * z, lambda z: z.real, lambda z: 3 * z]
    return [torch.autograd.gradcheck(f, (z,)) for f in checks] + [torch.autograd.gradgradcheck(lambda z: z * z * z.conj(), (z,), gen_non_contig_grad_outputs=True)]


def conjugate_wirtinger_derivatives(torch):
    """That of c*z is c, whichever way it is derived; a real input gets a real gradient."""
    z = torch.tensor(1.0 + 2.0j, dtype=torch.cdouble, requires_grad=True)
    x = torch.tensor(0.5, dtype=torch.double, requires_grad=True)
    holomorphic = torch.autograd.grad(3 * z, z, torch.tensor(1.0 + 0j, dtype=torch.cdouble))
    to_real = torch.autograd.grad(z.abs() ** 2, z)
    to_complex = torch.autograd.grad((x * (2 + 1j)).abs() ** 2, x)
    return [holomorphic, to_real, to_complex]


def a_step_down_the_conjugate_gradient(torch):
    z = torch.tensor(1.0 + 2.0j, dtype=torch.cdouble, requires_grad=True)
    losses = []
    for _ in range(5):
        loss = (z - (0.5 - 1j)).abs() ** 2
        (g,) = torch.autograd.grad(loss, z)
        losses.append(loss.detach())
        with torch.no_grad():
            z -= 0.25 * g
    return [losses, z.detach()]


def a_profiler_that_is_not_enabled(torch):
    with torch.autograd.profiler.profile(enabled=False) as prof:
        torch.ones(2) * 2
    with torch.autograd.profiler.emit_nvtx(enabled=False), torch.autograd.profiler.emit_itt(enabled=False):
        y = torch.ones(2) * 2
    return [prof, y]


def parameters_and_frozen_ones(torch):
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
    usual = [p.requires_grad for p in net.parameters()]
    net[0].requires_grad_(False)
    net(torch.ones(4, 3)).sum().backward()
    return [usual, [p.grad is None for p in net.parameters()], net[1](torch.ones(1)).requires_grad]


def evaluation_mode_records(torch):
    """It is orthogonal to no_grad: it changes what dropout and batch normalization do."""
    net = torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.Dropout(0.5)).eval()
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    before = net[0].running_mean.clone()
    y = net(x)
    return [y.requires_grad, y.detach(), torch.equal(before, net[0].running_mean), net.training, torch.is_grad_enabled()]


def tensors_of_inference_mode(torch):
    with torch.inference_mode():
        made = torch.ones(2)
    x = torch.ones(2, requires_grad=True)
    return [made.is_inference(), raises(lambda: x * made, "cannot be saved for backward"), (x + made).requires_grad, (x * made.clone()).requires_grad]


def initialization_is_not_recorded(torch):
    p = torch.nn.Parameter(torch.empty(3, 2))
    torch.nn.init.constant_(p, 0.5)
    return [p.is_leaf, p.requires_grad, p.grad_fn, p.detach()]


def threads_that_train(torch):
    def train():
        x = torch.ones(5, 5, requires_grad=True)
        y = (x + 3) * (x + 4) * 0.5
        y.sum().backward()
        seen.append(x.grad)
    seen = []
    threads = [threading.Thread(target=train) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [len(seen), seen[0], all(torch.equal(seen[0], g) for g in seen)]


def what_a_pack_hook_returns(torch):
    """Any object: a tuple, a text; the unpack hook's tensor needs the same content alone."""
    def pack(x):
        calls.append("pack")
        return ("as text", str(x.tolist()), x.requires_grad)

    def unpack(packed):
        calls.append("unpack")
        return torch.tensor(eval(packed[1]), requires_grad=True)
    calls = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x.pow(3)
    saved = y.grad_fn._saved_self
    meta = saved.requires_grad, saved.is_leaf
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    return [meta, x.grad, calls]


def hooks_of_one_saved_tensor(torch):
    calls = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.pow(2)
    saved = y.grad_fn._raw_saved_self
    saved.register_hooks(lambda t: calls.append("pack") or t * 4, lambda t: calls.append("unpack") or t / 4)
    at_once = list(calls)
    y.grad_fn._saved_self
    y.sum().backward()
    return [at_once, calls, x.grad, raises(lambda: saved.register_hooks(lambda t: t, lambda t: t), "")]


def a_pack_hook_that_writes(torch):
    def pack(x):
        return x.add_(1)
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        return raises(lambda: (x * 2).exp(), "pack hook is modifying its input in place")


def identity_hooks_make_new_objects(torch):
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        x = torch.randn(5, requires_grad=True)
        y = x * x
    plain = x * x
    return [y.grad_fn._saved_self is x, y.grad_fn._saved_self is y.grad_fn._saved_other, y.grad_fn._saved_self.data_ptr() == x.data_ptr(),
            plain.grad_fn._saved_self is x, plain.grad_fn._saved_other is x]


def hooks_inside_a_module(torch):
    class Model(torch.nn.Module):
        def forward(self, x):
            with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t.numel()) or t, lambda t: t):
                return x.exp()
    packed = []
    x = torch.ones(3, requires_grad=True)
    net = torch.nn.DataParallel(Model())
    net(x).sum().backward()
    return [packed, x.grad, type(net.module).__name__, sorted(torch.nn.DataParallel(torch.nn.Linear(1, 1)).state_dict())]


def the_nodes_of_an_expression(torch):
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    z = x * y - x ** 2
    names = [(node.name(), number) for node, number in z.grad_fn.next_functions]
    return [isinstance(z.grad_fn, torch.autograd.graph.Node), z.grad_fn.name(), names, [n is None for n, _ in (x * 2).grad_fn.next_functions]]


def constants_of_constants(torch):
    """A tensor requires grad if one that it depends on does."""
    x, c = torch.ones(2, requires_grad=True), torch.ones(2)
    return [(c * 2 + c).requires_grad, (c * 2 + x).requires_grad, c.grad, x.grad]

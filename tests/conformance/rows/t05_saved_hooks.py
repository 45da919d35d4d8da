"""T5: hooks for saved tensors."""
from __future__ import annotations

import threading

from ..collect import each
from ..observe import raises


def _x(torch):
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


def _short(values):
    return [round(v, 4) for v in values]


def _hooks(torch, log, name=""):
    def pack(t):
        log.append(f"{name}pack {_short(t.tolist())}")
        return t.tolist()

    def unpack(values):
        log.append(f"{name}unpack {_short(values)}")
        return torch.tensor(values)

    return torch.autograd.graph.saved_tensors_hooks(pack, unpack)


def pack_once_unpack_at_each_use(torch):
    log, x = [], _x(torch)
    with _hooks(torch, log):
        y = x.exp()
    log.append("made")
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    return log, x


def what_is_packed_may_be_anything(torch):
    x = _x(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: ("file", t.numpy(force=True).copy()), lambda p: torch.from_numpy(p[1])):
        y = (x * x).sin()
    y.sum().backward()
    return x


def unpacked_values_are_used(torch):
    x = _x(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t * 10):
        y = x.pow(2)
    y.sum().backward()
    return x, y


def nested_hooks(torch):
    """The innermost pair is used."""
    log, x = [], _x(torch)
    with _hooks(torch, log, "outer "):
        a = x.exp()
        with _hooks(torch, log, "inner "):
            b = a.sin()
        c = b.cos()
    c.sum().backward()
    return log, x


def identity_hooks_change_the_object(torch):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        x = _x(torch)
        y = x * x
    s, o = y.grad_fn._saved_self, y.grad_fn._saved_other
    plain = x * x
    return s is x, o is x, s is o, s.equal(x), s.data_ptr() == x.data_ptr(), plain.grad_fn._saved_self is x, plain.grad_fn._saved_other is x


def the_unpacked_value_has_its_history(torch):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda v: torch.tensor(v)):
        x = _x(torch)
        y = (x * 1) ** 2
    s = y.grad_fn._saved_self
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return s.requires_grad, s.grad_fn and s.grad_fn.name(), s.is_leaf, g.detach(), torch.autograd.grad(g.sum(), x)


def pack_hooks_are_not_tracked(torch):
    seen, x = [], _x(torch)

    def pack(t):
        r = t * 2
        seen.append((torch.is_grad_enabled(), r.requires_grad, t.requires_grad, t.is_leaf))
        return r / 2

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = x.pow(2)
    y.sum().backward()
    return seen, x


def inplace_in_a_pack_hook(torch):
    x = _x(torch)

    def attempt(source):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
            return source.pow(2)

    return raises(
        lambda: attempt(x),
        "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be modified by in-place operations",
    ), raises(lambda: attempt(x * 1), "A saved tensor pack hook is modifying its input in place")


def unpack_must_return_a_tensor(torch):
    x = _x(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 3):
        y = x.pow(2)
    return raises(y.sum().backward, "Output of saved tensor unpack_hook expected to be a Tensor but got result of type int"), raises(
        lambda: y.grad_fn._saved_self, "unpack_hook"
    )


def errors_in_hooks_reach_the_user(torch):
    def fail(t):
        raise KeyError("from the hook")

    x = _x(torch)

    def packing():
        with torch.autograd.graph.saved_tensors_hooks(fail, lambda t: t):
            x.pow(2)

    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, fail):
        y = x.pow(2)
    return raises(packing, "from the hook"), raises(y.sum().backward, "from the hook"), (x * x).sum().backward(), x


def register_hooks_on_a_saved_tensor(torch):
    log, x = [], _x(torch)
    y = x.pow(2)
    y.grad_fn._raw_saved_self.register_hooks(lambda t: log.append("pack") or t * 2, lambda t: log.append("unpack") or t)
    log.append("registered")
    read = y.grad_fn._saved_self
    y.sum().backward()
    return log, read, x


def register_hooks_twice(torch):
    y = _x(torch).pow(2)
    raw = y.grad_fn._raw_saved_self
    raw.register_hooks(lambda t: t, lambda t: t)
    return raises(
        lambda: raw.register_hooks(lambda t: t, lambda t: t), "Calling register_hooks on a saved tensor whose hooks have already been set"
    )


def register_hooks_after_release(torch):
    y = _x(torch).pow(2)
    raw = y.grad_fn._raw_saved_self
    y.sum().backward()
    return raises(
        lambda: raw.register_hooks(lambda t: t, lambda t: t),
        "Calling register_hooks on a saved tensor after it has been freed",
        "retain_graph=True",
    )


def register_hooks_with_wrong_arguments(torch):
    y = _x(torch).pow(2)
    return raises(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda: 1, lambda t: t)), raises(
        lambda: y.grad_fn._raw_saved_self.register_hooks(1, 2)
    )


def register_hooks_on_a_saved_none(torch):
    x = _x(torch)
    z = x * torch.ones(3)
    return raises(
        lambda: z.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t),
        "Calling register_hooks on a saved tensor with value None is forbidden",
    )


def save_on_cpu(torch):
    x = _x(torch)
    with torch.autograd.graph.save_on_cpu():
        y = (x * x).exp()
    s = y.grad_fn._saved_result
    y.sum().backward()
    with torch.autograd.graph.save_on_cpu(pin_memory=False):
        (x * x).sum().backward()
    return s, x


def save_on_cpu_keeps_copies(torch):
    """A later write to the original does no harm."""
    x = _x(torch)
    w = torch.ones(3)
    with torch.autograd.graph.save_on_cpu():
        y = x * w
    w.zero_()
    y.sum().backward()
    return x


def disable_saved_tensors_hooks(torch):
    x = _x(torch)

    def attempt():
        with (
            torch.autograd.graph.disable_saved_tensors_hooks("no hooks here"),
            torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t),
        ):
            x.pow(2)

    def other_way():
        with (
            torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t),
            torch.autograd.graph.disable_saved_tensors_hooks("not inside either"),
        ):
            x.pow(2)

    with torch.autograd.graph.disable_saved_tensors_hooks("x"):
        fine = x.pow(2)
    return raises(attempt, "no hooks here"), raises(other_way, "not inside either"), fine


def disabled_hooks_nest(torch):
    x, seen = _x(torch), []

    def attempt():
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            return x.pow(2)

    with torch.autograd.graph.disable_saved_tensors_hooks("outer"):
        with torch.autograd.graph.disable_saved_tensors_hooks("inner"):
            seen.append(raises(attempt, "inner"))
        seen.append(raises(attempt, "outer"))
    return seen, attempt()


def disable_as_decorator(torch):
    x = _x(torch)

    @torch.autograd.graph.disable_saved_tensors_hooks("decorated")
    def f():
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            return x.pow(2)

    return raises(f, "decorated")


def hooks_are_per_thread(torch):
    log, x = [], _x(torch)
    with _hooks(torch, log):
        thread = threading.Thread(target=lambda: x.pow(2))
        thread.start()
        thread.join()
    return log


def hooks_do_not_reach_leaves_without_graph(torch):
    log = []
    with _hooks(torch, log), torch.no_grad():
        _x(torch).pow(2)
    with _hooks(torch, log):
        torch.ones(3).pow(2)
    return log


def hooks_and_double_backward(torch):
    log, x = [], _x(torch)
    with _hooks(torch, log):
        (g,) = torch.autograd.grad(x.pow(3).sum(), x, create_graph=True)
    log.append("outside")
    g.sum().backward()
    return len(log) > 2, x


def hooks_of_a_custom_function(torch):
    log, x = [], _x(torch)

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            ctx.save_for_backward(t)
            return t * t

        @staticmethod
        def backward(ctx, g):
            (t,) = ctx.saved_tensors
            return 2 * t * g

    with _hooks(torch, log):
        y = Square.apply(x)
    y.sum().backward()
    return log, x


def writes_after_packing_are_not_checked(torch):
    """What is unpacked is what the hook kept, so that a later write cannot hurt."""
    x = _x(torch)
    w = torch.ones(3)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = x * w
    w.add_(4)
    y.sum().backward()
    return x


def mutation_of_saved_tensors_allowed(torch):
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        a = torch.ones(2, 3, requires_grad=True)
        b = a.clone()
        out = (b**2).sum()
        b.sin_()
        out.backward()
    return a


def mutation_of_saved_views_allowed(torch):
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as ctx:
        a = torch.arange(4.0, requires_grad=True)
        b = a.clone()
        v = b[:2]
        y = v * v
        b.mul_(0)
        y.sum().backward()
        ctx.clear()
    return a, raises(lambda: _nested(torch), "allow_mutation_on_saved_tensors contexts cannot be nested")


def _nested(torch):
    with torch.autograd.graph.allow_mutation_on_saved_tensors(), torch.autograd.graph.allow_mutation_on_saved_tensors():
        pass


def mutation_outside_is_still_an_error(torch):
    a = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        b = a.clone()
        out = (b**2).sum()
    return raises(lambda: (b.sin_(), out.backward()))


@each("sort(0)[0]", "max(0)[0]", "cummax(0)[0]", "topk(2)[0]", "median(0)[0]", "kthvalue(2)[0]")
def second_derivatives_with_packed_indices(torch, text):
    x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
    lists = torch.autograd.graph.saved_tensors_hooks(lambda t: (t.tolist(), t.dtype), lambda p: torch.tensor(p[0], dtype=p[1]))
    with lists:
        y = eval(f"(x * x).{text}", {"x": x})
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    return g.detach(), torch.autograd.grad(g.sum(), x)

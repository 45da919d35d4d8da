"""What is easily got wrong: one case for each point."""
from __future__ import annotations

import gc
import weakref

from ..observe import raises


def _x(torch):
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


def versions(torch):
    """1. Version counters are shared by views and detach(), not by .data; writes under no_grad and in inference mode count"""
    t = torch.zeros(3)
    with torch.no_grad():
        t.add_(1)
    with torch.inference_mode():
        t.add_(1)
        inside = torch.zeros(2)
    t[:1].add_(1)
    t.detach().add_(1)
    t.data.add_(1)
    return (
        t._version,
        t[1:]._version,
        t.detach()._version,
        t.data._version,
        raises(lambda: inside._version, "Inference tensors do not track version counter"),
    )


def lazy_history_of_views(torch):
    """2. A write to a base changes a view's grad_fn when it is next asked for; a write to a view turns the base's into CopySlices"""
    y = _x(torch) * 1
    v, w = y[:2], y[1:]
    old = v.grad_fn
    y.mul_(2)
    first = v.grad_fn is old, v.grad_fn.name(), v.grad_fn is v.grad_fn
    w.mul_(3)
    return first, y.grad_fn.name(), v.grad_fn.name(), w.grad_fn.name(), raises(lambda: y.unbind()[0].mul_(1), "multiple views")


def hooks_and_inplace(torch):
    """3. Tensor hooks stay on the node of registration time, retain_grad moves along and runs last"""
    x, log = _x(torch), []
    y = x * 2
    y.register_hook(lambda g: log.append("old"))
    y.retain_grad()
    y.mul_(2)
    y.register_hook(lambda g: log.append("new") or g * 10)
    y.grad_fn.register_prehook(lambda go: log.append("pre") or (go[0] + 1,))
    y.grad_fn.register_hook(lambda gi, go: log.append("post"))
    y.sum().backward()
    return log, y.grad, x.grad


def order_of_ready_nodes(torch):
    """4. A node runs once, after all contributions; of the ready ones the latest made runs first"""
    x, log = _x(torch), []
    a, b = x.sin(), x.cos()
    c = a * b
    d = a + c
    for name, t in (("a", a), ("b", b), ("c", c), ("d", d)):
        t.grad_fn.register_prehook(lambda go, name=name: log.append(name))
    torch.autograd.backward([d.sum(), b.sum()])
    return log, x.grad


def no_cycles(torch):
    """5. With the collector off nothing leaks; a saved input is the Tensor itself, a saved result is not"""
    gc.disable()
    try:
        x = _x(torch)
        y = x.pow(2).exp()
        ref = weakref.ref(y)
        seen = y.grad_fn._saved_result is not y, x.pow(2).grad_fn._saved_self is x
        del y
        return seen, ref() is None
    finally:
        gc.enable()


def layouts(torch):
    """6. A dense leaf's gradient keeps its strides, one with gaps gets row-major ones, and nothing is aliased"""
    leaves = [
        torch.ones(2, 3, requires_grad=True),
        torch.ones(3, 2).t().requires_grad_(),
        torch.ones(2, 6)[:, ::2].requires_grad_(),
        torch.ones(1, 3).expand(2, 3).requires_grad_(),
    ]
    v = torch.ones(2, 3)
    for p in leaves:
        p.backward(v)
    return [p.grad.stride() for p in leaves], [p.grad.data_ptr() == v.data_ptr() for p in leaves]


def flags(torch):
    """7. set_grad_enabled acts when constructed; the flag of a non-leaf is not to be set, requires_grad_() on it is fine"""
    torch.set_grad_enabled(False)
    off = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    y = _x(torch) * 2
    return (
        off,
        raises(lambda: setattr(y, "requires_grad", True), "leaf variables"),
        raises(lambda: y.requires_grad_(False), "leaf variables"),
        y.requires_grad_() is y,
    )


def once_differentiable(torch):
    """8. once_differentiable raises only when the incoming gradient requires grad"""

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g):
            return g * 2

    x = _x(torch)
    (plain,) = torch.autograd.grad(Twice.apply(x).sum(), x, create_graph=True)
    v = torch.ones(3, requires_grad=True)
    (bound,) = torch.autograd.grad(Twice.apply(x), x, v, create_graph=True)
    return plain.requires_grad, raises(lambda: bound.sum().backward(), "once_differentiable")


def custom_gradients(torch):
    """9. Surplus Nones are forgiven, gradients are summed and cast, and an input that is returned is a new tensor"""

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return torch.ones(2, 3, dtype=torch.float64), None, None

    x = _x(torch)
    y = Same.apply(x)
    y.sum().backward()
    return y is x, x


def tangents_of_buffers(torch):
    """10. detach() drops the tangent too; a buffer that is written to gains one, through views"""
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        d = fw.make_dual(torch.ones(2), torch.tensor([1.0, 2.0]))
        buffer = torch.zeros(2, 2)
        buffer[1] = d * 3
        return fw.unpack_dual(d.detach()).tangent, fw.unpack_dual(buffer).tangent, fw.unpack_dual(buffer[1]).tangent


def packing(torch):
    """11. x * c packs one tensor, x * y two, x + y none; hooks run untracked, and identity hooks change the object"""
    counts = []
    x, y, c = _x(torch), _x(torch), torch.ones(3)
    for f in (lambda: x * c, lambda: x * y, lambda: x + y, lambda: x * 2, lambda: x.exp()):
        packed = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append((t * 2).requires_grad) or t, lambda t: t):
            f()
        counts.append(packed)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        z = x * x
    return counts, z.grad_fn._saved_self is x


def ties(torch):
    """12. Full max and amax share evenly, maximum half and half; relu and abs give 0 at the kink, clamp 1, norm at 0 gives 0"""
    z = torch.zeros(2, requires_grad=True)
    return [
        torch.autograd.grad(f(z).sum(), z)[0]
        for f in (
            torch.max,
            torch.amax,
            lambda t: torch.maximum(t, t.detach()),
            torch.relu,
            torch.abs,
            lambda t: t.clamp(min=0),
            torch.norm,
            lambda t: t.max(0)[0],
            torch.min,
            torch.amin,
            lambda t: t.clamp(0, 1),
            lambda t: t.median(),
            lambda t: torch.minimum(t, t.detach()),
            lambda t: t.sign(),
            lambda t: t.norm(1),
            lambda t: t.norm(float("inf")),
        )
    ]


def complex_gradients(torch):
    """13. Gradients are conjugated, a real operand gets the real part, an implicit backward needs a real scalar"""
    x, z = torch.tensor([2.0], requires_grad=True), torch.tensor([1 + 2j], requires_grad=True)
    (x * z * 1j).real.sum().backward()
    return x, z, raises(lambda: (z * 1).sum().backward(), "real scalar outputs")


def todays_pytorch(torch):
    """14. Where documents and today's PyTorch differ, today's holds: inputs= may name non-leaves"""
    x = _x(torch)
    y = x * 2
    y.retain_grad()
    y.sum().backward(inputs=[y])
    return y.grad, x.grad

"""T6: what the context of a custom Function is told, and what comes of it."""
from __future__ import annotations

from ..functions import leaf as _x
from ..functions import made as _make
from ..observe import raises, warns


def mark_non_differentiable(torch):
    class Sort(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            values, index = x.sort()
            ctx.mark_non_differentiable(index)
            ctx.save_for_backward(index)
            return values, index

        @staticmethod
        def backward(ctx, g, g_index):
            (index,) = ctx.saved_tensors
            return torch.zeros_like(g).index_add_(0, index, g)

    x = _x(torch, 3.0, 1.0, 2.0)
    values, index = Sort.apply(x)
    (values * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    return values, index, x


def mark_non_differentiable_of_a_float(torch):
    F = _make(torch, forward=lambda ctx, x: _marked(ctx, x * 2, x * 3), backward=lambda ctx, g, h: g * 2 + h)
    x = _x(torch)
    a, b = F.apply(x)
    a.sum().backward()
    return a, b, x


def _marked(ctx, a, b):
    ctx.mark_non_differentiable(b)
    return a, b


def _inplace(torch, mark=True):
    def forward(ctx, x):
        if mark:
            ctx.mark_dirty(x)
        x.add_(1)
        return x

    return _make(torch, forward=forward, backward=lambda ctx, g: g)


def mark_dirty(torch):
    x = _x(torch)
    y = x * 1
    z = _inplace(torch).apply(y)
    z.sum().backward()
    return z is y, y, x


def mark_dirty_makes_saved_values_stale(torch):
    x = _x(torch)
    a = x.clone()
    b = a * a
    _inplace(torch).apply(a)
    return raises(
        b.sum().backward, "one of the variables needed for gradient computation has been modified by an inplace operation"
    ), a._version


def mark_dirty_on_a_leaf(torch):
    return raises(lambda: _inplace(torch).apply(_x(torch)), "a leaf Variable that requires grad has been used in an in-place operation")


def mark_dirty_on_a_view(torch):
    x = _x(torch)
    y = x * 1
    v = y[:1]
    _inplace(torch).apply(v)
    (y * 2).sum().backward()
    return y, v, x


def mark_dirty_of_what_is_not_returned(torch):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.add_(1)
        return x * 2

    F = _make(torch, forward=forward, backward=lambda ctx, g: g)
    return raises(lambda: F.apply(_x(torch) * 1), "Some elements marked as dirty during the forward method were not returned as output")


def returning_an_input(torch):
    F = _make(torch, forward=lambda ctx, x: x, backward=lambda ctx, g: g * 5)
    x = _x(torch)
    y = F.apply(x)
    y.sum().backward()
    return y is x, y, x, y.data_ptr() == x.data_ptr()


def returning_a_view_of_an_input(torch):
    F = _make(torch, forward=lambda ctx, x: x.view(2, 1), backward=lambda ctx, g: g.view(2) * 3)
    x = _x(torch)
    y = F.apply(x)
    y.sum().backward()
    return y, x, raises(lambda: F.apply(x * 1).add_(1), "is a view and is being modified inplace", "custom")


def saving_what_is_neither_input_nor_output(torch):
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            t = x * 2
            ctx.save_for_backward(t, None, x)
            return t * x

        @staticmethod
        def backward(ctx, g):
            t, nothing, x = ctx.saved_tensors
            return g * 2 * t if nothing is None else None

    x = _x(torch)
    F.apply(x).sum().backward()
    return x


def saved_tensors_after_backward(torch):
    seen = []
    F = _make(torch, forward=lambda ctx, x: ctx.save_for_backward(x) or x * 2, backward=lambda ctx, g: seen.append(ctx) or g)
    x = _x(torch)
    y = F.apply(x)
    y.sum().backward()
    return raises(lambda: y.grad_fn.saved_tensors, "Trying to backward through the graph a second time")


def saved_tensors_are_checked(torch):
    F = _make(torch, forward=lambda ctx, x: ctx.save_for_backward(x) or x * 2, backward=lambda ctx, g: g * ctx.saved_tensors[0])
    x = _x(torch)
    y = x * 1
    z = F.apply(y)
    y.add_(1)
    return raises(z.sum().backward, "modified by an inplace operation")


def saving_what_is_no_tensor(torch):
    F = _make(torch, forward=lambda ctx, x: ctx.save_for_backward(3) or x * 2, backward=lambda ctx, g: g)
    return raises(lambda: F.apply(_x(torch)), "save_for_backward can only save variables, but argument 0 is of type int")


def saving_inputs_keeps_their_identity(torch):
    seen = []
    F = _make(
        torch, forward=lambda ctx, x: ctx.save_for_backward(x) or x * 2, backward=lambda ctx, g: seen.append(ctx.saved_tensors[0]) or g
    )
    x = _x(torch)
    y = F.apply(x)
    first = y.grad_fn.saved_tensors[0] is x
    y.sum().backward()
    return first, seen[0] is x


def attributes_of_the_context(torch):
    F = _make(torch, forward=lambda ctx, x: setattr(ctx, "note", [1, 2]) or x * 2, backward=lambda ctx, g: g * len(ctx.note))
    x = _x(torch)
    y = F.apply(x)
    y.grad_fn.other = 5
    y.sum().backward()
    return y.grad_fn.note, y.grad_fn.other, x


def legacy_call(torch):
    F = _make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: g)
    return raises(lambda: F()(_x(torch)), "Legacy autograd function with non-static forward method is deprecated"), raises(
        lambda: F.forward and _old(torch).apply(_x(torch))
    )


def _old(torch):
    class Old(torch.autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, g):
            return g

    return Old


def instantiating_warns_or_fails(torch):
    F = _make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: g)
    return raises(lambda: warns(lambda: F(), "should not be instantiated")["warned"])


def inplace_function(torch):
    I = torch.autograd.function.InplaceFunction

    class Double(I):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = _x(torch)
    Double.apply(x).sum().backward()
    return x, issubclass(I, torch.autograd.Function), I(True).inplace, torch.autograd.function.InplaceFunction(inplace=False).inplace

"""Custom Functions and helpers that random programs call, on either library."""
from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from .less_usual import less_usual


@cache
def functions(torch: Any) -> dict[str, Any]:
    """The names that a program may use beside ``torch``."""
    Function = torch.autograd.Function

    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * g * x

    class Same(Function):
        """Returns its input."""

        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    class Viewed(Function):
        """Returns a view."""

        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return g * 0.5

    class Context(Function):
        """With a context of its own, and an argument that is no Tensor."""

        @staticmethod
        def forward(x, factor):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.factor = inputs[1]

        @staticmethod
        def backward(ctx, g):
            return g * ctx.factor, None

    class Pair(Function):
        """Two results, of which one may get no gradient."""

        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x + 1

        @staticmethod
        def backward(ctx, g, h):
            return h if g is None else g * 2 if h is None else g * 2 + h

    class Marked(Function):
        """The second result has no derivative."""

        @staticmethod
        def forward(ctx, x):
            sign = x.sign() if not x.is_complex() else x * 0
            ctx.mark_non_differentiable(sign)
            ctx.save_for_backward(sign)
            return x * sign, sign

        @staticmethod
        def backward(ctx, g, unused):
            return g * ctx.saved_tensors[0]

    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g):
            return g * ctx.saved_tensors[0].cos()

    class Dirty(Function):
        """Writes to its input."""

        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, g):
            return g * 2

    class Forward(Function):
        """With a forward derivative."""

        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            ctx.save_for_forward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

        @staticmethod
        def jvp(ctx, t):
            return t * ctx.saved_tensors[0]

    class Second(Function):
        """Marks where the graph of a gradient begins, whose nodes are each library's own; it requires grad if the input does."""

        @staticmethod
        def forward(ctx, gradient, x):
            ctx.shape = x.shape
            return gradient.clone(memory_format=torch.contiguous_format)

        @staticmethod
        def backward(ctx, g):
            return g if ctx.needs_input_grad[0] else None, g.new_zeros(ctx.shape)

    def tangent(x, f):
        """The tangent of ``f`` at ``x``, zeros where there is none."""
        with torch.autograd.forward_ad.dual_level():
            direction = (torch.arange(x.numel(), dtype=torch.float64) * 0.75 - 1).reshape(x.shape).to(x.dtype)
            y = f(torch.autograd.forward_ad.make_dual(x.detach().clone(), direction))
            found = torch.autograd.forward_ad.unpack_dual(y).tangent
            return torch.zeros_like(y.detach()) if found is None else found.detach().clone()

    def written(y, write):
        write(y)
        return y

    return {"tangent": tangent, "written": written, "threaded": threaded, "current": current, **{
        f.__name__: f for f in (Square, Same, Viewed, Context, Pair, Marked, Once, Dirty, Forward, Second)}, **less_usual(torch)}


def threaded(f: Callable[[], Any]) -> Any:
    """What ``f`` returns or raises in a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(f).result()


def current(t: Any) -> Any:
    """The Tensor with its history brought up to date: PyTorch 2.13 crashes when a hook is put on a view whose base was written to since."""
    return t if t.grad_fn is None else t

"""Custom Functions as programs have them beside the plain ones: of several arguments, with gradients taken inside, and with faults."""
from __future__ import annotations

from typing import Any


def less_usual(torch: Any) -> dict[str, Any]:
    """The Functions by name."""
    Function = torch.autograd.Function

    class Product(Function):
        """Of two Tensors, broadcast by hand; saves a result of its own, and computes what is asked for."""

        @staticmethod
        def forward(ctx, x, y):
            product = x * y
            ctx.save_for_backward(x, y, product)
            return product.sin()

        @staticmethod
        def backward(ctx, g):
            x, y, product = ctx.saved_tensors
            slope = g * product.cos()
            return (slope * y).sum_to_size(x.shape) if ctx.needs_input_grad[0] else None, (slope * x).sum_to_size(y.shape) if ctx.needs_input_grad[1] else None

    class Again(Function):
        """Computes once more in backward, and differentiates there."""

        @staticmethod
        def forward(ctx, x, f):
            ctx.save_for_backward(x)
            ctx.f = f
            return f(x.detach())

        @staticmethod
        def backward(ctx, g):
            with torch.enable_grad():
                x = ctx.saved_tensors[0].detach().requires_grad_()
                y = ctx.f(x)
            return torch.autograd.grad(y, x, g)[0], None

    class Attribute(Function):
        """Keeps a Tensor as an attribute."""

        @staticmethod
        def forward(ctx, x):
            ctx.x = x
            return x.exp()

        @staticmethod
        def backward(ctx, g):
            return g * ctx.x.exp()

    class Parts(Function):
        """Any number of arguments, as many results, and one of integers."""

        @staticmethod
        def forward(ctx, *xs):
            ctx.count = len(xs)
            return (*(x * (k + 2) for k, x in enumerate(xs)), torch.arange(3))

        @staticmethod
        def backward(ctx, *gs):
            return tuple(g * (k + 2) for k, g in enumerate(gs[:ctx.count]))

    class Nothing(Function):
        """Has no gradient."""

        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return None

    class Fails(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ZeroDivisionError

    class Misfit(Function):
        """A gradient of another shape, or too many of them."""

        @staticmethod
        def forward(ctx, x, many):
            ctx.many = many
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return (g, None, g) if ctx.many else (torch.ones(5, 5), None)

    class Both(Function):
        """Writes to its input, and has another result."""

        @staticmethod
        def forward(ctx, x, y):
            ctx.mark_dirty(x)
            return x.mul_(3), y + 1

        @staticmethod
        def backward(ctx, g, h):
            return g * 3, h

    class Mapped(Function):
        """With a rule for vmap made of its text, and a forward derivative."""

        generate_vmap_rule = True

        @staticmethod
        def forward(x, y):
            return x * y.cos()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y.cos(), -g * x * y.sin()

        @staticmethod
        def jvp(ctx, t, u):
            x, y = ctx.saved_tensors
            return t * y.cos() - x * y.sin() * u

    class Named(Function):
        """Names one of its results as written to that was not, and saves its result."""

        @staticmethod
        def forward(ctx, x):
            y = x.tanh()
            ctx.save_for_backward(y)
            ctx.set_materialize_grads(False)
            return y, y.detach() * 2

        @staticmethod
        def backward(ctx, g, h):
            (y,) = ctx.saved_tensors
            return torch.zeros_like(y) if g is None else g * (1 - y * y)

    return {f.__name__: f for f in (Product, Again, Attribute, Parts, Nothing, Fails, Misfit, Both, Mapped, Named)}

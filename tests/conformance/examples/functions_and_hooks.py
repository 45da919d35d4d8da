"""The examples of FunctionCtx, and of hooks for saved tensors."""
from __future__ import annotations

import os
import tempfile
import uuid

from ..observe import raises, shows


def mark_dirty(torch):
    """FunctionCtx.mark_dirty: a write that the engine finds out"""
    once_differentiable = torch.autograd.function.once_differentiable

    class Inplace(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x_npy = x.numpy()
            x_npy += 1
            ctx.mark_dirty(x)
            return x

        @staticmethod
        @once_differentiable
        def backward(ctx, grad_output):
            return grad_output

    a = torch.tensor(1.0, requires_grad=True, dtype=torch.double).clone()
    b = a * a
    Inplace.apply(a)
    return raises(b.backward, "one of the variables needed for gradient computation has been modified by an inplace operation"), a.item()


def mark_non_differentiable(torch):
    """FunctionCtx.mark_non_differentiable: the indices of a sort"""
    once_differentiable = torch.autograd.function.once_differentiable

    class Func(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            sorted, idx = x.sort()
            ctx.mark_non_differentiable(idx)
            ctx.save_for_backward(x, idx)
            return sorted, idx

        @staticmethod
        @once_differentiable
        def backward(ctx, g1, g2):
            x, idx = ctx.saved_tensors
            grad_input = torch.zeros_like(x)
            grad_input.index_add_(0, idx, g1)
            return grad_input

    x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
    values, idx = Func.apply(x)
    (values * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    return values, idx, x


def save_for_backward(torch):
    """FunctionCtx.save_for_backward: inputs, an intermediate and the output"""
    once_differentiable = torch.autograd.function.once_differentiable

    class Func(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x: torch.Tensor, y: torch.Tensor, z: int):
            w = x * z
            out = x * y + y * z + w * y
            ctx.save_for_backward(x, y, w, out)
            ctx.z = z
            return out

        @staticmethod
        @once_differentiable
        def backward(ctx, grad_out):
            x, y, w, out = ctx.saved_tensors
            z = ctx.z
            gx = grad_out * (y + y * z)
            gy = grad_out * (x + z + w)
            gz = None
            return gx, gy, gz

    a = torch.tensor(1.0, requires_grad=True, dtype=torch.double)
    b = torch.tensor(2.0, requires_grad=True, dtype=torch.double)
    c = 4
    d = Func.apply(a, b, c)
    d.backward()
    return d, a, b


def save_for_forward(torch):
    """FunctionCtx.save_for_forward: a product with jvp and vjp"""
    fwAD = torch.autograd.forward_ad

    class Func(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x: torch.Tensor, y: torch.Tensor, z: int):
            ctx.save_for_backward(x, y)
            ctx.save_for_forward(x, y)
            ctx.z = z
            return x * y * z

        @staticmethod
        def jvp(ctx, x_t, y_t, _):
            x, y = ctx.saved_tensors
            z = ctx.z
            return z * (y * x_t + x * y_t)

        @staticmethod
        def vjp(ctx, grad_out):
            x, y = ctx.saved_tensors
            z = ctx.z
            return z * grad_out * y, z * grad_out * x, None

    a = torch.tensor(1.0, requires_grad=True, dtype=torch.double)
    t = torch.tensor(1.0, dtype=torch.double)
    b = torch.tensor(2.0, requires_grad=True, dtype=torch.double)
    c = 4
    with fwAD.dual_level():
        a_dual = fwAD.make_dual(a, t)
        d = Func.apply(a_dual, b, c)
        tangent = fwAD.unpack_dual(d).tangent.detach()
    e = Func.apply(a, b, c)
    e.backward()
    return tangent, e, a, b


def set_materialize_grads_left_on(torch):
    """FunctionCtx.set_materialize_grads, first example: undefined gradients are zeros"""

    class SimpleFunc(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone(), x.clone()

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g1, g2):
            return g1 + g2

    a = torch.tensor(1.0, requires_grad=True)
    b, _ = SimpleFunc.apply(a)
    b.backward()
    return a


def set_materialize_grads_off(torch):
    """FunctionCtx.set_materialize_grads, second example: undefined gradients are None"""

    class Func(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            ctx.save_for_backward(x)
            return x.clone(), x.clone()

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g1, g2):
            (x,) = ctx.saved_tensors
            grad_input = torch.zeros_like(x)
            if g1 is not None:
                grad_input += g1
            if g2 is not None:
                grad_input += g2
            return grad_input

    a = torch.tensor(1.0, requires_grad=True)
    b, _ = Func.apply(a)
    b.backward()
    return a


def saved_self(torch):
    """Saved tensors: ``_saved_self`` of ``pow`` is the input"""
    x = torch.randn(5, requires_grad=True)
    y = x.pow(2)
    return shows(x.equal(y.grad_fn._saved_self), "True"), shows(x is y.grad_fn._saved_self, "True")


def saved_result(torch):
    """Saved tensors: ``_saved_result`` of ``exp`` is another object"""
    x = torch.randn(5, requires_grad=True)
    y = x.exp()
    return shows(y.equal(y.grad_fn._saved_result), "True"), shows(y is y.grad_fn._saved_result, "False")


def _files(torch, folder):
    """The documents' class and hooks that keep saved values in files."""

    class SelfDeletingTempFile:
        def __init__(self):
            self.name = os.path.join(folder, str(uuid.uuid4()))

        def __del__(self):
            os.remove(self.name)

    def pack_hook(tensor):
        temp_file = SelfDeletingTempFile()
        torch.save(tensor, temp_file.name)
        return temp_file

    def unpack_hook(temp_file):
        return torch.load(temp_file.name)

    return pack_hook, unpack_hook


def hooks_that_save_to_files(torch):
    """Hooks for saved tensors: temporary files that delete themselves"""
    with tempfile.TemporaryDirectory() as folder:
        pack_hook, unpack_hook = _files(torch, folder)
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = x.pow(2)
        y.grad_fn._raw_saved_self.register_hooks(pack_hook, unpack_hook)
        during = len(os.listdir(folder))
        y.sum().backward()
        del y
        return during, len(os.listdir(folder)), x


def hooks_for_large_tensors_only(torch):
    """Registering default hooks: only what is large goes to a file"""
    SAVE_ON_DISK_THRESHOLD = 1000
    with tempfile.TemporaryDirectory() as folder:
        to_file, from_file = _files(torch, folder)

        def pack_hook(x):
            if x.numel() < SAVE_ON_DISK_THRESHOLD:
                return x
            return to_file(x.detach())

        def unpack_hook(tensor_or_sctf):
            if isinstance(tensor_or_sctf, torch.Tensor):
                return tensor_or_sctf
            return from_file(tensor_or_sctf)

        class Model:
            def forward(self, x):
                with torch.autograd.graph.saved_tensors_hooks(pack_hook, unpack_hook):
                    output = x.exp()
                    small = output[:3].exp()
                return output.sum() + small.sum()

        x = torch.zeros(2000, requires_grad=True)
        out = Model().forward(x)
        during = len(os.listdir(folder))
        out.backward()
        del out
        return during, len(os.listdir(folder)), x.grad.sum()


def identity_hooks(torch):
    """Hooks for saved tensors: with identity hooks the objects differ and the storage is shared"""
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        x = torch.randn(5, requires_grad=True)
        y = x * x
    self_, other = y.grad_fn._saved_self, y.grad_fn._saved_other
    z = x * x
    return [
        self_ is x,
        other is x,
        self_.data_ptr() == x.data_ptr(),
        other.data_ptr() == x.data_ptr(),
        z.grad_fn._saved_self is x,
        z.grad_fn._saved_other is x,
    ]


def vmap_static_method(torch):
    """Function.vmap: the arguments ``info`` and ``in_dims``"""
    seen = []

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(x, factor):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.factor = inputs[1]

        @staticmethod
        def vmap(info, in_dims, x, factor):
            seen.append((info.batch_size, info.randomness, in_dims))
            return Scaled.apply(x, factor), in_dims[0]

    return torch.vmap(lambda x: Scaled.apply(x, 3.0), in_dims=1)(torch.arange(6.0).reshape(2, 3)), seen


def setup_context(torch):
    """Function.setup_context: forward and ctx apart"""

    class MulConstant(torch.autograd.Function):
        @staticmethod
        def forward(tensor, constant):
            return tensor * constant

        @staticmethod
        def setup_context(ctx, inputs, output):
            tensor, constant = inputs
            ctx.constant = constant

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * ctx.constant, None

    x = torch.ones(2, requires_grad=True)
    y = MulConstant.apply(x, 5.0)
    y.sum().backward()
    return y, x

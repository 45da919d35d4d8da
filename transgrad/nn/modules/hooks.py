"""Hooks of modules: handles, and the backward hooks, which see the gradients of a module's inputs and outputs."""
from __future__ import annotations

from typing import Any

from ...autograd.function import Function
from ...autograd.hooks import RemovableHandle, register
from ...autograd.tensor import Tensor

__all__ = ["BackwardHooks", "registered"]


def registered(hooks: Any, hook: Any, prepend: bool = False) -> RemovableHandle:
    """Add a hook to an ordered dict, at its end or at its beginning."""
    handle = register(hooks, hook)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


class _Identity(Function):
    """Returns its arguments; its node is where the hooks of a module are."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[a for a in args if not a.requires_grad])
        return tuple(a.view_as(a) for a in args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


class BackwardHooks:
    """The backward hooks of one call of a module.

    The inputs pass through one identity node and the outputs through another one: prehooks run when the gradients of the outputs have
    arrived, hooks when those of the inputs have too.
    """

    def __init__(self, module: Any, hooks: Any, pre_hooks: Any):
        self.module, self.hooks, self.pre_hooks = module, list(hooks), list(pre_hooks)
        self.grad_outputs: Any = None
        self.has_inputs = False

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with a node that calls the hooks behind those that require grad."""
        found, node = _passed(args)
        if node is not None:
            self.has_inputs = True
            places = [k for k, a in enumerate(args) if isinstance(a, Tensor)]

            def after(grad_input: Any, _: Any) -> Any:
                if self.grad_outputs is None:
                    raise RuntimeError(
                        "Module backward hook for grad_input is called before the grad_output one. This happens because the gradient in "
                        "your nn.Module flows to the Module's input without passing through the Module's output. Make sure that the output "
                        "depends on the input and that the loss is computed based on the output.")
                full = [None] * len(args)
                for k, g in zip(places, grad_input):
                    full[k] = g
                result: Any = tuple(full)
                for hook in self.hooks:
                    got = hook(self.module, result, self.grad_outputs)
                    result = result if got is None else got if isinstance(got, tuple) else (got,)
                self.grad_outputs = None
                return tuple(result[k] for k in places)
            node.register_hook(after)
        return found

    def outputs(self, result: Any) -> Any:
        """The result, with a node that calls the prehooks behind its Tensors."""
        args = result if isinstance(result, tuple) else (result,)
        if not any(isinstance(a, Tensor) for a in args):
            return result
        found, node = _passed(args)
        if node is not None:
            places = [k for k, a in enumerate(args) if isinstance(a, Tensor)]

            def before(grad_output: Any) -> Any:
                full = [None] * len(args)
                for k, g in zip(places, grad_output):
                    full[k] = g
                grads: Any = tuple(full)
                for hook in self.pre_hooks:
                    got = hook(self.module, grads)
                    grads = grads if got is None else got if isinstance(got, tuple) else (got,)
                self.grad_outputs = grads
                if not self.has_inputs:
                    for each in self.hooks:
                        if each(self.module, (None,) * len(args), grads) is not None:
                            raise RuntimeError("Backward hook for Modules where no input requires gradient should always return None "
                                               "or None for all gradients.")
                return tuple(grads[k] for k in places)
            node.register_prehook(before)
        return found if isinstance(result, tuple) else found[0]


def _passed(args: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
    """The arguments after an identity node, and that node; None if no Tensor among them requires grad."""
    tensors = [a for a in args if isinstance(a, Tensor)]
    if not any(t.requires_grad for t in tensors):
        return args, None
    made = iter(_Identity.apply(*tensors))
    found = tuple(next(made) if isinstance(a, Tensor) else a for a in args)
    node = next((t.grad_fn for t in found if isinstance(t, Tensor) and t.grad_fn is not None), None)
    return found, node

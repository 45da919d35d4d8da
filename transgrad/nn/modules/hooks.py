"""Hooks of modules: handles, and the backward hooks, which see the gradients of a module's inputs and outputs."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    """Return the arguments; the hooks of a module are attached to its node."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[a for a in args if not a.requires_grad])
        return tuple(a.view_as(a) for a in args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


class BackwardHooks:
    """The backward hooks of one call of a module.

    The inputs pass through one identity node and the outputs through another. The prehooks run when the gradients of the outputs are
    complete, the hooks when those of the inputs are.
    """

    def __init__(self, module: Any, hooks: Iterable[Any], pre_hooks: Iterable[Any]):
        self.module, self.hooks, self.pre_hooks = module, list(hooks), list(pre_hooks)
        self.grad_outputs: Any = None
        self.has_inputs = False

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments, with a node that calls the hooks on the Tensors that require grad."""
        found, node, places = _passed(args)

        def after(grad_input: Any, _: Any) -> Any:
            if self.grad_outputs is None:
                raise RuntimeError(
                    "Module backward hook for grad_input is called before the grad_output one. This happens because the gradient in "
                    "your nn.Module flows to the Module's input without passing through the Module's output. Make sure that the output "
                    "depends on the input and that the loss is computed based on the output.")
            grads = self._run(self.hooks, _spread(grad_input, places, len(args)), self.grad_outputs)
            self.grad_outputs = None
            return tuple(grads[k] for k in places)
        if node is not None:
            self.has_inputs = True
            node.register_hook(after)
        return found

    def outputs(self, result: Any) -> Any:
        """Return the result, with a node that calls the prehooks on its Tensors."""
        args = result if isinstance(result, tuple) else (result,)
        found, node, places = _passed(args)

        def before(grad_output: Any) -> Any:
            self.grad_outputs = grads = self._run(self.pre_hooks, _spread(grad_output, places, len(args)))
            none = (None,) * len(args)
            if not self.has_inputs and any(hook(self.module, none, grads) is not None for hook in self.hooks):
                raise RuntimeError("Backward hook for Modules where no input requires gradient should always return None or None for all "
                                   "gradients.")
            return tuple(grads[k] for k in places)
        if node is not None:
            node.register_prehook(before)
        return found if isinstance(result, tuple) else found[0]

    def _run(self, hooks: Iterable[Any], grads: Any, *more: Any) -> Any:
        """Call the hooks in order; each may replace the gradients."""
        for hook in hooks:
            got = hook(self.module, grads, *more)
            grads = grads if got is None else got if isinstance(got, tuple) else (got,)
        return grads


def _spread(grads: Sequence[Any], places: Sequence[int], count: int) -> tuple[Any, ...]:
    """Return the gradients at their places among all arguments, None for the others."""
    full: list[Any] = [None] * count
    for k, g in zip(places, grads):
        full[k] = g
    return tuple(full)


def _passed(args: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any, list[int]]:
    """Return the arguments after an identity node, that node (None if no Tensor requires grad), and the places of the Tensors."""
    places = [k for k, a in enumerate(args) if isinstance(a, Tensor)]
    if not any(args[k].requires_grad for k in places):
        return args, None, places
    made = dict(zip(places, _Identity.apply(*(args[k] for k in places))))
    node = next((t.grad_fn for t in made.values() if t.grad_fn is not None), None)
    return tuple(made.get(k, a) for k, a in enumerate(args)), node, places

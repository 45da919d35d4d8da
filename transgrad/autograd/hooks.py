"""Hooks on tensors and nodes: how they are kept, removed and run."""
from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .tensor import Tensor

if TYPE_CHECKING:
    from .nodes import Node

__all__ = ["RemovableHandle", "register", "run_leaf_hooks", "run_node_hooks", "run_tensor_hooks"]

_ids = itertools.count()


class RemovableHandle:
    """What registering a hook returns; a context manager that removes it at its end.

    Attributes
    ----------
    id : int
        The number of the hook.
    """

    def __init__(self, hooks: dict[int, Any], key: int):
        self._hooks = hooks
        self.id = key

    def remove(self) -> None:
        """Take the hook away."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> "RemovableHandle":
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def register(hooks: dict[int, Any], hook: Any) -> RemovableHandle:
    """Add a hook to those there are."""
    key = next(_ids)
    hooks[key] = hook
    return RemovableHandle(hooks, key)


def checked(hook: Callable[..., Any], got: Any, old: Tensor) -> Tensor:
    """Check a hook's replacement of a gradient."""
    name = getattr(hook, "__name__", repr(hook))
    if not isinstance(got, Tensor):
        raise TypeError(f"expected Variable, but hook returned {type(got).__name__!r} ({name})")
    if got.dtype != old.dtype:
        raise RuntimeError(f"hook {name!r} has changed the type of value (was {old.type()} got {got.type()})")
    if got.shape != old.shape:
        raise RuntimeError(f"hook {name!r} has changed the size of value: from {list(old.shape)} to {list(got.shape)}")
    return got


def replaced(hook: Callable[..., Any], got: Any, old: tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...]:
    """The gradients of a node after one of its hooks has returned ``got``."""
    if got is None:
        return old
    name = getattr(hook, "__name__", repr(hook))
    if not isinstance(got, tuple):
        raise TypeError(f"expected tuple, but hook returned {type(got).__name__!r} ({name})")
    if len(got) != len(old):
        raise RuntimeError(f"hook {name!r} has returned an incorrect number of values (got {len(got)}, but expected {len(old)})")
    return tuple(new if was is None or new is None else checked(hook, new, was) for new, was in zip(got, old))


def run_one(hook: Callable[..., Any], g: Tensor) -> Tensor:
    """The gradient after a tensor's hook."""
    got = hook(g)
    return g if got is None else checked(hook, got, g)


def run_leaf_hooks(variable: Tensor, g: Any, sweep: Any) -> Any:
    """The gradient that arrives at a leaf, after the leaf's hooks."""
    assert variable._more is not None
    hooks = list(variable._more.hooks.values())
    if not hooks:
        return g
    tensor = None if g is None else sweep.tensor(g)
    for hook in hooks:
        tensor = hook(None) if tensor is None else run_one(hook, tensor)
    return None if tensor is None else sweep.lowered(tensor)


def run_tensor_hooks(node: "Node", g: Any, sweep: Any) -> Any:
    """Run the tensor hooks on the gradients of a node; tensors that retain their gradient receive it last."""
    more = node._more
    if more is None or not (more.tensor_pre or more.retain):
        return g
    several = node._outputs != 1
    parts = [None] * node._outputs if g is None else list(g) if several else [g]
    for nr, hook in list(more.tensor_pre.values()):
        parts[nr] = sweep.lowered(run_one(hook, sweep.tensor(parts[nr])) if parts[nr] is not None else hook(None))
    for nr, reference in list(more.retain.items()):
        tensor = reference()
        if tensor is not None and parts[nr] is not None:
            arrived = sweep.tensor(parts[nr])
            tensor._grad = arrived.clone(memory_format="torch.contiguous_format") if tensor._grad is None else tensor._grad + arrived
    if g is None and all(part is None for part in parts):
        return None
    return parts if several else parts[0]


def run_node_hooks(node: "Node", g: Any, sweep: Any, run: Callable[[Any], Any]) -> Any:
    """The node's function between its prehooks and its posthooks."""
    more = node._more
    assert more is not None
    several = node._outputs != 1
    count = node.differentiable_outputs()
    grads = tuple(None if part is None else sweep.tensor(part) for part in (g[:count] if several else (g,)))
    for hook in list(more.pre.values()):
        grads = replaced(hook, hook(grads), grads)
    lowered = tuple(sweep.lowered(part) for part in grads) + (None,) * (node._outputs - count)
    entries = run(lowered if several else lowered[0])
    if not more.post:
        return entries
    shown = node.shown()
    given = tuple(None if k is None or entries[k] is None else sweep.tensor(entries[k]) for k in shown)
    for hook in list(more.post.values()):
        given = replaced(hook, hook(given, grads), given)
    kept = {k: sweep.lowered(g) for k, g in zip(shown, given) if k is not None}
    return tuple(kept[k] for k in range(len(entries)))


def move_retained(x: Tensor, node: "Node", output: int = 0) -> None:
    """A tensor that retains its gradient goes on doing so with its new history; not after a change of its shape in place, as in torch."""
    if x._more is not None and x._more.retain and type(x._edge) is tuple:
        before, nr = x._edge
        if before.more().retain.pop(nr, None) is not None:
            node.more().retain[output] = weakref.ref(x)


def register_tensor_hook(tensor: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """A hook on the gradient with respect to a tensor: on its leaf, or on the node that made it so far."""
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    node = tensor.grad_fn
    if node is None:
        return register(tensor.more().hooks, hook)
    return register(node.more().tensor_pre, (tensor.output_nr, hook))

"""`checkpoint` and `checkpoint_sequential`."""
from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import optree

from ...autograd.ops.random import get_rng_state
from ...autograd.saved import SavedTensor, modified
from ...autograd.state import STATE
from ...autograd.tensor import Tensor
from . import settings
from .frame import METADATA, Frame
from .operations import Operations
from .random_state import random_numbers_of
from .reentrant import CheckpointFunction
from .settings import noop_context_fn

_Contexts = Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]]


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: _Contexts = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Call the function without keeping what its backward needs; backward runs it once more.

    Parameters
    ----------
    function : callable
        What to run.  It must do the same both times.
    *args, **kwargs
        Its arguments, Tensors and others; no keyword arguments with ``use_reentrant=True``.
    use_reentrant : bool
        False saves nothing of the graph that is recorded as usual: `grad`, ``inputs=``, arguments in containers and keyword arguments
        work.  True records one node; needs an argument that requires grad, and a plain `backward`.  Not to say which warns, and means
        True.
    context_fn : callable
        Returns two context managers, around the first run and the second one; not with ``use_reentrant=True``.
    determinism_check : {"default", "none"}
        Whether tensors that are computed again must have the shape and dtype they had; not with ``use_reentrant=True``.
    debug : bool
        Whether errors list the operations of both runs; not with ``use_reentrant=True``.
    early_stop : bool
        Whether the second run ends as soon as all that is needed is there; not with ``use_reentrant=True``.
    preserve_rng_state : bool
        Whether random numbers are the same in the second run.

    Returns
    -------
    object
        The result of the function.

    Raises
    ------
    ValueError
        If an option is unknown, or goes with ``use_reentrant=False`` only.
    CheckpointError
        In backward, if the function did something else the second time.

    Examples
    --------
    >>> import transgrad as torch
    >>> from transgrad.utils.checkpoint import checkpoint
    >>> x = torch.ones(2, requires_grad=True)
    >>> checkpoint(lambda a: a.exp().log().sum(), x, use_reentrant=False).backward()
    >>> x.grad
    tensor([1., 1.])
    """
    if use_reentrant is None:
        _ask_for_use_reentrant("checkpoint")
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        if not any(isinstance(arg, Tensor) and arg.requires_grad for arg in args):
            warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if determinism_check not in METADATA:
        raise ValueError(f"determinism_check should be one of {list(METADATA)}, but got {determinism_check}")
    first, second = context_fn()
    if not STATE.grad:
        with first:
            return function(*args, **kwargs)
    stop = _unless_set(settings.early_stop.get(), early_stop)
    operations = Operations() if _unless_set(settings.debug.get(), debug) else None
    random_state = get_rng_state() if preserve_rng_state else None
    kept, named = [_kept(arg) for arg in args], {name: _kept(arg) for name, arg in kwargs.items()}
    containers: Any = [arg for arg in (*args, *kwargs.values()) if not isinstance(arg, Tensor)]
    inside = [(leaf, leaf._version) for leaf in optree.tree_leaves(containers) if _has_version(leaf)]

    def rerun() -> None:
        for tensor, version in inside:
            if tensor._version != version:
                raise modified(tensor, tensor._edge, version, tensor._version)
        with random_numbers_of(random_state), second:
            function(*map(_given, kept), **{name: _given(arg) for name, arg in named.items()})

    with Frame(rerun, METADATA[determinism_check], stop, operations).forward(first):
        return function(*args, **kwargs)


def _kept(arg: Any) -> Any:
    """A Tensor as a node would save it, so that hooks on saved tensors see it and it goes when the graph does."""
    return SavedTensor(arg) if isinstance(arg, Tensor) else arg


def _given(kept: Any) -> Any:
    return kept.unpack() if isinstance(kept, SavedTensor) else kept


def _has_version(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and not leaf.is_inference()


def _unless_set(setting: bool | None, given: bool) -> bool:
    return given if setting is None else setting


def _ask_for_use_reentrant(name: str) -> None:
    warnings.warn(
        f"torch.utils.checkpoint.{name}: the use_reentrant parameter should be passed explicitly. use_reentrant=False is recommended, but "
        "if you need to preserve the current default behavior, you can pass use_reentrant=True.",
        stacklevel=3,
    )


def checkpoint_sequential(
    functions: Sequence[Callable[[Any], Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    *,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Call the functions one after another, in segments of which all but the last are checkpoints.

    Parameters
    ----------
    functions : sequence of callable
        Each receives the result of the one before.
    segments : int
        Number of segments, at most as many as functions.
    input : Tensor
        Argument of the first.
    use_reentrant, preserve_rng_state : bool
        As for `checkpoint`.

    Returns
    -------
    object
        The result of the last function.

    Raises
    ------
    ValueError
        If there are more segments than functions, or other keyword arguments.
    """
    if use_reentrant is None:
        _ask_for_use_reentrant("checkpoint_sequential")
        use_reentrant = True
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    functions = list(functions)
    size = len(functions) // segments if segments > 0 else 0
    if not size:
        raise ValueError(f"segments must be between 1 and the number of functions, {len(functions)}, not {segments}")
    last = size * (segments - 1)
    for start in range(0, last, size):
        chunk = _chain(functions[start : start + size])
        input = checkpoint(chunk, input, use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state)
    return _chain(functions[last:])(input)


def _chain(functions: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def run(value: Any) -> Any:
        for function in functions:
            value = function(value)
        return value

    return run

"""`Function`, the class to derive from."""
from __future__ import annotations

import inspect
import warnings
from typing import Any, NoReturn

from ..callers import stacklevel
from ..record import listened
from ..state import STATE
from .calls import run
from .context import FunctionCtx
from .node import BackwardCFunction

__all__ = ["Function", "InplaceFunction"]

_MODULE = __name__.rpartition(".")[0]       # where torch's classes of nodes are


class _Undefined(FunctionCtx):
    """The methods of a `Function`, as long as nothing has written them."""

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the operation. Override it in one of two ways.

        Combined: ``forward(ctx, *args, **kwargs)`` computes the result and saves values in ``ctx`` for backward.  Separate:
        ``forward(*args, **kwargs)`` computes the result, and `setup_context` saves the values.  It is not recorded.
        """
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save the values that backward and jvp need in ``ctx``, given the arguments and the results of forward."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return the gradients with respect to the arguments of forward, given those with respect to its results.

        One gradient for each argument; None for arguments that are not tensors or need no gradient (``ctx.needs_input_grad``).  A
        gradient is summed to the shape of its argument and cast to its dtype.
        """
        raise NotImplementedError("You must implement either the backward or vjp method for your custom autograd.Function to use it with "
                                  "backward mode AD.")

    @staticmethod
    def vjp(ctx: Any, *grad_outputs: Any) -> Any:
        """Another name for `backward`; one of them may be overridden."""
        raise NotImplementedError("You must implement either the backward or vjp method for your custom autograd.Function to use it with "
                                  "backward mode AD.")

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Return the tangents of the results, given those of the arguments (None for arguments that are not tensors)."""
        raise NotImplementedError("You must implement the jvp function for custom autograd.Function to use it with forward mode AD.")

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        """The batching rule for `vmap`: return ``(output, out_dims)``.

        Parameters
        ----------
        info
            ``batch_size`` and ``randomness`` of the `vmap`.
        in_dims : tuple
            For each argument the dimension that is mapped over, or None.
        *args
            The arguments of forward, with that dimension.
        """
        raise NotImplementedError("To use autograd.Function with vmap, you must either override the vmap static method or set "
                                  "generate_vmap_rule=True.")


class Function(_Undefined):
    """Base class of operations with a user-defined derivative: static methods, called through `apply`.

    Attributes
    ----------
    generate_vmap_rule : bool
        Whether `vmap` uses the other methods instead of a separate ``vmap`` method.

    Examples
    --------
    >>> import transgrad as tg
    >>> class Exp(Function):
    ...     @staticmethod
    ...     def forward(ctx, i):
    ...         result = i.exp()
    ...         ctx.save_for_backward(result)
    ...         return result
    ...     @staticmethod
    ...     def backward(ctx, grad_output):
    ...         result, = ctx.saved_tensors
    ...         return grad_output * result
    >>> x = tg.zeros(2, requires_grad=True)
    >>> Exp.apply(x).sum().backward()
    >>> x.grad
    tensor([1., 1.])
    """

    generate_vmap_rule = False
    _undefined = _Undefined
    _backward_cls: type[BackwardCFunction] = BackwardCFunction

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._backward_cls = type(cls.__name__ + "Backward", (BackwardCFunction,), {"_forward_cls": cls, "__module__": _MODULE})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke them "
                      f"on the class itself.", DeprecationWarning, stacklevel=stacklevel())

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
                           "with static forward method, and call its `apply`.")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and record the function on the tape.

        Raises
        ------
        RuntimeError, TypeError
            If forward passed inconsistent information to ``ctx``.
        """
        separate = cls.setup_context is not _Undefined.setup_context
        if separate or kwargs:
            args = _placed(cls.forward, args, kwargs, separate)
        if STATE.interpreter is not None:
            from ..batching.interpret import innermost
            from .mapped import run_mapped
            if innermost(args) is not None:
                return run_mapped(cls, args, separate)
        if STATE.profiler is None:
            return run(cls, args, separate)
        return listened(cls.__name__, args, lambda: run(cls, args, separate))


def _placed(forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any], separate: bool) -> tuple[Any, ...]:
    """All arguments in their places: backward returns a gradient for each place."""
    signature = inspect.signature(forward)
    before = () if separate else (None,)        # ctx
    bound = signature.bind(*before, *args, **kwargs)
    places = list(signature.parameters)
    given = max((places.index(name) + 1 for name in kwargs if name in places), default=0)
    bound.apply_defaults()
    if bound.kwargs:
        raise TypeError(f"forward() got an unexpected keyword argument {next(iter(bound.kwargs))!r}")
    return bound.args[len(before):] if separate else bound.args[len(before):max(given, len(before) + len(args))]


class InplaceFunction(Function):
    """A `Function` with an attribute ``inplace``, for old programs."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

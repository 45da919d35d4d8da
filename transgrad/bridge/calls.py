"""Calls of derivatives that the tape answers: of functions the compiler refused, and with Tensors."""
from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .. import tree
from ..autograd.selections import following_the_compiler
from ..autograd.tensor import Tensor
from ..errors import TransgradError
from ..rules import NoDerivative
from ..transforms.batched import Vmapped
from .array import TapedArray
from .compiled import apply_compiled
from .kinds import by_tape, linear_by_tape, split_by_tape
from .lift import followed, is_inside, lifted

if TYPE_CHECKING:
    from ..transforms.derivative import Derivative

__all__ = ["linear", "run", "split"]


def _call(derivative: Derivative) -> Callable[[Any, Mapping[str, Any]], Any]:
    """Call something that has the signature of the function, with arguments by name."""
    def call(f: Any, values: Mapping[str, Any]) -> Any:
        bound = inspect.BoundArguments(derivative.primal_signature, dict(values))
        return f(*bound.args, **bound.kwargs)
    return call


@contextlib.contextmanager
def _locating(derivative: Derivative, values: Mapping[str, Any], refusal: TransgradError | None) -> Iterator[None]:
    """Add the location of the original refusal, and its hint, to errors of the tape."""
    try:
        yield
    except Exception as error:
        found = error if refusal is None else _located(error, refusal, derivative, values)
        if found is error:
            raise
        raise found from error


def _located(error: Exception, refusal: TransgradError, derivative: Derivative, values: Mapping[str, Any]) -> Exception:
    if isinstance(error, NoDerivative) and error.reason in refusal.reason:
        return refusal
    if isinstance(error, TransgradError):
        return error if error.loc is not None else type(error)(error.reason, refusal.loc, error.remedy)
    if isinstance(error, ValueError) and isinstance(error.__cause__, TypeError):
        error = error.__cause__         # of NumPy: "setting an array element with a sequence", for it is no number
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    module = frame.tb_frame.f_globals.get("__name__", "") if frame is not None else ""
    of_result = module in (f"{__package__}.kinds", f"{__package__}.run")        # it is no fit for the transformation
    if of_result or _raises(derivative, values):
        return error
    said = str(error) if module.startswith("transgrad.") else f"{type(error).__name__}: {error}"
    return type(refusal)(f"{refusal.reason}; and the tape cannot take it: {said}", refusal.loc, refusal.remedy)


def _raises(derivative: Derivative, values: Mapping[str, Any]) -> bool:
    """Whether the function itself raises an exception for these arguments, or that cannot be told."""
    if is_inside(derivative.primal) or any(isinstance(leaf, (Tensor, TapedArray)) for leaf in tree.flatten(dict(values))[0]):
        return True
    try:
        _call(derivative)(derivative.primal, copy.deepcopy(dict(values)))
    except Exception:
        return True
    return False


def _is_of_scipy(x: Any) -> bool:
    return type(x).__module__.startswith("scipy.")


def _seen(x: Any) -> Any:
    """An argument as the tape takes it."""
    return TapedArray(x, number=x._array.ndim == 0) if isinstance(x, Tensor) else followed(x) if _is_of_scipy(x) else x


def run(derivative: Derivative, values: Mapping[str, Any], refusal: TransgradError | None) -> Any:
    """The results of a derivative for arguments given by name."""
    leaves = tree.flatten(dict(values))[0]
    if refusal is None and not is_inside(derivative.primal) and any(isinstance(leaf, (Tensor, TapedArray)) for leaf in leaves):
        try:
            return apply_compiled(derivative, values)
        except TransgradError as found:
            refusal = found
            if derivative.options.fallback == "error":
                raise
    as_tensors = any(isinstance(leaf, Tensor) for leaf in leaves)
    held = tree.map_leaves(_seen, dict(values)) if as_tensors or any(map(_is_of_scipy, leaves)) else dict(values)
    with _locating(derivative, values, refusal):
        if isinstance(derivative, Vmapped):
            primal = lifted(derivative.primal) if any(isinstance(leaf, (Tensor, TapedArray)) for leaf in leaves) else derivative.primal
            call = _call(derivative)
            return derivative.by_example(values, lambda one: call(primal, one))
        with following_the_compiler() if not as_tensors else contextlib.nullcontext():
            out = by_tape(derivative.kind, derivative.primal, derivative.target, held, _call(derivative))
    return tree.map_leaves(lambda x: x.tensor if isinstance(x, TapedArray) else x, out) if as_tensors else out


def split(derivative: Derivative, values: Mapping[str, Any], refusal: TransgradError | None
          ) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value and the pullback of a function that the compiler refused."""
    with _locating(derivative, values, refusal):
        value, pullback = split_by_tape(
            derivative.kind, derivative.primal, derivative.target, values, _call(derivative))  # type: ignore[arg-type]
    return value, following_the_compiler()(pullback)


def linear(derivative: Derivative, values: Mapping[str, Any]) -> tuple[Any, Callable[[Any], Any]]:
    """The value and the derivative along tangents of a function that cannot be run again with each tangent."""
    with _locating(derivative, values, None), following_the_compiler():
        value, along = linear_by_tape(derivative.primal, derivative.target, values, _call(derivative))
    return value, following_the_compiler()(along)

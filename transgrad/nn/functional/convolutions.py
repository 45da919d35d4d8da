"""Convolutions of signals and images, and the windows on them."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...autograd import dtypes
from ...autograd.dispatch import apply
from ...autograd.functions import convolutions
from ...autograd.padding import pad
from ...autograd.tensor import Tensor
from .families import Size, named, over_batch, per_dimension

__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "fold", "unfold"]


def _check(input: Tensor, weight: Tensor, bias: Any, options: dict[str, tuple[int, ...]], groups: int, transposed: bool) -> None:
    """Raise PyTorch's errors for the arguments of a convolution of a batch."""
    shape, kernel = list(input.shape), list(weight.shape)
    if any(n <= 0 for n in options["stride"]):
        raise RuntimeError("non-positive stride is not supported")
    if any(n < 0 for n in options["padding"]):
        raise RuntimeError("negative padding is not supported")
    if any(n <= 0 for n in options["dilation"]):
        raise RuntimeError(f"dilation should be greater than zero, but got {list(options['dilation'])}")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if kernel[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size "
                           f"[{kernel}] instead")
    wanted, made = (kernel[0], kernel[1] * groups) if transposed else (kernel[1] * groups, kernel[0])
    given = f"Given {'transposed=1' if transposed else f'groups={groups}'}, weight of size {kernel}"
    if shape[1] != wanted:
        raise RuntimeError(f"{given}, expected input{shape} to have {wanted} channels, but got {shape[1]} channels instead")
    if bias is not None and list(bias.shape) != [made]:
        given = given if transposed else f"Given weight of size {kernel}"
        raise RuntimeError(f"{given}, expected bias to be 1-dimensional with {made} elements, but got bias of size {list(bias.shape)} "
                           "instead")
    for what, other in (("weight", weight), ("bias", bias)):
        if other is not None and other.dtype != input.dtype:
            raise RuntimeError(f"Input type ({dtypes.c_name(input.dtype)}) and {what} type ({dtypes.c_name(other.dtype)}) should be the "
                               f"same: expected scalar type {dtypes.title(input.dtype)} but found {dtypes.title(other.dtype)}")
    padded = [a + 2 * p for a, p in zip(shape[2:], options["padding"])]
    spans = [(k - 1) * d + 1 for k, d in zip(kernel[2:], options["dilation"])]
    if not transposed and any(a < k for a, k in zip(padded, spans)):
        sizes, kernels = (" x ".join(map(str, each)) for each in (padded, spans))
        raise RuntimeError(f"Calculated padded input size per channel: ({sizes}). Kernel size: ({kernels}). Kernel size can't be greater "
                           "than actual input size")


def _convolved(name: str, count: int, run: Callable[[Any], Any], input: Any) -> Any:
    message = f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got input of size"
    return over_batch(run, input, count + 2, message)


def _options(count: int, **given: Any) -> dict[str, tuple[int, ...]]:
    return {name: per_dimension(value, count, name, "convolution") for name, value in given.items()}


def _forward(count: int) -> Callable[..., Any]:
    name = f"conv{count}d"

    def conv(input: Tensor, weight: Tensor, bias: Any = None, stride: Size = 1, padding: Any = 0, dilation: Size = 1,
             groups: int = 1) -> Any:
        def run(signal: Any) -> Any:
            options = _options(count, stride=stride, dilation=dilation)
            around = padding
            if isinstance(padding, str):
                signal, around = _named_padding(signal, weight, padding, **options)
            options |= _options(count, padding=around)
            _check(signal, weight, bias, options, groups, False)
            return apply(convolutions.convolution, signal, weight, bias, options["stride"], options["padding"], options["dilation"], groups)
        return _convolved(name, count, run, input)
    return named(conv, name, f"""The products of windows on a signal with weights, over {count} dimension{'s' * (count > 1)}.

    Parameters
    ----------
    input : Tensor, shape (N, C, *sizes) or (C, *sizes)
        The signal.
    weight : Tensor, shape (F, C / groups, *kernel)
        The weights.
    bias : Tensor, shape (F,), optional
        A number for each channel that is added.
    stride, dilation : int or tuple of int
        The distances between windows, and between the elements of a window.
    padding : int, tuple of int, ``"valid"`` or ``"same"``
        The number of zeros at both ends of each dimension; ``"same"`` keeps the sizes.
    groups : int
        The number of groups of channels, each with weights of its own.

    Raises
    ------
    RuntimeError
        If shapes, dtypes or options do not fit.
    """)


def _named_padding(signal: Tensor, weight: Tensor, padding: str, stride: Sequence[int], dilation: Sequence[int]) -> tuple[Any, Any]:
    """Return the signal and the padding for ``valid`` and ``same``; an odd element is added at the end."""
    if padding == "valid":
        return signal, 0
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    whole = [(k - 1) * d for k, d in zip(weight.shape[2:], dilation)]
    if any(w % 2 for w in whole):
        signal = pad(signal, [n for w in reversed(whole) for n in (0, w % 2)])
    return signal, tuple(w // 2 for w in whole)


def _transposed(count: int) -> Callable[..., Any]:
    name = f"conv_transpose{count}d"

    def conv(input: Tensor, weight: Tensor, bias: Any = None, stride: Size = 1, padding: Size = 0, output_padding: Size = 0,
             groups: int = 1, dilation: Size = 1) -> Any:
        def run(signal: Any) -> Any:
            options = _options(count, stride=stride, padding=padding, dilation=dilation)
            more = _options(count, output_padding=output_padding)["output_padding"]
            _check(signal, weight, bias, options, groups, True)
            if any(o >= max(s, d) for o, s, d in zip(more, options["stride"], options["dilation"])):
                raise RuntimeError("output padding must be smaller than either stride or dilation, but got output_padding: "
                                   f"{list(more)} stride: {list(options['stride'])} dilation: {list(options['dilation'])}")
            size = tuple((a - 1) * s - 2 * p + d * (k - 1) + o + 1 for a, s, p, d, k, o in zip(
                signal.shape[2:], *options.values(), weight.shape[2:], more))
            if any(n <= 0 for n in size):
                raise RuntimeError(f"Given input size per channel: {list(signal.shape[2:])}. Calculated output size per channel: "
                                   f"{list(size)}. Output size is too small")
            return apply(convolutions.transposed_convolution, signal, weight, bias, size, *options.values(), groups)
        return _convolved(name, count, run, input)
    return named(conv, name, f"""The adjoint of `conv{count}d` with respect to its signal; `output_padding` is added to the sizes.

    The weights have shape (C, F / groups, *kernel), for an input with C channels and a result with F.

    Raises
    ------
    RuntimeError
        If shapes, dtypes or options do not fit.
    """)


conv1d, conv2d, conv3d = map(_forward, (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = map(_transposed, (1, 2, 3))


def unfold(input: Tensor, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1) -> Any:
    """The windows on images (N, C, H, W) as columns, (N, C * kernel, windows).

    Raises
    ------
    RuntimeError
        If no window fits.
    """
    given = _options(2, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    places = _places(input.shape[-2:], *given.values())
    if min(places) < 1:
        raise RuntimeError(f"Given input with spatial size {tuple(input.shape[-2:])}, {_shown(given)}, calculated shape of the array of "
                           f"sliding blocks as {places}, but its components must be at least one.")

    def run(signal: Any) -> Any:
        found = apply(convolutions.columns, signal, given["kernel_size"], given["stride"], given["padding"], given["dilation"])
        return found.permute(0, 1, 4, 5, 2, 3).reshape(signal.shape[0], -1, places[0] * places[1])
    return over_batch(run, input, 4, "Expected 3D or 4D (batch mode) tensor for input, but got")


def fold(input: Tensor, output_size: Size, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1) -> Any:
    """The images that are the sums of windows, given as columns (N, C * kernel, windows).

    Raises
    ------
    RuntimeError
        If the number of columns is not that of the windows, or the rows are no multiple of the elements of a window.
    """
    size = _options(2, output_size=output_size)["output_size"]
    given = _options(2, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    places, kernel = _places(size, *given.values()), given["kernel_size"]

    def run(columns: Any) -> Any:
        if columns.shape[1] % (kernel[0] * kernel[1]):
            raise RuntimeError("Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
                               f"input.size(1)={columns.shape[1]} and kernel_size={kernel}.")
        if columns.shape[2] != places[0] * places[1]:
            raise RuntimeError(f"Given output_size={size}, {_shown(given)}, expected size of input's dimension 2 to match the calculated "
                               f"number of sliding blocks {places[0]} * {places[1]} = {places[0] * places[1]}, but got "
                               f"input.size(2)={columns.shape[2]}.")
        blocks = columns.reshape(columns.shape[0], -1, *kernel, *places).permute(0, 1, 4, 5, 2, 3)
        return apply(convolutions.overlapped, blocks, size, given["stride"], given["padding"], given["dilation"])
    return over_batch(run, input, 3, "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions "
                      "for input, but got")


def _shown(options: dict[str, tuple[int, ...]]) -> str:
    return ", ".join(f"{name}={value}" for name, value in options.items())


def _places(size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> tuple[int, ...]:
    """Return the number of windows along each dimension."""
    return tuple((a + 2 * p - d * (k - 1) - 1) // s + 1 for a, k, d, p, s in zip(size, kernel, dilation, padding, stride))

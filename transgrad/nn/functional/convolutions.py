"""Convolutions of signals and images, and the windows that they are products with."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...autograd import dtypes
from ...autograd.dispatch import apply
from ...autograd.functions import convolutions
from ...autograd.padding import pad
from ...autograd.tensor import Tensor

__all__ = ["conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "fold",
           "unfold"]

Size = int | Sequence[int]


def sizes_of(given: Any, count: int, name: str) -> tuple[int, ...]:
    """One number for each of ``count`` dimensions; one number stands for all."""
    found = (given,) if isinstance(given, int) else tuple(int(n) for n in given)
    if len(found) == 1:
        return found * count
    if len(found) != count:
        raise RuntimeError(f"expected {name} to be a single integer value or a list of {count} values to match the convolution dimensions, "
                           f"but got {name}={list(found)}")
    return found


def _check(input: Tensor, weight: Tensor, bias: Any, options: dict[str, tuple[int, ...]], groups: int, transposed: bool) -> None:
    """The errors of torch for arguments of a convolution (the input is batched)."""
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
    wanted = kernel[0] if transposed else kernel[1] * groups
    if shape[1] != wanted:
        raise RuntimeError(f"Given {'transposed=1' if transposed else f'groups={groups}'}, weight of size {kernel}, expected "
                           f"input{shape} to "
                           f"have {wanted} channels, but got {shape[1]} channels instead")
    made = kernel[1] * groups if transposed else kernel[0]
    if bias is not None and list(bias.shape) != [made]:
        raise RuntimeError(f"Given "
                           f"{'transposed=1' if transposed else f'weight of size {kernel}'}{f', weight of size {kernel}' * transposed}, "
                           f"expected bias to be 1-dimensional with {made} elements, but got bias of size {list(bias.shape)} instead")
    for what, other in (("weight", weight), ("bias", bias)):
        if other is not None and other.dtype != input.dtype:
            raise RuntimeError(f"Input type ({dtypes.c_name(input.dtype)}) and {what} type ({dtypes.c_name(other.dtype)}) should be the "
                               "same: "
                               f"expected scalar type {dtypes.title(input.dtype)} but found {dtypes.title(other.dtype)}")
    if not transposed:
        padded = [a + 2 * p for a, p in zip(shape[2:], options["padding"])]
        spans = [(k - 1) * d + 1 for k, d in zip(kernel[2:], options["dilation"])]
        if any(a < k for a, k in zip(padded, spans)):
            raise RuntimeError(f"Calculated padded input size per channel: ({_times(padded)}). Kernel size: ({_times(spans)}). Kernel size "
                               "can't be greater than actual input size")


def _times(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes))


def _batched(name: str, input: Tensor, count: int) -> tuple[Any, bool]:
    """The input with a batch dimension, and whether it had one."""
    if input.ndim not in (count + 1, count + 2):
        raise RuntimeError(f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got input of size: "
                           f"{list(input.shape)}")
    return (input, True) if input.ndim == count + 2 else (input.unsqueeze(0), False)


def _convolved(name: str, count: int, input: Tensor, weight: Tensor, bias: Any, stride: Size, padding: Any, dilation: Size,
               groups: int) -> Any:
    signal, batched = _batched(name, input, count)
    many = {"stride": sizes_of(stride, weight.ndim - 2, "stride"), "dilation": sizes_of(dilation, weight.ndim - 2, "dilation")}
    if isinstance(padding, str):
        signal, padding = _as_named(signal, weight, padding, many)
    many["padding"] = sizes_of(padding, weight.ndim - 2, "padding")
    _check(signal, weight, bias, many, groups, False)
    found = apply(convolutions.convolution, signal, weight, bias, many["stride"], many["padding"], many["dilation"], groups)
    return found if batched else found.squeeze(0)


def _as_named(signal: Tensor, weight: Tensor, padding: str, many: dict[str, tuple[int, ...]]) -> tuple[Any, Any]:
    """The signal and the padding for ``valid`` and ``same``; an odd element is added at the end."""
    if padding == "valid":
        return signal, 0
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(s != 1 for s in many["stride"]):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    whole = [(k - 1) * d for k, d in zip(weight.shape[2:], many["dilation"])]
    if any(w % 2 for w in whole):
        signal = pad(signal, [n for w in reversed(whole) for n in (0, w % 2)])
    return signal, tuple(w // 2 for w in whole)


def _transposed(name: str, count: int, input: Tensor, weight: Tensor, bias: Any, stride: Size, padding: Size, output_padding: Size,
                groups: int, dilation: Size) -> Any:
    signal, batched = _batched(name, input, count)
    many = {key: sizes_of(given, count, key) for key, given in (("stride", stride), ("padding", padding), ("dilation", dilation))}
    more = sizes_of(output_padding, count, "output_padding")
    _check(signal, weight, bias, many, groups, True)
    if any(o >= max(s, d) for o, s, d in zip(more, many["stride"], many["dilation"])):
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got output_padding: {list(more)} "
                           f"stride: {list(many['stride'])} dilation: {list(many['dilation'])}")
    size = tuple((a - 1) * s - 2 * p + d * (k - 1) + o + 1 for a, s, p, d, k, o in zip(
        signal.shape[2:], many["stride"], many["padding"], many["dilation"], weight.shape[2:], more))
    if any(n <= 0 for n in size):
        raise RuntimeError(f"Given input size per channel: {list(signal.shape[2:])}. Calculated output size per channel: {list(size)}. "
                           "Output "
                           "size is too small")
    found = apply(convolutions.transposed_convolution, signal, weight, bias, size, *many.values(), groups)
    return found if batched else found.squeeze(0)


def _forward(count: int) -> Callable[..., Tensor]:
    name = f"conv{count}d"

    def conv(input: Tensor, weight: Tensor, bias: Any = None, stride: Size = 1, padding: Any = 0, dilation: Size = 1,
             groups: int = 1) -> Any:
        return _convolved(name, count, input, weight, bias, stride, padding, dilation, groups)
    conv.__name__ = conv.__qualname__ = name
    conv.__doc__ = f"""The products of windows on a signal with weights, over {count} dimension{'s' * (count > 1)}.

    Parameters
    ----------
    input : Tensor, shape (N, C, *sizes) or (C, *sizes)
        The signal.
    weight : Tensor, shape (F, C / groups, *kernel)
        The weights.
    bias : Tensor, shape (F,), optional
        Added to each channel.
    stride, dilation : int or tuple of int
        How far apart windows are, and the elements of one.
    padding : int, tuple of int, ``"valid"`` or ``"same"``
        How many zeros are put on either side; ``"same"`` as many as keep the sizes.
    groups : int
        In how many groups the channels are, each with weights of its own.

    Raises
    ------
    RuntimeError
        If shapes, dtypes or options do not fit.
    """
    return conv


def _backward(count: int) -> Callable[..., Tensor]:
    name = f"conv_transpose{count}d"

    def conv(input: Tensor, weight: Tensor, bias: Any = None, stride: Size = 1, padding: Size = 0, output_padding: Size = 0,
             groups: int = 1, dilation: Size = 1) -> Any:
        return _transposed(name, count, input, weight, bias, stride, padding, output_padding, groups, dilation)
    conv.__name__ = conv.__qualname__ = name
    conv.__doc__ = f"""The adjoint of `conv{count}d` by its signal; `output_padding` is added to the sizes.

    The weights have shape (C, F / groups, *kernel), for an input with C channels and a result with F.

    Raises
    ------
    RuntimeError
        If shapes, dtypes or options do not fit.
    """
    return conv


conv1d, conv2d, conv3d = map(_forward, (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = map(_backward, (1, 2, 3))


def convolution(input: Tensor, weight: Tensor, bias: Any, stride: Size, padding: Size, dilation: Size, transposed: bool,
                output_padding: Size, groups: int) -> Tensor:
    """`conv1d` and its kin, or the transposed ones, by the number of dimensions of the weights."""
    count = weight.ndim - 2
    if transposed:
        return _transposed("convolution", count, input, weight, bias, stride, padding, output_padding, groups, dilation)
    return _convolved("convolution", count, input, weight, bias, stride, padding, dilation, groups)


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """`conv1d` of signals of shape (time, batch, channels) with weights of shape (kernel, C, F)."""
    return conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1)


def unfold(input: Tensor, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1) -> Tensor:
    """The windows on images (N, C, H, W) as columns, (N, C * kernel, windows).

    Raises
    ------
    RuntimeError
        If no window fits.
    """
    signal, batched = (input.unsqueeze(0), False) if input.ndim == 3 else (input, True)
    kernel, apart, around, step = _four(kernel_size, dilation, padding, stride)
    places = _places(signal.shape[2:4], kernel, apart, around, step)
    if min(places) < 1:
        raise RuntimeError(f"Given input with spatial size {_pair(signal.shape[2:4])}, kernel_size={kernel}, dilation={apart}, "
                           f"padding={around}, calculated shape of the array of sliding blocks as {places}, but its components must be at "
                           "least one.")
    found = apply(convolutions.columns, signal, kernel, step, around, apart).permute(0, 1, 4, 5, 2, 3)
    found = found.reshape(signal.shape[0], signal.shape[1] * kernel[0] * kernel[1], places[0] * places[1])
    return found if batched else found.squeeze(0)


def fold(input: Tensor, output_size: Size, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1) -> Tensor:
    """The images that windows, as columns of (N, C * kernel, windows), add up to.

    Raises
    ------
    RuntimeError
        If there are not as many columns as windows, or not a whole number of windows in a column.
    """
    if input.ndim not in (2, 3):
        raise RuntimeError("Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
                           "input, but "
                           f"got: {list(input.shape)}")
    seen, batched = (input.unsqueeze(0), False) if input.ndim == 2 else (input, True)
    kernel, apart, around, step = _four(kernel_size, dilation, padding, stride)
    size = _pair(sizes_of(output_size, 2, "output_size"))
    if seen.shape[1] % (kernel[0] * kernel[1]):
        raise RuntimeError("Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
                           f"input.size(1)={seen.shape[1]} and kernel_size={kernel}.")
    places = _places(size, kernel, apart, around, step)
    if seen.shape[2] != places[0] * places[1]:
        raise RuntimeError(f"Given output_size={size}, kernel_size={kernel}, dilation={apart}, padding={around}, stride={step}, expected "
                           "size "
                           f"of input's dimension 2 to match the calculated number of sliding blocks {places[0]} * {places[1]} = "
                           f"{places[0] * places[1]}, but got input.size(2)={seen.shape[2]}.")
    blocks = seen.reshape(seen.shape[0], -1, *kernel, *places).permute(0, 1, 4, 5, 2, 3)
    found = apply(convolutions.overlapped, blocks, size, step, around, apart)
    return found if batched else found.squeeze(0)


def _pair(sizes: Any) -> tuple[int, int]:
    first, second = sizes
    return int(first), int(second)


def _four(kernel: Size, dilation: Size, padding: Size, stride: Size) -> Any:
    return tuple(_pair(sizes_of(given, 2, name)) for given, name in (
        (kernel, "kernel_size"), (dilation, "dilation"), (padding, "padding"), (stride, "stride")))


def _places(size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> tuple[int, int]:
    """How many windows there are along each dimension."""
    return _pair((a + 2 * p - d * (k - 1) - 1) // s + 1 for a, k, d, p, s in zip(size, kernel, dilation, padding, stride))

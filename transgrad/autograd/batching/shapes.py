"""Functions that are told a shape, or that put Tensors together."""
from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from .axes import shifted
from .call import Call, ndim_of
from .loop import loop

__all__ = ["at_least_one", "broadcast", "concatenate", "copied", "move", "pad", "permute", "reshape", "roll", "squeeze", "stack", "tile"]


def _shape(call: Call, name: str) -> tuple[int, ...]:
    given = call.parameter(name)
    return (int(given),) if np.ndim(given) == 0 else tuple(map(int, given))


#: NumPy 2.0's name of the parameter ``shape`` of `numpy.reshape`
_NEW_SHAPE = "shape" if "shape" in inspect.signature(np.reshape).parameters else "newshape"


def reshape(call: Call) -> Any:
    x = call.args[0]
    name = _NEW_SHAPE if call.fn is np.reshape else "shape"
    shape = _shape(call, name)
    if -1 in shape:     # of one example: the batch may be empty
        shape = np.broadcast_to(np.empty(()), tuple(x.shape)).reshape(shape).shape
    call.put(name, (call.level.size, *shape))
    try:
        return call.run(call.fn, x.physical, *call.args[1:], **call.kwargs)
    except ValueError:      # no view of the whole batch, though of each example
        return call.run(np.reshape, x.physical, (call.level.size, *shape))


def broadcast(call: Call) -> Any:
    shape = _shape(call, "shape")
    call.put("shape", (call.level.size, *shape))
    return call.run(call.fn, call.physical(call.args[0], len(shape)), *call.args[1:], **call.kwargs)


def at_least_one(call: Call) -> Any:
    x = call.args[0]
    return x.physical if x.ndim else call.run(np.expand_dims, x.physical, 1)


def copied(call: Call) -> Any:
    """The second argument in the shape of the first."""
    x, source = call.args
    return call.run(call.fn, call.full(x), call.aligned(source, x.ndim))


def squeeze(call: Call) -> Any:
    """Without an axis: all of size 1, but not that of the batch."""
    x = call.args[0]
    axis = call.parameter("axis") if len(call.args) > 1 or call.kwargs else None
    sizes = tuple(x.shape)
    chosen = tuple(k for k, n in enumerate(sizes) if n == 1) if axis is None else axis
    return call.run(np.squeeze, x.physical, shifted(chosen, len(sizes)))


def permute(call: Call) -> Any:
    x = call.args[0]
    axes = call.parameter("axes") if len(call.args) > 1 or call.kwargs else None
    order = tuple(reversed(range(x.ndim))) if axes is None else tuple(axes)
    return call.run(np.transpose, x.physical, (0, *shifted(order, x.ndim)))


def move(call: Call) -> Any:
    x, source, destination = call.args
    return call.run(np.moveaxis, x.physical, shifted(source, x.ndim), shifted(destination, x.ndim))


def roll(call: Call) -> Any:
    if call.any_mapped([call.args[1:], call.kwargs]):
        return loop(call)
    x, axis = call.args[0], call.parameter("axis")
    if axis is None:
        flat = call.run(np.reshape, x.physical, (call.level.size, x.numel()))
        return call.run(np.reshape, call.run(np.roll, flat, call.args[1], 1), tuple(x.physical.shape))
    return call.run(call.fn, x.physical, call.args[1], shifted(axis, x.ndim))


def tile(call: Call) -> Any:
    x = call.args[0]
    times = call.args[1] if len(call.args) > 1 else next(iter(call.kwargs.values()))
    repeats = (times,) if np.ndim(times) == 0 else tuple(times)
    dims = max(len(repeats), x.ndim)
    return call.run(call.fn, call.physical(x, dims), (1,) * (dims - len(repeats) + 1) + repeats)


def pad(call: Call) -> Any:
    if not call.mapped(call.args[0]) or call.any_mapped([call.args[1:], call.kwargs]):
        return loop(call)
    x = call.args[0]
    widths = np.broadcast_to(call.args[1], (x.ndim, 2)).tolist()
    return call.run(call.fn, x.physical, [(0, 0), *map(tuple, widths)], *call.args[2:], **call.kwargs)


def concatenate(call: Call) -> Any:
    return _joined(call, 0)


def stack(call: Call) -> Any:
    return _joined(call, 1)


def _joined(call: Call, grows: int) -> Any:
    parts, axis = call.args[0], call.parameter("axis")
    if axis is None or call.kwargs.keys() - {"axis"} or len(call.args) > 2:
        return loop(call)
    return call.run(call.fn, [call.full(x) for x in parts], shifted(axis, ndim_of(parts[0]) + grows))

"""Reading by an index, which may itself differ from example to example."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from .call import Call, ndim_of
from .loop import loop

__all__ = ["dynamic_shape", "masked_select", "read"]


def dynamic_shape(call: Call) -> NoReturn:
    """Of functions whose result has a shape that depends on values."""
    name = getattr(call.fn, "__name__", repr(call.fn))
    raise RuntimeError(f"vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over {name}.")


def masked_select(call: Call) -> Any:
    """With one mask for all there are as many elements of each."""
    if call.mapped(call.args[1]):
        raise RuntimeError("vmap: Attempted to vmap over `mask` in masked_select(self, mask). It has no meaning for a batch: each example "
                           "would give a Tensor of a different shape.")
    return loop(call)


def read(call: Call) -> Any:
    x, index = call.args
    items = index if isinstance(index, tuple) else (index,)
    if any(call.mapped(i) and i.dtype.kind == "b" for i in items):
        raise RuntimeError("vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing "
                           "with a boolean mask.")
    arrays = [k for k, i in enumerate(items) if _is_array(i)]
    if not arrays:
        return call.run(call.fn, x.physical, (slice(None), *items))
    if any(getattr(items[k], "dtype", np.dtype(bool)).kind == "b" for k in arrays):
        return loop(call)
    if call.any_mapped(items):
        return _by_example(call, items, arrays) if call.mapped(x) else _from_one(call, items, arrays)
    found = call.run(call.fn, x.physical, (slice(None), *items))
    places = [k for k, i in enumerate(items) if _is_array(i) or isinstance(i, (int, np.integer))]
    if places == list(range(places[0], places[-1] + 1)):
        return found
    # separated index arrays put their dimensions first, even before the batch
    return call.run(np.moveaxis, found, max(ndim_of(items[k]) if hasattr(items[k], "ndim") else np.ndim(items[k]) for k in arrays), 0)


def _is_array(i: Any) -> bool:
    return isinstance(i, list) or hasattr(i, "ndim") and not isinstance(i, np.generic)


def _leading(items: Sequence[Any], arrays: Sequence[int]) -> bool:
    """Return whether the index arrays are adjacent and first, so that their dimensions stay in front."""
    return list(arrays) == list(range(len(arrays))) and not any(isinstance(i, (int, np.integer)) for i in items)


def _aligned(call: Call, items: Sequence[Any], most: int) -> list[Any]:
    return [call.aligned(i, most) for i in items]


def _from_one(call: Call, items: Sequence[Any], arrays: Sequence[int]) -> Any:
    """Different places of one Tensor."""
    if not _leading(items, arrays):
        return loop(call)
    return call.run(call.fn, call.args[0], tuple(_aligned(call, items, max(ndim_of(items[k]) for k in arrays))))


def _by_example(call: Call, items: Sequence[Any], arrays: Sequence[int]) -> Any:
    """Different places of each."""
    if not _leading(items, arrays):
        return loop(call)
    most = max(ndim_of(items[k]) for k in arrays)
    examples = np.arange(call.level.size).reshape(-1, *(1,) * most)
    return call.run(call.fn, call.args[0].physical, (examples, *_aligned(call, items, most)))

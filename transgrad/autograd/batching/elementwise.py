"""Element-wise functions: the batch is one more dimension that broadcasts."""
from __future__ import annotations

from typing import Any

from .call import Call, map_leaves, ndim_of

__all__ = ["elementwise"]


def elementwise(call: Call) -> Any:
    ranks: list[int] = [0]
    map_leaves(lambda x: ranks.append(ndim_of(x)), [call.args, call.kwargs])
    most = max(ranks)
    args = map_leaves(lambda x: call.aligned(x, most), call.args)
    kwargs = map_leaves(lambda x: call.aligned(x, most), call.kwargs)
    return call.run(call.fn, *args, **kwargs)

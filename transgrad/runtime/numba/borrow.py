"""Arrays without an owner, of which no references are counted."""
from __future__ import annotations

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from ..stretch import borrowed

__all__: list[str] = []


@intrinsic
def _without_owner(typingctx, x):
    def codegen(context, builder, signature, args):
        array = context.make_array(signature.return_type)(context, builder, value=args[0])
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    return x(x), codegen


@overload(borrowed, inline="always")
def _borrowed(x):
    return (lambda x: _without_owner(x)) if isinstance(x, types.Array) else None

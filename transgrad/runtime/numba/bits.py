"""Floating-point numbers as the integers that have the same bits."""
from __future__ import annotations

from numba import types
from numba.extending import intrinsic

__all__ = ["float_of", "int_of"]


@intrinsic
def int_of(typingctx, x):
    """The bits of a float64, as an int64."""
    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(types.int64))
    return types.int64(types.float64), codegen


@intrinsic
def float_of(typingctx, n):
    """The float64 that has these bits."""
    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(types.float64))
    return types.float64(types.int64), codegen

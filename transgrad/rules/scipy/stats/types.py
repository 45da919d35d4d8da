"""Types of summands and integrands of derivatives, derived without running them, which may take long."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....ir.infer_shapes import SHAPES
from ....ir.infer_ufuncs import ufunc_type
from ....ir.ops import Value
from ....ir.types import UNKNOWN, Arr, Num, Type

__all__ = ["broadcasts"]


def broadcasts(*fns: Callable[..., Any]) -> None:
    """Declare that functions return floats in the broadcast shape of their arguments."""
    SHAPES.update(dict.fromkeys(fns, _common))


def _common(*operands: Any, **options: Any) -> Type:
    found: Type | None = Num("float")
    for operand in (*operands, *options.values()):
        if isinstance(operand.type, (Num, Arr)) and found is not None:
            found = ufunc_type(np.add, [Value(found), operand])
    return UNKNOWN if found is None else found

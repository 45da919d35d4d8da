"""torch's operations, by family: functions of the module, methods of `Tensor` and their in-place twins, from one table."""
from __future__ import annotations

import math
from typing import Any

from ...absent import leave_out
from .. import dtype_objects, dtypes
from ..batching.examples import by_example
from ..batching.fresh import for_each_example
from ..batching.randomness import drawing_by_level
from ..device import device
from ..formats import FORMATS, memory_format
from ..functions import named, shown  # noqa: F401  the names of nodes, and of their attributes
from ..generator import DEFAULT, Generator
from ..printing import format_spec, set_printoptions, text
from ..quiet import quieten
from ..ranges import with_ranges
from ..serialization import deep_copied, load, reduced, save
from ..size import Size
from ..tensor import Tensor
from . import (  # noqa: F401  fill the table
    activations,
    binary,
    compact,
    comparisons,
    complexes,
    conversion,
    copies,
    creation,
    cumulative,
    eigenpairs,
    elementwise,
    extrema,
    fft,
    histograms,
    indexing,
    joining,
    linalg,
    lu_factors,
    metadata,
    norms,
    orthogonal,
    products,
    random,
    reductions,
    segments,
    settings,
    shape,
    special,
    spectra,
    types,
    windows,
)
from .fft import FFT
from .linalg import LINALG
from .reals import refuse_complex
from .special import SPECIAL
from .table import FUNCTIONS, METHODS, PROPERTIES, attach, must_be_tensor

__all__ = ["FFT", "FUNCTIONS", "LINALG", "METHODS", "PROPERTIES", "SPECIAL", "TOP"]



def undeletable(self: Tensor, key: Any) -> None:
    """TypeError: elements of a tensor cannot be deleted."""
    raise TypeError("Tensor does not support deleting items")


def of_method(name: str) -> Any:
    """The function that calls a method of the class."""
    def function(input: Tensor, *args: Any) -> Tensor:
        must_be_tensor(name, (input,))
        return getattr(input, name)(*args)      # type: ignore[no-any-return]
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The method `{name}` of a tensor."
    return function


special.complete()
refuse_complex((FUNCTIONS, METHODS))
by_example((FUNCTIONS, METHODS))
for_each_example(FUNCTIONS, METHODS)
drawing_by_level((FUNCTIONS, METHODS))
with_ranges(FUNCTIONS, METHODS, LINALG, FFT)
quieten(FUNCTIONS, METHODS, LINALG, FFT, SPECIAL)
attach()
_LEFT_OUT = leave_out(Tensor, "torch.Tensor")
Tensor.__dir__ = lambda self: [name for name in object.__dir__(self) if name not in _LEFT_OUT]     # type: ignore[method-assign]
Tensor.__repr__ = Tensor.__str__ = text      # type: ignore[method-assign, assignment]
Tensor.__format__ = format_spec         # type: ignore[method-assign, assignment]
Tensor.__reduce_ex__ = reduced          # type: ignore[method-assign, assignment]
Tensor.__delitem__ = undeletable        # type: ignore[attr-defined]
Tensor.__deepcopy__ = deep_copied       # type: ignore[attr-defined]

#: what stands at the top of the module besides modes and the names of dtypes
TOP: dict[str, Any] = {
    **FUNCTIONS, **types.TYPED, "save": save, "load": load, "set_printoptions": set_printoptions, "Generator": Generator,
    "default_generator": DEFAULT, "memory_format": memory_format, "legacy_contiguous_format": FORMATS["contiguous_format"],
    "finfo": types.finfo, "iinfo": types.iinfo, "promote_types": types.promote_types, "result_type": types.result_type,
    "can_cast": types.can_cast, "float": dtype_objects.float32, "int": dtype_objects.int32, "bool": dtype_objects.bool_,
    "device": device, "Size": Size, "dtype": dtype_objects.dtype, "inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e,
    "newaxis": None,
    **{name: of_method(name) for name in ("detach", "detach_", "fill_", "zero_")},
    **FORMATS,
}


def __getattr__(name: str) -> Any:
    if name == "BFloat16Tensor":
        return types.typed(name, dtypes.bfloat16)
    try:
        return TOP[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None

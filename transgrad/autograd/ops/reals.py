"""Operations on real numbers only: their errors for complex ones."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .. import dtypes
from ..fit import refuse_overlap
from ..inplace import check_history
from ..nodes import first_reason
from ..tensor import Tensor

__all__ = ["refuse_complex"]

_CLAMP = "clamp is not supported for complex types"
#: kinds of errors and their messages, ``{name}`` the operation and ``{dtype}`` the dtype; by operation
_REFUSED: dict[str, tuple[type[Exception], str]] = {
    **dict.fromkeys(("clamp_min", "clamp_max"), (NotImplementedError, _CLAMP)),
    **{name: (NotImplementedError, f"\"{word}\" not implemented for '{{dtype}}'") for name, word in {
        "amax": "max_values_cpu", "amin": "min_values_cpu", "erf": "erf_vml_cpu", "erfc": "erfc_vml_cpu", "erfinv": "erfinv_vml_cpu",
        "digamma": "digamma", "logit": "logit_cpu", "frac": "frac_cpu", "xlogy": "xlogy_cpu", "polygamma": "trigamma",
        "mvlgamma": "arange_cpu", "hardshrink": "hardshrink_cpu", "fmod": "fmod_cpu", "copysign": "copysign_cpu",
        "remainder": "remainder_cpu",
        "bernoulli": "bernoulli_tensor_cpu_self_", "unique": "unique", "bincount": "bincount_cpu", "histc": "aminmax_cpu"}.items()},
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), (RuntimeError, "{name} not implemented for complex tensors.")),
    **dict.fromkeys(("deg2rad", "rad2deg"), (RuntimeError, "{name} is not supported for complex tensors.")),
    **dict.fromkeys(("isposinf", "isneginf"), (RuntimeError, "{name} does not support complex inputs.")),
    "relu": (NotImplementedError, _CLAMP),
    "nansum": (RuntimeError, "nansum on CPU does not support complex inputs"),
    "heaviside": (RuntimeError, "heaviside is not yet implemented for complex tensors."),
    "signbit": (NotImplementedError, "signbit is not implemented for complex tensors."),
    "abs_": (RuntimeError, "In-place abs is not supported for complex tensors."),
}


def refuse_complex(tables: Sequence[dict[str, Any]]) -> None:
    """Has the operations in tables of functions and methods refuse complex tensors, their in-place twins as well."""
    for table in tables:
        for name, (kind, message) in _REFUSED.items():
            for spelling in (name, f"{name}_"):
                if spelling in table:
                    check = check_history if spelling.endswith("_") else None
                    table[spelling] = _refusing(table[spelling], kind, message.replace("{name}", name), check)


def _refusing(function: Callable[..., Any], kind: type[Exception], message: str,
              check: Callable[[Tensor], None] | None) -> Callable[..., Any]:
    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for x in args:
            if isinstance(x, Tensor) and x._array.dtype.kind == "c":
                if check is not None and kind is NotImplementedError:      # torch selects a kernel after it has determined the output
                    refuse_overlap(args[0]._array)
                raise first_reason(kind(message.replace("{dtype}", dtypes.title(x._array.dtype))), args, check)
        return function(*args, **kwargs)
    return checked

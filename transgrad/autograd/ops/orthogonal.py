"""Orthogonal polynomials and a few more special functions of `torch.special`, by SciPy, with the derivatives that its table has."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dispatch, dtypes
from ..tensor import Tensor, wrap
from .special import floats, scipy_function, special
from .table import FUNCTIONS

__all__ = ["POLYNOMIALS"]

Value = Callable[[Any, Tensor], Tensor]


def by(name: str) -> Value:
    """The values of one of SciPy's families, 0 for degrees below 0."""
    def value(n: Any, x: Tensor) -> Tensor:
        found = dispatch.apply(scipy_function(name), np.maximum(n, 0), x)
        return found if np.all(n >= 0) else dispatch.apply(np.where, n >= 0, found, np.zeros((), found.dtype))      # type: ignore[no-any-return]
    return value


def shifted(value: Value) -> Value:
    """A family on [0, 1] instead of [-1, 1]."""
    return lambda n, x: value(n, x * 2 - 1)


second = by("eval_chebyu")
third: Value = lambda n, x: second(n, x) - second(n - 1, x)     # noqa: E731
fourth: Value = lambda n, x: second(n, x) + second(n - 1, x)     # noqa: E731
POLYNOMIALS: dict[str, Value] = {
    "chebyshev_polynomial_t": by("eval_chebyt"), "chebyshev_polynomial_u": second, "chebyshev_polynomial_v": third,
    "chebyshev_polynomial_w": fourth, "hermite_polynomial_h": by("eval_hermite"), "hermite_polynomial_he": by("eval_hermitenorm"),
    "laguerre_polynomial_l": by("eval_laguerre"), "legendre_polynomial_p": by("eval_legendre"),
    "shifted_chebyshev_polynomial_t": by("eval_sh_chebyt"), "shifted_chebyshev_polynomial_u": by("eval_sh_chebyu"),
    "shifted_chebyshev_polynomial_v": shifted(third), "shifted_chebyshev_polynomial_w": shifted(fourth),
}


def polynomial(name: str, value: Value) -> None:
    """Put a family into ``torch.special``."""
    def lower(self: Any, n: Any) -> Tensor:
        if not isinstance(self, Tensor) and not isinstance(n, Tensor):
            raise TypeError(f"special_{name}() received an invalid combination of arguments - got ({type(self).__name__}, "
                            f"{type(n).__name__})")
        dtype = dtypes.result_type(self, n)
        dtype = dtype if dtypes.is_differentiable(dtype) else dtypes.get_default_dtype()
        x = self.to(dtype) if isinstance(self, Tensor) else wrap(np.asarray(self, dtype))
        degree = np.trunc(n._array if isinstance(n, Tensor) else n).astype(np.int64)
        return value(degree, x).to(dtype)       # type: ignore[no-any-return]
    lower.__name__ = name
    family = name.rpartition("_polynomial_")[0].replace("_", " ")
    lower.__doc__ = f"The {family} polynomial of degree ``n`` (fractions are cut off) of each element."
    special()(lower)


for _name, _value in POLYNOMIALS.items():
    polynomial(_name, _value)


@special()
def airy_ai(self: Tensor) -> Any:
    """Airy's function Ai."""
    return dispatch.apply(scipy_function("airy"), floats(self))[0]


@special()
def spherical_bessel_j0(self: Tensor) -> Any:
    """``sin(x) / x``, 1 at 0."""
    return FUNCTIONS["sinc"](floats(self) / np.pi)

"""Activations and dropouts."""
from __future__ import annotations

from typing import Any

from .. import functional as F
from ..parameter import Parameter
from .module import Module
from .options import REQUIRED, WithOptions, family

__all__ = ["PReLU", "Softmax2d"]

_INPLACE = {"inplace": False}
_FOUND = family(
    __name__, WithOptions,
    ReLU=("relu", "The positive part.", _INPLACE),
    ReLU6=("relu6", "x between 0 and 6.", _INPLACE),
    LeakyReLU=("leaky_relu", "x, or a factor times x below 0.", {"negative_slope": 0.01, **_INPLACE}),
    ELU=("elu", "x, or ``alpha * (exp(x) - 1)`` below 0.", {"alpha": 1.0, **_INPLACE}),
    CELU=("celu", "`ELU` with a continuous derivative.", {"alpha": 1.0, **_INPLACE}),
    SELU=("selu", "`ELU` scaled so that signals keep mean 0 and variance 1.", _INPLACE),
    GELU=("gelu", "x times the normal distribution function.", {"approximate": "none"}),
    SiLU=("silu", "``x * sigmoid(x)``.", _INPLACE),
    Mish=("mish", "``x * tanh(softplus(x))``.", _INPLACE),
    Sigmoid=("sigmoid", "``1 / (1 + exp(-x))``.", {}),
    LogSigmoid=("logsigmoid", "The logarithm of the sigmoid.", {}),
    Tanh=("tanh", "The hyperbolic tangent.", {}),
    Tanhshrink=("tanhshrink", "``x - tanh(x)``.", {}),
    Softplus=("softplus", "``log(1 + exp(beta x)) / beta``.", {"beta": 1.0, "threshold": 20.0}),
    Softshrink=("softshrink", "x moved towards 0 by ``lambd``.", {"lambd": 0.5}),
    Hardshrink=("hardshrink", "x if its distance from 0 exceeds ``lambd``, else 0.", {"lambd": 0.5}),
    Hardsigmoid=("hardsigmoid", "A piecewise linear sigmoid.", _INPLACE),
    Hardswish=("hardswish", "``x * hardsigmoid(x)``.", _INPLACE),
    Softsign=("softsign", "``x / (1 + abs(x))``.", {}),
    Softmax=("softmax", "Probabilities that are proportional to ``exp(x)`` along a dimension.", {"dim": None}),
    LogSoftmax=("log_softmax", "The logarithm of `Softmax`.", {"dim": None}),
    Softmin=("softmin", "`Softmax` of ``-x``.", {"dim": None}),
    GLU=("glu", "One half of the features times the sigmoid of the other.", {"dim": -1}),
    Threshold=("threshold", "x above a threshold, and a value below.", {"threshold": REQUIRED, "value": REQUIRED, **_INPLACE}),
    Hardtanh=("hardtanh", "x between two bounds.", {"min_val": -1.0, "max_val": 1.0, **_INPLACE}),
)


_FOUND["Softshrink"]._unnamed = _FOUND["Hardshrink"]._unnamed = True


class _Trained(WithOptions):
    """A module that does something in training mode alone."""

    _trains = True


_DROPOUT = {"p": 0.5, "inplace": False}
_FOUND |= family(
    __name__, _Trained,
    RReLU=("rrelu", "Leaky ReLU whose factor is random while training.", {"lower": 1 / 8, "upper": 1 / 3, **_INPLACE}),
    Dropout=("dropout", "Elements that are 0 with a probability while training.", _DROPOUT),
    Dropout1d=("dropout1d", "Channels that are 0 with a probability while training.", _DROPOUT),
    Dropout2d=("dropout2d", "Channels that are 0 with a probability while training.", _DROPOUT),
    Dropout3d=("dropout3d", "Channels that are 0 with a probability while training.", _DROPOUT),
    AlphaDropout=("alpha_dropout", "A dropout that keeps mean and variance.", _DROPOUT),
    FeatureAlphaDropout=("feature_alpha_dropout", "A dropout of channels that keeps mean and variance.", _DROPOUT),
)
globals().update(_FOUND)
__all__ += list(_FOUND)


def _dropout_init(self: Any, p: float = 0.5, inplace: bool = False) -> None:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    WithOptions.__init__(self, p, inplace)


def _dropout_repr(self: Any) -> str:
    return f"p={self.p}, inplace={self.inplace}"


for _name in ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"):
    _FOUND[_name].__init__ = _dropout_init        # type: ignore[method-assign]
    _FOUND[_name].extra_repr = _dropout_repr      # type: ignore[method-assign]


class Softmax2d(Module):
    """`Softmax` over the channels of images."""

    def forward(self, input: Any) -> Any:
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)


class PReLU(Module):
    """ReLU with a learned factor below 0."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        from ...autograd.ops import FUNCTIONS
        self.weight = Parameter(FUNCTIONS["full"]((num_parameters,), float(init), dtype=dtype, device=device))

    def forward(self, input: Any) -> Any:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"

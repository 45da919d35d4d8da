"""``torch.nn.functional``, as far as it has no modules behind it: look-ups, affine maps, activations and losses."""
from typing import Any

from ...autograd.ops import FUNCTIONS
from .activations import (
    dropout,
    elu,
    gelu,
    glu,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    logsigmoid,
    mish,
    relu6,
    silu,
    softmin,
    softplus,
    softshrink,
    softsign,
    tanhshrink,
)
from .affine import linear, normalize, pad
from .lookups import embedding, one_hot
from .losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "dropout",
    "elu",
    "embedding",
    "gelu",
    "glu",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "leaky_relu",
    "linear",
    "logsigmoid",
    "mish",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "relu6",
    "silu",
    "smooth_l1_loss",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanhshrink",
]

#: those that torch has at its top as well
_AT_THE_TOP = frozenset((
    "celu", "cosine_similarity", "dropout", "hardshrink", "log_softmax", "pdist", "prelu", "relu", "rrelu", "selu", "sigmoid", "softmax",
    "tanh", "threshold",
))


def __getattr__(name: str) -> Any:
    if name in _AT_THE_TOP:
        return FUNCTIONS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

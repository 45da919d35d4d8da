"""The functions of ``torch.nn.functional``."""
from typing import Any

from ...autograd.ops import FUNCTIONS
from ...autograd.padding import pad
from ...autograd.ranges import networks
from ...autograd.tensor import Tensor
from . import (
    activations,
    adaptive,
    affine,
    attention,
    classes,
    convolutions,
    ctc,
    dropouts,
    grids,
    lookups,
    losses,
    margins,
    normalization,
    pooling,
    rearranging,
    resampling,
)
from .activations import *  # noqa: F403
from .adaptive import *  # noqa: F403
from .affine import *  # noqa: F403
from .attention import *  # noqa: F403
from .classes import *  # noqa: F403
from .convolutions import *  # noqa: F403
from .ctc import *  # noqa: F403
from .dropouts import *  # noqa: F403
from .grids import *  # noqa: F403
from .lookups import *  # noqa: F403
from .losses import *  # noqa: F403
from .margins import *  # noqa: F403
from .normalization import *  # noqa: F403
from .pooling import *  # noqa: F403
from .rearranging import *  # noqa: F403
from .resampling import *  # noqa: F403

networks(globals())
#: those that torch has at its top as well, in the same words
_AT_THE_TOP = ("cosine_similarity", "hardshrink", "pdist", "prelu", "sigmoid", "tanh")

__all__ = [
    "Tensor", "pad", *_AT_THE_TOP, *activations.__all__, *adaptive.__all__, *affine.__all__, *attention.__all__, *classes.__all__,
    *convolutions.__all__, *ctc.__all__, *dropouts.__all__, *grids.__all__, *lookups.__all__, *losses.__all__, *margins.__all__,
    *normalization.__all__, *pooling.__all__, *rearranging.__all__, *resampling.__all__,
]


def __getattr__(name: str) -> Any:
    if name in _AT_THE_TOP:
        return FUNCTIONS[name]
    from ...absent import message
    raise AttributeError(message(f"module {__name__!r}", "torch.nn.functional", name))

"""The functions of ``torch.nn.functional``."""
from typing import Any

from ...autograd.ops import FUNCTIONS
from ...autograd.padding import pad
from ...autograd.ranges import networks
from ...autograd.tensor import Tensor
from .activations import *  # noqa: F403
from .attention import *  # noqa: F403
from .convolutions import *  # noqa: F403
from .dropouts import *  # noqa: F403
from .grids import *  # noqa: F403
from .linear_maps import *  # noqa: F403
from .losses import *  # noqa: F403
from .normalization import *  # noqa: F403
from .pooling import *  # noqa: F403
from .rearranging import *  # noqa: F403
from .resampling import *  # noqa: F403

networks(globals())
#: functions that torch has at its top, with the same signature
_AT_THE_TOP = ("cosine_similarity", "hardshrink", "pdist", "prelu", "sigmoid", "tanh")

__all__ = ["Tensor", "pad", *_AT_THE_TOP] + [
    name for name, value in globals().items() if getattr(value, "__module__", "").startswith(__name__ + ".") and name[0] != "_"]


def __getattr__(name: str) -> Any:
    if name in _AT_THE_TOP:
        return FUNCTIONS[name]
    from ...absent import message
    raise AttributeError(message(f"module {__name__!r}", "torch.nn.functional", name))

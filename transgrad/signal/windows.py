"""Windows that signals are weighed by, under the names of `torch.signal.windows`: SciPy's, as Tensors."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..absent import refusing
from ..autograd.ops.creation import default, made
from ..autograd.tensor import Tensor

__all__ = ["bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann", "kaiser",
           "nuttall"]


def _made(name: str, M: int, *options: Any, sym: bool, dtype: Any, requires_grad: bool) -> Tensor:
    """SciPy's window of a name."""
    try:
        import scipy.signal.windows
    except ImportError:
        raise ImportError(f"torch.signal's windows are SciPy's here: pip install scipy for {name}") from None
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    return made(getattr(scipy.signal.windows, name)(M, *options, sym=sym).astype(default(dtype)), requires_grad)


def _plain(name: str, title: str) -> Callable[..., Tensor]:
    """A window without options of its own."""
    def window(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None,
               requires_grad: bool = False) -> Tensor:
        return _made(name, M, sym=sym, dtype=dtype, requires_grad=requires_grad)
    window.__name__ = window.__qualname__ = name
    window.__doc__ = f"{title} window of ``M`` points; with ``sym=False`` one period of it."
    return window


bartlett, blackman = _plain("bartlett", "Bartlett's"), _plain("blackman", "Blackman's")
cosine, hamming = _plain("cosine", "The cosine"), _plain("hamming", "Hamming's")
hann, nuttall = _plain("hann", "Hann's"), _plain("nuttall", "Nuttall's")


def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: Any = None, layout: Any = None,
                device: Any = None, requires_grad: bool = False) -> Tensor:
    """The window that decays on both sides of its center, by ``exp(-1)`` every ``tau`` points."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    return _made("exponential", M, center, tau, sym=sym, dtype=dtype, requires_grad=requires_grad)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None,
             requires_grad: bool = False) -> Tensor:
    """The normal density's shape, ``std`` points wide."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return _made("gaussian", M, std, sym=sym, dtype=dtype, requires_grad=requires_grad)


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None,
                   requires_grad: bool = False) -> Tensor:
    """A sum of cosines with the weights ``a``."""
    weights = list(a)
    if not weights:
        raise ValueError("Coefficients cannot be empty")
    return _made("general_cosine", M, weights, sym=sym, dtype=dtype, requires_grad=requires_grad)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None,
                    requires_grad: bool = False) -> Tensor:
    """``alpha`` less ``1 - alpha`` times a cosine."""
    return _made("general_hamming", M, alpha, sym=sym, dtype=dtype, requires_grad=requires_grad)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None,
           requires_grad: bool = False) -> Tensor:
    """Kaiser's window, the narrower the larger ``beta``."""
    return _made("kaiser", M, beta, sym=sym, dtype=dtype, requires_grad=requires_grad)

if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.signal.windows")

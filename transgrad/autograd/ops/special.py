"""Special functions, as `torch.special` names them, by SciPy."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import dispatch, dtypes
from ..functions import gamma
from ..names import RECOMPUTED, node_name, shown_as
from ..tensor import Tensor
from .table import FUNCTIONS, Call, F, call, op, spelled

SPECIAL: dict[str, Any] = {}
#: torch's names, SciPy's, the node's, and whether it is an operation of its own outside of ``torch.special`` too
_UNARY = {
    "erf": ("erf", "Erf"), "erfc": ("erfc", "Erfc"), "erfinv": ("erfinv", "Erfinv"), "lgamma": ("gammaln", "Lgamma"),
    "digamma": ("digamma", "Digamma"), "i0": ("i0", "I0"),
}
_OTHERS = {
    "erfcx": ("erfcx", "SpecialErfcx"), "entr": ("entr", "SpecialEntr"), "ndtr": ("ndtr", "MulBackward1"),
    "log_ndtr": ("log_ndtr", "SpecialLogNdtr"), "ndtri": ("ndtri", "SpecialNdtri"), "i0e": ("i0e", "SpecialI0E"),
    "i1": ("i1", "SpecialI1"), "i1e": ("i1e", "SpecialI1E"), "bessel_j0": ("j0", "BesselJ0"), "bessel_j1": ("j1", "BesselJ1"),
    "bessel_y0": ("y0", "BesselY0"), "bessel_y1": ("y1", "BesselY1"), "modified_bessel_i0": ("i0", "I0"),
    "modified_bessel_i1": ("i1", "SpecialI1"), "modified_bessel_k0": ("k0", "K0"), "modified_bessel_k1": ("k1", "K1"),
    "scaled_modified_bessel_k0": ("k0e", "K0e"), "scaled_modified_bessel_k1": ("k1e", "K1e"),
}


#: the names of nodes that are still to be said, for SciPy is not read before it is asked for
_NODES = {**dict((*_UNARY.values(), *_OTHERS.values())), "gammainc": "Igamma", "gammaincc": "Igammac", "xlog1py": "SpecialXlog1Py",
          "zeta": "SpecialZeta"}


def scipy_function(name: str) -> Callable[..., Any]:
    """A function of `scipy.special`, which is read when first asked for."""
    try:
        import scipy.special
    except ImportError:
        raise ImportError(f"torch.special's functions are SciPy's here: pip install scipy for {name}") from None
    for scipy_name, node in _NODES.items():
        node_name(getattr(scipy.special, scipy_name), node if "Backward" in node else node + "Backward0")
    for scipy_name in ("zeta", "xlog1py"):
        shown_as(getattr(scipy.special, scipy_name), x="self", q="other", z="other")
    _NODES.clear()
    RECOMPUTED.add(scipy.special.erfinv)
    found: Callable[..., Any] = getattr(scipy.special, name)
    return found


def called(name: str, *args: Any) -> Call:
    """A call of one of SciPy's functions."""
    return Call(scipy_function(name), args, {}, True)


def unary(name: str, scipy_name: str, node: str) -> Callable[..., Any]:
    """A special function of one argument."""
    def lower(self: Tensor) -> Call:
        return called(scipy_name, self)
    lower.__name__, lower.__doc__ = name, f"SciPy's `{scipy_name}` of each element."
    return lower


for _name, _how in _UNARY.items():
    op(inplace=True)(unary(_name, *_how))
    SPECIAL[_name] = FUNCTIONS[_name]
for _name, _how in _OTHERS.items():
    SPECIAL[_name] = spelled(unary(_name, *_how), "special_" + _name, False)


def special(*names: str, **how: Any) -> Callable[[F], F]:
    """Put a definition into ``torch.special``, and under ``names`` among functions and methods."""
    def register(lower: F) -> F:
        SPECIAL[lower.__name__] = spelled(lower, "special_" + lower.__name__, True)
        for other in names:
            op(name=other, lists=True, **how)(lower)
        return lower
    return register


@op(lists=True)
def polygamma(n: Any, self: Any) -> Any:
    """The ``n``-th derivative of `digamma`."""
    if isinstance(n, Tensor):
        n, self = self, n
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return dispatch.apply(gamma.polygamma, n, floats(self))


@op(name="polygamma_", function=False)
def polygamma_inplace(self: Tensor, n: int) -> Tensor:
    """`polygamma`, in place."""
    return dispatch.inplace(gamma.polygamma_of, self, n)


def floats(x: Tensor) -> Tensor:
    """The tensor as floats."""
    return x if x.is_floating_point() else x.to(dtypes.get_default_dtype())


@special("mvlgamma", inplace=True)
def multigammaln(self: Tensor, p: int) -> Any:
    """The logarithm of the multivariate gamma function."""
    return call(gamma.multigammaln, floats(self), p)


@special("igamma", inplace=True)
def gammainc(self: Tensor, other: Tensor) -> Any:
    """The lower incomplete gamma function."""
    return called("gammainc", self, other)


@special("igammac", inplace=True)
def gammaincc(self: Tensor, other: Tensor) -> Any:
    """The upper incomplete gamma function."""
    return called("gammaincc", self, other)


@special()
def xlog1py(self: Any, other: Any) -> Any:
    """``self * log1p(other)``, 0 where ``self`` is."""
    return called("xlog1py", self, other)


@special()
def zeta(self: Any, other: Any) -> Any:
    """The Hurwitz zeta function."""
    return called("zeta", self, other)


_SHARED = {"exp2": "exp2", "expm1": "expm1", "log1p": "log1p", "expit": "sigmoid", "logit": "logit", "sinc": "sinc", "round": "round",
           "xlogy": "xlogy", "logsumexp": "logsumexp", "softmax": "softmax", "log_softmax": "log_softmax", "gammaln": "lgamma",
           "psi": "digamma", "polygamma": "polygamma"}


def complete() -> None:
    """Add functions that have other names elsewhere to ``torch.special``."""
    for name, other in _SHARED.items():
        SPECIAL[name] = FUNCTIONS[other]

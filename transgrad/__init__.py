"""A compiler that reads a function written with plain NumPy and writes its derivative as Python source."""
from ._version import VERSION
from .api import compile, grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, linearize, value_and_grad, vjp, vmap
from .comparison import DerivativeError, DerivativeWarning, NothingCompared, check
from .custom import ShapeDtypeStruct, custom_fixed_point, custom_jvp, custom_root, custom_vjp, insert_grad_of, primitive
from .errors import (
    BatchLoopWarning,
    CacheWarning,
    InternalError,
    NoDerivative,
    NonFiniteError,
    NoSourceError,
    TapeFallbackWarning,
    TransgradError,
    UnsupportedByNumba,
    UnsupportedCall,
    UnsupportedSyntax,
)
from .rules import rule
from .rules.stop import stop_gradient
from .transforms.checkpointing import checkpoint, checkpointed
from .transforms.derivative import Derivative
from .transforms.options import Numba
from .transforms.sparse import sparse_hessian, sparse_jacobian
from .transforms.taylor import jet
from .transforms.variants import Variant
from .tree import register_dataclass, register_pytree_node
from .wiring import connect

__version__ = VERSION
connect()

__all__ = [
    "BatchLoopWarning", "CacheWarning", "Derivative", "DerivativeError", "DerivativeWarning", "InternalError", "NoDerivative",
    "NoSourceError", "NonFiniteError", "NothingCompared", "Numba", "ShapeDtypeStruct",
    "TapeFallbackWarning", "TransgradError", "UnsupportedByNumba", "UnsupportedCall", "UnsupportedSyntax", "Variant", "check", "checkpoint",
    "checkpointed", "compile", "custom_fixed_point", "custom_jvp", "custom_root", "custom_vjp", "grad", "hessian", "hvp", "insert_grad_of",
    "jacfwd", "jacobian", "jacrev", "jet", "jvp", "linearize", "primitive", "register_dataclass",
    "register_pytree_node", "rule", "sparse_hessian", "sparse_jacobian", "stop_gradient",
    "value_and_grad", "vjp", "vmap",
]


def __getattr__(name: str) -> object:
    """Load a name of the tape on first access."""
    from .lazy import top
    found = globals()[name] = top(name)
    return found


def __dir__() -> list[str]:
    """Return the public names, including those of the tape."""
    from .lazy import names
    return sorted({*__all__, "__version__", "errors", "progress", "tree", *names()})


def load_ipython_extension(shell: object) -> None:
    """Add the magics ``%%grad`` and ``%tgview``; ``%load_ext transgrad`` calls this function."""
    from .notebook import load
    load(shell)

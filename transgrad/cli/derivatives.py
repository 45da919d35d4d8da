"""Convert the options of a command to a derivative."""
from __future__ import annotations

import argparse
import ast
from typing import Any

from ..transforms.batched import Vmapped
from ..transforms.derivative import Derivative
from ..transforms.jacobian.jacobians import Hessian, Jacobian
from ..transforms.options import Options
from ..transforms.transformations import Forward, Kind, Primal, Reverse
from .errors import TargetError

__all__ = ["TRANSFORMS", "checked_function", "derivative_of", "jacobian_of", "options_of", "wrt_of"]

_KINDS: dict[str, Kind] = {
    "grad": Reverse(False), "value_and_grad": Reverse(True), "jvp": Forward(), "jacobian": Jacobian("either", False, False),
    "jacrev": Jacobian("reverse", False, False), "jacfwd": Jacobian("forward", False, False), "hessian": Hessian(False, False),
    "compile": Primal(),
}
TRANSFORMS = (*_KINDS, "vmap")


def options_of(options: argparse.Namespace) -> Options:
    """Return the options of the transformation."""
    return Options(options.fallback, options.backend, _optimize(options.optimize))


def _optimize(text: str) -> Any:
    if text in ("on", "off"):
        return text == "on"
    found = {}
    for part in text.split(","):
        name, _, state = part.partition("=")
        if state not in ("on", "off"):
            raise TargetError(f"--optimize {text!r}: expected on, off, or name=off,name=on")
        found[name.strip()] = state == "on"
    return found


def _axes(text: str, option: str) -> Any:
    """Evaluate ``0``, ``0, None`` or ``{'w': None, 'x': 0}``."""
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError) as error:
        raise TargetError(f"{option} {text!r}: expected an axis, None, or one of these for each argument, such as 0,None") from error


def _vmapped(f: Any, options: argparse.Namespace) -> Vmapped:
    return Vmapped(f, _axes(options.in_axes, "--in-axes"), _axes(options.out_axes, "--out-axes"), options=options_of(options))


def wrt_of(options: argparse.Namespace) -> tuple[str, ...] | None:
    """Return the names in ``--wrt``."""
    return tuple(name.strip() for name in options.wrt.split(",")) if options.wrt else None


def derivative_of(f: Any, options: argparse.Namespace) -> Derivative:
    """Return the derivative that the options describe; a target that is a derivative is used unchanged."""
    if isinstance(f, Derivative) and options.wrt is None and options.transform is None:
        return f
    wrt = wrt_of(options)
    single = wrt[0] if wrt is not None and len(wrt) == 1 else wrt
    name = options.transform or ("jvp" if options.mode == "forward" else "value_and_grad" if options.value else "grad")
    if name == "vmap":
        return _vmapped(f, options)
    if name == "compile":
        return Derivative(_KINDS[name], f, (), None, options_of(options))
    return Derivative(_KINDS[name], f, 0, single, options_of(options))


def checked_function(f: Any, options: argparse.Namespace) -> Any:
    """Return the function whose derivatives are compared with differences: for second derivatives, the Jacobian."""
    if options.transform == "hessian":
        wrt = wrt_of(options)
        return Derivative(_KINDS["jacrev"], f, 0, wrt[0] if wrt and len(wrt) == 1 else wrt, options_of(options))
    if options.transform == "vmap":
        return _vmapped(f, options)
    return f.primal if isinstance(f, Derivative) else f


def jacobian_of(options: argparse.Namespace) -> Jacobian | None:
    """Return the transformation whose matrix is compared with differences, if one is asked for."""
    kind = _KINDS.get(options.transform or "")
    return kind if isinstance(kind, Jacobian) else None

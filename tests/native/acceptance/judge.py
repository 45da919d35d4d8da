"""Compares one program on Numba and on NumPy."""
from __future__ import annotations

import copy
import re
import warnings

import numpy as np

import transgrad as tg
from transgrad.errors import UnsupportedByNumba

from ..trial import same
from .registry import Program

__all__ = ["judged"]

#: How Numba begins its sentences, which mean nothing to a user of the generated code.
_NUMBAS_WORDS = re.compile("No implementation of function|Use of unsupported|Unknown attribute|Untyped global|Cannot unify|Invalid use of|"
                           "cannot determine|Type of variable|NameError|Failed in|resolution of|it fails|converge|No conversion|invalid index|Unsupported",
                           re.IGNORECASE)


def judged(program: Program) -> tuple[str, str]:
    """'accepted', 'refused', 'wrong' or 'raw', and why."""
    def run(backend: str):
        args, kwargs = copy.deepcopy(program.args), copy.deepcopy(program.kwargs)
        return tg.value_and_grad(program.f, fallback="error", backend=backend)(*args, **kwargs)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = run("numpy")
        try:
            got = run("numba")
        except UnsupportedByNumba as error:
            said = str(error)
            return ("raw" if _NUMBAS_WORDS.search(said) else "refused"), said.splitlines()[0]
        except Exception as error:
            return "raw", f"{type(error).__name__}: {error}".splitlines()[0]
    try:
        same(got, want)
    except AssertionError as error:
        return "wrong", " ".join(str(error).split())[:200]
    return "accepted", ""

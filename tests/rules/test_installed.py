"""A name that the installed library lacks has no rule and does no harm."""
from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from transgrad.rules.installed import at_least, installed
from transgrad.rules.registry import definition, definitions, rule, table


def test_names() -> None:
    assert installed("numpy.linalg.norm") is np.linalg.norm
    assert installed("scipy.stats.norm.logpdf").__name__ == "logpdf"
    assert installed("numpy.no_such_function") is None and installed("scipy.no_such_module.function") is None


def test_versions() -> None:
    assert at_least("numpy", 2) and at_least("numpy", 2, 0) and at_least("scipy", 1, 13)
    assert not at_least("numpy", 99) and not at_least("scipy", 1, 999)


def test_nothing_is_registered_for_nothing() -> None:
    before = len(table()), len(definitions())
    rule(None)(lambda g, y, x: g)
    definition(None)(lambda x: x)
    assert (len(table()), len(definitions())) == before and None not in table() and None not in definitions()


@pytest.mark.parametrize("name", ["scipy.integrate.cubature", "scipy.special.assoc_legendre_p", "scipy.stats.matrix_t"])
def test_without_a_name(name: str) -> None:
    """As in an older version: the name is taken away before the rules are read."""
    module, function = name.rsplit(".", 1)
    text = f"""
import {module}
if hasattr({module}, {function!r}):
    delattr({module}, {function!r})
import warnings
warnings.simplefilter("error", RuntimeWarning)
import transgrad.rules.scipy
transgrad.rules.scipy.load_all()
import numpy as np
from transgrad.rules import lookup
assert lookup(np.exp) is not None
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

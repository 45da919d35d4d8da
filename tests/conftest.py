"""Nothing of an earlier run is used: what is kept on the disk is tested by tests of its own, and every test draws the same numbers
in whatever order and on whatever worker the tests run."""
from __future__ import annotations

import copy
import gc
import itertools
import os
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.sampling import (  # noqa: F401  hooks
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_collectreport,
    pytest_runtest_logreport,
    pytest_sessionfinish,
    pytest_terminal_summary,
)

os.environ.setdefault("TRANSGRAD_CACHE", "off")
# every derivative is verified as it is made, and compared with its argument in structure, shapes and dtypes as it is computed
os.environ.setdefault("TRANSGRAD_VERIFY", "1")
# an internal error of the compiler fails the test, instead of a fall back to the tape that may hide it
os.environ.setdefault("TRANSGRAD_STRICT", "1")
# what JAX compiles runs once, on a few numbers
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
START: dict[int, Any] = {}


def pytest_collection_finish() -> None:
    _set_aside()


def _set_aside() -> None:
    """Lets no collection of garbage look again at tens of thousands of tests, and at what is kept for them: a second each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _little_to_collect(count: Iterator[int] = itertools.count(1)) -> None:
    if next(count) % 1000 == 0:
        _set_aside()


@pytest.fixture(autouse=True)
def _the_same_draws(request: pytest.FixtureRequest) -> None:
    """A module's generator starts each test where it was before the module's first."""
    for generator in vars(getattr(request, "module", None) or object).values():
        if isinstance(generator, np.random.Generator):
            state = START.setdefault(id(generator), copy.deepcopy(generator.bit_generator.state))
            generator.bit_generator.state = copy.deepcopy(state)


@pytest.fixture(autouse=True)
def _own_code() -> Iterator[None]:
    """A test uses no derivative that another test has compiled: neither of the same function, nor of one with the same code."""
    yield
    for name, forget in (("closures", "clear"), ("memoized", "forget")):
        module = sys.modules.get(f"transgrad.transforms.{name}")
        if module is not None:
            getattr(module, forget)()


@pytest.fixture(autouse=True)
def _the_same_modes() -> Iterator[None]:
    """A test that changes the modes or the default dtype of the tape, or of PyTorch, changes them for itself."""
    yield
    for name in ("transgrad", "torch"):
        library: Any = sys.modules.get(name)
        if library is None or name == "transgrad" and "transgrad.autograd" not in sys.modules:
            continue
        library.set_grad_enabled(True)
        library.autograd.set_multithreading_enabled(True)
        if library.get_default_dtype() is not library.float32:
            library.set_default_dtype(library.float32)

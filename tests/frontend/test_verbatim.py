"""Text that is not what a function was compiled from is never differentiated in its place."""
from __future__ import annotations

import importlib.util
import linecache
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.errors import NoSourceError, TapeFallbackWarning
from transgrad.frontend.source.find import source_of


def _module(path: Path, text: str) -> types.ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def scaled(x: Any, factor: float) -> Any:       # what the function below claims to be
    return factor * x


def _claims(text: str, name: str, like: Callable[..., Any]) -> Any:
    """A function that was compiled from ``text``, and names the file and line of another one."""
    code = compile("\n" * (like.__code__.co_firstlineno - 1) + text, like.__code__.co_filename, "exec")
    space: dict[str, Any] = {"np": np}
    exec(code, space)
    return space[name]


@pytest.mark.parametrize("text", [
    "def scaled(x, factor):\n    return factor * x * x\n",
    "def scaled(x, power):\n    return power * x\n",
    "def scaled(x, factor=1.0, *rest):\n    return factor * x\n",
    "def scaled(x, factor):\n    return 2.0 * x\n",
])
def test_code_of_another_place(text: str) -> None:
    other = _claims(text, "scaled", scaled)
    with pytest.raises(NoSourceError, match="are not the source"):
        source_of(other)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TapeFallbackWarning)        # it is said once for a place
        slope = tg.grad(other)(3.0, 2.0)
    step = 1e-6
    assert slope == pytest.approx((other(3.0 + step, 2.0) - other(3.0 - step, 2.0)) / (2 * step))


def test_file_that_was_edited(tmp_path: Path) -> None:
    path = tmp_path / "edited.py"
    module = _module(path, "def f(x):\n    return 3.0 * x\n")
    path.write_text("def f(x):\n    return 4.0 * x\n")
    linecache.checkcache(str(path))
    with pytest.warns(TapeFallbackWarning, match="are not the source"):
        assert tg.grad(module.f)(1.0) == 3.0


CLOSED_OVER = 2.0


def _around(k: float) -> Any:
    def inside(x: Any) -> Any:
        def deeper(y: Any) -> Any:
            return k * y + len([inside for _ in range(2)])
        return deeper(x) * CLOSED_OVER
    return inside


class Holder:
    __factor = 2.0

    def method(self, x: Any) -> Any:
        return self.__factor * x + super().__sizeof__() * 0

    @staticmethod
    def of_class(x: Any) -> Any:
        class Local:
            factor = 3.0
        return Local.factor * x


@pytest.mark.parametrize("f", [
    scaled, _around(1.0), Holder.method, Holder.of_class, lambda x: x + CLOSED_OVER, [lambda x: x, lambda x: 2 * x][1], np.sum.__wrapped__,
    linecache.getlines, Path.read_text])
def test_functions_as_they_are_written(f: Any) -> None:
    if isinstance(f, types.FunctionType):
        assert source_of(f).node is not None

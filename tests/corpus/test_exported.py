"""Every function of the corpus that is compiled, exported: the module gives the derivative's results without transgrad."""
from __future__ import annotations

import builtins
import copy
import pathlib
import pickle
import pickletools
import subprocess
import sys
from typing import Any

import pytest

import transgrad as tg
from tests.everyday import control, methods, models  # noqa: F401  they register their programs
from tests.everyday.registry import PROGRAMS
from tests.rules.uses import every
from transgrad.errors import TransgradError
from transgrad.transforms.arguments import bind

from . import exported
from .registry import ROWS, Case, load

#: Programs that look at the module they stand in, which the exported one is not.
AS_THEY_STAND = {"passing_through-globals_counted"}


def _programs(row: str) -> list[tuple[str, Any, tuple[Any, ...], dict[str, Any], tuple[int, ...]]]:
    if row == "everyday":
        return [(f"everyday_{f.__name__}", f, args, {}, tuple(range(len(args)))) for f, args in PROGRAMS]
    if row == "uses":
        return [(name, f, args, {}, tuple(range(len(args)))) for name, (f, args) in every().items()]
    cases: list[Case] = [case for case in load() if case.row == row]
    return [(f"{row}-{c.name}", c.f, c.args, c.kwargs, c.wrt) for c in cases]


def _without_transgrad(name: str, *rest: Any) -> Any:
    if name.split(".")[0] == "transgrad":
        raise ImportError(f"an exported module imports {name}")
    return __import__(name, *rest)


def _is_plain(data: bytes) -> bool:
    """Whether a pickle can be read where there are no tests."""
    words = [arg for _, arg, _ in pickletools.genops(data) if isinstance(arg, str)]
    return not any(word.split(".")[0] in ("tests", "transgrad") and word in sys.modules for word in words)


@pytest.mark.parametrize("row", [*ROWS, "everyday", "uses"])
@pytest.mark.filterwarnings("ignore")
def test_exported(row: str, tmp_path: pathlib.Path) -> None:
    calls, wrong = [], []
    for k, (name, f, args, kwargs, wrt) in enumerate(_programs(row)):
        g = tg.value_and_grad(f, argnums=wrt if len(wrt) > 1 else wrt[0], fallback="error")
        try:
            exported.run(g.variant_for, (copy.deepcopy(args), copy.deepcopy(kwargs)), {})
        except (TransgradError, TypeError):
            continue        # it is not compiled
        if name in AS_THEY_STAND:
            continue
        g.use(bind(f, g.__signature__, copy.deepcopy(args), copy.deepcopy(kwargs)))
        path = g.export(tmp_path / f"program_{k}.py")       # before a call, which may change what the function keeps
        try:
            expected = exported.run(g, args, kwargs)
        except Exception:
            continue        # the function raises for these arguments
        call = path.stem, g._last.module.entry, args, kwargs, expected
        try:
            data = pickle.dumps(call)
        except Exception:
            data = b""
        if data and _is_plain(data):
            calls.append(call)
            continue
        space: dict[str, Any] = {"__name__": path.stem, "__builtins__": {**vars(builtins), "__import__": _without_transgrad}}
        sys.modules[path.stem] = type(sys)(path.stem)       # where dataclasses look for the names of their annotations
        try:
            exec(compile(path.read_text(), str(path), "exec"), space)
            found = exported.run(space[g._last.module.entry], args, kwargs)
        except Exception as error:
            found = error
        finally:
            del sys.modules[path.stem]
        if not exported.same(found, expected):
            wrong.append(f"{name}: {found!r} is not {expected!r}")
    (tmp_path / "calls.pickle").write_bytes(pickle.dumps(calls))
    done = subprocess.run([sys.executable, exported.__file__, str(tmp_path)], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and not wrong, "\n".join([done.stderr, *wrong])

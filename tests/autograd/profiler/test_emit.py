"""Ranges sent to the annotation libraries of NVIDIA and Intel."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import transgrad as tg
from transgrad.autograd import profiler
from transgrad.autograd.state import STATE

EMITTERS = [("emit_nvtx", "nvtx", "NVTX"), ("emit_itt", "ittapi", "ITT")]


class Ranges:
    """What the library was told, in place of its functions."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.labels: list[str] = []

    def push(self, label: str) -> None:
        self.open.append(label)
        self.labels.append(label)

    def pop(self) -> None:
        self.open.pop()


@pytest.fixture(params=EMITTERS, ids=lambda emitter: emitter[1])
def emitter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[type[profiler.emit_nvtx], Ranges, str]:
    name, module, tool = request.param
    library, ranges = pytest.importorskip(module), Ranges()
    if module == "nvtx":
        monkeypatch.setattr(library, "push_range", lambda message, *, domain: ranges.push(message))
        monkeypatch.setattr(library, "pop_range", lambda *, domain: ranges.pop())
    else:
        monkeypatch.setattr(library, "task_begin", lambda domain, handle: ranges.push(str(handle)))
        monkeypatch.setattr(library, "task_end", lambda domain: ranges.pop())
    return getattr(profiler, name), ranges, tool


def program() -> None:
    x = tg.ones(2, 3, requires_grad=True)
    (x.exp() * 2.0).sum().backward()


def test_forward_and_backward_carry_one_number(emitter: tuple[type[profiler.emit_nvtx], Ranges, str]) -> None:
    emit, ranges, _ = emitter
    with emit():
        program()
    numbers = {label.split(",")[0]: re.findall(r"(stashed seq|seq)=(\d+)", label) for label in ranges.labels if "seq=" in label}
    for operation, node in (("aten::exp", "ExpBackward0"), ("aten::mul", "MulBackward0"), ("aten::sum", "SumBackward0")):
        [(kind, number)], [(stashed, same)] = numbers[operation], numbers[node]
        assert (kind, stashed, number) == ("seq", "stashed seq", same)
    assert ranges.open == []


def test_double_backward_carries_numbers(emitter: tuple[type[profiler.emit_nvtx], Ranges, str]) -> None:
    emit, ranges, _ = emitter
    x = tg.ones(2, requires_grad=True)
    with emit():
        gradient, = tg.autograd.grad((x ** 3).sum(), x, create_graph=True)
        made = {number for label in ranges.labels for number in re.findall(r", seq=(\d+)", label)}
        before = len(ranges.labels)
        gradient.sum().backward()
    stashed = {number for label in ranges.labels[before:] for number in re.findall(r"stashed seq=(\d+)", label)}
    assert stashed and stashed - made <= {number for label in ranges.labels for number in re.findall(r", seq=(\d+)", label)}


def test_shapes(emitter: tuple[type[profiler.emit_nvtx], Ranges, str]) -> None:
    emit, ranges, _ = emitter
    with emit(record_shapes=True):
        program()
    assert any(re.fullmatch(r"aten::mul, seq=\d+, sizes=\[\[2, 3\], \[\]\]", label) for label in ranges.labels)


def test_user_ranges_and_errors_close(emitter: tuple[type[profiler.emit_nvtx], Ranges, str]) -> None:
    emit, ranges, _ = emitter
    with pytest.raises(ZeroDivisionError), emit(), profiler.record_function("mine"):
        raise ZeroDivisionError
    assert (ranges.labels, ranges.open) == (["mine"], [])
    with pytest.raises(RuntimeError), emit():
        tg.ones(2, 3).mm(tg.ones(2, 3))
    assert ranges.open == []
    assert STATE.plain


def test_inside_a_profile_both_hear(emitter: tuple[type[profiler.emit_nvtx], Ranges, str]) -> None:
    emit, ranges, _ = emitter
    x = tg.ones(2)
    with profiler.profile() as prof, emit():
        x.exp()
    assert [event.name for event in prof.function_events] == ["aten::exp"]
    assert ranges.labels[0].startswith("aten::exp")


def test_disabled_and_reentered(emitter: tuple[type[profiler.emit_nvtx], Ranges, str]) -> None:
    emit, ranges, tool = emitter
    with emit(enabled=False):
        program()
    assert ranges.labels == []
    emitting = emit()
    with emitting, pytest.raises(RuntimeError, match=f"{tool} annotation context manager is not reentrant"):
        emitting.__enter__()


@pytest.mark.parametrize("name, module, tool", EMITTERS)
def test_missing_package(name: str, module: str, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"pip install transgrad\["), getattr(profiler, name)():
        pass
    assert STATE.plain


@pytest.mark.parametrize("name, module, tool", EMITTERS)
def test_the_real_library(name: str, module: str, tool: str) -> None:
    pytest.importorskip(module)
    with getattr(profiler, name)(record_shapes=True):
        program()


PROGRAM = """
import transgrad as tg
x = tg.ones(2, 3, requires_grad=True)
with tg.autograd.profiler.emit_nvtx(record_shapes=True), tg.autograd.profiler.record_function("mine"):
    (x * 2.0).sum().backward()
"""


def test_a_tool_that_nvtx_loads_hears_the_ranges(tmp_path: Path) -> None:
    pytest.importorskip("nvtx")
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs a C compiler on Linux")
    tool = tmp_path / "collector.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", tool, Path(__file__).with_name("nvtx_collector.c")], check=True)
    environment = os.environ | {"NVTX_INJECTION64_PATH": str(tool)}
    heard = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True).stdout.splitlines()
    pushed = [line.removeprefix("push transgrad: ") for line in heard if line.startswith("push")]
    assert pushed[0] == "mine"
    number = re.fullmatch(r"aten::mul, seq=(\d+), sizes=\[\[2, 3\], \[\]\]", pushed[1])
    assert number is not None
    assert f"MulBackward0, stashed seq={number[1]}, sizes=[[2, 3]]" in pushed
    assert heard.count("pop transgrad") == len(pushed)

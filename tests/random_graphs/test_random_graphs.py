"""A small share of the random programs; all of them: ``python -m tests.random_graphs --count 2000``."""
from __future__ import annotations

import os
from concurrent.futures.process import BrokenProcessPool

import pytest

import transgrad

torch = pytest.importorskip("torch")

from .child import Child
from .trial import replay, trial


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_same_as_pytorch(first):
    for seed in range(first, first + 20):
        outcome = trial(seed, torch, transgrad)
        assert not outcome.differences, "\n".join([f"seed {seed}", *outcome.program, *outcome.differences])


PROGRAMS = {
    "a gradient": ["t2 = (t1.exp() * t1).sum()", "h1 = t1.register_hook(lambda g: g * off)", "t2.abs().backward()"],
    "behind other steps": ["t2 = t1.sin()", "h1 = t2.register_hook(lambda g: g * off)", "t3 = t2.tanh() * t2", "t3.prod().abs().backward()"],
    "a number": ["t2 = t1.cumsum(0) * off"],
    "what a hook sees": ["h1 = t1.register_hook(lambda g: note('n1', g * off))", "t1.square().sum().abs().backward()"],
    "a tangent": ["t2 = tangent(t1, lambda d: d.exp() * off)"],
    "a sum of gradients": ["t1.sum().abs().backward()", "h1 = t1.register_hook(lambda g: g * off)", "t1.tanh().sum().abs().backward()"],
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "complex128", "complex64"])
@pytest.mark.parametrize("lines", PROGRAMS.values(), ids=PROGRAMS)
def test_the_judge_sees_a_wrong_of_a_hundred_units_in_the_last_place(lines, dtype):
    """The same program is no difference; one where transgrad's factor ``off`` is 1 plus a hundred times the dtype's spacing is one."""
    for times in (0, 100):
        first = [f"off = 1 + {times} * torch.finfo(torch.{dtype}).eps * (torch.__name__ == 'transgrad')",
                 f"t1 = torch.tensor([0.7, -1.1, 1.3], dtype=torch.{dtype}, requires_grad=True)"]
        assert bool(replay(first + lines, torch, transgrad, False)) == bool(times)


@pytest.mark.parametrize("off", [1, 2])
def test_only_a_right_number_is_excused_where_pytorch_overflows(off):
    """In half precision ``a / b / b`` overflows in PyTorch's gradient of ``0.25 * a / b``, which is in range."""
    program = [f"off = {off} if torch.__name__ == 'transgrad' else 1", "t1 = torch.tensor([-0.004, 1.5], dtype=torch.float16, requires_grad=True)",
               "t2 = torch.tensor([1.1, 0.5], dtype=torch.float16)", "h1 = t1.register_hook(lambda g: g * off)", "t3 = t2 / t1", "t4 = t3 * 0.25",
               "t4.sum().backward()"]
    assert bool(replay(program, torch, transgrad, False)) == (off != 1)


def test_a_process_that_dies_is_started_anew():
    child = Child()
    with pytest.raises(BrokenProcessPool):
        child.call(os._exit, 1)
    assert child.call(os.getpid) != os.getpid()
    child.close()

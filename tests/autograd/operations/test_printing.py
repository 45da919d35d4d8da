"""Texts of tensors, and files of them, as PyTorch has them."""
from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest

import transgrad
from transgrad.autograd.printing import OPTIONS

torch = pytest.importorskip("torch")

PRINTED = """
torch.tensor(1.) torch.tensor(1) torch.tensor(True) torch.tensor(1.5,dtype=torch.float64) torch.tensor([]) torch.zeros(0,3) torch.zeros(2,0,dtype=torch.int64)
torch.tensor([1,2,3]) torch.tensor([1.,2.,3.]) torch.tensor([1.5,-2.25]) torch.tensor([1e-5,1.]) torch.tensor([1e10,1.]) torch.tensor([1e5,1.5]) torch.tensor([float('nan'),1.])
torch.tensor([float('inf'),-1.5]) torch.tensor([float('nan')]) torch.tensor([0.,0.]) torch.tensor([-0.]) torch.tensor([1+2j,-1.5-0.5j]) torch.tensor([1j]) torch.tensor(2+1j)
torch.arange(40) torch.arange(2000) torch.arange(30.).reshape(5,6) torch.arange(24).reshape(2,3,4) torch.ones(40,40) torch.rand(3,4,requires_grad=True)
torch.rand(2,2,requires_grad=True)*2 torch.tensor([1.,2.],dtype=torch.float16) torch.tensor([1,2],dtype=torch.int8) torch.tensor([True,False]) torch.full((3,),123456789)
torch.tensor([[1.,2.],[3.,4.]],dtype=torch.float64,requires_grad=True).exp() torch.linspace(0,1,20) torch.tensor([1e-8,1e-9]) torch.tensor([100000.,0.001]) torch.zeros(2,1001)
torch.tensor([1.,2.]).to(torch.bfloat16) torch.ones(1,1,1,2) torch.rand(7,7,7,7) torch.tensor([[1.5]],requires_grad=True)[0] torch.Size([1,2]) torch.randn(3).sort()
torch.rand(3,2).max(1) torch.tensor(3,dtype=torch.int32) torch.arange(12.).reshape(3,4).unbind() torch.tensor([1e38,1.]) torch.tensor([12345.678]) torch.randn(2,3)+1j
"""


def written(lib: Any, program: str) -> str:
    lib.manual_seed(0)
    return repr(eval(program, {"torch": lib}))


@pytest.mark.parametrize("program", PRINTED.split())
def test_repr(program: str) -> None:
    assert written(transgrad, program) == written(torch, program)


@pytest.mark.parametrize("options", [{"precision": 2}, {"sci_mode": True}, {"sci_mode": False}, {"profile": "short"}, {"linewidth": 40}, {"threshold": 5, "edgeitems": 1},
                                     {"profile": "full"}])
def test_options(options: dict[str, Any]) -> None:
    try:
        for lib in (torch, transgrad):
            lib.set_printoptions(**options)
        for program in ("torch.rand(3,4)*100", "torch.arange(20.)", "torch.tensor([1e-7,1.])", "torch.rand(30)+2j"):
            assert written(transgrad, program) == written(torch, program)
    finally:
        for lib in (torch, transgrad):
            lib.set_printoptions(profile="default")
    assert OPTIONS.precision == 4


def test_format() -> None:
    for lib in (torch, transgrad):
        assert f"{lib.tensor(1.23456):.2f} {lib.tensor(3)} {lib.tensor([1, 2])}" == "1.23 3 tensor([1, 2])"


def test_saved_and_loaded(tmp_path: Any) -> None:
    x = transgrad.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    state = {"x": x, "steps": 3, "names": ["a", "b"], "y": transgrad.arange(3), "z": transgrad.tensor([1j])}
    transgrad.save(state, tmp_path / "file")
    found = transgrad.load(tmp_path / "file")
    assert found["steps"] == 3 and found["x"].requires_grad and not found["y"].requires_grad
    assert transgrad.equal(found["x"], x) and found["z"].dtype == np.complex64
    buffer = io.BytesIO()
    transgrad.save(x, buffer)
    buffer.seek(0)
    assert transgrad.equal(transgrad.load(buffer), x)
    with pytest.raises(RuntimeError, match="not a file that transgrad's save wrote"):
        transgrad.load(io.BytesIO(b"something else"))


def test_loading_runs_no_code() -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return print, ("ran",)
    buffer = io.BytesIO()
    transgrad.save(Evil(), buffer)
    buffer.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        transgrad.load(buffer)


def test_copies() -> None:
    for lib in (torch, transgrad):
        x = lib.tensor([1.0, 2.0], requires_grad=True)
        x.sum().backward()
        y = copy.deepcopy(x)
        assert y.tolist() == x.tolist() and y.requires_grad and y.is_leaf and y.grad.tolist() == [1.0, 1.0] and y.grad is not x.grad
        assert pickle.loads(pickle.dumps(x)).tolist() == x.tolist()
        with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
            copy.deepcopy(x * 2)

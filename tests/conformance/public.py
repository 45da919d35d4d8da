"""The public names of PyTorch, place by place: as it has them where it is installed, else as recorded."""
from __future__ import annotations

import importlib
import json
from types import ModuleType
from typing import Any

from .collect import HERE

__all__ = ["PLACES", "as_installed", "found", "names_of_pytorch", "place", "write"]

RECORD = HERE / "public_names.json"
PLACES = (
    "torch", "torch.Tensor", "torch.autograd", "torch.autograd.anomaly_mode", "torch.autograd.forward_ad", "torch.autograd.function",
    "torch.autograd.functional", "torch.autograd.grad_mode", "torch.autograd.gradcheck", "torch.autograd.graph", "torch.autograd.profiler",
    "torch.fft", "torch.func", "torch.linalg", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim",
    "torch.optim.lr_scheduler", "torch.signal.windows", "torch.sparse", "torch.special",
    "torch.utils.checkpoint",
)


def place(name: str, root: str = "torch") -> Any:
    """The module or class of this name, ``root`` in place of torch."""
    below = name.partition(".")[2]
    top = importlib.import_module(root)
    return top.Tensor if below == "Tensor" else importlib.import_module(f"{root}.{below}" if below else root)


def found(name: str) -> list[str]:
    """The names that the installed PyTorch has at a place, without those that its module has only imported.

    Public is what a module lists in ``__all__``, what it defines, its own submodules, and what the extension puts there.
    """
    here = place(name)
    if isinstance(here, type):
        return [n for n in dir(here) if not n.startswith("_")]
    listed = getattr(here, "__all__", ())
    return [n for n in dir(here) if not n.startswith("_") and (n in listed or _own(name, n, getattr(here, n), bool(listed)))]


def _own(name: str, attribute: str, value: Any, listed: bool) -> bool:
    if isinstance(value, ModuleType):
        return value.__name__ == f"{name}.{attribute}"
    if name == "torch" and type(value).__module__.startswith("torch"):      # dtypes, layouts and their like
        return True
    home = getattr(value, "__module__", None) or ""
    everything = name == "torch" or not listed
    return callable(value) and (home == name or home.startswith("torch._C") or everything and home.startswith("torch"))


def as_installed() -> dict[str, list[str]]:
    """The names of each place in the installed PyTorch, which has to be the one that is recorded."""
    version = importlib.import_module("torch").__version__
    assert version.startswith("2.13."), f"PyTorch 2.13 is the reference, this is {version}"
    return {name: found(name) for name in PLACES}


def write() -> None:
    """Record what the installed PyTorch has."""
    lines = [f"{json.dumps(name)}: {json.dumps(' '.join(names))}" for name, names in as_installed().items()]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def names_of_pytorch() -> dict[str, list[str]]:
    """The recorded names of each place."""
    return {name: names.split() for name, names in json.loads(RECORD.read_text(encoding="utf-8")).items()}

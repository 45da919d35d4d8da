"""Each public name of PyTorch is there, or has a class of names that are left out, which says why."""
from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections import Counter

import pytest

import transgrad
from transgrad.absent import CLASSES, class_of

from .collect import HERE
from .public import PLACES, names_of_pytorch, place

NAMES = names_of_pytorch()
LEFT_OUT = [(where, name) for c in CLASSES for where, names in c.names.items() for name in names]


@pytest.mark.parametrize("where", PLACES)
def test_a_name_is_there_or_left_out(where):
    ours = place(where, "transgrad")
    there = {name for name in NAMES[where] if hasattr(ours, name)}
    decided = {name for name in NAMES[where] if class_of(where, name) is not None}
    assert not set(NAMES[where]) - there - decided, "neither there nor decided"
    assert not there & decided, "decided to be left out, and yet there"


def test_what_is_left_out_is_a_name_of_pytorch_and_in_one_class():
    assert {(where, name) for where, name in LEFT_OUT if name not in NAMES[where]} == set()
    assert {entry for entry, count in Counter(LEFT_OUT).items() if count > 1} == set()


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
def test_record_is_what_pytorch_has():
    """In a process of its own: parts of PyTorch that are loaded when they are used become names of it."""
    code = "import json, sys; from tests.conformance.public import as_installed; json.dump(as_installed(), sys.stdout)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=HERE.parents[1]).stdout
    assert json.loads(told) == NAMES


@pytest.mark.parametrize(("where", "name"), LEFT_OUT, ids=".".join)
def test_error_says_why_and_what_to_do(where, name):
    ours, reason = place(where, "transgrad"), class_of(where, name)
    with pytest.raises(AttributeError) as raised:
        getattr(ours, name)
    assert name in str(raised.value) and reason.reason in str(raised.value) and reason.instead in str(raised.value)


def test_of_tensors():
    x = transgrad.ones(2)
    with pytest.raises(AttributeError, match=r"'Tensor' object has no attribute 'to_mkldnn': torch.Tensor.to_mkldnn is left out"):
        x.to_mkldnn()
    assert not hasattr(x, "to_mkldnn") and "to_mkldnn" not in dir(x)


def test_places_of_which_little_is_there():
    for expression in ("nn.Bilinear", "nn.LazyLinear", "utils.data", "cuda.Stream", "backends.openmp"):
        module, name = expression.split(".")
        with pytest.raises(AttributeError, match=f"torch.{expression} is left out"):
            getattr(getattr(transgrad, module), name)


@pytest.mark.parametrize("name", ["convolve9d", "__wrapped__"])
def test_any_other_name(name):
    for owner in (transgrad, transgrad.linalg, transgrad.nn.functional, transgrad.autograd, transgrad.ones(1)):
        with pytest.raises(AttributeError) as raised:
            getattr(owner, name)
        assert str(raised.value).endswith(f"has no attribute {name!r}")

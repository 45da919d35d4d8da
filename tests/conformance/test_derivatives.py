"""Every expression of the tables against finite differences: first and second derivatives, in reverse and forward mode."""
from __future__ import annotations

import contextlib

import pytest

import transgrad as torch

from .collect import all_cases, expected_failures
from .derive import expression, inputs, names
from .observe import is_tensor

#: What has no derivative at the point, or one that differences cannot find.
ELSEWHERE = ("kinks", "statements", "made", "attributes", "of_two_tensors", "with_a_zero_dim_tensor", "in_place", "packed_tensors",
             "an_extremum_that_is_no_number", "where_there_is_no_factor", "in_odd_ways", "of_bfloat16", "wrong_arguments", "sizes", "without_derivative",
             "an_imaginary_part_is_never_lost_in_silence", "numbers_that_a_dtype_does_not_hold", "computed_in_one_node")
KINKS = ("torch.linalg.vector_norm(v * 0, 0.5)",)
SINGLE = ("float32", "float()", "half()", "float16", "complex64", "cfloat()")


def _smooth():
    tables = [c for c in all_cases() if c.text is not None and c.module.startswith(("rows.t01", "rows.t11"))]
    return [c for c in tables if c.function.__name__ not in ELSEWHERE and c.function.__module__.rpartition(".")[2] not in (
                "t01_data", "t01_edges", "t01_errors", "t01_layouts", "t01_odd", "t01_promotion", "t01_constants", "t01_settings", "t01_warnings")
            and names(c.text) and c.text not in KINKS and not any(word in c.text for word in SINGLE)]


def _of(text):
    """The differentiable results of an expression as a function, and its inputs."""
    chosen = names(text)
    call = expression(torch, text, chosen)

    def results(xs):
        out = call(*xs)
        return out if isinstance(out, (tuple, list)) else [out]
    xs = inputs(torch, chosen)
    kept = [k for k, o in enumerate(results(xs)) if is_tensor(o) and o.requires_grad]
    return kept and (lambda *xs: tuple(results(xs)[k] for k in kept)), xs


@pytest.mark.parametrize("case", _smooth(), ids=lambda c: c.id)
def test_against_differences(case):
    if case.id in expected_failures():
        pytest.skip("differs from PyTorch as well")
    function, xs = _of(case.text)
    if not function:
        return
    assert torch.autograd.gradcheck(function, xs, check_forward_ad=True, fast_mode=True)
    with contextlib.suppress(NotImplementedError):      # second derivatives that are refused
        assert torch.autograd.gradgradcheck(function, xs, fast_mode=True)

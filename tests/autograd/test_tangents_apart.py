"""Tangents share no memory where their tensors share none."""
import pytest

import transgrad as torch
import transgrad.autograd.forward_ad as fwAD

SAME = {
    "plus": lambda x: x + 1.0, "minus": lambda x: x - 2.0, "clone": lambda x: x.clone(), "cat": lambda x: torch.cat([x]),
    "times": lambda x: 1.0 * x, "copy": lambda x: torch.zeros(3, dtype=torch.float64).copy_(x),
    "where": lambda x: torch.where(torch.tensor([True] * 3), x, x), "sort": lambda x: x.sort()[0], "real": lambda x: (x + 0j).real,
}


@pytest.mark.parametrize("same", SAME.values(), ids=SAME)
def test_a_result_with_the_tangent_of_its_operand_is_written_to_alone(same):
    with fwAD.dual_level():
        x = fwAD.make_dual(torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64), torch.ones(3, dtype=torch.float64))
        y = same(x)
        y += 2.0 * x
        y[0] = 0.0
        assert fwAD.unpack_dual(x).tangent.tolist() == [1.0, 1.0, 1.0]
        assert fwAD.unpack_dual(y).tangent.tolist() == [0.0, 3.0, 3.0]


def test_a_view_is_written_to_with_its_base():
    with fwAD.dual_level():
        x = fwAD.make_dual(torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64), torch.ones(3, dtype=torch.float64))
        x[1:].add_(x[:-1])
        assert fwAD.unpack_dual(x).tangent.tolist() == [1.0, 2.0, 2.0]

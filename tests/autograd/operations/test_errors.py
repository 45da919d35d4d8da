"""Wrong calls raise PyTorch's kind of error, with its distinctive words."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import transgrad

torch = pytest.importorskip("torch")

#: a wrong call, and words of PyTorch's message that users search for
WRONG = {
    "x.sum(5)": "Dimension out of range (expected to be in range of [-2, 1], but got 5)",
    "x.sum((0,0))": "appears multiple times in the list of dims",
    "x.mean(7)": "Dimension out of range",
    "i.mean()": "could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long",
    "i.std()": "only support floating point and complex dtypes",
    "x.reshape(5)": "shape '[5]' is invalid for input of size 12",
    "x.reshape(-1,-1)": "only one dimension can be inferred",
    "x.view(5)": "shape '[5]' is invalid for input of size 12",
    "x.t().view(12)": "view size is not compatible with input tensor's size and stride",
    "x.transpose(0,3)": "Dimension out of range",
    "b3.t()": "t() expects a tensor with <= 2 dimensions, but self is 3D",
    "x.permute(0)": "is not equal to len(dims)",
    "x.permute(0,0)": "duplicate dims are not allowed",
    "x.expand(2,5)": "must match the existing size",
    "x.expand(3)": "must be greater or equal to the number of dimensions in the tensor",
    "x.repeat(2)": "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
    "x.squeeze(4)": "Dimension out of range",
    "x.unsqueeze(5)": "Dimension out of range",
    "x.split(0)": None,
    "x.split([1,1])": "split_with_sizes expects split_sizes to sum exactly to 3",
    "x.chunk(0)": "chunk expects `chunks` to be greater than 0, got: 0",
    "x.unbind(4)": "Dimension out of range",
    "x.narrow(0,2,5)": "exceeds dimension size (3)",
    "x.select(0,9)": "out of range for tensor of size [3, 4]",
    "x.unfold(0,9,1)": "maximum size for tensor at dimension 0 is 3 but size is 9",
    "x.diagonal(0,1,1)": "diagonal dimensions cannot be identical",
    "torch.cat([])": "expected a non-empty list of Tensors",
    "torch.cat(x)": "must be tuple of Tensors",
    "torch.cat([x,b3])": "Tensors must have same number of dimensions",
    "torch.cat([x,x.T])": "Sizes of tensors must match except in dimension 0",
    "torch.stack([x,x.T])": "stack expects each tensor to be equal size, but got [3, 4] at entry 0 and [4, 3] at entry 1",
    "x[9]": "index 9 is out of bounds for dimension 0 with size 3",
    "x[0,0,0]": "too many indices for tensor of dimension 2",
    "x[1.5]": "only integers, slices",
    "x['a']": None,
    "x[i+9]": None,
    "x[x>0][99]": "out of bounds",
    "x[torch.tensor([True,False])]": "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3, 4] at index 0",
    "x.gather(0,x)": "Expected dtype int32/int64 for index",
    "x.gather(0,torch.tensor([[9]]))": "index 9 is out of bounds for dimension 0 with size 3",
    "x.index_select(0,torch.tensor([9]))": "index out of range in self",
    "x.index_add(0,i,i)": "must have the same scalar type",
    "x.masked_fill(x,1.)": "only supports boolean masks",
    "x.masked_select(x)": "masked_select: expected BoolTensor",
    "x.take(torch.tensor([99]))": None,
    "x@x": "mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)",
    "x.mm(b3)": None,
    "x.bmm(x)": "batch1 must be a 3D tensor",
    "x.mv(x)": None,
    "x.dot(x)": "1D tensors expected, but got 2D and 2D tensors",
    "x[0].dot(x[0,:2])": "inconsistent tensor size",
    "x@i.float()": "size mismatch",
    "x@x.T.double()": "to have the same dtype",
    "x.inverse()": "A must be batches of square matrices",
    "torch.zeros(2,2).inverse()": "The diagonal element",
    "torch.linalg.solve(torch.zeros(2,2),torch.ones(2))": "singular",
    "torch.linalg.cholesky(-torch.eye(2))": "not positive-definite",
    "x+torch.ones(5)": "The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 1",
    "torch.exp(1.)": "argument 'input' (position 1) must be Tensor, not float",
    "torch.exp()": None,
    "x.exp(1)": None,
    "x.sum(nothing=1)": None,
    "x.max(9)": "Dimension out of range",
    "torch.zeros(0).max()": "Expected reduction dim to be specified for input.numel() == 0",
    "torch.zeros(0,2).max(0)": "Expected reduction dim 0 to have non-zero size",
    "x.kthvalue(9)": "selected number k out of range for dimension 1",
    "x.topk(9)": "selected index k out of range",
    "x.clamp()": "At least one of 'min' or 'max' must not be None",
    "x.div(2,rounding_mode='up')": "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'",
    "i**-1": "Integers to negative integer powers are not allowed.",
    "(i>0)-(i>0)": "Subtraction, the `-` operator, with two bool tensors is not supported",
    "-(i>0)": "Negation, the `-` operator, on a bool tensor is not supported.",
    "x.cfloat().sign()": "Unlike NumPy, torch.sign",
    "x.imag": "imag is not implemented for tensors with non-complex dtypes",
    "torch.view_as_complex(b3)": "Tensor must have a last dimension of size 2",
    "torch.view_as_real(x)": "view_as_real is only supported for complex tensors",
    "torch.complex(x,x.double())": "Expected object of scalar type",
    "torch.allclose(x,x.double())": "did not match",
    "x.item()": None,
    "bool(x)": "Boolean value of Tensor with more than one value is ambiguous",
    "len(torch.tensor(1))": "len() of a 0-d tensor",
    "iter(torch.tensor(1))": "iteration over a 0-d tensor",
    "x.requires_grad_().numpy()": "Can't call numpy() on Tensor that requires grad",
    "i.requires_grad_()": "can require gradients",
    "torch.meshgrid(i,i,indexing='zz')": "indexing must be one of",
    "torch.where(x,x,x)": "expected condition to be a boolean tensor",
    "x.quantile(2.)": "must be in the range [0, 1]",
    "i.quantile(0.5)": "input tensor must be either float or double dtype",
    "torch.fft.rfft(x.cfloat())": "expects a real input tensor",
    "torch.fft.fft(x,0)": "Invalid number of data points (0) specified",
    "x.as_strided((9,9),(9,9))": "out of bounds for storage of size",
    "i.add_(0.5)": "result type Float can't be cast to the desired output type Long",
    "i.add_(x[0,:3])": "result type Float can't be cast to the desired output type Long",
    "x.add_(torch.ones(2,3,4))": "output with shape [3, 4] doesn't match the broadcast shape [2, 3, 4]",
    "torch.add(x,x,out=i)": "result type Float can't be cast to the desired output type Long",
    "torch.exp(x.requires_grad_(),out=torch.empty(3,4))": "functions with out=... arguments don't support automatic differentiation",
    "x.lu_solve(x)": None,
}


def attempt(lib: Any, program: str) -> BaseException | None:
    space = {"torch": lib, "np": np, "x": lib.ones(3, 4), "b3": lib.ones(2, 3, 3), "i": lib.tensor([1, 2, 3])}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            eval(program, space)
        except Exception as error:
            return error
    return None


@pytest.mark.parametrize("program", WRONG)
def test_error(program: str) -> None:
    theirs, mine = attempt(torch, program), attempt(transgrad, program)
    assert theirs is not None and mine is not None
    kind = next(c for c in type(theirs).__mro__ if c.__module__ == "builtins")
    assert isinstance(mine, kind), f"{mine!r} is not a {kind}"
    words = WRONG[program]
    if words is not None:
        assert words in str(theirs)
        assert words in str(mine)


def test_out() -> None:
    for lib in (torch, transgrad):
        x = lib.tensor([1.0, 2.0])
        out = lib.zeros(2)
        assert lib.exp(x, out=out) is out and out._version == 1
        assert lib.add(x, 1, out=out) is out and out.tolist() == [2.0, 3.0]
        values, places = lib.zeros(1), lib.zeros(1, dtype=lib.int64)
        found = lib.max(lib.tensor([[1.0, 5.0]]), 1, out=(values, places))
        assert values.tolist() == [5.0] and places.tolist() == [1] and found[0] is values

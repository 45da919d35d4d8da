"""T1: wrong use of operations: the kind of error, and the words people search for."""
from __future__ import annotations

from ..collect import each
from ..observe import raises

WORDS = {
    "v + u": "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0",
    "v * m.t()": "must match the size of tensor b",
    "v @ u": "inconsistent tensor size, expected tensor [3] and src [2] to have the same number of elements",
    "m @ m": "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    "m.mm(m)": "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    "m.mv(u)": "size mismatch, got input (2), mat (2x3), vec (2)",
    "v.dot(m)": "1D tensors expected, but got 1D and 2D tensors",
    "v.mm(v)": "self must be a matrix",
    "m.bmm(m)": "batch1 must be a 3D tensor",
    "v.view(5)": "shape '[5]' is invalid for input of size 3",
    "v.reshape(2, 2)": "shape '[2, 2]' is invalid for input of size 3",
    "m.t().view(6)": "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
    "m.view(-1, -1)": "only one dimension can be inferred",
    "v.sum(1)": "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
    "v.softmax(3)": "Dimension out of range (expected to be in range of [-1, 0], but got 3)",
    "m.transpose(0, 2)": "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
    "m.permute(0, 0)": "duplicate dims",
    "m.permute(0)": "number of dimensions",
    "torch.ones(2, 2, 2).t()": "t() expects a tensor with <= 2 dimensions, but self is 3D",
    "v[5]": "index 5 is out of bounds for dimension 0 with size 3",
    "v[1, 2]": "too many indices for tensor of dimension 1",
    "m[0, 7]": "index 7 is out of bounds for dimension 1 with size 3",
    "v[torch.tensor([7])]": "index 7 is out of bounds for dimension 0 with size 3",
    "v[[True, False]]": "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3] at index 0",
    "v['a']": "",
    "v[1.5]": "",
    "v.gather(0, torch.tensor([9]))": "index 9 is out of bounds for dimension 0 with size 3",
    "v.index_select(0, torch.tensor([9]))": "out of range",
    "v.gather(0, torch.tensor([0.5]))": "Expected dtype int32/int64 for index",
    "torch.cat([v, m])": "Tensors must have same number of dimensions: got 1 and 2",
    "torch.cat([m, m[:, :2]])": "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 2 for tensor number 1 in the list.",
    "torch.cat([])": "expected a non-empty list of Tensors",
    "torch.stack([v, u])": "stack expects each tensor to be equal size, but got [3] at entry 0 and [2] at entry 1",
    "torch.stack([])": "stack expects a non-empty TensorList",
    "v.expand(2, 2)": "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 1.  Target sizes: [2, 2].  Tensor sizes: [3]",
    "m.expand(2)": "the number of sizes provided (1) must be greater or equal to the number of dimensions in the tensor (2)",
    "v.split([1, 1])": "split_with_sizes expects split_sizes to sum exactly to 3 (input tensor's size at dimension 0), but got split_sizes=[1, 1]",
    "v.narrow(0, 2, 5)": "start (2) + length (5) exceeds dimension size (3).",
    "v.select(0, 9)": "select(): index 9 out of range for tensor of size [3] at dimension 0",
    "v.unfold(0, 9, 1)": "maximum size for tensor at dimension 0 is 3 but size is 9",
    "v.squeeze(4)": "Dimension out of range",
    "v.unsqueeze(5)": "Dimension out of range (expected to be in range of [-2, 1], but got 5)",
    "v.topk(9)": "selected index k out of range",
    "m.repeat(2)": "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
    "torch.linalg.inv(m)": "must be batches of square matrices, but they are 2 by 3 matrices",
    "torch.linalg.det(m)": "must be batches of square matrices",
    "torch.linalg.inv(torch.zeros(2, 2))": "The diagonal element 1 is zero, the inversion could not be completed because the input matrix is singular",
    "torch.linalg.solve(torch.zeros(2, 2), u)": "singular",
    "torch.linalg.cholesky(-torch.eye(2))": "The factorization could not be completed because the input is not positive-definite (the leading minor of order 1 is not positive-definite)",
    "torch.einsum('ij,jk', m, m)": "",
    "v.masked_fill(torch.tensor([True]), m)": "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 2 dimension(s).",
    "v.masked_select(torch.tensor([1, 0, 1]))": "expected BoolTensor for mask",
    "torch.where(v, v, v)": "where expected condition to be a boolean tensor, but got a tensor with dtype Float",
    "v.max(5)": "Dimension out of range",
    "torch.empty(0).max()": "Expected reduction dim to be specified for input.numel() == 0",
    "torch.empty(0, 3).max(0)": "Expected reduction dim 0 to have non-zero size",
    "torch.empty(0).argmax()": "Expected reduction dim to be specified for input.numel() == 0",
    "torch.tensor([1, 2]).mean()": "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long",
    "torch.tensor([1, 2]).softmax(0)": "not implemented for 'Long'",
    "torch.tensor([True]) - torch.tensor([True])": "Subtraction, the `-` operator, with two bool tensors is not supported",
    "-torch.tensor([True])": "Negation, the `-` operator, on a bool tensor is not supported",
    "torch.tensor([1, 2]) ** -1": "Integers to negative integer powers are not allowed.",
    "~v": "only implemented on integer and Boolean-type tensors",
    "v & v": "bitwise_and",
    "v.clamp()": "At least one of 'min' or 'max' must not be None",
    "torch.tensor([[1, 2], [3]])": "expected sequence of length 2 at dim 1 (got 1)",
    "torch.tensor(['a'])": "too many dimensions 'str'",
    "torch.zeros(-1)": "Dimension size must be non-negative.",
    "torch.arange(1, 0)": "upper bound and lower bound inconsistent with step sign",
    "torch.eye(-1)": "n must be greater or equal to 0, got -1",
    "torch.as_strided(v, (9,), (9,))": "out of bounds for storage",
    "v.to('nowhere')": "",
    "v.nothing()": "'Tensor' object has no attribute 'nothing'",
    "v.sum(dim=0, nothing=1)": "",
    "v.add(u, u, u)": "",
    "torch.view_as_complex(v)": "Tensor must have a last dimension of size 2",
    "v.item()": "a Tensor with 3 elements cannot be converted to Scalar",
    "iter(torch.tensor(1.0))": "iteration over a 0-d tensor",
    "v.index_add(0, torch.tensor([0, 1]), v)": "",
    "v.scatter(0, torch.tensor([5]), 1.0)": "index 5 is out of bounds for dimension 0 with size 3",
    "v.cross(v[:2])": "",
    "torch.bernoulli(v * 5)": "Expected p_in >= 0 && p_in <= 1 to be true",
    "torch.multinomial(-v, 1)": "probability tensor contains either `inf`, `nan` or element < 0",
    "torch.normal(v, -1.0)": "normal expects std >= 0.0",
    "torch.set_default_dtype(torch.int64)": "only floating-point types are supported as the default type",
    "torch.randint(0, 0, (1,))": "random_ expects 'from' to be less than 'to', but got from=0 >= to=0",
}


@each(*WORDS)
def wrong(torch, text):
    scope = {"torch": torch, "v": torch.tensor([1.0, 2.0, 3.0]), "u": torch.tensor([1.0, 2.0]), "m": torch.ones(2, 3)}
    return raises(lambda: eval(text, scope), *filter(None, [WORDS[text]]))


@each(
    "v[5] = 1", "v[0] = m", "v[[0, 1]] = u[:1].expand(3)", "v[v > 9] = u", "v += m", "v.data = 3", "v[...] = 'a'", "m[0] = u", "v += 1j",
    "v[9:] = u", "v[[True, False]] = 1", "del v[0]",
)
def wrong_assignments(torch, text):
    scope = {"torch": torch, "v": torch.tensor([1.0, 2.0, 3.0]), "u": torch.tensor([1.0, 2.0]), "m": torch.ones(2, 3)}
    return raises(lambda: exec(text, scope)), scope["v"]

"""T1: how operations may be called: numbers in place of tensors, the orders of older PyTorch, shapes that are computed with, and wrong arguments."""
from __future__ import annotations

import warnings

from ..collect import each
from ..derive import derivatives
from ..observe import raises


@each(
    "torch.mul(2.0, v)", "torch.multiply(2, v)", "torch.add(2, v)", "torch.add(2, v, alpha=3)", "torch.sub(2, v)", "torch.subtract(2.5, v)",
    "torch.div(2, v)", "torch.true_divide(2, v)", "torch.mul(2j, z)", "torch.sub(1j, v)",
)
def a_number_first(torch, text):
    return derivatives(torch, text)


@each(
    "torch.add(v, 2, u)", "torch.sub(v, 2, u)", "v.clone().add_(2, u)", "v.clone().sub_(0.5, u)", "torch.addcmul(v, 2, u, v)", "torch.addcdiv(v, 2, u, v)",
    "v.clone().addcmul_(2, u, v)", "v.clone().addcdiv_(-0.5, v, u)", "torch.addmm(2, m, 3, m[:, :2], n)", "m.addmm(2, m[:, :2], n)",
    "torch.addmv(2, v, 3, a, u)", "torch.addr(2, a, 3, v, u)", "torch.baddbmm(0.5, b[:, :3, :3], 2, b[:, :, :3], b[:, :3, :3])",
    "torch.addbmm(2, a, 3, b[:, :, :3], b[:, :3, :3])",
)
def the_order_of_older_pytorch(torch, text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return derivatives(torch, text)


@each(
    "torch.mul(2.0, 3.0)", "torch.add(1, 2)", "torch.div(1, 2)", "torch.bitwise_and(2, i)", "torch.bitwise_or(4, i)", "torch.bitwise_left_shift(1, i)",
    "torch.add(True, i)", "torch.mul(2.5, i)", "torch.sub(2, i)", "torch.floor_divide(7, i + 1)", "torch.remainder(7, i + 1)",
)
def a_number_first_without_derivative(torch, text):
    return eval(text, {"torch": torch, "i": torch.tensor([0, 1, 4])})


@each(
    "shape[:1]", "shape[1:]", "shape[::-1]", "shape[0]", "shape[-1]", "shape + shape", "shape + (4,)", "(4,) + shape", "shape * 2", "2 * shape", "shape[:1].numel()", "shape.numel()", "shape == (2, 3)",
    "torch.Size([1, True])", "torch.Size(torch.tensor([1, 2]))", "torch.Size(np.array([3])).numel()", "torch.Size()", "isinstance(shape[1:], torch.Size)",
    "isinstance(shape + shape, torch.Size)", "copy.deepcopy(shape[1:])", "pickle.loads(pickle.dumps(shape))", "hash(shape) == hash((2, 3))", "torch.zeros(shape[:1] + (1,))",
    "torch.ones(2, 3).size()[1:]", "torch.broadcast_shapes((2, 1), (3,))[1:]", "shape.index(3)", "str(shape[1:])",
)
def sizes(torch, text):
    import copy
    import pickle

    import numpy as np
    found = eval(text, {"torch": torch, "np": np, "copy": copy, "pickle": pickle, "shape": torch.ones(2, 3).shape})
    return found, type(found).__name__


WRONG = {
    "shape + (1.5,)": "torch.Size() takes an iterable of 'int' (item 2 is 'float')",
    "shape + ('a',)": "torch.Size() takes an iterable of 'int' (item 2 is 'str')",
    "torch.Size([None])": "torch.Size() takes an iterable of 'int' (item 0 is 'NoneType')",
    "torch.Size('ab')": "torch.Size() takes an iterable of 'int' (item 0 is 'str')",
    "shape + [1]": "",
    "torch.mul(v, 'a')": "mul(): argument 'other' (position 2) must be Tensor, not str",
    "torch.add(v, None)": "add(): argument 'other' (position 2) must be Tensor, not NoneType",
    "torch.mul(v)": 'mul() missing 1 required positional arguments: "other"',
    "torch.mul()": 'mul() missing 2 required positional argument',
    "torch.mul(v, other=2, foo=1)": "mul() got an unexpected keyword argument 'foo'",
    "torch.logical_and(True, v)": "logical_and(): argument 'input' (position 1) must be Tensor, not bool",
    "torch.fmod(2, v)": "", "torch.rsub(2, v)": "", "torch.eq(2.0, v)": "", "torch.clamp(2.0, v, v)": "",
    "v + 'a'": "unsupported operand type(s) for +: 'Tensor' and 'str'",
    "v - None": "unsupported operand type(s) for -: 'Tensor' and 'NoneType'",
    "v * {}": "unsupported operand type(s) for *: 'Tensor' and 'dict'",
    "v ** 'a'": "unsupported operand type(s) for ** or pow(): 'Tensor' and 'str'",
    "v < 'a'": "not supported between instances of 'Tensor' and 'str'",
    "torch.dot(v, 1.0)": "dot(): argument 'tensor' (position 2) must be Tensor, not float",
    "torch.equal(v, 1)": "equal(): argument 'other' (position 2) must be Tensor, not int",
    "torch.allclose(v, 1.0)": "allclose(): argument 'other' (position 2) must be Tensor, not float",
    "torch.where(True, v, v)": "where() received an invalid combination of arguments",
    "torch.sin()": 'sin() missing 1 required positional arguments: "input"',
    "torch.sin(v, 1)": "sin() takes 1 positional argument but 2 were given",
    "torch.sin(2.0)": "sin(): argument 'input' (position 1) must be Tensor, not float",
    "v.sum(foo=2)": "", "v.sum(dim=1.5)": "sum() received an invalid combination of arguments", "v.sum('a')": "sum() received an invalid combination",
    "v.softmax()": 'softmax() missing 1 required positional arguments: "dim"',
    "v.reshape()": 'reshape() missing 1 required positional arguments: "shape"',
    "v.view()": "", "v.view(3.0)": "", "v.expand()": 'expand() missing 1 required positional arguments: "size"',
    "v.permute()": 'permute() missing 1 required positional arguments: "dims"',
    "v.transpose(0)": 'transpose() missing 1 required positional arguments: "dim1"',
    "v.unsqueeze()": 'unsqueeze() missing 1 required positional arguments: "dim"',
    "v.squeeze(1.5)": "squeeze() received an invalid combination of arguments",
    "v.clamp('a')": "clamp() received an invalid combination of arguments",
    "v.pow('a')": "pow() received an invalid combination of arguments",
    "v.masked_fill(v > 0, 'a')": "masked_fill() received an invalid combination of arguments",
    "torch.norm(v, 'a')": "linalg.matrix_norm: Order a not supported.",
    "torch.einsum(v)": "must specify the equation string and at least one operand",
    "torch.einsum('i', 2)": "expected Tensor as element 0 in argument 1, but got int",
    "torch.einsum('i,i->', v)": "fewer operands were provided than specified in the equation",
    "torch.einsum('i->', v, v)": "more operands were provided than specified in the equation",
    "torch.tensor([1, 'a'])": "new(): invalid data type 'str'",
    "torch.ones()": 'ones() missing 1 required positional arguments: "size"',
    "torch.rand()": "",
    "torch.arange()": "arange() received an invalid combination of arguments",
    "torch.full((2,), 'a')": "full(): argument 'fill_value' (position 2) must be Number, not str",
    "torch.randn(2, dtype=torch.int64)": "\"normal_kernel_cpu\" not implemented for 'Long'",
    "torch.randperm(-1)": "Trying to create tensor with negative dimension -1: [-1]",
    "torch.tril_indices(-1, 2)": "row must be non-negative, got-1",
    "torch.linalg.solve(a, m)": "linalg.solve: Incompatible shapes of A and B for the equation AX = B (3x3 and 2x3)",
    "torch.linalg.solve(a, m.T, left=False)": "linalg.solve: Incompatible shapes of A and B for the equation XA = B (3x3 and 3x2)",
    "torch.linalg.solve(a, v[:2])": "linalg.solve: Incompatible shapes of A and B for the equation AX = B (3x3 and 2x1)",
    "torch.gather(m, 1, torch.tensor([0]))": "Index tensor must have the same number of dimensions as input tensor",
    "m.scatter_add(1, torch.tensor([0]), m)": "Index tensor must have the same number of dimensions as",
    "m.roll(1, 9)": "Dimension out of range (expected to be in range of [-2, 1], but got 9)",
    "m.flip(0, 0)": "dim 0 appears multiple times in the list of dims",
    "m.narrow(0, 9, 1)": "start out of range (expected to be in range of [-2, 2], but got 9)",
    "torch.fft.fft(v, norm='x')": 'Invalid normalization mode: "x"',
    "torch.fft.fftn(v, (2, 2))": "Got shape with 2 values but input tensor only has 1 dimensions.",
    "torch.meshgrid(m, v)": "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got",
    "torch.searchsorted(m, v)": "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor",
    "torch.bucketize(v, m)": "boundaries tensor must be 1 dimension, but got dim(2)",
    "torch.histc(i)": "\"histogram_cpu\" not implemented for 'Long'",
    "torch.bincount(v)": "\"bincount_cpu\" not implemented for 'Float'",
    "torch.bincount(-i)": "bincount only supports 1-d non-negative integral inputs.",
    "torch.corrcoef(a[None])": "corrcoef(): expected input to have two or fewer dimensions but got an input with 3 dimensions",
    "torch.as_strided(v, (2,), (1, 1))": "mismatch in length of strides and shape",
    "torch.polygamma(-1, v)": "polygamma(n, x) does not support negative n.",
    "torch.combinations(m)": "Expect a 1D vector, but got shape [2, 3]",
    "torch.cartesian_prod(m)": "Expect a 1D vector, but got shape [2, 3]",
    "torch.block_diag(a[None])": "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input 0 has 3 dimensions",
    "torch.tensordot(m, m, 1)": "contracted dimensions need to match, but first has size 3 in dim -1 and second has size 2 in dim 0",
    "torch.tensordot(m, m, ([0], [0, 1]))": "both dimension lists should have same length",
    "torch.cdist(v, v)": "cdist only supports at least 2D tensors, X1 got: 1D",
    "torch.cdist(m, a[:, :2])": "X1 and X2 must have the same number of columns. X1: 3 X2: 2",
    "torch.renorm(m, 2, 0, -1)": "renorm: expected maxnorm to be >= 0 but got -1",
    "torch.complex(i, i)": "Expected both inputs to be Half, Float or Double tensors but got Long and Long",
    "torch.polar(v, v * 1j)": "Expected both inputs to be Half, Float or Double tensors but got Float and ComplexFloat",
    "torch.nn.functional.nll_loss(m, i)": "Expected input batch_size (2) to match target batch_size (3).",
    "torch.nn.functional.cross_entropy(m, torch.tensor([5, 1]))": "Target 5 is out of bounds.",
}


@each(*WRONG)
def wrong_arguments(torch, text):
    scope = {"torch": torch, "v": torch.tensor([1.0, 2.0, 3.0]), "m": torch.ones(2, 3), "a": torch.eye(3), "i": torch.tensor([0, 1, 4]),
             "shape": torch.ones(2, 3).shape}
    return raises(lambda: eval(text, scope), *filter(None, [WRONG[text]]))

"""T1: making Tensors, and what can be asked of them."""
from __future__ import annotations

import copy
import io
import pickle

import numpy as np

from ..collect import each
from ..observe import raises, warns


@each(
    "torch.tensor(1.5)", "torch.tensor([1, 2])", "torch.tensor([1.0, 2])", "torch.tensor([[True]])", "torch.tensor(1j)",
    "torch.tensor([])", "torch.tensor([1, 2.5])", "torch.tensor(3, dtype=torch.float16)", "torch.tensor([1.0], requires_grad=True)",
    "torch.tensor(np.float32(2))", "torch.tensor(np.arange(3))", "torch.tensor(np.ones((2, 2), np.float32))", "torch.tensor(True)",
    "torch.tensor([1.0, 2.0], dtype=torch.bfloat16)", "torch.tensor((1, (2))[0])", "torch.tensor([torch.tensor(1.0), torch.tensor(2.0)])",
    "torch.as_tensor([1.0])", "torch.as_tensor(np.zeros(2))", "torch.from_numpy(np.arange(2.0))", "torch.scalar_tensor(2)",
    "torch.zeros(2)", "torch.zeros(2, 3)", "torch.zeros((2, 3))", "torch.zeros([2])", "torch.zeros(())",
    "torch.zeros(2, dtype=torch.int64)", "torch.zeros(size=(2,))", "torch.ones(2, requires_grad=True)",
    "torch.ones(2, 2, dtype=torch.float64)", "torch.full((2,), 7)", "torch.full((2,), 7.0)", "torch.full((2,), True)",
    "torch.full((), 1j)", "torch.eye(2)", "torch.eye(2, 3)", "torch.eye(2, dtype=torch.long)", "torch.arange(3)", "torch.arange(1, 4)",
    "torch.arange(0, 1, 0.25)", "torch.arange(3.0)", "torch.arange(5, 0, -2)", "torch.arange(3, dtype=torch.float64)",
    "torch.linspace(0, 1, 3)", "torch.linspace(0, 1, steps=5, dtype=torch.float64)", "torch.logspace(0, 2, 3)", "torch.empty(0)",
    "torch.empty((0, 3))", "torch.empty(2, 3).shape", "torch.rand(2, 3).shape", "torch.randn(2, dtype=torch.float64).dtype",
    "torch.randn((1, 1), requires_grad=True).requires_grad", "torch.randint(0, 1, (2,))", "torch.randint(1, (2, 2))", "torch.randperm(1)",
    "torch.randperm(5).sort().values", "torch.zeros_like(torch.ones(2), dtype=torch.int32)",
    "torch.ones_like(torch.zeros(2, requires_grad=True))", "torch.ones_like(torch.zeros(2), requires_grad=True)",
    "torch.full_like(torch.zeros(2), 3)", "torch.randn_like(torch.ones(2, 2)).shape", "torch.rand_like(torch.ones(2)).dtype",
    "torch.empty_like(torch.ones(2, 3)).size()", "torch.complex(torch.ones(1), torch.zeros(1))",
    "torch.view_as_real(torch.tensor([1 + 2j]))", "torch.view_as_complex(torch.ones(2, 2))", "torch.polar(torch.ones(1), torch.zeros(1))",
    "torch.FloatTensor([1, 2])", "torch.DoubleTensor([1])", "torch.LongTensor([1, 2])", "torch.IntTensor([1])", "torch.BoolTensor([True])",
    "torch.HalfTensor([1])", "torch.ByteTensor([1])", "torch.ShortTensor([1])", "torch.CharTensor([1])", "torch.FloatTensor(2, 3).shape",
    "torch.Tensor([1, 2])", "torch.Tensor(2, 3).shape", "torch.Tensor()", "torch.tril_indices(2, 2)", "torch.triu_indices(2, 2)",
    "torch.zeros(2, device='cpu')", "torch.tensor([1.0], device=torch.device('cpu'))", "torch.hann_window(4)",
    "torch.normal(0.0, 0.0, (2,))", "torch.bernoulli(torch.ones(2))", "torch.multinomial(torch.tensor([0.0, 1.0]), 2, replacement=True)",
    "torch.asarray([1.0])", "torch.clone(torch.ones(2))", "torch.empty_strided((2, 3), (1, 2)).stride()", "torch.Size([2, 3]).numel()",
)
def made(torch, text):
    return eval(text, {"torch": torch, "np": np})


@each(
    "t.dtype", "t.shape", "t.size()", "t.size(0)", "t.size(-1)", "t.size(dim=1)", "t.ndim", "t.dim()", "t.numel()", "t.nelement()",
    "t.stride()", "t.stride(0)", "t.T.stride()", "t[:, 1:].stride()", "t.is_contiguous()", "t.T.is_contiguous()", "t.storage_offset()",
    "t[1].storage_offset()", "t.element_size()", "t.itemsize", "t.nbytes", "t.device.type", "str(t.device)", "t.is_leaf",
    "t.requires_grad", "t.grad", "t.grad_fn", "t.output_nr", "t.retains_grad", "t._version", "t._base", "t.is_floating_point()",
    "t.is_complex()", "t.is_signed()", "t.is_sparse", "t.layout", "t.is_cuda", "t.is_inference()", "t._is_view()",
    "t.data_ptr() == t.data.data_ptr()", "t.data_ptr() == t.clone().data_ptr()", "t[0]._base is t", "t.tolist()", "t[0, 0].item()",
    "len(t)", "[r for r in t][1]", "list(t.shape)", "isinstance(t.shape, tuple)", "t in [t]", "t[0, 0] in t", "bool(t[0, 0] > 0)",
    "float(t[0, 0])", "int(t[1, 0])", "complex(t[0, 0])", "t.numpy()", "np.asarray(t)", "t.__array__().dtype", "t.real",
    "t.to(torch.complex64).imag", "t.to(torch.complex64).real.requires_grad", "torch.numel(t)", "torch.is_floating_point(t)",
    "torch.is_complex(t)", "torch.is_tensor(t)", "isinstance(t, torch.Tensor)", "type(t).__name__", "torch.result_type(t, 1.0)",
    "torch.can_cast(torch.double, torch.float)", "torch.promote_types(torch.int32, torch.float16)", "torch.finfo(torch.float32).eps",
    "torch.iinfo(torch.int8).max", "torch.float32.is_floating_point", "torch.complex64.is_complex", "torch.float16.itemsize",
    "torch.get_default_dtype()", "torch.float == torch.float32", "torch.double is torch.float64", "torch.half", "torch.cfloat",
    "torch.cdouble", "torch.long", "torch.int", "torch.short", "torch.pi", "torch.inf", "torch.nan", "torch.e", "torch.newaxis",
    "torch.contiguous_format", "t.T.contiguous(memory_format=torch.contiguous_format).stride()", "t.shape[0:1]",
    "t.size() == torch.Size([2, 3])", "t.requires_grad_().requires_grad", "t.element_size() * t.nelement()", "hash(t) == hash(t)",
    "t.is_same_size(t)", "torch.is_grad_enabled()", "torch.is_inference_mode_enabled()", "torch.is_inference(t)", "t.is_pinned()",
    "t.is_conj()", "t.is_neg()", "t.is_shared()", "t.resolve_conj().shape", "t.unsafe_chunk(2)[0]", "t.is_set_to(t)", "t.type()",
    "t.long().type()", "t.get_device()",
)
def attributes(torch, text):
    return eval(text, {"torch": torch, "np": np, "t": torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])})


def only_floating_may_require_grad(torch):
    return [
        raises(lambda: torch.tensor([1], requires_grad=True), "Only Tensors of floating point and complex dtype can require gradients"),
        raises(lambda: torch.tensor([1]).requires_grad_(), "only Tensors of floating point", "can require gradients"),
        raises(
            lambda: torch.zeros(2, dtype=torch.bool, requires_grad=True),
            "Only Tensors of floating point and complex dtype can require gradients",
        ),
        raises(lambda: setattr(torch.tensor([1]), "requires_grad", True), "only Tensors of floating point"),
        torch.tensor([1j], requires_grad=True),
        torch.tensor([1], requires_grad=False),
        torch.ones(1, dtype=torch.half, requires_grad=True),
    ]


def numpy_of_a_tensor_that_requires_grad(torch):
    t = torch.ones(2, requires_grad=True)
    return [
        raises(t.numpy, "Can't call numpy() on Tensor that requires grad", "detach()"),
        raises((t * 2).numpy, "requires grad"),
        raises(lambda: np.asarray(t), "requires grad"),
        t.detach().numpy(),
        t.numpy(force=True),
        float(t[0]),
        t.tolist(),
        t.sum().item(),
    ]


def storing_in_a_plain_array(torch):
    t = torch.ones((), requires_grad=True)
    a = np.zeros(2)
    return raises(lambda: a.__setitem__(0, np.asarray(t)), "requires grad")


def from_numpy_shares_memory(torch):
    a = np.zeros(3)
    t = torch.from_numpy(a)
    t[0] = 1
    a[1] = 2
    b = torch.zeros(2)
    b.numpy()[1] = 5
    c = torch.tensor(a)
    c[2] = 9
    return t, a, b, c, torch.as_tensor(t) is t, t._version


def scalars(torch):
    t = torch.tensor(2.5)
    return [
        float(t),
        int(t),
        bool(t),
        t.item(),
        t.tolist(),
        complex(t),
        raises(lambda: len(t), "len() of a 0-d tensor"),
        raises(lambda: list(t), "iteration over a 0-d tensor"),
        raises(lambda: torch.ones(2).item(), "cannot be converted to Scalar"),
        raises(lambda: bool(torch.ones(2)), "Boolean value of Tensor with more than one value is ambiguous"),
        raises(lambda: float(torch.ones(2)), "only one element tensors can be converted to Python scalars"),
        [0, 1, 2][torch.tensor(1)],
        f"{torch.tensor(1.5):.2f}",
    ]


def item_of_a_tensor_that_requires_grad_is_a_number(torch):
    t = torch.tensor([1.5], requires_grad=True)
    return t.item(), float(t), int(t), bool(t), t.tolist(), format(t.detach()[0].item(), ".3f")


def default_dtype(torch):
    seen = [torch.get_default_dtype(), torch.tensor(1.0).dtype, torch.tensor(1j).dtype]
    torch.set_default_dtype(torch.float64)
    try:
        seen += [
            torch.get_default_dtype(),
            torch.tensor(1.0),
            torch.zeros(1),
            torch.arange(0, 1, 0.5),
            torch.tensor(1j).dtype,
            torch.tensor([1]) / 2,
            torch.full((1,), 2.0),
            torch.eye(1),
        ]
    finally:
        torch.set_default_dtype(torch.float32)
    return seen, torch.zeros(1).dtype


def manual_seed_repeats(torch):
    torch.manual_seed(3)
    first = [torch.rand(2), torch.randn(2), torch.randint(0, 9, (3,)), torch.randperm(4)]
    torch.manual_seed(3)
    second = [torch.rand(2), torch.randn(2), torch.randint(0, 9, (3,)), torch.randperm(4)]
    return [bool((a == b).all()) for a, b in zip(first, second)], bool(((first[0] >= 0) & (first[0] < 1)).all())


def _kept(t):
    """What a copy keeps; its version is that of the way it was made."""
    return t.detach(), t.requires_grad, t.is_leaf, t.grad


def deepcopy_of_a_leaf(torch):
    t = torch.tensor([1.0, 2.0], requires_grad=True)
    t.sum().backward()
    c = copy.deepcopy(t)
    with torch.no_grad():
        c += 1
    return t, _kept(c), raises(lambda: copy.deepcopy(t * 2), "Only Tensors created explicitly by the user")


def shallow_copy(torch):
    t = torch.tensor([1.0, 2.0], requires_grad=True)
    c = copy.copy(t)
    return _kept(c), c is t, c.data_ptr() == t.data_ptr()


def pickles(torch):
    t = torch.tensor([1.0, 2.0], requires_grad=True)
    return [_kept(pickle.loads(pickle.dumps(x))) for x in (t, torch.tensor([1, 2]), torch.ones(2, dtype=torch.bfloat16), torch.tensor(1j))]


def pickles_without_history(torch):
    y = pickle.loads(pickle.dumps(torch.ones(2, requires_grad=True) * 2))
    return y.tolist(), y.requires_grad, y.is_leaf


@each("torch.DoubleTensor", "'torch.LongTensor'", "'torch.BFloat16Tensor'", "torch.int32", "'torch.BoolTensor'")
def casts_by_type(torch, text):
    return torch.tensor([1.5, 0.0]).type(eval(text, {"torch": torch}))


def save_and_load(torch):
    file = io.BytesIO()
    torch.save({"w": torch.ones(2), "step": 3, "list": [torch.zeros(1, requires_grad=True)]}, file)
    file.seek(0)
    loaded = torch.load(file)
    return _kept(loaded["w"]), loaded["step"], _kept(loaded["list"][0])


def data_is_outside_the_graph(torch):
    t = torch.tensor([1.0, 2.0], requires_grad=True)
    y = t * t
    t.data.mul_(3)
    d = t.data
    d[0] = 7
    y.sum().backward()
    return t, d, d.requires_grad, t._version, d._version


def assigning_data(torch):
    t = torch.tensor([1.0, 2.0], requires_grad=True)
    t.data = torch.tensor([5.0, 6.0, 7.0])
    (t * 2).sum().backward()
    return t, t.shape, raises(lambda: setattr(t, "data", torch.ones(2, dtype=torch.int64)))


def requires_grad_and_leaves(torch):
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    c = torch.ones(2)
    d = c.requires_grad_()
    return a, b, c, d is c, b.detach(), b.is_leaf, (c.detach() * 2).is_leaf


def setting_requires_grad_on_a_non_leaf(torch):
    y = torch.ones(2, requires_grad=True) * 2
    return [
        raises(lambda: setattr(y, "requires_grad", False), "you can only change requires_grad flags of leaf variables"),
        raises(lambda: setattr(y, "requires_grad", True), "you can only change requires_grad flags of leaf variables"),
        raises(lambda: y.requires_grad_(False), "you can only change requires_grad flags of leaf variables", "detach()"),
        y.requires_grad_(),
        y.requires_grad_(True) is y,
    ]


def grad_of_a_non_leaf_warns(torch):
    y = torch.ones(2, requires_grad=True) * 2
    y.sum().backward()
    return warns(lambda: y.grad, ".grad attribute of a Tensor that is not a leaf Tensor is being accessed")


def assigning_grad(torch):
    t = torch.ones(2, requires_grad=True)
    t.grad = torch.full((2,), 3.0)
    t.sum().backward()
    return [
        t,
        raises(lambda: setattr(t, "grad", torch.ones(3)), "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'"),
        raises(lambda: setattr(t, "grad", torch.ones(2, dtype=torch.float64)), "attempting to assign a gradient with dtype 'double'"),
        raises(lambda: setattr(t, "grad", 1.0), "assigned grad expected to be a Tensor or None"),
        raises(lambda: setattr(t, "grad", t), "can't assign Variable as its own grad"),
        setattr(t, "grad", None),
        t.grad,
    ]


def properties_that_cannot_be_set(torch):
    t = torch.ones(2, requires_grad=True)
    return [
        raises(lambda: setattr(t, name, 1))
        for name in ("grad_fn", "is_leaf", "shape", "dtype", "_version", "output_nr", "retains_grad", "ndim")
    ]


def deleting_grad(torch):
    t = torch.ones(2, requires_grad=True)
    t.sum().backward()
    del t.grad
    return t.grad

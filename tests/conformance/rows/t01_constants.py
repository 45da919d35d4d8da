"""T1: constants, limits, and what is copied or pickled, as they print."""
from __future__ import annotations

import copy
import io
import pickle

from ..collect import each
from ..observe import normal, raises


@each("torch.finfo(torch.float32)", "torch.finfo(torch.float64)", "torch.finfo(torch.float16)", "torch.finfo(torch.bfloat16)",
      "torch.finfo(torch.complex64)", "torch.iinfo(torch.int64)", "torch.iinfo(torch.uint8)", "torch.iinfo(torch.int32)", "torch.channels_last",
      "torch.contiguous_format", "torch.preserve_format", "torch.strided", "torch.sparse_coo", "torch.Size([2, 3])", "torch.device('cpu', 0)",
      "[torch.channels_last, torch.strided]", "torch.frexp(torch.tensor([1.0, 3.0]))", "torch.ones(2).layout")
def printed_constants(torch, text):
    return normal(repr(eval(text, {"torch": torch})))


@each("torch.ones(1).layout == torch.strided", "torch.ones(1).layout is torch.strided", "isinstance(torch.strided, torch.layout)",
      "isinstance(torch.channels_last, torch.memory_format)", "isinstance(torch.strided, torch.memory_format)",
      "torch.ones(2, 2).to_sparse().layout == torch.sparse_coo", "torch.zeros(2, layout=torch.strided)", "torch.finfo(torch.float32).resolution",
      "str(torch.channels_last)[6:]", "torch.Size([1]) + (1,)")
def constants(torch, text):
    return eval(text, {"torch": torch})


def wrong_constants(torch):
    return (raises(lambda: torch.device("foo"), "Expected one of cpu, cuda", "device type at start of device string: foo"),
            raises(lambda: torch.device("cpu:x"), "Invalid device string: 'cpu:x'"),
            raises(lambda: torch.Size([1]) + [1], "can only concatenate tuple (not list) to torch.Size"),
            raises(lambda: torch.ones(2).masked_fill(torch.zeros(2, dtype=torch.uint8), 1.0), "masked_fill_ only supports boolean masks, but got mask "
                   "with dtype unsigned char"),
            raises(lambda: torch.ones(2).masked_fill(torch.zeros(2), 1.0), "but got mask with dtype float"))


def nodes_are_not_copied(torch):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.ones(2, requires_grad=True)
    own, node = Twice.apply(x).grad_fn, (x * 2).grad_fn
    return ([raises(lambda f=f: f(node), "cannot pickle 'MulBackward0' object") for f in (copy.copy, copy.deepcopy, pickle.dumps)],
            raises(lambda: pickle.dumps(own)), normal(repr(node)), normal(repr(own)), normal(repr(type(own))))


def shapes_are_loaded(torch):
    file = io.BytesIO()
    torch.save({"shape": torch.Size([1, 2]), "x": torch.ones(2)}, file)
    file.seek(0)
    found = torch.load(file)
    return type(found["shape"]) is torch.Size, found["shape"], found["x"]


def results_of_func_jvp(torch):
    """The value is an alias of what was computed."""
    x = torch.ones(2, requires_grad=True)
    return torch.func.jvp(lambda a: a, (x,), (torch.ones(2),)), torch.func.jvp(lambda a: a * a, (x,), (torch.ones(2),))[0].grad_fn.next_functions[0][0].name()


@each("torch.tensor([complex(1.0, -0.0)])", "torch.tensor([complex(1.0, -0.0), complex(1.0, 2.5)])", "torch.tensor(complex(1.0, -0.0))",
      "torch.tensor([complex(-0.0, -2.0)])", "torch.tensor([complex(1.0, float('nan'))])", "torch.tensor([complex(1.0, -float('inf'))])",
      "torch.autograd.grad(z.real.sum(), z)", "torch.autograd.grad(z.imag.sum(), z)", "torch.autograd.grad(torch.view_as_real(z).sum(), z)")
def printed_signs_of_zero(torch, text):
    """The sign of an imaginary part is printed once, that of a zero too."""
    return normal(repr(eval(text, {"torch": torch, "z": torch.tensor([1 + 2j], requires_grad=True)})))

"""Dtypes as objects: their attributes, how they print, compare, hash, pickle and copy."""
from __future__ import annotations

import copy
import pickle

import numpy as np

from ..collect import each
from ..observe import raises

_NAMES = ("float16", "float32", "float64", "bfloat16", "complex64", "complex128", "uint8", "int8", "int16", "int32", "int64", "bool")


@each(*_NAMES)
def attributes_of_a_dtype(torch, text):
    """What each dtype says of itself."""
    d = getattr(torch, text)
    return [d.is_floating_point, d.is_complex, d.is_signed, d.itemsize, str(d), repr(d), f"{d}", type(d).__name__]


@each(*_NAMES)
def a_dtype_keeps_its_identity(torch, text):
    """A dtype is one object, however it is reached."""
    d = getattr(torch, text)
    x = torch.zeros(2, dtype=d)
    return [x.dtype is d, pickle.loads(pickle.dumps(d)) is d, copy.copy(d) is d, copy.deepcopy([d])[0] is d, {d: 1}[x.dtype],
            isinstance(d, torch.dtype), hash(d) == hash(x.dtype)]


@each("torch.float32.to_complex()", "torch.float64.to_complex()", "torch.complex64.to_complex()", "torch.complex64.to_real()",
      "torch.complex128.to_real()", "torch.float32.to_real()", "torch.int64.to_real()")
def a_dtype_of_the_other_kind(torch, text):
    return str(eval(text))


def a_dtype_without_a_complex_one(torch):
    return raises(torch.int8.to_complex, "Unknown Complex ScalarType for")


@each("torch.float32 == torch.float32", "torch.float32 == torch.float64", "torch.float32 != torch.float64", "torch.float is torch.float32",
      "torch.float32 == 'float32'", "torch.float32 == None", "torch.float32 in (torch.float32, torch.int8)", "torch.half is torch.float16",
      "torch.ones(2).dtype == torch.get_default_dtype()", "torch.tensor(1).dtype is torch.int64", "torch.long is torch.int64",
      "torch.result_type(torch.ones(2), 1j) is torch.complex64", "torch.promote_types(torch.int8, torch.float16) is torch.float16",
      "torch.cfloat is torch.complex64", "torch.ones(2).double().dtype is torch.double", "torch.short is torch.int16")
def comparisons_of_dtypes(torch, text):
    return eval(text)


def dtypes_are_not_made_by_a_call(torch):
    return raises(lambda: torch.dtype(), "cannot create 'torch.dtype' instances")


def a_dtype_in_a_message(torch):
    return raises(lambda: torch.autograd.grad(torch.ones((), dtype=torch.complex64, requires_grad=True) * 1, []), "cannot be empty")


def dtypes_in_a_dict_of_kinds(torch):
    """Dispatch on a dtype, as programs do it."""
    tolerance = {torch.float32: 1e-5, torch.float64: 1e-10}
    return [tolerance[x.dtype] for x in (torch.ones(1), torch.ones(1, dtype=torch.float64))]


def the_dtype_of_an_array(torch):
    """What NumPy makes of a Tensor's numbers."""
    return [str(torch.ones(2, dtype=d).numpy().dtype) for d in (torch.float32, torch.float64, torch.int16, torch.complex64, torch.bool)] + [
        torch.from_numpy(np.ones(2, np.int16)).dtype is torch.int16]

"""Classification of the methods and attributes of arrays."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "numpy.ndarray",
    differentiable="""
        astype choose clip compress conj conjugate copy cumprod cumsum diagonal dot flatten item max mean min prod ravel repeat
        reshape squeeze std sum swapaxes take tolist trace transpose var view
    """,
    handled="T fill flat imag mT partition put real resize sort",
    constant="all any argmax argmin argpartition argsort nonzero round searchsorted",
    structural="device dtype flags itemsize dumps nbytes ndim shape size strides tobytes",
    refused={
        "it reads or writes the bytes of numbers": "byteswap dump getfield setfield tofile",
        "it says how the memory is used": "setflags to_device",
        "it exposes the memory of an array": "base ctypes data",
        "newer versions of NumPy lack it: use the function of that name, or assign to an item": "itemset newbyteorder ptp tostring",
    },
),)

"""Where tensors are: the CPU."""
from __future__ import annotations

__all__ = ["CPU", "NoDevice", "device", "refuse_others"]


_KINDS = ("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy", "vulkan", "mps",
          "meta", "hpu", "mtia", "privateuseone")


class NoDevice(AssertionError, RuntimeError):
    """CUDA was asked for; of both kinds that PyTorch raises."""


class device(str):
    """A device, which is the CPU; a string too.

    Examples
    --------
    >>> device("cpu"), device("cpu").type
    (device(type='cpu'), 'cpu')
    """

    __slots__ = ()

    def __new__(cls, type: "str | device" = "cpu", index: int | None = None) -> "device":
        """``device("cpu")``, ``device("cuda:0")``, ``device("cuda", 0)``."""
        kind, colon, number = type.partition(":")
        if colon and not number.isdecimal():
            raise RuntimeError(f"Invalid device string: '{type}'")
        if kind not in _KINDS:
            raise RuntimeError(f"Expected one of {', '.join(_KINDS)} device type at start of device string: {kind}")
        return super().__new__(cls, type if index is None else f"{type}:{index}")

    @property
    def type(self) -> str:
        """The kind of device."""
        return str(self.partition(":")[0])

    @property
    def index(self) -> int | None:      # type: ignore[override]
        """Its number, where one was given."""
        number = self.partition(":")[2]
        return int(number) if number else None

    def __repr__(self) -> str:
        return f"device(type={self.type!r}" + (f", index={self.index})" if self.index is not None else ")")


CPU = device("cpu")


def refuse_others(where: object) -> None:
    """`NoDevice`, or RuntimeError, for any device but the CPU."""
    kind = "cpu" if where is None else str(where).partition(":")[0]
    if kind == "cuda":
        raise NoDevice(f"Torch not compiled with CUDA enabled: transgrad computes with NumPy; its only device is cpu, not {where!s}")
    if kind != "cpu":
        raise RuntimeError(f"Expected cpu device type at start of device string: {where!s}. transgrad computes with NumPy; its only device "
                           "is cpu")

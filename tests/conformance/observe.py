"""What a case returns, turned into plain data that can be compared, and stored as JSON."""
from __future__ import annotations

import contextlib
import io
import math
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

FLAGS = ("requires_grad", "is_leaf", "retains_grad")


def plain(value: Any, data: Callable[[np.ndarray], Any] | None = None) -> Any:
    """``value`` as JSON: Tensors with dtype, shape, flags, version and node; floats, NaN and infinities included.

    ``data`` says how the numbers of Tensors and arrays are told, as lists (`numbers`) unless it is given.
    """
    data = data or numbers
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return str(value)       # of a constant that is a kind of string here
    if isinstance(value, float):
        return float(value)
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, dict):
        return {str(key): plain(item, data) for key, item in value.items()}
    if is_tensor(value):
        return tensor(value, data)
    if isinstance(value, np.ndarray):
        return {"array": f"{value.dtype} {value.shape}", "data": data(value)}
    if isinstance(value, np.generic):
        return {"scalar": str(value.dtype), "data": data(np.asarray(value))}
    if isinstance(value, (tuple, list)):
        return [plain(item, data) for item in value]
    if isinstance(value, type):
        return value.__name__
    if callable(getattr(value, "name", None)):
        return {"node": value.name()}
    return normal(str(value))


def is_tensor(value: Any) -> bool:
    """Whether this is a Tensor, of either library."""
    return hasattr(type(value), "requires_grad") and hasattr(type(value), "is_leaf")


def tensor(t: Any, data: Callable[[np.ndarray], Any]) -> dict[str, Any]:
    """All that can be asked of a Tensor; of a leaf's gradient the strides too.

    Versions of what does not require grad, and whether it is a view, are left to the cases about them: the engine makes gradients as it sees fit.
    """
    if t.layout is not None and "sparse" in str(t.layout):
        t_dense = t.detach().to_dense()
        return {"sparse": f"{name_of(t.dtype)} {tuple(t.shape)}", "data": data(as_array(t_dense))}
    seen: dict[str, Any] = {"tensor": f"{name_of(t.dtype)} {tuple(t.shape)}", "flags": " ".join(f for f in FLAGS if getattr(t, f))}
    if t.is_inference():
        seen["flags"] += " inference"
    elif t.requires_grad:
        seen["flags"] += " view" * t._is_view()
        seen["version"] = t._version
    if t.grad_fn is not None:
        seen["node"] = t.grad_fn.name()
        if t.output_nr:
            seen["output_nr"] = t.output_nr
    seen["data"] = data(as_array(t))
    if (t.is_leaf or t.retains_grad) and t.grad is not None:
        seen["grad"] = plain(t.grad.detach(), data)
        if "sparse" not in seen["grad"]:
            seen["grad"]["strides"] = [step for step, length in zip(t.grad.stride(), t.grad.shape) if length > 1]
    return seen


def name_of(dtype: Any) -> str:
    return str(dtype).rsplit(".", 1)[-1]


def as_array(t: Any) -> np.ndarray:
    return np.asarray((t.float() if name_of(t.dtype) == "bfloat16" else t).numpy(force=True))


def numbers(a: np.ndarray) -> Any:
    """Nested lists; complex numbers as pairs, floats with twelve digits."""
    if np.iscomplexobj(a):
        return numbers(np.stack([a.real, a.imag], -1))
    if a.dtype.kind == "f":
        a = a.astype(np.float64)
        return _rounded(a.tolist())
    return a.tolist()


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return float(f"{value:.12g}") if math.isfinite(value) else value


def normal(text: str) -> str:
    """Text without what differs by nature: the library's name, addresses, and the places of files."""
    text = re.sub(r"\btransgrad\b", "torch", text)
    text = re.sub(r"\btorch\.(?=(?:u?int|b?float|complex|bool)\d*\b)", "", text)
    return re.sub(r" at 0x[0-9a-f]+|0x[0-9a-f]+", "", text)


def raises(call: Callable[[], Any], *words: str) -> Any:
    """The kind of error that ``call`` raises, and which of the distinctive words its message has."""
    try:
        result = call()
    except Exception as error:
        text = normal(str(error))
        lacks = [w for w in words if normal(w) not in text]
        return {"raises": builtin(type(error))} | ({"lacks": lacks, "message": text[:400]} if lacks else {})
    return {"returns": result} | ({"lacks": words, "message": "no error"} if words else {})


def builtin(kind: type[BaseException]) -> str:
    """The name of the nearest built-in class, which is what an ``except`` clause can name without either library."""
    return next(k.__name__ for k in kind.__mro__ if k.__module__ == "builtins")


def warns(call: Callable[[], Any], *words: str) -> dict[str, Any]:
    """The result of ``call`` and whether it warned with the distinctive words."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    text = " ".join(str(w.message) for w in caught)
    lacks = [w for w in words if w not in text]
    return {"result": result, "warned": bool(caught)} | ({"lacks": lacks, "message": text[:400]} if lacks else {})


def prints(call: Callable[[], Any]) -> str:
    """What ``call`` writes to standard output."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        call()
    return normal(out.getvalue())


def shows(value: Any, documented: str) -> dict[str, Any]:
    """Whether ``value`` prints as the documents show it, numbers to their printed digits."""
    text = normal(value if isinstance(value, str) else repr(value))
    return {"as documented": True} if alike(text, documented) else {"lacks": [documented], "message": text}


NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d*(?:e[+-]?\d+)?")


def alike(text: str, documented: str) -> bool:
    """The same words, and the same numbers to a unit of the fourth decimal."""

    def split(t: str) -> tuple[str, list[float]]:
        return re.sub(r"\s", "", NUMBER.sub("#", t)), [float(n) for n in NUMBER.findall(t)]

    (words, numbers_), (expected_words, expected_numbers) = split(text), split(documented)
    return words == expected_words and all(abs(a - b) < 2.5e-4 for a, b in zip(numbers_, expected_numbers))


@contextlib.contextmanager
def clean(torch: Any) -> Iterator[None]:
    """The library's modes as they are at the start, whatever a case does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            torch.set_grad_enabled(True)
            torch.autograd.set_detect_anomaly(False)


def observe(case: Callable[[Any], Any], torch: Any) -> Any:
    """What a case shows on this library; an error that it does not expect is part of it."""
    try:
        with clean(torch):
            return plain(case(torch))
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {normal(str(error))[:500]}"}

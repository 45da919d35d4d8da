"""Which line of the forward pass made the node that failed, or that gave NaN."""
from __future__ import annotations

import contextlib
import threading
import traceback
import warnings
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from .callers import stacklevel, user_frames
from .state import STATE, everywhere
from .tensor import Tensor

if TYPE_CHECKING:
    from .nodes import Node

__all__ = ["Anomaly", "detect_anomaly", "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "set_detect_anomaly"]


class Anomaly:
    """The events of the tape while detection is on: a node was created, a node is about to run."""

    def __init__(self, check_nan: bool) -> None:
        self.check_nan = check_nan
        self._running = _Running()

    def created(self, node: Node) -> None:
        """Record in the node's metadata the stack of its creation, and the enclosing node, if any."""
        node.metadata["traceback_"] = _user_lines()
        if self._running.nodes:
            node.metadata["parent_"] = self._running.nodes[-1]

    def node(self, node: Node, run: Callable[[], Any]) -> Any:
        """Run the node and return its gradients: arrays, Tensors or None.

        Raises
        ------
        RuntimeError
            If one holds NaN and `check_nan` is set.
        """
        self._running.nodes.append(node)
        try:
            grads = run()
            if self.check_nan and node._edges:      # the gradient of a leaf is not an output of its accumulator
                _refuse_nan(node, grads)
        except BaseException:
            _warn(node)
            raise
        finally:
            self._running.nodes.pop()
        return grads


def _refuse_nan(node: Node, grads: Sequence[object]) -> None:
    for number, grad in enumerate(grads):
        values = grad._memory if isinstance(grad, Tensor) else grad
        if isinstance(values, (np.ndarray, np.generic)) and values.dtype.kind not in "iub" and np.isnan(values).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {number}th output.")


def _warn(node: Node) -> None:
    """Show the line that made the node, then those of the nodes inside which it was made."""
    message = f"Error detected in {node.name()}. "
    maker: Node | None = node
    while maker is not None:
        lines = maker.metadata.get("traceback_")
        if lines is None:
            message += "No forward pass information available. Enable detect anomaly during forward pass for more information."
        else:
            cause = "caused the error" if maker is node else "induced the previous calculation"
            message += f"Traceback of forward call that {cause}:\n{''.join(lines)}"
        with contextlib.suppress(UserWarning):      # where warnings are errors, the error itself is the one to raise
            warnings.warn(message, UserWarning, stacklevel=stacklevel())
        maker = maker.metadata.get("parent_")
        message = f"\n\nPrevious calculation was induced by {maker.name()}. " if maker is not None else ""


class _Running(threading.local):
    """The nodes that this thread is running, the innermost last."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []


def _user_lines() -> list[str]:
    """The stack as `traceback.format_stack` has it, without this package's frames."""
    return traceback.StackSummary.extract((frame, frame.f_lineno) for frame in reversed(user_frames())).format()


def is_anomaly_enabled() -> bool:
    """Return whether anomaly detection is on.

    Examples
    --------
    >>> import transgrad as torch
    >>> torch.is_anomaly_enabled()
    False
    """
    return STATE.anomaly is not None


def is_anomaly_check_nan_enabled() -> bool:
    """Return whether anomaly detection looks for NaN.

    Examples
    --------
    >>> import transgrad as torch
    >>> torch.is_anomaly_check_nan_enabled()
    True
    """
    return _Settings.check_nan


class _Settings:
    check_nan = True


def _set(mode: bool, check_nan: bool) -> None:
    _Settings.check_nan = check_nan
    everywhere("anomaly", Anomaly(check_nan) if mode else None)


class set_detect_anomaly:
    """Switch anomaly detection on or off in all threads, permanently or for a ``with`` block.

    Parameters
    ----------
    mode : bool
        Whether to detect anomalies, as `detect_anomaly` says.
    check_nan : bool
        Whether NaN in a gradient is an error.

    Examples
    --------
    >>> import transgrad as torch
    >>> with torch.autograd.set_detect_anomaly(True):
    ...     print(torch.is_anomaly_enabled())
    True
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        _set(mode, check_nan)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Literal[False]:
        _set(*self._before)
        return False


class detect_anomaly:
    """Find the operation behind an error or a NaN in the backward pass (a context manager).

    In the context each operation records its call site.  If its node raises, a warning shows the call site and, for a node created in a
    backward pass with ``create_graph=True``, that of the underlying operation.  A NaN in a gradient is an error that names the node.
    Operations run slower, so this is for debugging only.

    Parameters
    ----------
    check_nan : bool
        Whether NaN in a gradient is an error.

    Examples
    --------
    >>> import transgrad as torch
    >>> x = torch.tensor(0.0, requires_grad=True)
    >>> with torch.autograd.detect_anomaly():
    ...     y = torch.sqrt(x) * 0.0
    ...     y.backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        message = "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
        warnings.warn(message, stacklevel=2)

    def __enter__(self) -> None:
        self._before = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        _set(True, self.check_nan)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Literal[False]:
        _set(*self._before)
        return False

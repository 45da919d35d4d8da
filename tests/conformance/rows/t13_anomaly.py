"""T13: anomaly detection."""
from __future__ import annotations

import contextlib
import io
import warnings

from ..observe import raises


def _failing(torch):
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            raise RuntimeError("Some error in backward")

    return Fails


def _told(call):
    """What is printed or warned while ``call`` fails, as words."""
    err = io.StringIO()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stderr(err):
        warnings.simplefilter("always")
        seen = raises(call)
    return seen, " ".join(str(w.message) for w in caught) + err.getvalue()


def traceback_of_the_forward_call(torch):
    def forward_that_fails_later(x):
        return _failing(torch).apply(x)

    def run():
        with torch.autograd.detect_anomaly():
            x = torch.ones(2, requires_grad=True)
            forward_that_fails_later(x).sum().backward()

    seen, told = _told(run)
    return seen, "Traceback of forward call that caused the error" in told, "forward_that_fails_later" in told, "FailsBackward" in told


def no_traceback_without(torch):
    x = torch.ones(2, requires_grad=True)
    seen, told = _told(_failing(torch).apply(x).sum().backward)
    return seen, "Traceback of forward call" in told


def nan_raises_with_the_name_of_the_node(torch):
    def run():
        with torch.autograd.detect_anomaly():
            x = torch.zeros(1, requires_grad=True)
            (x.sqrt() * 0).sum().backward()

    err = raises(run, "Function 'SqrtBackward0' returned nan values in its 0th output.")
    return err


def nan_in_another_output(torch):
    def run():
        with torch.autograd.detect_anomaly():
            x, y = torch.ones(1, requires_grad=True), torch.zeros(1, requires_grad=True)
            (x * 0 / y).sum().backward()

    return raises(run, "DivBackward0", "returned nan values in its")


def nan_is_fine_without(torch):
    x = torch.zeros(1, requires_grad=True)
    (x.sqrt() * 0).sum().backward()
    return x


def check_nan_off(torch):
    with torch.autograd.detect_anomaly(check_nan=False):
        x = torch.zeros(1, requires_grad=True)
        (x.sqrt() * 0).sum().backward()
    return x


def inf_is_fine(torch):
    with torch.autograd.detect_anomaly():
        x = torch.zeros(1, requires_grad=True)
        x.sqrt().sum().backward()
    return x


def set_detect_anomaly_as_context_and_call(torch):
    seen = [torch.is_anomaly_enabled()]
    with torch.autograd.set_detect_anomaly(True):
        seen.append(torch.is_anomaly_enabled())
        with torch.autograd.set_detect_anomaly(False):
            seen.append(torch.is_anomaly_enabled())
        seen.append(torch.is_anomaly_enabled())
    seen.append(torch.is_anomaly_enabled())
    torch.autograd.set_detect_anomaly(True, check_nan=True)
    seen.append(torch.is_anomaly_enabled())
    torch.autograd.set_detect_anomaly(mode=False)
    return [*seen, torch.is_anomaly_enabled()]


def detect_anomaly_warns(torch):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly():
            pass
    return [
        "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
        in str(w.message)
        for w in caught
    ]


def double_backward_names_the_parent(torch):
    class Outer(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return _failing(torch).apply(g.clone())

    def run():
        with torch.autograd.detect_anomaly():
            x = torch.ones(2, requires_grad=True)
            (g,) = torch.autograd.grad(Outer.apply(x), x, torch.ones(2, requires_grad=True), create_graph=True)
            g.sum().backward()

    seen, told = _told(run)
    return (
        seen,
        "Traceback of forward call that caused the error" in told,
        "Previous calculation was induced by" in told,
        "OuterBackward" in told,
    )


def graph_made_before_has_no_traceback(torch):
    x = torch.ones(2, requires_grad=True)
    y = _failing(torch).apply(x).sum()

    def run():
        with torch.autograd.detect_anomaly():
            y.backward()

    seen, told = _told(run)
    return seen, "No forward pass information available. Enable detect anomaly during forward pass for more information." in told


def a_forward_of_nan_is_not_checked(torch):
    with torch.autograd.detect_anomaly():
        x = torch.tensor([-1.0], requires_grad=True)
        y = x.sqrt()
    return y


def error_of_a_stale_value_tells_the_forward_call(torch):
    def run():
        with torch.autograd.detect_anomaly():
            y = torch.ones(2, requires_grad=True) * 1
            z = y.exp()
            z.add_(1)
            z.sum().backward()

    seen, told = _told(run)
    return seen, "Traceback of forward call that caused the error" in told, "ExpBackward0" in told


def nan_that_reaches_a_leaf_is_no_output_of_a_node(torch):
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    y.register_hook(lambda g: g * float("nan"))
    with torch.autograd.detect_anomaly():
        x.backward(torch.tensor([float("nan"), 1.0]))
        (y * 2).sum().backward()
    return x, y

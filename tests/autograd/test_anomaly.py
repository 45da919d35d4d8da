"""Anomaly detection: where the node that failed was made. The same lines run on PyTorch."""
from __future__ import annotations

import threading
import warnings

import pytest


@pytest.fixture(autouse=True)
def off_again(torch):
    yield
    torch.autograd.set_detect_anomaly(False)


def failing(torch):
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            raise RuntimeError("Some error in backward")
    return Fails


def told(run, error):
    """What is warned of while `run` raises."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError, match=error):
            run()
    return [str(w.message) for w in caught if "Anomaly Detection has been enabled" not in str(w.message)]


def test_documented_example(torch):
    def run_fn(a):
        out = failing(torch).apply(a)
        return out.sum()

    def run():
        with torch.autograd.detect_anomaly():
            run_fn(torch.rand(10, 10, requires_grad=True)).backward()

    [message] = told(run, "Some error in backward")
    assert message.startswith("Error detected in FailsBackward. Traceback of forward call that caused the error:\n")
    assert "in run_fn\n    out = failing(torch).apply(a)\n" in message
    assert message.index("in run\n") < message.index("in run_fn\n")      # as a traceback has it, the innermost last
    assert "/transgrad/autograd/" not in message


def test_nan_names_node_and_output(torch):
    def run():
        with torch.autograd.detect_anomaly():
            (torch.zeros(1, requires_grad=True).sqrt() * 0).sum().backward()

    [message] = told(run, "Function 'SqrtBackward0' returned nan values in its 0th output.")
    assert "Error detected in SqrtBackward0. Traceback of forward call" in message


def test_nan_of_a_custom_function(torch):
    class Spoils(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, g):
            return g, g * float("nan")

    def run():
        with torch.autograd.detect_anomaly():
            Spoils.apply(torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)).sum().backward()

    told(run, "Function 'SpoilsBackward' returned nan values in its 1th output.")


def test_nan_unchecked(torch):
    with pytest.warns(UserWarning, match="should only be enabled for debugging"), torch.autograd.detect_anomaly(check_nan=False):
        x = torch.zeros(1, requires_grad=True)
        (x.sqrt() * 0).sum().backward()
    assert x.grad.isnan().all()


def test_double_backward_shows_the_operation_behind(torch):
    def power(x):
        return x ** 1.5

    def run():
        with torch.autograd.detect_anomaly():
            x = torch.zeros((), dtype=torch.float64, requires_grad=True)
            gradient, = torch.autograd.grad(power(x), x, create_graph=True)
            (gradient * 0.0).backward()

    first, second = told(run, "Function 'PowBackward0' returned nan values")
    assert "Error detected in PowBackward0. Traceback of forward call that caused the error" in first
    assert "Previous calculation was induced by PowBackward0. Traceback of forward call that induced the previous calculation" in second
    assert "in power\n" in second and "in power\n" not in first


def test_without_a_traceback(torch):
    y = failing(torch).apply(torch.ones(2, requires_grad=True)).sum()

    def run():
        with torch.autograd.detect_anomaly():
            y.backward()

    [message] = told(run, "Some error")
    assert "No forward pass information available. Enable detect anomaly during forward pass for more information." in message
    y = failing(torch).apply(torch.ones(2, requires_grad=True)).sum()
    assert told(y.backward, "Some error") == []


def test_metadata_of_nodes(torch):
    with torch.autograd.set_detect_anomaly(True):
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        gradient, = torch.autograd.grad((y ** 3).sum(), x, create_graph=True)
    assert list(y.grad_fn.metadata) == ["traceback_"]
    assert any("y = x * 2" in entry for entry in y.grad_fn.metadata["traceback_"])
    assert gradient.grad_fn.metadata["parent_"].name() == "MulBackward0"
    assert (x * 2).grad_fn.metadata == {}


def test_switches(torch):
    seen = [torch.is_anomaly_enabled()]
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        seen += [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
        with torch.autograd.set_detect_anomaly(False):
            seen += [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
        seen += [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
    seen += [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
    torch.autograd.set_detect_anomaly(True)
    seen.append(torch.is_anomaly_enabled())
    torch.autograd.set_detect_anomaly(False)
    assert seen == [False, True, False, False, True, True, False, False, True, True]


def test_restored_by_an_error(torch):
    with pytest.raises(ZeroDivisionError), pytest.warns(UserWarning), torch.autograd.detect_anomaly():
        raise ZeroDivisionError
    assert not torch.is_anomaly_enabled()


def test_holds_for_all_threads(torch):
    seen, go = [], threading.Event()

    def look():
        seen.append(torch.is_anomaly_enabled())
        go.wait(20)
        seen.append(torch.is_anomaly_enabled())

    early = threading.Thread(target=look, daemon=True)
    early.start()
    with torch.autograd.set_detect_anomaly(True):
        go.set()
        early.join(20)
        late = threading.Thread(target=look)
        late.start()
        late.join(20)
    assert seen == [False, True, True, True]


def test_writes_to_views(torch):
    def run():
        with torch.autograd.detect_anomaly():
            y = torch.zeros(2, requires_grad=True) * 1
            y[:1].sqrt_()
            (y * 0).sum().backward()

    [message] = told(run, "Function 'torch::autograd::CopySlices' returned nan values in its 0th output.")
    assert "y[:1].sqrt_()" in message


@pytest.mark.parametrize("of_leaf, node", [(False, "ExpBackward0"), (True, "torch::autograd::AccumulateGrad")])
def test_errors_of_hooks(torch, of_leaf, node):
    def fails(grad):
        raise RuntimeError("hook fails")

    def run():
        with torch.autograd.detect_anomaly():
            x = torch.ones(2, requires_grad=True)
            y = x.exp()
            (x if of_leaf else y).register_hook(fails)
            y.sum().backward()

    [message] = told(run, "hook fails")
    assert message.startswith(f"Error detected in {node}. Traceback of forward call") and "y = x.exp()" in message


def test_nan_of_a_hook_is_its_node_s(torch):
    def run():
        with torch.autograd.detect_anomaly():
            y = torch.ones(2, requires_grad=True).exp()
            y.register_hook(lambda grad: grad * float("nan"))
            y.sum().backward()

    told(run, "Function 'ExpBackward0' returned nan values in its 0th output.")


def test_an_error_of_one_node_does_not_stay(torch):
    with torch.autograd.set_detect_anomaly(True):
        x = torch.zeros(1, requires_grad=True)
        told((x.sqrt() * 0).sum().backward, "SqrtBackward0")
        y = x * 2
        gradient, = torch.autograd.grad(y.sum(), x, create_graph=True)
        assert "parent_" not in (x * 3).grad_fn.metadata

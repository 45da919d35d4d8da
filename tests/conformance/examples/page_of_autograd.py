"""The examples of the torch.autograd page: modes, leaves, hooks, layouts, Functions, profiler, anomaly detection."""
from __future__ import annotations

import contextlib
import io
import threading
import warnings

import numpy as np

from ..observe import raises, shows


def no_grad(torch):
    """no_grad: as a context and as a decorator"""
    x = torch.tensor([1.0], requires_grad=True)
    with torch.no_grad():
        y = x * 2

    @torch.no_grad()
    def doubler(x):
        return x * 2

    z = doubler(x)
    return shows(y.requires_grad, "False"), shows(z.requires_grad, "False")


def enable_grad(torch):
    """enable_grad: as a context and as a decorator"""
    x = torch.tensor([1.0], requires_grad=True)
    with torch.no_grad():
        with torch.enable_grad():
            y = x * 2
    y.backward()

    @torch.enable_grad()
    def doubler(x):
        return x * 2

    with torch.no_grad():
        z = doubler(x)
    return shows(y.requires_grad, "True"), shows(x.grad, "tensor([2.])"), shows(z.requires_grad, "True")


def set_grad_enabled(torch):
    """set_grad_enabled: as a context and as a function"""
    x = torch.tensor([1.0], requires_grad=True)
    is_train = False
    with torch.set_grad_enabled(is_train):
        y = x * 2
    seen = [shows(y.requires_grad, "False")]
    torch.set_grad_enabled(True)
    y = x * 2
    seen.append(shows(y.requires_grad, "True"))
    torch.set_grad_enabled(False)
    y = x * 2
    return [*seen, shows(y.requires_grad, "False")]


def gradients_reset_to_none(torch):
    """Default gradient layouts: setting each ``.grad`` to None before it is accumulated"""
    parameters = [torch.ones(2, 3, requires_grad=True), torch.ones(3, 2).t().requires_grad_()]
    for _ in range(3):
        loss = sum((p**2).sum() for p in parameters)
        for param in parameters:
            param.grad = None
        loss.backward()
    return parameters


def manual_layout(torch):
    """Manual gradient layouts: a zeroed tensor with the strides wished for"""
    param = torch.ones(2, 3, requires_grad=True)
    param.grad = torch.zeros(3, 2).t()
    for _ in range(2):
        (param**2).sum().backward()
    return param


def factories_with_requires_grad(torch):
    """Variable (deprecated): ``requires_grad`` of the factory methods"""
    t = torch.randn((2, 3, 4), requires_grad=True)
    return t.requires_grad, t.shape, t.is_leaf, torch.zeros(2, requires_grad=True), torch.ones(2, requires_grad=True)


def is_leaf(torch):
    """Tensor.is_leaf, with a cast in the place of the move to a GPU"""
    a = torch.rand(10, requires_grad=True)
    b = torch.rand(10, requires_grad=True).double()
    c = torch.rand(10, requires_grad=True) + 2
    d = torch.rand(10).double()
    e = torch.rand(10).double().requires_grad_()
    f = torch.rand(10, requires_grad=True, device="cpu")
    return [shows(t.is_leaf, text) for t, text in ((a, "True"), (b, "False"), (c, "False"), (d, "True"), (e, "True"), (f, "True"))]


def register_hook(torch):
    """Tensor.register_hook: doubles the gradient"""
    v = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    h = v.register_hook(lambda grad: grad * 2)
    v.backward(torch.tensor([1.0, 2.0, 3.0]))
    seen = shows(v.grad, "tensor([2., 4., 6.])")
    h.remove()
    v.backward(torch.tensor([1.0, 2.0, 3.0]))
    return seen, v


def function_exp(torch):
    """Function: the exponential"""

    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, i):
            result = i.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, grad_output):
            (result,) = ctx.saved_tensors
            return grad_output * result

    x = torch.tensor([0.0, 1.0], requires_grad=True)
    output = Exp.apply(x)
    output.sum().backward()
    return output, x


def saved_results_of_a_node(torch):
    """Autograd graph: a node, its attributes, and what it saved"""
    a = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    b = a.exp()
    documented = [
        "__call__", "__class__", "__delattr__", "__dir__", "__doc__", "__eq__", "__format__", "__ge__", "__getattribute__", "__gt__",
        "__hash__", "__init__", "__init_subclass__", "__le__", "__lt__", "__ne__", "__new__", "__reduce__", "__reduce_ex__", "__repr__",
        "__setattr__", "__sizeof__", "__str__", "__subclasshook__", "_raw_saved_result", "_register_hook_dict", "_saved_result",
        "metadata", "name", "next_functions", "register_hook", "register_prehook", "requires_grad",
    ]
    return (
        shows(isinstance(b.grad_fn, torch.autograd.graph.Node), "True"),
        sorted(set(documented) - set(dir(b.grad_fn))),
        shows(torch.allclose(b.grad_fn._saved_result, b), "True"),
    )


def profile(torch):
    """profiler.profile: a hundred squares and their gradients"""
    x = torch.randn((1, 1), requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        for _ in range(100):
            y = x**2
            y.backward()
    table = prof.key_averages().table(sort_by="self_cpu_time_total")
    calls = {row.key: row.count for row in prof.key_averages()}
    return (
        [name in table for name in ("mul", "pow", "PowBackward0", "torch::autograd::AccumulateGrad")],
        calls["PowBackward0"],
        calls["torch::autograd::AccumulateGrad"],
        calls["aten::pow"] >= 100,
        calls["aten::mul"] >= 100,
    )


def detect_anomaly(torch):
    """detect_anomaly: a function that fails in backward, without and with it"""

    class MyFunc(torch.autograd.Function):
        @staticmethod
        def forward(ctx, inp):
            return inp.clone()

        @staticmethod
        def backward(ctx, gO):
            raise RuntimeError("Some error in backward")
            return gO.clone()

    def run_fn(a):
        out = MyFunc.apply(a)
        return out.sum()

    inp = torch.rand(10, 10, requires_grad=True)
    out = run_fn(inp)
    first = raises(out.backward, "Some error in backward")
    err = io.StringIO()

    def anomalous():
        with torch.autograd.detect_anomaly():
            inp = torch.rand(10, 10, requires_grad=True)
            out = run_fn(inp)
            out.backward()

    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stderr(err):
        warnings.simplefilter("always")
        second = raises(anomalous, "Some error in backward")
    told = err.getvalue() + " ".join(str(w.message) for w in caught)
    return (
        first,
        second,
        [words in told for words in ("Traceback of forward call that caused the error", "out = run_fn(inp)", "out = MyFunc.apply(a)")],
    )


def multithreaded_training(torch):
    """Autograd mechanics: a training function in ten threads"""
    gradients = []

    def train_fn():
        x = torch.ones(5, 5, requires_grad=True)
        y = (x + 3) * (x + 4) * 0.5
        y.sum().backward()
        gradients.append(x.grad)

    threads = []
    for _ in range(10):
        p = threading.Thread(target=train_fn, args=())
        p.start()
        threads.append(p)
    for p in threads:
        p.join()
    return gradients


def complex_scaling(torch):
    """Autograd for complex numbers: f(z) = c z with a real c has the gradient c"""
    c, z = 3.0, torch.tensor(1 + 2j, requires_grad=True)
    (c * z).backward(torch.tensor(1 + 0j))
    return shows(z.grad, "tensor(3.+0.j)")


def chinese_register_hook(torch):
    """Variable.register_hook of the first PyTorch: doubles the gradient, and prints"""
    Variable = torch.autograd.Variable
    v = Variable(torch.Tensor([0, 0, 0]), requires_grad=True)
    h = v.register_hook(lambda grad: grad * 2)
    v.backward(torch.Tensor([1, 1, 1]))
    seen = [shows(v.grad.data, "tensor([2., 2., 2.])")]
    h.remove()
    out = io.StringIO()

    def w_hook(grad):
        print("hello")
        return None

    w1 = Variable(torch.FloatTensor([1, 1, 1]), requires_grad=True)
    w1.register_hook(w_hook)
    with contextlib.redirect_stdout(out):
        w1.backward(gradient=torch.FloatTensor([1, 1, 1]))
    return [*seen, shows(out.getvalue(), "hello\n"), shows(w1.grad, "tensor([1., 1., 1.])")]


def emit_nvtx(torch):
    """profiler.emit_nvtx around a model, where it is switched off"""

    def model(x):
        return (x**2).sum()

    x = torch.ones(2, requires_grad=True)
    model(x)
    with torch.autograd.profiler.emit_nvtx(enabled=False):
        model(x).backward()
    return x


def numpy_shares_with_the_tensor(torch):
    """mark_dirty: the array of a Tensor shares its memory"""
    x = torch.zeros(3)
    a = x.numpy()
    a += 1
    return x, isinstance(a, np.ndarray)

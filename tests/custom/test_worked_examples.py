"""Functions of other worlds as primitives: a C library, a sparse factorization, a program, a PyTorch module."""
from __future__ import annotations

import ctypes
import ctypes.util
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import transgrad as tg


def differences(f: Any, x: Any, h: float = 1e-5) -> Any:
    x = np.asarray(x, float)
    out = [(np.asarray(f(x + d)) - np.asarray(f(x - d))) / (2 * h) for d in h * np.eye(x.size).reshape(-1, *x.shape)]
    return np.stack(out, axis=-1).reshape(*np.shape(out[0]), *x.shape)


def test_a_function_in_c() -> None:
    name = ctypes.util.find_library("m")
    if name is None:
        pytest.skip("no C library of mathematical functions")
    libm = ctypes.CDLL(name)
    libm.erf.restype, libm.erf.argtypes = ctypes.c_double, [ctypes.c_double]
    erf = tg.primitive(libm.erf, vjp=lambda g, y, x: g * 2.0 / math.sqrt(math.pi) * math.exp(-x * x), result=float)

    def f(x: Any) -> Any:
        s = 0.0
        for k in range(1, 4):
            s += erf(k * x) * x
        return s
    for order, make in enumerate((f, tg.grad(f, fallback="error"), tg.hessian(f, fallback="error"))):
        if order:
            below = f if order == 1 else tg.grad(f)
            assert abs(make(0.3) - (below(0.3 + 1e-5) - below(0.3 - 1e-5)) / 2e-5) < 1e-8
    assert abs(tg.jvp(f, (0.3,), (2.0,), fallback="error")[1] - 2.0 * tg.grad(f)(0.3)) < 1e-12
    jax_form = tg.custom_vjp(libm.erf, result=float)
    jax_form.defvjp(lambda x: (libm.erf(x), x), lambda x, g: (g * 2.0 / math.sqrt(math.pi) * math.exp(-x * x),))
    assert tg.grad(lambda x: jax_form(x), fallback="error")(0.3) == tg.grad(lambda x: erf(x))(0.3)


def test_a_sparse_factorization() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    linalg = pytest.importorskip("scipy.sparse.linalg")
    factors = linalg.splu(sparse.csc_matrix([[4.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 5.0]]))
    linear = tg.primitive(factors.solve, vjp=lambda g, y, b: factors.solve(g, trans="T"), result=lambda b: b, linear=True)
    solve = tg.primitive(factors.solve, vjp=lambda g, y, b: adjoint(g), result=lambda b: b)
    adjoint = tg.primitive(lambda b: factors.solve(b, trans="T"), vjp=lambda g, y, b: solve(g), result=lambda b: b)
    b = np.array([1.0, 2.0, 3.0])
    for fn in (linear, solve):
        def f(b: Any) -> Any:
            x = fn(b * b)
            return np.sum(x ** 3)
        np.testing.assert_allclose(tg.grad(f, fallback="error")(b), differences(f, b), rtol=1e-7)
        np.testing.assert_allclose(tg.hessian(f, fallback="error")(b), differences(tg.grad(f), b), rtol=1e-7)
        np.testing.assert_allclose(tg.jacobian(lambda b: fn(b * b), fallback="error")(b), differences(lambda b: fn(b * b), b), rtol=1e-7)
        np.testing.assert_allclose(tg.hvp(f, (b,), (b,), fallback="error")[0], tg.hessian(f)(b) @ b, rtol=1e-12)
    once = tg.primitive(factors.solve, vjp=lambda g, y, b: factors.solve(g, trans="T"), result=lambda b: b)
    with pytest.raises(tg.UnsupportedCall, match="make the vjp of once a tg.primitive"):
        tg.hessian(lambda b: np.sum(once(b * b) ** 3), fallback="error")(b)


def test_a_program() -> None:
    def run(expression: str, x: float) -> float:
        code = f"import math; x = {x!r}; print({expression})"
        return float(subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True).stdout)
    slope = tg.primitive(lambda g, y, x: g * run("math.cos(x)", x),
                         vjp=lambda h, y, g, r, x: (h * run("math.cos(x)", x), 0.0, -h * g * run("math.sin(x)", x)))
    sine = tg.primitive(lambda x: run("math.sin(x)", x), vjp=slope, result=float)

    def f(x: Any) -> Any:
        return sine(x) * x
    assert abs(tg.grad(f, fallback="error")(0.5) - (math.sin(0.5) + 0.5 * math.cos(0.5))) < 1e-12
    assert abs(tg.grad(tg.grad(f, fallback="error"), fallback="error")(0.5) - (2.0 * math.cos(0.5) - 0.5 * math.sin(0.5))) < 1e-12
    assert abs(tg.jvp(f, (0.5,), (1.0,), fallback="error")[1] - tg.grad(f)(0.5)) < 1e-12
    failing = tg.primitive(lambda x: run("1 / 0", x), vjp=lambda g, y, x: g, result=float)
    with pytest.raises(subprocess.CalledProcessError):
        tg.grad(lambda x: failing(x), fallback="error")(0.5)


def test_a_pytorch_module() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)).double()

    def predict(x: Any) -> Any:
        with torch.no_grad():
            return model(torch.from_numpy(x)).numpy()

    def forward(x: Any) -> Any:
        inputs = torch.tensor(x, requires_grad=True)
        outputs = model(inputs)
        return outputs.detach().numpy(), (inputs, outputs)

    def backward(graph: Any, g: Any) -> Any:
        return (torch.autograd.grad(graph[1], graph[0], torch.from_numpy(g))[0].numpy(),)

    def pulled(g: Any, x: Any) -> Any:
        return torch.autograd.grad(model(x), x, g, create_graph=True)[0]

    def on_tensors(*args: Any) -> Any:
        tensors = [torch.tensor(a, requires_grad=True) for a in args]
        return tensors, pulled(*tensors)

    def second(h: Any, y: Any, g: Any, r: Any, x: Any) -> Any:
        tensors, found = on_tensors(g, x)
        g_bar, x_bar = torch.autograd.grad(found, tensors, torch.from_numpy(h))
        return g_bar.numpy(), None, x_bar.numpy()
    shape: Any = lambda x: tg.ShapeDtypeStruct((x.shape[0], 1), x.dtype)
    network = tg.custom_vjp(predict, opaque=True, result=shape)
    network.defvjp(forward, backward)
    twice = tg.primitive(predict, vjp=tg.primitive(lambda g, y, x: on_tensors(g, x)[1].detach().numpy(), vjp=second), result=shape)
    x = np.array([[0.1, 0.2], [0.3, -0.4], [1.0, 2.0]])
    for fn in (network, twice):
        def loss(x: Any) -> Any:
            return np.sum((fn(x) - 1.0) ** 2)
        tested = torch.tensor(x, requires_grad=True)
        ((model(tested) - 1.0) ** 2).sum().backward()
        np.testing.assert_allclose(tg.grad(loss, fallback="error")(x), tested.grad.numpy(), rtol=1e-12)
    want = torch.autograd.functional.hessian(lambda x: ((model(x) - 1.0) ** 2).sum(), torch.tensor(x)).numpy()
    np.testing.assert_allclose(tg.hessian(loss, fallback="error")(x), want, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(differences(tg.grad(loss), x), want, atol=1e-8)

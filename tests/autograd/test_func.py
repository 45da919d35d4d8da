"""`func`: derivatives of functions of Tensors, nested in each other and in `vmap`, as PyTorch's."""
from importlib import import_module

import numpy as np
import pytest

R = np.random.default_rng(0)
POINTS, OTHERS, WEIGHTS = R.standard_normal((4, 3)), R.standard_normal((4, 3)), R.standard_normal(3)


@pytest.fixture
def scope(torch):
    """What the expressions below read."""
    x, y, w = (torch.tensor(values) for values in (POINTS, OTHERS, WEIGHTS))
    func = import_module(f"{torch.__name__}.func")
    names = {name: getattr(func, name) for name in ("grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap")}
    return names | {"torch": torch, "f": lambda w, x: (w * x).sin().sum() ** 2, "x": x, "y": y, "w": w, "v": w.clone().requires_grad_()}


def derivatives():
    """The gradients and Hessians of f with respect to w, for each x, by hand."""
    s, c = np.sin(WEIGHTS * POINTS), np.cos(WEIGHTS * POINTS)
    gradients = 2 * s.sum(1, keepdims=True) * c * POINTS
    hessians = 2 * (c * POINTS)[:, :, None] * (c * POINTS)[:, None, :]
    for k in range(4):
        hessians[k] += np.diag(-2 * s[k].sum() * s[k] * POINTS[k] ** 2)
    return gradients, hessians


@pytest.mark.parametrize("text", [
    "vmap(grad(f), in_dims=(None, 0))(w, x)", "vmap(lambda x: grad(lambda w: f(w, x))(w))(x)", "jacrev(lambda w: vmap(f, in_dims=(None, 0))(w, x))(w)",
    "jacfwd(lambda w: vmap(f, in_dims=(None, 0))(w, x))(w)", "vmap(jacfwd(f), in_dims=(None, 0))(w, x)", "vmap(jacrev(f), in_dims=(None, 0))(w, x)",
    "vmap(grad_and_value(f), in_dims=(None, 0))(w, x)[0]", "vmap(grad(f, argnums=(0, 1)), in_dims=(None, 0))(w, x)[0]",
    "vmap(lambda x: vjp(lambda w: f(w, x), w)[1](torch.ones((), dtype=w.dtype))[0])(x)",
    "vmap(lambda x: vmap(lambda e: jvp(lambda w: f(w, x), (w,), (e,))[1])(torch.eye(3, dtype=w.dtype)))(x)",
])
def test_gradients(scope, text):
    found = eval(text, scope)
    assert np.allclose(found.numpy(), derivatives()[0]) and not found.requires_grad


@pytest.mark.parametrize("text", [
    f"vmap({h}, in_dims=(None, 0))(w, x)" for h in ("hessian(f)", "jacrev(jacrev(f))", "jacfwd(jacfwd(f))", "jacrev(jacfwd(f))", "jacfwd(jacrev(f))", "jacrev(grad(f))")
] + ["vmap(lambda x: vmap(lambda t: jvp(lambda w: grad(f)(w, x), (w,), (t,))[1])(torch.eye(3, dtype=w.dtype)))(x)"])
def test_hessians(scope, text):
    found = eval(text, scope)
    assert np.allclose(found.numpy(), derivatives()[1]) and not found.requires_grad


def test_more_nesting(scope, torch):
    run = lambda text: eval(text, scope).detach().numpy()
    total = derivatives()[1].sum((0, 1))
    assert np.allclose(run("grad(lambda w: vmap(grad(f), in_dims=(None, 0))(w, x).sum())(w)"), total)
    assert np.allclose(run("grad(lambda a: grad(lambda b: (b ** 3).sum())(a).sum())(w)"), 6 * WEIGHTS)
    assert np.allclose(run("grad(lambda w: grad(lambda u: grad(lambda v: (v ** 3 * u * w).sum())(u).sum())(w).sum())(w)"), 27 * WEIGHTS ** 2)
    assert np.allclose(run("grad(lambda w: jvp(lambda u: (u ** 3 * w).sum(), (w,), (w,))[1])(w)"), 12 * WEIGHTS ** 3)
    assert run("vmap(vmap(grad(f), in_dims=(None, 0)), in_dims=(0, None))(y, x)").shape == (4, 4, 3)


def test_graphs_of_others_are_kept(scope, torch):
    g = eval("vmap(grad(f), in_dims=(None, 0))(v, x)", scope)
    assert g.requires_grad and np.allclose(torch.autograd.grad(g.sum(), scope["v"])[0].numpy(), derivatives()[1].sum((0, 1)))
    assert eval("grad(lambda w: (v * w).sum() * w[0])(w)", scope).requires_grad
    with torch.no_grad():
        assert not eval("grad(lambda w: (v * w).sum() * w[0])(w)", scope).requires_grad


def test_trees_and_auxiliary_results(scope, torch):
    w, x = scope["w"], scope["x"][0]
    found = scope["grad"](lambda d: (d["a"] * d["b"][0]).sum())({"a": w, "b": [x]})
    assert torch.equal(found["a"], x) and torch.equal(found["b"][0], w)
    g, aux = scope["grad"](lambda a: (a.pow(2).sum(), {"twice": a * 2}), has_aux=True)(w)
    assert torch.equal(g, 2 * w) and torch.equal(aux["twice"], 2 * w) and not aux["twice"].requires_grad
    value, pull, aux = scope["vjp"](lambda a, b: ({"p": a * b, "s": a.sum()}, a), w, x, has_aux=True)
    ga, gb = pull({"p": torch.ones_like(w), "s": torch.ones_like(value["s"])})
    assert torch.equal(ga, x + 1) and torch.equal(gb, w) and torch.equal(pull({"p": w, "s": torch.zeros_like(value["s"])})[1], w * w)
    value, tangent, aux = scope["jvp"](lambda a: (a ** 2, a), (w,), (x,), has_aux=True)
    assert torch.allclose(tangent, 2 * w * x) and torch.equal(aux, w)
    table = scope["jacrev"](lambda a, b: {"p": a * b, "s": b.sum()}, argnums=(0, 1), chunk_size=2)(w, x)
    assert torch.equal(table["p"][0], torch.diag(x)) and torch.equal(table["s"][0], torch.zeros_like(w)) and torch.equal(table["s"][1], torch.ones_like(w))
    forward = scope["jacfwd"](lambda a, b: {"p": a * b, "s": b.sum()}, argnums=(0, 1))(w, x)
    assert torch.equal(forward["p"][1], torch.diag(w)) and torch.equal(forward["s"][1], torch.ones_like(w))


def test_what_does_not_depend(scope, torch):
    w, x = scope["w"], scope["x"][0]
    assert torch.equal(scope["grad"](lambda a, b: a.sum(), argnums=1)(w, x), torch.zeros_like(x))
    assert torch.equal(scope["grad"](lambda a: torch.ones(()))(w), torch.zeros_like(w))
    assert torch.equal(scope["jvp"](lambda a: torch.ones(2), (w,), (x,))[1], torch.zeros(2))
    with pytest.raises(RuntimeError, match="independent"):
        scope["jvp"](lambda a: torch.ones(2), (w,), (x,), strict=True)


@pytest.mark.parametrize("text, kind, words", [
    ("grad(lambda a: a ** 3)(w)", RuntimeError, "to return a scalar Tensor, got tensor with 1 dims. Maybe you wanted to use the vjp or jacrev APIs"),
    ("grad(lambda a: 3.0)(w)", RuntimeError, "to return a Tensor, got <class 'float'>"),
    ("grad(lambda a: a.sum(), has_aux=True)(w)", RuntimeError, "output of function f should be a tuple"),
    ("grad(lambda a: a.sum(), argnums=1)(w)", RuntimeError, "Got argnum=1, but only 1 positional inputs"),
    ("grad(lambda a: a.sum(), argnums='a')(w)", RuntimeError, "argnums must be int or Tuple"),
    ("grad(lambda a: a.sum())(1.0)", ValueError, "Thing passed to transform API must be Tensor, got <class 'float'>"),
    ("grad(lambda a: (a * 1j).sum())(w)", RuntimeError, "grad can be implicitly created only for real scalar outputs"),
    ("vjp(lambda a: a ** 2, w)[1]((w,))", RuntimeError, "Expected pytree structure of cotangents to be the same"),
    ("vjp(lambda a: a ** 2, w)[1](torch.ones(2))", RuntimeError, "Mismatch in shape"),
    ("jvp(lambda a: a ** 2, w, w)", RuntimeError, "Expected primals to be a tuple"),
    ("jvp(lambda a: a ** 2, (w,), (w, w))", RuntimeError, "Expected primals and tangents to have the same python structure"),
])
def test_errors(scope, text, kind, words):
    with pytest.raises(kind) as caught:
        eval(text, scope)
    assert words in str(caught.value)

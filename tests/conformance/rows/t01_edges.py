"""T1: operations at the edges of their domains: no dimensions, no elements, other dtypes; each was different once."""
from __future__ import annotations

from ..collect import each
from ..observe import raises

INPUTS = {
    "s": "torch.tensor(1.5, requires_grad=True)", "e": "torch.ones(0, requires_grad=True)", "z": "torch.ones(0, 3, requires_grad=True)",
    "m": "(torch.arange(6.0).reshape(2, 3) - 2.5).requires_grad_()", "i": "torch.tensor([[1, 2, -3], [0, 5, 2]])",
    "b": "torch.tensor([[True, False, True], [False, False, True]])", "c": "torch.tensor([[1 + 2j, 0.5j, -1.0], [2.0, 1 - 1j, 3j]])",
    "h": "torch.tensor([[0.5, -1.25, 2.0]], dtype=torch.float16)", "u": "torch.tensor([[1, 200, 3], [0, 7, 255]], dtype=torch.uint8)",
    "n": "torch.tensor([[float('nan'), 1.0]])",
}


@each(
    "s.logsumexp(0)", "s.split(1)", "s.split([1, 1])", "s.chunk(2)", "s.tensor_split(2)", "s.diff()", "s.inner(torch.ones(3))", "e.chunk(2)", "z.chunk(3)",
    "z.chunk(2, -1)", "e.argmax(0)", "z.argmin(0)", "z.argmax(1)", "e.inner(torch.ones(3))", "m.inner(torch.ones(2))", "i.inner(torch.ones(3))",
    "b.inner(torch.ones(3))", "c.inner(torch.ones(3))", "i.kron(torch.ones(2))", "b.kron(i)", "i.dist(torch.tensor(0.0))", "b.dist(torch.tensor(0.0))",
    "m.dist(torch.tensor(0.0, dtype=torch.float64))", "u.trace()", "i.trace()", "b.trace()", "b.sgn()", "i.sgn()", "i.isclose(torch.tensor(1.0))",
    "c.isclose(torch.tensor(1.0))", "h.isclose(torch.tensor(1.0))", "i.isclose(torch.tensor(1))", "m.bitwise_not()", "c.bitwise_not()", "~c", "~m", "~b",
    "b.view(torch.int32)", "h.view(torch.int32)", "u.view(torch.int32)", "h.view(torch.int16)", "n.histc(3)", "m.histc(3)", "m.mvlgamma(1)", "m.mvlgamma(3)",
    "i.mvlgamma(2)", "u.mvlgamma(1)", "h.mvlgamma(1)", "torch.special.multigammaln(m, 2)", "m.heaviside(torch.tensor(0.5))",
    "m.heaviside(torch.tensor(0.5, dtype=torch.float64))", "i.heaviside(torch.tensor(0.5))", "i.heaviside(torch.tensor(1))", "m.heaviside(0.5)",
    "c.heaviside(torch.tensor(1j))", "b.heaviside(torch.tensor(True))", "h.heaviside(torch.tensor(0.5))", "z.mean()", "z.norm()", "e.sum()", "e.prod()", "z.amax(1)",
)
def at_the_edge(torch, text):
    scope = {name: eval(made, {"torch": torch}) for name, made in INPUTS.items()}
    found = raises(lambda: eval(text, {"torch": torch, **scope}))
    if hasattr(found.get("returns"), "detach"):     # where torch has a composition, its nodes are others
        found["returns"] = [found["returns"].detach(), found["returns"].requires_grad]
    return found


@each(
    "m[[[0, 1]]]", "m[[[0, 1], [1, 2]]]", "m[[0, 1]]", "m[[slice(None), 1]]", "m[[None, 0]]", "m[[..., 1]]", "m[[torch.tensor([0, 1]), 1]]",
    "m[[torch.tensor(0), torch.tensor(1)]]", "m[[True, False]]", "m[[[True, False]]]", "m[[[0, 1]] * 40]", "m[[[[0, 1]]]]", "m[([0, 1],)]", "m[[]]", "m[[[]]]",
)
def lists_of_subscripts(torch, text):
    """A list with something else than numbers in it is a tuple."""
    m = torch.arange(6.0).reshape(2, 3)
    read = raises(lambda: eval(text, {"torch": torch, "m": m}))
    return read, raises(lambda: exec(f"{text} = 9.0", {"torch": torch, "m": m})), m


@each("x.unique()", "x.unique(return_counts=True)[0]", "x.unique(return_inverse=True)[0]", "m.unique(dim=0)", "x.unique_consecutive()", "i.unique()")
def distinct_elements_have_no_derivative(torch, text):
    """Their gradient is refused, not lost."""
    x, m = torch.tensor([2.0, 1.0, 2.0], requires_grad=True), torch.ones(2, 2, requires_grad=True)
    y = eval(text, {"x": x, "m": m, "i": torch.tensor([1, 1])})
    return y, raises(lambda: y.sum().backward())

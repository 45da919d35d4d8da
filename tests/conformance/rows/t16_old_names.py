"""T16: the names of older PyTorch, with the warning that tells today's."""
from __future__ import annotations

import warnings

from ..collect import ours
from ..observe import raises


def _deprecated(call, *words):
    """Whether ``call`` warns that something is deprecated, in these words; and its result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, any(issubclass(w.category, DeprecationWarning) and all(word in str(w.message) for word in words) for w in caught)


def variable_is_a_tensor(torch):
    v = torch.autograd.Variable(torch.tensor([1.0, 2.0]), requires_grad=True)
    w = torch.autograd.Variable(torch.tensor([1.0, 2.0]))
    (v * w).sum().backward()
    return (
        v,
        w,
        type(v) is torch.Tensor,
        isinstance(v, torch.autograd.Variable),
        torch.autograd.variable.Variable is torch.autograd.Variable,
        v.data,
        isinstance(torch.ones(1), torch.autograd.Variable),
    )


def variable_shares_memory(torch):
    t = torch.zeros(2)
    v = torch.autograd.Variable(t, requires_grad=True)
    t.add_(1)
    return v, t.requires_grad, v is t


def variable_of_integers(torch):
    return raises(
        lambda: torch.autograd.Variable(torch.tensor([1]), requires_grad=True),
        "nly Tensors of floating point and complex dtype can require gradients",
    )


def grad_variables_of_backward(torch):
    x = torch.ones(2, requires_grad=True)
    torch.autograd.backward([x * 2], grad_variables=[torch.tensor([1.0, 10.0])])
    return x


@ours
def grad_variables_warns(torch):
    x = torch.ones(2, requires_grad=True)
    _, warned = _deprecated(lambda: torch.autograd.backward([x * 2], grad_variables=[torch.ones(2)]), "grad_tensors")
    return {"a DeprecationWarning names grad_tensors": warned, "the gradient is right": x.grad.tolist() == [2.0, 2.0]}


@ours
def retain_variables(torch):
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    _, method = _deprecated(lambda: y.backward(retain_variables=True), "retain_graph")
    _, function = _deprecated(lambda: torch.autograd.backward(y, retain_variables=True), "retain_graph")
    y.backward()
    return {"of the method": method, "of the function": function, "the graph was kept": x.grad.tolist() == [6.0, 6.0]}


@ours
def volatile(torch):
    v, warned = _deprecated(lambda: torch.autograd.Variable(torch.ones(2), volatile=True), "no_grad")
    flag, read = _deprecated(lambda: v.volatile)
    return {
        "the argument warns": warned,
        "the attribute warns": read,
        "no history": not (v * 2).requires_grad,
        "a Tensor": isinstance(v, torch.Tensor),
        "the attribute is a flag": isinstance(flag, bool),
    }


@ours
def creator(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    node, warned = _deprecated(lambda: y.creator, "grad_fn")
    none, _ = _deprecated(lambda: x.creator)
    return {"is the grad_fn": node is y.grad_fn, "is None for a leaf": none is None, "a DeprecationWarning names grad_fn": warned}


@ours
def previous_functions(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    edges, warned = _deprecated(lambda: y.grad_fn.previous_functions, "next_functions")
    return {"are the edges": list(edges) == list(y.grad_fn.next_functions), "a DeprecationWarning names next_functions": warned}


@ours
def mark_shared_storage(torch):
    warned = []

    class Transpose(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            out = x.t()
            warned.append(_deprecated(lambda: ctx.mark_shared_storage((x, out)))[1])
            return out

        @staticmethod
        def backward(ctx, g):
            return g.t()

    x = torch.ones(2, 3, requires_grad=True)
    Transpose.apply(x).sum().backward()
    return {"it warns": warned == [True], "the gradient is right": x.grad.tolist() == [[1.0] * 3] * 2}


@ours
def reinforce_of_a_bernoulli_sample(torch):
    """The gradient of the expected reward: reward times the derivative of the log-probability."""
    p = torch.tensor([0.3, 0.6], dtype=torch.float64, requires_grad=True)
    sample = p.bernoulli()
    reward = torch.tensor([2.0, -1.0], dtype=torch.float64)
    _, warned = _deprecated(lambda: sample.reinforce(reward))
    torch.autograd.backward([sample], [None])
    taken = sample.detach()
    expected = -reward * (taken / p.detach() - (1 - taken) / (1 - p.detach()))
    return {"it warns": warned, "the gradient is the score": bool(torch.allclose(p.grad, expected))}


@ours
def reinforce_of_a_multinomial_sample(torch):
    p = torch.tensor([0.2, 0.5, 0.3], dtype=torch.float64, requires_grad=True)
    sample = p.multinomial(2, replacement=True)
    reward = torch.tensor([2.0, -1.0], dtype=torch.float64)
    _deprecated(lambda: sample.reinforce(reward))
    torch.autograd.backward([sample], [None])
    expected = torch.zeros(3, dtype=torch.float64)
    for index, r in zip(sample.tolist(), reward.tolist()):
        expected[index] -= r / p.detach()[index]
    return {"the gradient is the score": bool(torch.allclose(p.grad, expected))}


@ours
def reinforce_of_a_normal_sample(torch):
    mean = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    std = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    sample = torch.normal(mean, std)
    reward = torch.tensor([2.0, -1.0], dtype=torch.float64)
    _deprecated(lambda: sample.reinforce(reward))
    torch.autograd.backward([sample], [None])
    d, s = (sample.detach() - mean.detach()), std.detach()
    return {
        "of the mean": bool(torch.allclose(mean.grad, -reward * d / s**2)),
        "of the deviation": bool(torch.allclose(std.grad, -reward * (d**2 - s**2) / s**3)),
    }


@ours
def reinforce_of_what_is_not_random(torch):
    x = torch.ones(2, requires_grad=True)
    seen = raises(lambda: (x * 2).reinforce(torch.ones(2)))
    return {"it is an error": "raises" in seen}


@ours
def check_sparse_nnz(torch):
    """The name of ``masked`` in older documents."""
    x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
    s = torch.eye(2, dtype=torch.float64).to_sparse().requires_grad_()
    _, warned = _deprecated(lambda: torch.autograd.gradcheck(torch.sin, x, check_sparse_nnz=False), "masked")
    dense, _ = _deprecated(lambda: torch.autograd.gradcheck(torch.sin, x, check_sparse_nnz=True))
    sparse, _ = _deprecated(lambda: torch.autograd.gradcheck(lambda t: t.to_dense(), s, check_sparse_nnz=True))
    return {"dense inputs": dense is True, "sparse inputs at what is stored": sparse is True}


@ours
def names_of_dimensions(torch):
    """PyTorch 2.13 has dropped the attribute; its value was a None for each dimension."""
    return {"names": tuple(torch.ones(2, 3).names) == (None, None)}


@ours
def save_on_disk(torch):
    """The temporary files of the documents' example, as a class."""
    import gc
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        with torch.autograd.graph.save_on_disk(folder):
            y = (x * x).exp()
        kept = len(os.listdir(folder))
        y.sum().backward()
        expected = (2 * x * (x * x).exp()).tolist()
        del y
        gc.collect()
        return {
            "values are in files": kept >= 2,
            "the gradient is right": bool(torch.allclose(x.grad, torch.tensor(expected))),
            "the files go with the graph": len(os.listdir(folder)) == 0,
        }


@ours
def nested_dual_levels(torch):
    """PyTorch has one level of forward mode; here they nest."""
    fw = torch.autograd.forward_ad
    x, one = torch.tensor([2.0]), torch.tensor([1.0])
    with fw.dual_level():
        a = fw.make_dual(x, one)
        with fw.dual_level():
            b = fw.make_dual(a, one)
            inner = fw.unpack_dual(b**3).tangent
        outer = fw.unpack_dual(inner)
        second = outer.tangent
    return {"first derivative": abs(float(outer.primal[0]) - 12) < 1e-6, "second derivative": abs(float(second[0]) - 12) < 1e-6}


def callbacks_of_the_engine(torch):
    engine, seen = torch.autograd.Variable._execution_engine, []
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: engine.queue_callback(lambda: seen.append(("done", x.grad is not None))))
    x.register_hook(lambda g: seen.append("hook"))
    y.sum().backward()
    return seen, raises(lambda: engine.queue_callback(print), "Final callbacks can only be installed during backward pass.")

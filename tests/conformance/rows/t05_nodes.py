"""T5: nodes, edges and saved values."""
from __future__ import annotations

import gc
import weakref

from ..collect import each
from ..observe import raises


def _x(torch):
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


def a_graph_by_its_nodes(torch):
    x, w = _x(torch), _x(torch)
    y = ((x * w).exp() - x.pow(2)).sum()

    def walk(node, depth=0):
        lines = [f"{' ' * depth}{node.name()}"]
        for parent, number in node.next_functions:
            lines += [f"{' ' * depth} None {number}"] if parent is None else [f"{number}", *walk(parent, depth + 1)]
        return lines

    return walk(y.grad_fn)


def node_classes(torch):
    y = _x(torch) * 2
    n = y.grad_fn
    return (
        isinstance(n, torch.autograd.graph.Node),
        type(n).__name__,
        n.name(),
        issubclass(type(n), torch.autograd.graph.Node),
        callable(n),
        repr(n).split(" ")[0],
        type(n.metadata),
        n.requires_grad if hasattr(n, "requires_grad") else None,
    )


def accumulate_grad(torch):
    x = _x(torch)
    node, number = (x * 2).grad_fn.next_functions[0]
    return (
        node.name(),
        type(node).__name__,
        node.variable is x,
        number,
        node.next_functions,
        isinstance(node, torch.autograd.graph.Node),
        (x * 3).grad_fn.next_functions[0][0] is node,
    )


def constants_have_no_node(torch):
    x = _x(torch)
    return (
        [f and f.name() for f, _ in (x * torch.ones(3)).grad_fn.next_functions],
        [f and f.name() for f, _ in (torch.ones(3) + x).grad_fn.next_functions],
        len((x * 2).grad_fn.next_functions),
        len(torch.cat([x, torch.ones(1), x]).grad_fn.next_functions),
    )


def input_numbers(torch):
    """The number in an edge is the output of the node that made the input."""
    values, indices = _x(torch).sort()
    a, b, c = _x(torch).unbind()
    return (
        (values * 2).grad_fn.next_functions[0][1],
        [t.output_nr for t in (a, b, c)],
        (c * 2).grad_fn.next_functions[0][1],
        (b * c).grad_fn.next_functions[0][0] is (b * c).grad_fn.next_functions[1][0],
        values.grad_fn is a.grad_fn,
    )


def edges_are_kept(torch):
    x = _x(torch)
    y = x * 2
    z = y + y
    return (
        z.grad_fn.next_functions[0][0] is y.grad_fn,
        z.grad_fn.next_functions[1][0] is y.grad_fn,
        y.grad_fn is y.grad_fn,
        hash(y.grad_fn) == hash(z.grad_fn.next_functions[0][0]),
        z.grad_fn == z.grad_fn,
    )


def metadata_is_a_dict_to_write_to(torch):
    y = _x(torch) * 2
    y.grad_fn.metadata["note"] = 3
    return y.grad_fn.metadata


def saved_self_is_the_input(torch):
    x = _x(torch)
    y = x.pow(2)
    return y.grad_fn._saved_self is x, y.grad_fn._saved_exponent, x.equal(y.grad_fn._saved_self)


def saved_result_is_another_object(torch):
    x = _x(torch)
    y = x.exp()
    r = y.grad_fn._saved_result
    return r is y, y.equal(r), r.data_ptr() == y.data_ptr(), r.grad_fn is y.grad_fn, r.requires_grad, r._version, r.is_leaf


def names_of_saved_values(torch):
    x, w = _x(torch), _x(torch)
    seen = {}
    for name, y in {
        "mul": x * w,
        "mul by a number": x * 2,
        "mul by a constant": x * torch.ones(3),
        "add": x + w,
        "sub": x - 1,
        "div": x / w,
        "div by a number": x / 2,
        "exp": x.exp(),
        "pow": x**3,
        "pow of two": x**w,
        "sin": x.sin(),
        "log": x.log(),
        "sqrt": x.sqrt(),
        "tanh": x.tanh(),
        "sigmoid": x.sigmoid(),
        "relu": x.relu(),
        "sum": x.sum(),
        "sum over dim": x.view(3, 1).sum(1),
        "mean": x.mean(),
        "prod": x.prod(),
        "matmul": x.view(1, 3) @ w.view(3, 1),
        "view": x.view(3, 1),
        "transpose": x.view(3, 1).transpose(0, 1),
        "permute": x.view(3, 1).permute(1, 0),
        "index": x[0],
        "slice": x[1:],
        "index by list": x[[0, 2]],
        "clamp": x.clamp(0, 2),
        "softmax": x.softmax(0),
        "log_softmax": x.log_softmax(0),
        "max": x.max(),
        "max over dim": x.max(0)[0],
        "sort": x.sort()[0],
        "cat": torch.cat([x, w]),
        "where": torch.where(x > 1, x, w),
        "cumsum": x.cumsum(0),
        "abs": x.abs(),
        "neg": -x,
        "expand": x.expand(2, 3),
        "clone": x.clone(),
        "masked_fill": x.masked_fill(x > 1, 0),
        "norm": x.norm(),
        "std": x.std(),
        "unsqueeze": x.unsqueeze(0),
        "squeeze": x.view(3, 1).squeeze(1),
        "select": x.select(0, 1),
        "repeat": x.repeat(2),
        "flip": x.flip(0),
        "index_select": x.index_select(0, torch.tensor([1])),
        "maximum": torch.maximum(x, w),
        "atan2": x.atan2(w),
        "addcmul": x.addcmul(w, w),
        "lerp": x.lerp(w, 0.5),
        "dot": x.dot(w),
        "stack": torch.stack([x, w]),
        "unbind": x.unbind()[0],
        "to": x.double(),
    }.items():
        seen[name] = [y.grad_fn.name(), *sorted(n for n in dir(y.grad_fn) if n.startswith("_saved_"))]
    return seen


def gather_saves_its_input(torch):
    """The node keeps the tensor that was gathered from, though it reads its shape alone."""
    node = _x(torch).gather(0, torch.tensor([0])).grad_fn
    return node.name(), sorted(n for n in dir(node) if n.startswith("_saved_")), node._saved_index


def which_saved_values_are_tensors(torch):
    x, w = _x(torch), _x(torch)
    seen = {}
    for name, y in {
        "mul": x * w,
        "mul by a number": x * 2,
        "exp": x.exp(),
        "pow": x**3,
        "div": x / w,
        "tanh": x.tanh(),
        "log": x.log(),
        "matmul": x.view(1, 3) @ w.view(3, 1),
        "relu": x.relu(),
    }.items():
        seen[name] = sorted(n for n in dir(y.grad_fn) if n.startswith("_raw_saved_"))
    return seen


def saved_values_not_needed_are_none(torch):
    x, c = _x(torch), torch.ones(3)
    y = x * c
    return y.grad_fn._saved_self, y.grad_fn._saved_other is c, (c * x).grad_fn._saved_other


def dir_of_a_node(torch):
    b = torch.zeros(3, requires_grad=True).exp()
    wanted = [
        "_raw_saved_result", "_register_hook_dict", "_saved_result", "metadata", "name", "next_functions", "register_hook",
        "register_prehook", "requires_grad",
    ]
    return [n in dir(b.grad_fn) for n in wanted]


def saved_tensor_object(torch):
    y = _x(torch).pow(2)
    raw = y.grad_fn._raw_saved_self
    return (
        type(raw).__name__,
        callable(raw.register_hooks),
        raises(lambda: type(raw)(), "Trying to create a SavedTensor object from Python is forbidden"),
    )


def saved_values_of_several_tensors(torch):
    x, w = _x(torch), _x(torch)
    y = torch.einsum("i,i->", x, w)
    i = x[torch.tensor([0, 1])]
    return y.grad_fn.name(), i.grad_fn._saved_indices, torch.cat([x, w]).grad_fn._saved_dim


def saved_value_after_backward(torch):
    y = _x(torch).exp()
    y.sum().backward()
    return raises(lambda: y.grad_fn._saved_result, "after they have already been freed")


def saved_value_after_a_write(torch):
    x = _x(torch) * 1
    y = x.pow(2)
    x.add_(1)
    return raises(lambda: y.grad_fn._saved_self, "modified by an inplace operation", "version 1; expected version 0")


def node_outlives_its_tensor(torch):
    y = _x(torch).exp()
    node, ref = y.grad_fn, weakref.ref(y)
    del y
    gc.collect()
    return ref() is None, node._saved_result


def calling_a_node(torch):
    y = _x(torch) * 2
    return y.grad_fn(torch.ones(3))


def gradient_edges(torch):
    x = _x(torch)
    y = x * 2
    edge = torch.autograd.graph.get_gradient_edge(y)
    z = (y * y).sum()
    return [
        type(edge).__name__,
        edge.node is y.grad_fn,
        edge.output_nr,
        isinstance(edge, tuple),
        torch.autograd.graph.get_gradient_edge(x).node.name(),
        torch.autograd.grad(z, edge, retain_graph=True),
        torch.autograd.grad(torch.autograd.graph.get_gradient_edge(z), [x, edge], retain_graph=True),
        raises(
            lambda: torch.autograd.graph.get_gradient_edge(torch.ones(1)),
            "It is not possible to get the gradient edge for a Tensor that does not require gradients",
        ),
        torch.autograd.backward(torch.autograd.graph.get_gradient_edge(z)),
        x,
    ]


def gradient_edge_as_backward_input(torch):
    x = _x(torch)
    y = x * 2
    edge = torch.autograd.graph.get_gradient_edge(x)
    y.sum().backward(inputs=edge)
    return x, torch.autograd.graph.GradientEdge(y.grad_fn, 0).output_nr


def _packed(torch, text):
    """The tensors that an expression packs, in an order of their own, and the gradients."""
    packed = []
    x, w, c = _x(torch), torch.tensor([0.5, 2.0, 1.5], requires_grad=True), torch.ones(3)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        y = eval(text, {"torch": torch, "x": x, "w": w, "c": c})
    y.sum().backward()
    return sorted(packed, key=lambda t: str(t.tolist())), [x.grad, w.grad]


@each(
    "x * w", "x + w", "x.pow(2)", "x.exp()", "x * 2", "x * c", "c * x", "x + 1", "x / w", "x.sin()", "x.relu()", "x.sum()", "x.softmax(0)",
    "x.matmul(w)", "x.tanh()", "x.sigmoid()", "x.log()", "x.sqrt()", "x.abs()", "x.view(3, 1)", "x.t()", "x[1:]", "x.mean()",
    "x.expand(2, 3)", "x.clone()", "x.double()", "x.dot(w)", "x.reciprocal()", "x.rsqrt()", "x.log_softmax(0)", "x - w", "-x", "1 / x",
    "x.pow(w)", "x.atan2(w)", "torch.maximum(x, w)",
)
def packed_tensors(torch, text):
    """Which tensors an operation saves."""
    packed, gradients = _packed(torch, text)
    return [t.detach() for t in packed], gradients


@each(
    "x.clamp(0, 1)  # 1", "torch.cat([x, w])  # 0", "x[0]  # 0", "x[[0, 1]]  # 1", "x.max()  # 2", "x.sort()[0]  # 1", "x.std()  # 2",
    "x.norm()  # 2", "x.prod()  # 2", "torch.where(x > 1, x, w)  # 1", "x.cumsum(0)  # 0", "x.masked_fill(x > 1, 0)  # 1",
    "x.gather(0, torch.tensor([0]))  # 2", "x.logsumexp(0)  # 2", "x.var()  # 1", "x.outer(w)  # 2", "x.square()  # 1", "2 ** x  # 2",
    "x.view(3, 1) @ w.view(1, 3)  # 2", "x.flip(0)  # 0", "torch.stack([x, w])  # 0", "x.repeat(2)  # 0", "x.sum(0, keepdim=True)  # 0",
    "x.diff()  # 0", "x.unbind()[0]  # 0", "x.roll(1)  # 0", "x.tile(2)  # 0",
)
def no_more_is_packed(torch, text):
    """An operation saves no more tensors than PyTorch, whose number stands beside it."""
    packed, gradients = _packed(torch, text)
    return len(packed) <= int(text.split("# ")[1]), gradients

"""T5: odd graphs, each of which was different once."""
from __future__ import annotations

from ..collect import each
from ..observe import raises


@each(
    "x * 2.0", "2.0 * x", "x / 2.0", "2.0 / x", "x + 1", "1 - x", "x.mul(3)", "x.div(3)", "x ** 2", "2 ** x", "x.add(x, alpha=3)", "x.add(1, alpha=3)",
    "x.sum()", "x.mean()", "x.prod()", "x[0]", "x[[0, 1]]", "x.view(1, 2)", "x.clamp(0, 1)", "x.masked_fill(x > 1, 0)", "x.max(0)[0]", "x.sort()[0]",
    "torch.cat([x, x])", "torch.where(x > 1, x, 0.0)", "x.norm()", "x.cumsum(0)", "x.softmax(0)", "x.relu()", "x.abs()", "x.clone()", "x.gather(0, i)",
    "torch.stack([x, x])", "x.expand(2, 2)", "x.t()", "x.std()", "x.atan2(x)", "x.lerp(x, 0.5)", "x.addcmul(x, x)", "torch.maximum(x, x)", "x @ x",
)
def a_second_backward(torch, text):
    """A number beside a tensor is saved as one: it is freed, too."""
    scope = {"torch": torch, "i": torch.tensor([0])}
    seen = []
    for again in ({}, {"create_graph": True}):
        scope["x"] = torch.tensor([1.0, 2.0], requires_grad=True)
        y = eval(text, scope)
        y.sum().backward()
        seen.append(raises(lambda: y.sum().backward(**again)))
    return seen


@each("y.view(6)", "y * y", "y + y", "y.exp()", "torch.cat([y, y])", "y @ y.t()")
def a_hook_sees_only_what_leads_to_the_inputs(torch, text):
    x, log = torch.ones(2, 3, requires_grad=True), []
    y = x * 2
    z = eval(text, {"torch": torch, "y": y})
    z.grad_fn.register_hook(lambda gi, go: log.append([*gi, *go]))
    z.sum().backward(inputs=[z], retain_graph=True)
    z.sum().backward(inputs=[y], retain_graph=True)
    return log, z.grad, y.grad


@each("v > 0", "v.eq(1)", "v.argmax()", "torch.isnan(v)", "v.long()", "v.shape", "v.detach()")
def what_is_not_differentiated_does_not_ask_for_history(torch, text):
    """The view cannot be brought up to date; nothing but its history says so."""
    y = torch.ones(3, 2, requires_grad=True) * 1
    v = y.unbind(0)[1]
    y[1].mul_(2)
    return eval(text, {"torch": torch, "v": v}), raises(lambda: v * 2, "multiple views"), raises(lambda: v.grad_fn, "multiple views")


@each("x.exp()", "x.sum(0)", "x * x", "x.clone().view(3, 1)", "torch.stack([x, x])")
def what_a_node_shows_of_itself(torch, text):
    """Neither what it is made of nor how it computes."""
    x = torch.zeros(3, requires_grad=True)
    node = eval(text, {"torch": torch, "x": x}).grad_fn
    hidden = ("_input_metadata", "_set_sequence_nr")
    return [[name for name in sorted(dir(n)) if not name.startswith("__") and name not in hidden] for n in (node, node.next_functions[0][0])]


@each(
    "m.tril(1)", "m.triu()", "m.topk(2)[0]", "m.kthvalue(2)[0]", "m.cummax(0)[0]", "m.cummin(1)[0]", "torch.addmm(m, m, m)", "m.as_strided((2, 2), (1, 2), 1)", "m.rot90()",
    "m.unfold(1, 2, 1)", "torch.linalg.det(m)", "torch.linalg.inv(m)", "torch.linalg.cholesky(m @ m.T)", "torch.nan_to_num(m)",
    "torch.baddbmm(m[None], m[None], m[None])", "torch.block_diag(m, m)", "torch.permute_copy(m, (1, 0))", "torch.select_copy(m, 0, 1)", "m.unsafe_split(1)[0]",
    "torch.split_copy(m, 1)[0]", "torch.tril(m, -1)", "torch.fill(m, 2.0)", "torch.index_reduce(m, 0, i, m[:2], 'amax')",
)
def what_nodes_show_as_saved(torch, text):
    node = eval(text, {"torch": torch, "m": torch.tensor([[2.0, 1.0, 0.5], [0.25, 3.0, 1.5], [1.0, 0.75, 4.0]], requires_grad=True),
                       "i": torch.tensor([2, 0])}).grad_fn
    return node.name(), [name for name in dir(node) if name.startswith("_saved_") and not name.startswith(("_saved_LU", "_saved_pivots"))]

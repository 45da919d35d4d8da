"""Programs that random graphs found to differ once, in short."""
from __future__ import annotations

import numpy as np

from ..collect import each
from ..observe import raises


def strides(t):
    return [s for s, n in zip(t.stride(), t.shape) if n > 1]


@each("x.ravel()", "x[0].ravel()", "x.t().ravel()", "x.broadcast_to(1, 2, 3)", "x.broadcast_to((2, 2, 3))", "x.angle()", "(x * -0.0).angle()", "x.sum().sign()",
      "x.sum().sgn()", "torch.copysign(torch.ones(2, 3), x)", "x.clamp(min=x.detach())", "x.clamp(max=x)", "x.pow(0.5)", "x.div(2, rounding_mode='floor')",
      "x.amax(0)", "x.norm(1)", "torch.logaddexp(x, x + 1j)", "(x + 2j).logcumsumexp(0)", "x.log_softmax(0).ravel()")
def nodes_and_values(torch, text):
    x = torch.tensor([[0.5, -1.5, 0.25], [2.0, 0.0, -3.0]], requires_grad=True)
    y = eval(text, {"torch": torch, "x": x})
    return y, y._is_view(), [edge[0] for edge in y.grad_fn.next_functions]


@each("x[[0]] = v", "x[[0]] = v[:1]", "x[:] = v", "x[0] = v[0]", "x[...] = v[:1]", "x[0, 1:] = v[0, 1:]", "x[x > 0] = v[0, 0]", "x[[0, 1]] = v", "x[None] = v")
def graphs_of_assignments(torch, text):
    """What is assigned is viewed and expanded first."""
    a = torch.tensor([[0.5, -1.5, 0.25], [2.0, 0.0, -3.0]], requires_grad=True)
    scope = {"x": a * 1, "v": a[:1] * 2}
    exec(text, scope)
    node, names = scope["x"].grad_fn, []
    while node is not None:
        names.append([edge[0] and edge[0].name() for edge in node.next_functions])
        node = node.next_functions[-1][0] if node.next_functions else None
    return scope["x"], names


@each("x.relu_()", "x.frac_()", "x.copysign_(-1.0)", "x.remainder_(2)", "x > r", "r > x", "r.clone().gt_(x)", "x.nansum()", "torch.hardshrink(x)", "x.fmod(2)",
      "torch.baddbmm(x[None, None], x[None, None], r[None, :, None])", "torch.ones(2, dtype=torch.bool).relu()", "r.tril()", "x.clone().relu_()")
def what_complex_numbers_and_others_lack(torch, text):
    x, r = torch.tensor([1 + 1j, 2.0], requires_grad=True), torch.tensor([1.0, 2.0])
    return raises(lambda: eval(text, {"torch": torch, "x": x, "r": r}))


@each("x.cumsum(0)", "x.flip(0)", "x.cumsum(1).flip(1)", "x[[1, 0]]", "x.t()", "x.sum(0)", "x.expand(2, 2, 3)", "x.roll(1, 0)", "x.cumprod(0)")
def strides_of_gradients_that_are_returned(torch, text):
    x = torch.tensor([[0.5, -1.5, 0.25], [2.0, 0.5, -3.0]], requires_grad=True)
    y = eval(text, {"torch": torch, "x": x})
    seen = []
    x.register_hook(lambda g: seen.append(min(strides(g))))
    (g,) = torch.autograd.grad(y, x, torch.arange(float(y.numel())).reshape(y.shape))
    return g, min(strides(g)) >= 0, [s >= 0 for s in seen]


def a_view_made_without_recording_becomes_a_leaf_of_its_own(torch):
    """`requires_grad_` has gradients end in it, which led nowhere."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        v = x.view(2)
    before = v.exp().grad_fn.next_functions
    v.requires_grad_()
    v.exp().sum().backward()
    return [edge[0] for edge in before], v.grad, x.grad, v.is_leaf


def hooks_of_any_of_several_tensors(torch):
    """Those that require no grad are left out."""
    x, log = torch.ones(2, requires_grad=True), []
    with torch.no_grad():
        v = x.view(2)
    y = x * 2
    torch.autograd.graph.register_multi_grad_hook([y, torch.ones(2), v], lambda g: log.append(g.clone()), mode="any")
    torch.autograd.graph.register_multi_grad_hook([torch.ones(2)], lambda g: log.append(g.clone()), mode="any")
    y.sum().backward()
    return log


@each("torch.func.grad(lambda v: (v * v).sum())(x)", "torch.func.jacrev(lambda v: v.sin())(x)", "torch.func.jvp(lambda v: v.exp(), (x,), (x,))[1]",
      "torch.func.vjp(lambda v: v.exp(), x)[1](x)[0]", "torch.func.hessian(lambda v: v.prod())(x)", "torch.func.jacfwd(lambda v: v * v)(x)")
def transforms_in_inference_mode_and_of_what_it_made(torch, text):
    x = torch.tensor([0.5, 2.0])
    with torch.inference_mode():
        inside = eval(text, {"torch": torch, "x": x})
        made = x * 1
    return inside.tolist(), eval(text, {"torch": torch, "x": made}).tolist()


@each("torch.func.jacfwd(lambda v: v * v)(x)", "torch.func.jacfwd(lambda v: v.sum(0))(x)",
      "torch.autograd.functional.jacobian(lambda v: v.exp(), x, strategy='forward-mode', vectorize=True)")
def forward_jacobians_of_what_is_turned(torch, text):
    return eval(text, {"torch": torch, "x": torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=torch.float64).t()})


def the_tangent_of_the_variance_of_one_number(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        return fw.unpack_dual(fw.make_dual(torch.ones(1, 3), torch.ones(1, 3)).var(0)).tangent


def a_leaf_whose_shape_was_changed(torch):
    """What is added to the gradient of before does not fit."""
    x = torch.ones(2, 3, requires_grad=True)
    x.sum().backward()
    with torch.no_grad():
        x.unsqueeze_(1)
    return raises(lambda: torch.cat([x, x]).sum().backward())


def a_window_on_what_lies_turned_in_memory(torch):
    x = torch.arange(6.0).reshape(2, 3).t().contiguous().t() * 1
    y = torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1) + 1
    return x.as_strided((3,), (2,)), y.as_strided((2, 2), (1, 5))


def an_inplace_change_of_shape_before_the_base_requires_grad(torch):
    base = torch.arange(4.0).reshape(2, 2) * 1
    part = base[:1]
    part.unsqueeze_(2)
    base.requires_grad_()
    return part.grad_fn, part.requires_grad, part.is_leaf


def what_powers_save(torch):
    """A write to an exponent is found, one to the result of a square root as a power is not."""
    def error(make, write):
        x = torch.ones(2, requires_grad=True) * 1
        y = make(x)
        (x if write == "x" else y).mul_(2)
        return raises(lambda: y.sum().backward())
    return [error(make, write) for write in "xy" for make in (lambda e: torch.tensor([2.0, 3.0]).pow(e), lambda e: 2.0 ** e, lambda x: x ** 0.5,
                                                             lambda x: x.erfinv(), lambda x: x.abs())]


@each("x.gather(0, i, sparse_grad=True)", "x.gather(0, i)", "torch.nn.functional.embedding(i[0], x, sparse=True)", "torch.nn.functional.embedding(i[0], x)")
def what_look_ups_save(torch, text):
    """The places, and `gather` what it reads: a later write to either is found."""
    def error(write):
        x, i = torch.ones(2, 3, requires_grad=True), torch.tensor([[0, 1, 0], [1, 0, 0]])
        y = eval(text, {"torch": torch, "x": x, "i": i})
        with torch.no_grad():
            {"x": x[None], "i": i}[write].mul_(1)
        return raises(lambda: y.sum().backward())
    x, i = torch.ones(2, 3, requires_grad=True), torch.tensor([[0, 1, 0], [1, 0, 0]])
    node = eval(text, {"torch": torch, "x": x, "i": i}).grad_fn
    return error("x"), error("i"), sorted(name for name in dir(node) if "saved_" in name)


@each("v.resize_(1)", "v.resize_as_(torch.ones(1))")
def the_size_of_a_view_with_a_history_of_its_own(torch, text):
    """It is asked whether it requires grad, not which history it has."""
    y = torch.ones(2, 3, requires_grad=True) * 1
    with torch.no_grad():
        v = y[0]
        v.add_(1)
    return raises(lambda: eval(text, {"torch": torch, "v": v}), "cannot resize variables that require grad")


@each("torch.from_numpy(a)", "torch.from_numpy(a)[:2]", "torch.from_numpy(a).expand(2, 3)", "torch.from_numpy(a).detach()")
def memory_of_others_that_is_too_small(torch, text):
    """It is not made longer, and no version changes."""
    a = np.ones(3)
    x = eval(text, {"torch": torch, "a": a})
    return raises(lambda: x.resize_(5, 5), "Trying to resize storage that is not resizable"), x._version


@each("r + x", "x - r", "r + 1", "2 * r", "1 - r", "r % 2", "torch.fmod(r, 2)", "r.clone()", "r.double()", "r * x", "r.exp()", "r * r", "r.view(2)", "torch.cat([r, x])",
      "torch.where(x > 0, x, r)", "(x * 1).add_(r)", "r.detach()", "r.requires_grad_()", "r.add_(1)", "r / 2", "2 / r", "r.div(2, rounding_mode='floor')")
def what_was_made_in_inference_mode_to_require_grad(torch, text):
    """An operation on it alone is not recorded; one with a tensor of outside is, or with a number that one is made of."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.inference_mode():
        r = torch.tensor([3.0, 4.0]).requires_grad_()
    scope = {"torch": torch, "x": x, "r": r}
    found = raises(lambda: eval(text, scope))
    if "raises" in found or not found["returns"].requires_grad:
        return found
    y = found["returns"]
    edges = [edge[0] and edge[0].name() for edge in y.grad_fn.next_functions]
    y.sum().backward()
    return y, edges, r.grad, x.grad


@each("torch.float16", "torch.bfloat16", "torch.float32")
def the_dtype_of_the_tangent_of_renorm(torch, text):
    dtype = eval(text, {"torch": torch})
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        d = fw.make_dual(torch.tensor([[1.0, 0.0], [2.0, 0.0]], dtype=dtype), torch.ones(2, 2, dtype=dtype))
        kept = fw.unpack_dual(d.renorm(2, 0, 100.0))
        d.renorm_(2, 0, 100.0)
        return kept.primal, kept.tangent, fw.unpack_dual(d).tangent.dtype == d.dtype


@each("x.set_(y)", "x.set_(torch.ones(2))", "x.add_(1)", "setattr(x, 'data', torch.ones(2))")
def the_accumulator_of_a_leaf_with_other_memory(torch, text):
    """`set_` has a new one made; the graph of before keeps its own."""
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    with torch.no_grad():
        eval(text, {"torch": torch, "x": x, "y": y})
    z = x * 3
    same = y.grad_fn.next_functions[0][0] is z.grad_fn.next_functions[0][0]
    (y.sum() + z.sum()).backward()
    return same, x.grad


@each("y.exp_()", "y.view(2).exp_()", "y.tanh_()", "y.relu_()", "y.sin_()", "y.cumprod_(0)")
def a_result_that_could_not_be_packed(torch, text):
    """The write is done, and has its node; a backward pass through it is refused each time."""
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    y = x * 1
    with torch.autograd.graph.saved_tensors_hooks(lambda t: 1 / 0, lambda t: t):
        failed = raises(lambda: eval(text, {"y": y}))
    return failed, y.grad_fn.name(), y._version, [raises(lambda: y.sum().backward()) for _ in range(2)], x.grad


@each("x.squeeze(0)", "x * 1", "x.view(2)")
def the_gradient_of_what_was_given_numbers_of_another_dtype(torch, text):
    x = torch.tensor([1 + 1j, 2.0], requires_grad=True)
    y = eval(text, {"x": x})
    y.data = torch.tensor([0.5, -0.5])
    return torch.autograd.grad(y.sum(), [y])


@each("_raw_saved_result", "_saved_result")
def hooks_on_what_was_saved_and_written_to(torch, text):
    """They are registered without a look at its version, and no longer is one asked for."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    with torch.no_grad():
        y.mul_(1)
    found = raises(lambda: getattr(y.grad_fn, text).register_hooks(lambda t: t.detach(), lambda t: t) and None)
    return found, raises(lambda: y.sum().backward()), x.grad


@each("t.expand(3, 2).sort(0)", "t.expand(3, 2).t().sort(1)", "t[:, None].expand(2, 4).sort(0)", "t.expand(3, 2).sort(stable=True, dim=-1, descending=True)")
def strides_of_what_is_sorted_in_16_bits(torch, text):
    return [[part.stride() for part in eval(text, {"t": torch.tensor([2.0, 1.0], dtype=dtype)})] for dtype in (torch.float16, torch.bfloat16, torch.float32)]


@each("m", "m.T", "m.T.contiguous()", "m[0]", "m.sum(0)")
def strides_of_tangents(torch, text):
    """A tangent is laid out as what it belongs to."""
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        m = fw.make_dual(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).t().clone(), torch.arange(6.0).reshape(3, 2))
        primal, tangent = fw.unpack_dual(eval(text, {"m": m}))
        return primal.stride(), tangent.stride(), tangent


@each("v[:, 2] += 1", "v.mul_(2)", "v[0].fill_(0.0)")
def a_view_whose_base_was_given_numbers_of_another_dtype(torch, text):
    x = torch.ones(2, 3, requires_grad=True)
    y = x * 1
    v = y[::2]
    y.data = torch.zeros(2, 3, dtype=torch.bfloat16)
    exec(text, {"v": v})
    return v.detach(), y.detach(), v.grad_fn, y.grad_fn


@each("c.fmod_(1.5)", "c.remainder_(1.5)", "c.floor_()", "c.erf_()", "c.mul_(2)")
def writes_to_elements_that_share_memory(torch, text):
    """They are refused before it is asked whether there is a kernel."""
    return raises(lambda: eval(text, {"c": torch.tensor([1 + 1j]).expand(3)}))


@each("x.T", "x.t()", "x.transpose(0, 1)", "x.permute(1, 0)", "x[None].squeeze(0)", "x.log1p()", "x.asinh()", "x.atan2(w)", "x * w", "x.sign()", "x.addcdiv(x, w)",
      "x @ w.T", "w @ x.T", "x.sum(1, keepdim=True)", "x.flip(0)", "(x * 1).view(-1)")
def sparse_gradients_on_their_way(torch, text):
    """Of places that are read several times; what has no form for them refuses them."""
    x = torch.tensor([[0.5, 0.25, 2.0], [1.0, 3.0, 0.75]], dtype=torch.float64, requires_grad=True)
    y = eval(text, {"torch": torch, "x": x, "w": torch.tensor([[2.0, 4.0, 0.5], [0.25, 1.0, 8.0]], dtype=torch.float64)})
    z = y.gather(0, torch.zeros(y.shape, dtype=torch.int64), sparse_grad=True)
    failed = raises(lambda: (z * z).sum().backward())
    return ("refused" if "raises" in failed else x.grad.to_dense())


@each("s / w", "s / 2", "s // 2", "s / torch.tensor(4.0)", "s.div(w)")
def quotients_of_sparse_tensors(torch, text):
    s = torch.tensor([1.0, 0.0, 3.0]).to_sparse()
    found = raises(lambda: eval(text, {"torch": torch, "s": s, "w": torch.tensor([2.0, 4.0, 8.0])}))
    return found if "raises" in found else found["returns"].to_dense()


@each("linalg.eigvalsh(a)", "linalg.eigvals(a)", "linalg.svdvals(a)", "linalg.eigh(a)[0]", "linalg.eig(a)[0]", "linalg.qr(a)[1]", "linalg.svd(a)[1]",
      "linalg.slogdet(a)[1]", "linalg.lu(a)[1]", "linalg.det(a)", "linalg.inv(a)", "linalg.cholesky(a)", "linalg.solve(a, a)", "a.unbind()[0]", "a.split(1)[1]",
      "a.sort()[0]", "a.topk(1)[0]", "a.max(1)[0]", "var_mean(a, 1)[0]", "std_mean(a, 1)[1]", "frexp(a)[0]", "a.exp()")
def whether_it_is_the_result_that_is_saved(torch, text):
    """Nodes of several results have no ``result``, and of a factorization's values they have those under their own name."""
    a = torch.tensor([[2.0, 0.5], [0.5, 1.0]], dtype=torch.float64, requires_grad=True)
    node = eval("torch." * (text[:2] != "a.") + text, {"torch": torch, "a": a}).grad_fn
    found = {name: hasattr(node, name) for part in ("result", "self", "A", "UPLO") for name in (f"_saved_{part}", f"_raw_saved_{part}")}
    values = [name for name in ("_saved_eigenvalues", "_raw_saved_eigenvalues", "_saved_S", "_raw_saved_S") if "vals" in text and hasattr(node, name)]
    return node.name(), found, values, [getattr(node, name).detach() for name in values if "raw" not in name]


@each("x[3] = 0.5", "x[0, 0] = 0.5", "x[torch.tensor(7)] = 0.5", "x[0, [0]] = 0.5", "x[1.5] = 0.5", "x[[7]] = 0.5", "x[[True]] = 0.5", "x[torch.tensor([0.5])] = 0.5",
      "x[torch.tensor([0.5]), 7] = 0.5", "s[torch.tensor(0)] = 0.5", "s[0] = 0.5", "s[:] = 0.5", "s[[0]] = 0.5", "s[None] = 0.5", "s[torch.tensor(True)] = 0.5")
def places_that_a_leaf_does_not_have(torch, text):
    """The subscript is looked at first, then whether it may be written to, and what the tensors of places hold last."""
    x, s = torch.ones(3, requires_grad=True), torch.tensor(1.5, requires_grad=True)
    return [raises(lambda: exec(text, {"torch": torch, "x": x, "s": s})) for x, s in ((x, s), (x * 1, s * 1))]


def a_write_to_elements_that_share_memory_is_refused_in_each_pass(torch):
    """What it saved is let go of only after a pass that went well."""
    x = torch.tensor([0.5, -1.0], requires_grad=True)
    y = x[:1] * 1
    v = y.expand(2, 1)
    v[v > 2] = -1.5
    return [raises(lambda: y.sum().backward(), "single memory location") for _ in range(3)], x.grad

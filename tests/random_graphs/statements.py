"""Steps that change what is there: in-place operations, flags, hooks, gradients, backward passes."""
from __future__ import annotations

from .values import State

INPLACE = (
    "mul_(2)", "add_(1)", "zero_()", "neg_()", "exp_()", "sin_()", "tanh_()", "relu_()", "clamp_(-1, 1)", "fill_(0.5)", "pow_(2)",
    "abs_()", "sigmoid_()", "div_(2)", "square_()", "masked_fill_(torch.tensor(True), 0.25)", "add_(1, alpha=3)", "clamp_min_(0.5)",
    "round_()", "sub_(2)", "tan_()", "expm1_()", "fill_(torch.tensor(2.0))", "floor_()", "trunc_()", "frac_()", "cos_()", "atan_()", "clamp_max_(0.5)",
    "reciprocal_()", "sign_()", "erf_()", "copysign_(-1.0)", "remainder_(1.5)", "fmod_(1.5)", "sinh_()", "mul_(1j)", "div_(2, rounding_mode='floor')",
    "clip_(-2, 0.5)", "pow_(0.5)", "logit_(0.1)", "square_().add_(1)", "exp2_()", "abs_().sqrt_()", "requires_grad_().mul_(2)",
)


def inplace(s: State) -> str | None:
    x = s.pick(writable=True)
    if x is None:
        return None
    if s.random.random() < 0.5:
        return f"{x}.{s.random.choice(INPLACE)}"
    y = s.partner(x)
    y = f"{y}.clone()" if y[0] == "t" else y        # what shares memory with the target is refused, or undefined
    return s.random.choice(
        [
            f"{x} += {y}",
            f"{x} *= {y}",
            f"{x} -= {y}",
            f"{x}.copy_({y})" if y[0] == "t" else f"{x}.fill_({y})",
            f"{x}.add_({y}, alpha=2)",
            f"{x}.detach().add_({s.number()})",
            f"{x}.addcmul_({y}, {y})" if y[0] == "t" else f"{x}.div_({y})",
            f"{x}.masked_fill_({x} > 0, {s.number()})",
            f"{x}.lerp_({y}.expand_as({x}), 0.25)" if y[0] == "t" else f"{x}.sub_({y}, alpha=2)",
            f"{x}.addcdiv_({y}, {y}.abs() + 1)" if y[0] == "t" else f"{x} /= {y}",
            f"{x}.masked_scatter_({x} > 0, {x}.detach().clone() * 2)",
            f"torch.add({x}.detach(), {y}, out={x})" if y[0] == "t" else f"{x} **= 2",
        ]
    )


def assignment(s: State) -> str | None:
    x = s.pick(1, writable=True)
    if x is None:
        return None
    shape, dim = s.shapes[x], s.dim(x)
    place = f"{':, ' * dim}{s.random.randrange(shape[dim])}"
    rest = shape[:dim] + shape[dim + 1 :]
    fit = [n for n, other in s.known() if other == rest]
    value = f"{s.random.choice(fit)}.clone()" if fit and s.random.random() < 0.7 else repr(s.number())
    return s.random.choice(
        [
            f"{x}[{place}] = {value}",
            f"{x}[{place}] *= {value}",
            f"{x}[{place}] += {value}",
            f"{x}[{x} > 0] = {s.number()}",
            f"{x}[{place}].mul_({s.number()})",
            f"{x}[...] = {s.number()}",
            f"{x}[:] = {value}" if not dim else f"{x}[{place}] = {value}",
            f"{x}.index_fill_({dim}, torch.tensor([0]), {s.number()})",
            f"{x}.index_add_({dim}, torch.tensor([0]), {x}.detach().narrow({dim}, 0, 1).clone())",
            f"{x}.index_copy_({dim}, torch.tensor([0]), {x}.detach().narrow({dim}, 0, 1).clone() * 2)",
            f"{x}.index_put_((torch.tensor([0]),), {x}[:1].clone() * 0.5)",
            f"{x}.index_put_((torch.tensor([0, 0]),), {x}[:1].clone(), accumulate=True)",
            f"{x}.scatter_({dim}, torch.zeros({list(shape)}, dtype=torch.int64), {s.number()})",
            f"{x}.scatter_add_({dim}, torch.zeros({list(shape)}, dtype=torch.int64), {x}.clone())",
            f"{x}[[0]] = {x}[[-1]].clone()",
            f"{x}[..., 0] += {s.number()}",
            f"{x}.view(-1)[0] = {s.number()}",
            f"{x}.T.mul_({s.number()})" if len(shape) == 2 else f"{x}[None].mul_({s.number()})",
            f"{x}.cumsum_({dim})",
            f"{x}.tril_()" if len(shape) == 2 else f"{x}[0] -= 1",
        ]
    )


def shape_inplace(s: State) -> str | None:
    x = s.pick(1, 3, writable=True)
    if x is None or s.swept:
        return None
    dim = s.dim(x)
    return s.random.choice([f"{x}.transpose_(0, {dim})", f"{x}.squeeze_({dim})", f"{x}.unsqueeze_({dim})", f"{x}.swapaxes_(0, -1)"]
                           + [f"{x}.t_()"] * 2 * (len(s.shapes[x]) == 2))


def memory(s: State) -> str | None:
    """Memory that is exchanged, and what is done to gradients themselves."""
    x = s.pick(writable=True)
    if x is None:
        return None
    y = s.choose([n for n, shape in s.known() if shape == s.shapes[x] and n != x and n not in s.frozen])
    return s.random.choice([f"{x}.grad.zero_()", f"{x}.grad.mul_(0.5)", f"{x}.grad = {x}.detach().clone()", f"{x}.grad.detach_()",
                            f"{x}.grad = {x}.grad.clone()", f"del {x}.grad"]
                           + [f"{x}.data = {y}.detach().clone()", f"{x}.grad = {y}.detach()"] * (y is not None))


def flags(s: State) -> str | None:
    x = s.pick()
    if x is None:
        return None
    if x in s.frozen:       # what PyTorch stacks of such tensors it takes for a view
        return None
    return s.random.choice(
        [
            f"{x}._is_view() or {x}.requires_grad_()",
            f"{x}._is_view() or {x}.requires_grad_(False)",
            f"{x}.detach_()",
            f"current({x}).retain_grad()",
            f"current({x}).retain_grad()",
            f"{x}.grad = None",
            f"{x}._is_view() or {x}.requires_grad_(False)",
            f"torch.autograd.graph.increment_version({x})",
            f"current({x}).retain_grad(), {x}.mul_({s.number()})",
            f"current({x}).retain_grad(), {x}.view_as({x}).add_({s.number()})",
            f"current({x}).retain_grad(), {x}.detach().mul_({s.number()})",
        ]
    )


def hook(s: State) -> str | None:
    if s.handles and s.random.random() < 0.2:
        return f"{s.random.choice(s.handles)}.remove()"
    x, number = s.pick(), s.fresh("n")
    if x is None:
        return None
    name, x, y = s.fresh("h"), f"current({x})", f"current({s.pick()})"
    s.handles.append(name)
    return f"{name} = " + s.random.choice(
        [
            f"{x}.register_hook(lambda g: note('{number}', g))",
            f"{x}.register_hook(lambda g: note('{number}', g) or g * 2)",
            f"{x}.register_hook(lambda g: note('{number}', g) or g + 1)",
            f"{x}.grad_fn.register_hook(lambda gi, go: note('{number}', *gi, *go))",
            f"{x}.grad_fn.register_prehook(lambda go: note('{number}', *go))",
            f"{x}.register_post_accumulate_grad_hook(lambda p: note('{number}', p.grad))",
            f"torch.autograd.graph.register_multi_grad_hook([{x}, {y}], lambda gs: note('{number}', *gs))",
            f"torch.autograd.graph.register_multi_grad_hook([{x}, {y}], lambda g: note('{number}', g), mode='any')",
            f"{x}.register_hook(lambda g: g.clone().mul_(0.5))",
            f"{x}.grad_fn.register_hook(lambda gi, go: tuple(None if g is None else g * 2 for g in gi))",
            f"{x}.register_hook(lambda g: 1 / 0)",
            f"{x}.grad_fn._raw_saved_self.register_hooks(lambda t: t.clone(), lambda t: t * 1)",
            f"{x}.grad_fn._raw_saved_result.register_hooks(lambda t: t.detach(), lambda t: t)",
            f"{x}.grad_fn.register_prehook(lambda go: (go[0] * 3,) + tuple(go[1:]) if go[0] is not None else None)",
        ]
    )


def backward(s: State) -> str | None:
    x = s.pick()
    if x is None:
        return None
    y = s.pick() or x
    s.swept = True      # a gradient that is there already keeps the shape of then
    retain = "retain_graph=True" if s.random.random() < 0.7 else ""
    weights = f"(torch.arange({x}.numel(), dtype=torch.float64) * 0.75 - 1).reshape({x}.shape).to({x}.dtype)"
    return s.random.choice(
        [
            f"{x}.sum().backward({retain})",
            f"({x} * {x}).sum().backward({retain})",
            f"{x}.backward({weights}{', ' if retain else ''}{retain})",
            f"{x}.sum().backward(create_graph=True)",
            f"{x}.sum().backward(inputs=[{y}]{', ' if retain else ''}{retain})",
            f"torch.autograd.backward([{x}.sum(), {y}.sum()], retain_graph={bool(retain)})",
            f"note('grad', *torch.autograd.grad({x}.sum(), [{y}], allow_unused=True{', ' if retain else ''}{retain}))",
            f"{x}.sum().backward(retain_graph=True), {y}.sum().backward()",
            f"torch.autograd.backward({x}, torch.ones_like({x}), inputs=[{x}, {y}])",
            f"note('grad', *torch.autograd.grad([{x}, {y}], [{y}], [{x} * 0 + 1, {y} * 0 + 2], retain_graph=True))",
        ]
    )


def entrance(s: State) -> str | None:
    """Backward passes that start, end or run elsewhere: at edges of the graph, in another thread, for a batch of vectors."""
    x, y = s.pick(), s.pick()
    if x is None or y is None:
        return None
    s.swept = True
    edge = "torch.autograd.graph.get_gradient_edge(current({}))".format
    ones = f"torch.ones_like({x})"
    kinds = [
        f"threaded(lambda: {x}.sum().backward(retain_graph=True))",
        f"threaded(lambda: note('grad', *torch.autograd.grad({x}.sum(), [{y}], allow_unused=True)))",
        f"threaded(lambda: ({x} * {x}).sum().backward())",
        f"{x}.sum().backward(inputs=[{edge(y)}], retain_graph=True)",
        f"note('grad', *torch.autograd.grad({x}.sum(), {edge(y)}, allow_unused=True, retain_graph=True))",
        f"torch.autograd.backward([{edge(x)}], [{ones}])",
        f"note('grad', *torch.autograd.grad([{edge(x)}], [{edge(y)}], grad_outputs=[{ones}], allow_unused=True))",
    ]
    batch = f"torch.stack([{ones}, (torch.arange({x}.numel(), dtype=torch.float64) * 0.75 - 1).reshape({x}.shape).to({x}.dtype)])"
    if not s.sparse and not s.kept:     # PyTorch has no batches of those, and keeps what is nothing outside of the batch
        kinds += [f"note('batch', *torch.autograd.grad({x}, [{y}], {batch}, is_grads_batched=True, retain_graph=True, allow_unused=True))"] * 5
    return s.random.choice(kinds)

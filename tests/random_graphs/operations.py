"""Steps that make new Tensors: leaves, element-wise operations, reductions, views, joins, custom Functions."""
from __future__ import annotations

from .values import SHAPES, State, replaced, size, without

Step = tuple[str, str, tuple[int, ...]] | None
UNARY = (
    "sin()", "cos()", "tanh()", "sigmoid()", "abs()", "neg()", "pow(2)", "clamp(-2, 2).exp()", "mul(0.5)", "add(1)", "relu()", "square()",
    "clamp(-1, 1)", "clone()", "softmax(-1)", "cumsum(0)", "pow(3)", "sign()", "atan()", "abs().add(1).log()", "abs().add(0.5).sqrt()",
    "exp()", "reciprocal()", "masked_fill(torch.tensor(True), 0.5)", "contiguous()", "float().double()", "log_softmax(0)", "flip(0)",
    "triu()", "cosh()", "tan()", "expm1()", "asinh()", "abs().log1p()", "abs().add(1).rsqrt()", "cumprod(0)", "sort(0)[0]", "roll(1, 0)", "tril()",
    "logcumsumexp(0)", "softmax(0)", "erf()", "clamp_min(0.25)", "round()", "conj_physical()", "logit(0.1)", "add(1, alpha=2)",
    "cummax(0)[0]", "float()", "renorm(2, 0, 1.5)", "frac()",
)


def leaf(s: State) -> Step:
    name, shape = s.fresh(), s.random.choice(SHAPES)
    grad = s.random.random() < 0.75 and not s.untracked
    return name, f"torch.tensor({s.data(shape)}, dtype=torch.{s.random.choice(s.dtypes)}, requires_grad={grad})", shape


def unary(s: State) -> Step:
    x = s.pick(1)
    op = s.random.choice(UNARY)
    s.rounded |= op.startswith("float()")
    if x is None or s.single and op == "tan()" or (op in ("triu()", "tril()", "renorm(2, 0, 1.5)") and len(s.shapes[x]) < 2):
        return None
    return s.fresh(), f"{x}.{op}", s.shapes[x]


def binary(s: State) -> Step:
    x = s.pick()
    if x is None:
        return None
    y = s.partner(x)
    if s.random.random() < 0.2 and y[0] == "t":
        function = s.random.choice(["torch.maximum", "torch.minimum", "torch.atan2", "torch.hypot", "torch.true_divide"])
        return s.fresh(), f"{function}({x}, {y})", s.shapes[x]
    op = s.random.choice(["+", "-", "*", "*", "/"])
    left, right = (x, y) if s.random.random() < 0.7 else (y, x)
    return s.fresh(), f"{left} {op} {right}", s.shapes[x]


def three(s: State) -> Step:
    x = s.pick()
    if x is None:
        return None
    y, z = s.partner(x), s.partner(x)
    if y[0] != "t" or z[0] != "t":
        return None
    return (
        s.fresh(),
        s.random.choice([f"torch.where({y} > 0, {x}, {z})", f"{x}.addcmul({y}, {z})", f"{x}.lerp({y}.expand_as({x}), 0.25)"]),
        s.shapes[x],
    )


def reduction(s: State) -> Step:
    x = s.pick(1)
    if x is None:
        return None
    if s.random.random() < 0.4:
        return s.fresh(), f"{x}.{s.random.choice(['sum', 'mean', 'amax', 'max', 'norm', 'min', 'prod', 'var', 'std', 'median'])}()", ()
    dim, keep = s.dim(x), s.random.random() < 0.4
    shape = replaced(s.shapes[x], dim, 1) if keep else without(s.shapes[x], dim)
    op = s.random.choice(["sum({0}{1})", "mean({0}{1})", "amax({0}{1})", "max({0}{1})[0]", "logsumexp({0}{1})", "prod({0}{1})",
                          "var({0}{1})", "norm(dim={0}{1})", "amin({0}{1})"])       # median of an expanded tensor is wrong in PyTorch
    return s.fresh(), f"{x}.{op.format(dim, ', keepdim=True' if keep else '')}", shape


def product(s: State) -> Step:
    x = s.pick(2, 2)
    if x is None:
        return None
    fit = [n for n, shape in s.shapes.items() if 1 <= len(shape) <= 2 and shape[0] == s.shapes[x][-1]]
    if not fit:
        return None
    y = s.random.choice(fit)
    if len(s.shapes[y]) == 2 and s.random.random() < 0.3:
        return s.fresh(), f"torch.addmm({s.number()} * torch.ones(1, dtype={x}.dtype), {x}, {y})", s.shapes[x][:-1] + s.shapes[y][1:]
    return s.fresh(), f"{x} @ {y}", s.shapes[x][:-1] + s.shapes[y][1:]


def join(s: State) -> Step:
    x = s.pick(1)
    if x is None:
        return None
    same = [n for n, shape in s.shapes.items() if shape == s.shapes[x]]
    y, dim = s.random.choice(same), s.dim(x)
    if s.random.random() < 0.5:
        return s.fresh(), f"torch.cat([{x}, {y}], {dim})", replaced(s.shapes[x], dim, 2 * s.shapes[x][dim])
    return s.fresh(), f"torch.stack([{x}, {y}], {dim})", s.shapes[x][:dim] + (2,) + s.shapes[x][dim:]


def function(s: State) -> Step:
    x = s.pick()
    return None if x is None else (s.fresh(), f"{s.random.choice(['Square', 'Same', 'Viewed'])}.apply({x})", s.shapes[x])


def gathered(s: State) -> Step:
    x = s.pick(1)
    if x is None:
        return None
    dim = s.dim(x)
    index = [s.random.randrange(s.shapes[x][dim]) for _ in range(s.random.choice([1, 2, 3]))]
    if s.random.random() < 0.4:
        return s.fresh(), f"{x}[{':, ' * dim}{index}]", replaced(s.shapes[x], dim, len(index))
    if s.random.random() < 0.4:
        text = s.random.choice([f"{x}.index_fill({dim}, torch.tensor({index}), 0.5)", f"{x}.masked_fill({x} > 0, -1.0)",
                                f"torch.where({x} > 0, {x}, 0.5)", f"{x}.index_add({dim}, torch.tensor({index[:1]}), {x}.narrow({dim}, 0, 1))",
                                f"{x}.gather({dim}, torch.zeros({list(s.shapes[x])}, dtype=torch.int64))"])
        return s.fresh(), text, s.shapes[x]
    return s.fresh(), f"{x}.index_select({dim}, torch.tensor({index}))", replaced(s.shapes[x], dim, len(index))


def view(s: State) -> Step:
    x = s.pick(1)
    if x is None:
        return None
    shape, dim = s.shapes[x], s.dim(x)
    start = s.random.randrange(shape[dim])
    kinds: list[tuple[str, tuple[int, ...]]] = [
        (f"{x}[{':, ' * dim}{start}]", without(shape, dim)),
        (f"{x}.select({dim}, {start})", without(shape, dim)),
        (f"{x}[{':, ' * dim}{start}:]", replaced(shape, dim, shape[dim] - start)),
        (f"{x}.narrow({dim}, {start}, 1)", replaced(shape, dim, 1)),
        (f"{x}[{':, ' * dim}::2]", replaced(shape, dim, (shape[dim] + 1) // 2)),
        (f"{x}.view({size(shape)})", (size(shape),)),
        (f"{x}.reshape(-1)", (size(shape),)),
        (f"{x}.flatten()", (size(shape),)),
        (f"{x}.unsqueeze({dim})", shape[:dim] + (1,) + shape[dim:]),
        (f"{x}[None]", (1, *shape)),
        (f"{x}.transpose(0, {dim})", tuple({0: shape[dim], dim: shape[0]}.get(i, n) for i, n in enumerate(shape))),
        (f"{x}.expand(2, {', '.join(map(str, shape))})", (2, *shape)),
        (f"{x}.view_as({x})", shape),
        (f"{x}.unbind({dim})[{start}]", without(shape, dim)),
        (f"{x}.split(1, {dim})[{start}]", replaced(shape, dim, 1)),
        (f"{x}.squeeze({dim})", without(shape, dim) if shape[dim] == 1 else shape),
        (f"{x}.detach()", shape),
        (f"{x}.unfold({dim}, 1, 1)", (*shape, 1)),
        (f"{x}.movedim(0, {dim})", (*shape[1:dim + 1], shape[0], *shape[dim + 1:])),
        (f"{x}.unflatten({dim}, (1, -1))", shape[:dim] + (1,) + shape[dim:]),
        (f"{x}.chunk(2, {dim})[0]", replaced(shape, dim, (shape[dim] + 1) // 2)),
        (f"{x}.real" if "complex128" not in s.dtypes else f"{x}.view_as({x})", shape),
        (f"{x}.data", shape),
    ]
    if len(shape) == 2:
        kinds += [
            (f"{x}.t()", shape[::-1]),
            (f"{x}.diagonal()", (min(shape),)),
            (f"{x}.T", shape[::-1]),
            (f"{x}.permute(1, 0)", shape[::-1]),
        ]
    text, result = s.random.choice(kinds)
    return s.fresh(), text, result


def tangent(s: State) -> Step:
    """The tangent of something simple, through a write to a view or none."""
    x = s.pick(1)
    if x is None:
        return None
    f = s.random.choice([f"d.{s.random.choice(UNARY)}", "d * d", "d / 2 + d.sum()", "d.sum(0, keepdim=True) * d", "written(d * 1, lambda y: y[0].mul_(2))",
                         "written(d * 1, lambda y: y.view(-1)[1:].copy_(d.reshape(-1)[1:] * 3))", "written(d.detach() * 1, lambda y: y[-1:].add_(d[:1]))",
                         "written(d * 1, lambda y: y.transpose(0, -1)[0].zero_())"])
    if "triu" in f or "tril" in f or "renorm" in f:
        return None
    return s.fresh(), f"tangent({x}, lambda d: {f})", s.shapes[x]


def gradient(s: State) -> Step:
    """A gradient that itself can be differentiated, of something of the shape of the input."""
    x, y = s.pick(), s.pick()
    if x is None or y is None:
        return None
    return (
        s.fresh(),
        f"Second.apply(torch.autograd.grad({y}.sum(), {x}, create_graph=True, allow_unused=True, materialize_grads=True)[0], {x})",
        s.shapes[x],
    )

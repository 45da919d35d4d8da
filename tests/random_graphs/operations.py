"""Steps that make new Tensors: leaves, element-wise operations, reductions, products, joins, elements, custom Functions."""
from __future__ import annotations

from .values import SHAPES, State, size

Step = str | None
UNARY = (
    "sin()", "cos()", "tanh()", "sigmoid()", "abs()", "neg()", "pow(2)", "clamp(-2, 2).exp()", "mul(0.5)", "add(1)", "relu()", "square()",
    "clamp(-1, 1)", "clone()", "softmax(-1)", "cumsum(0)", "pow(3)", "sign()", "atan()", "abs().add(1).log()", "abs().add(0.5).sqrt()",
    "exp()", "reciprocal()", "masked_fill(torch.tensor(True), 0.5)", "contiguous()", "float().double()", "log_softmax(0)", "flip(0)",
    "triu()", "cosh()", "tan()", "expm1()", "asinh()", "abs().log1p()", "abs().add(1).rsqrt()", "cumprod(0)", "sort(stable=True, dim=0)[0]", "roll(1, 0)", "tril()",
    "logcumsumexp(0)", "softmax(0)", "erf()", "clamp_min(0.25)", "round()", "conj_physical()", "logit(0.1)", "add(1, alpha=2)",
    "cummax(0)[0]", "float()", "renorm(2, 0, 1.5)", "frac()", "clamp_max(0.5)", "sinh()", "sinc()", "exp2()", "abs().log2()",
    "deg2rad()", "cummin(0)[0]", "sort(stable=True, dim=-1, descending=True)[0]", "diff(dim=0)", "repeat_interleave(2, 0)",
    "floor()", "trunc()", "copysign(-1.0)", "fmod(1.5)", "remainder(1.5)", "rsub(1)", "pow(0.5)", "pow(-1)", "__rpow__(2.0)", "double()", "lgamma()",
    "erfinv()", "threshold(0.1, 2.0)", "hardshrink(0.5)", "xlogy(2.0)", "positive()", "rot90()", "T.contiguous()", "mT * 2", "clip(-0.5, 0.5)",
     "real * 2",
)
OF_MATRICES = ("triu()", "tril()", "renorm(2, 0, 1.5)", "rot90()", "mT * 2")
REDUCTIONS = ("sum", "mean", "amax", "max", "norm", "min", "prod", "var", "std", "median", "amin", "nansum", "nanmean")
#: with the dimension, and whether it is kept; the median of an expanded tensor is wrong in PyTorch
ALONG = ("sum({0}{1})", "mean({0}{1})", "amax({0}{1})", "max({0}{1})[0]", "logsumexp({0}{1})", "prod({0}{1})", "var({0}{1})", "norm(dim={0}{1})",
         "amin({0}{1})", "std({0}{1})", "min({0}{1})[0]", "nansum({0}{1})", "norm(1, {0}{1})", "aminmax(dim={0}{1})[1]")
BINARY = ("torch.maximum", "torch.minimum", "torch.atan2", "torch.hypot", "torch.true_divide", "torch.fmax", "torch.fmin", "torch.logaddexp",
          "torch.copysign", "torch.fmod")
FUNCTIONS = ("Square.apply({0})", "Same.apply({0})", "Viewed.apply({0})", "Context.apply({0}, 2.0)", "Pair.apply({0})[0]", "Pair.apply({0})[1]",
             "Marked.apply({0})[0]", "Marked.apply({0})[1]", "Once.apply({0})", "Dirty.apply(current({0}).clone())", "Forward.apply({0})")
LESS_USUAL = ("Product.apply({0}, {1})", "Product.apply({1}, {0})", "Again.apply({0}, lambda v: v.sin() * v)", "Attribute.apply({0})", "Parts.apply({0}, {1})[0]",
              "Parts.apply({0}, {1}, {0})[1]", "Parts.apply({0})[1]", "Attribute.apply({0})", "Fails.apply({0})", "Misfit.apply({0}, True)", "Misfit.apply({0}, False)",
              "Both.apply({0} * 1, {1})[0]", "Both.apply({0} * 1, {1})[1]", "Mapped.apply({0}, {1})", "Mapped.apply({0}, {0})", "Named.apply({0})[0]",
              "Named.apply({0})[1]", "Nothing.apply({0})", "Dirty.apply(current({0}))", "Both.apply(current({0}), {1}.clone())[1]", "Again.apply({0}, torch.exp)")


def leaf(s: State) -> Step:
    grad = s.random.random() < 0.75 and not s.untracked
    return f"torch.tensor({s.data(s.random.choice(SHAPES))}, dtype=torch.{s.random.choice(s.dtypes)}, requires_grad={grad})"


def unary(s: State) -> Step:
    x = s.pick(1)
    op = s.random.choice(UNARY)
    if x is None or op.startswith("T.") and len(s.shapes[x]) > 2:
        return None
    return f"{x}.{op}" if len(s.shapes[x]) > 1 or op not in OF_MATRICES else None


def binary(s: State) -> Step:
    x = s.pick()
    if x is None:
        return None
    y = s.partner(x)
    if s.random.random() < 0.25 and y[0] == "t":
        return f"{s.random.choice(BINARY)}({x}, {y})"
    op = s.random.choice(["+", "-", "*", "*", "/"])
    left, right = (x, y) if s.random.random() < 0.7 else (y, x)
    return f"{left} {op} {right}"


def three(s: State) -> Step:
    x = s.pick()
    if x is None:
        return None
    y, z = s.partner(x), s.partner(x)
    if y[0] != "t" or z[0] != "t":
        return None
    kinds = [f"torch.where({y} > 0, {x}, {z})", f"{x}.addcmul({y}, {z})", f"{x}.lerp({y}.expand_as({x}), 0.25)",
             f"{x}.addcdiv({y}, {z}.abs() + 1, value=0.5)", f"torch.where({x} > {y}, {z}, 0.5)", f"{x}.lerp({y}.expand_as({x}), {z}.expand_as({x}))"]
    return s.random.choice([*kinds, f"{x}.clamp(min={y})", f"{x}.clamp(max={y})"])


def reduction(s: State) -> Step:
    x = s.pick(1)
    if x is None:
        return None
    if s.random.random() < 0.4:
        return f"{x}.{s.random.choice(REDUCTIONS)}()"
    return f"{x}.{s.random.choice(ALONG).format(s.dim(x), ', keepdim=True' if s.random.random() < 0.4 else '')}"


def product(s: State) -> Step:
    x = s.pick(2, 2)
    if x is None:
        return None
    y = s.choose([n for n, shape in s.known() if 1 <= len(shape) <= 2 and shape[0] == s.shapes[x][-1]])
    if y is None:
        return None
    kinds = [f"{x} @ {y}"] * 3 + [f"{x}.t().mT.matmul({y})"]
    if len(s.shapes[y]) == 2:
        kinds += [f"torch.addmm({s.number()} * torch.ones(1, dtype={x}.dtype), {x}, {y})", f"torch.bmm({x}[None], {y}[None])", f"torch.mm({x}, {y})",
                  f"torch.baddbmm({x}[None, :, :1], {x}[None], {y}[None])"]
    else:
        kinds += [f"torch.mv({x}, {y})", f"torch.dot({y}, {y})"]
    return s.random.choice(kinds)


def matrix(s: State) -> Step:
    """Factors of a matrix that is far from singular."""
    x = s.choose([n for n, shape in s.known() if len(shape) == 2 and shape[0] == shape[1]])
    if x is None:
        return None
    a = f"({x}.sin() @ {x}.sin().mT + 3 * torch.eye({s.shapes[x][-1]}, dtype={x}.dtype))"
    return s.random.choice([f"torch.linalg.inv({a})", f"torch.linalg.det({a})", f"torch.linalg.cholesky({a})", f"torch.linalg.solve({a}, {x})",
                            f"torch.linalg.eigvalsh({a})", f"torch.linalg.slogdet({a})[1]", f"torch.linalg.matrix_power({x}, 2)", f"torch.trace({x})",
                            f"torch.linalg.solve_triangular({a}.triu(), {x}, upper=True)"])


def join(s: State) -> Step:
    x = s.pick(1)
    if x is None:
        return None
    y, dim = s.random.choice([n for n, shape in s.known() if shape == s.shapes[x]]), s.dim(x)
    return s.random.choice([f"torch.cat([{x}, {y}], {dim})", f"torch.stack([{x}, {y}], {dim})", f"torch.hstack([{x}, {y}])", f"torch.stack([{x}], {dim})",
                            f"torch.cat([{x}, {y}, {x}], {dim})"])


def function(s: State) -> Step:
    x = s.pick()
    if x is None:
        return None
    y = s.partner(x)
    usual = s.random.random() < 0.5 or y[0] != "t"
    return s.random.choice(FUNCTIONS if usual else LESS_USUAL).format(x, y)


def gathered(s: State) -> Step:
    x = s.pick(1)
    if x is None:
        return None
    dim, shape = s.dim(x), s.shapes[x]
    if not shape[dim]:
        return None
    index = [s.random.randrange(shape[dim]) for _ in range(s.random.choice([1, 2, 3]))]
    at = f"torch.zeros({list(shape)}, dtype=torch.int64)"
    return s.random.choice([
        *[f"{x}[{':, ' * dim}{index}]", f"{x}.index_select({dim}, torch.tensor({index}))"] * 3,
        f"{x}.index_fill({dim}, torch.tensor({index}), 0.5)", f"{x}.masked_fill({x} > 0, -1.0)", f"torch.where({x} > 0, {x}, 0.5)",
        f"{x}.index_add({dim}, torch.tensor({index[:1]}), {x}.narrow({dim}, 0, 1))", f"{x}.gather({dim}, {at})", f"{x}[{x} > 0]",
        f"{x}.scatter_add({dim}, {at}, {x})", f"{x}.scatter({dim}, {at}, 0.5)", f"{x}.take(torch.tensor([0, 0]))", f"{x}.take_along_dim({at}, {dim})",
        f"{x}.index_copy({dim}, torch.tensor({index[:1]}), {x}.narrow({dim}, 0, 1))",
        f"{x}.masked_select({x} < 0.5)", f"{x}.index_put((torch.tensor({index[:1]}),), {x}[:1]) if {not dim} else {x} * 1",
        f"{x}[{':, ' * dim}torch.tensor([{index}, {index}])]", f"{x}.repeat(2, {', '.join('1' * len(shape))})", f"{x}.tile(2)",
        *[f"({x} + torch.arange({size(shape)}.0, dtype=torch.float64).reshape({list(shape)}).to({x}.dtype)).topk(1, {dim})[0]",      # which of equal ones is open
          f"{x}.select_scatter({x}.select({dim}, 0) * 2, {dim}, {index[0]})"] * ("complex" not in "".join(s.dtypes)),
    ])


def view(s: State) -> Step:
    x = s.pick(1)
    if x is None:
        return None
    shape, dim = s.shapes[x], s.dim(x)
    if not shape[dim]:
        return None
    start, whole, at = s.random.randrange(shape[dim]), ", ".join(map(str, shape)), ":, " * dim
    kinds = [
        f"{x}[{at}{start}]", f"{x}.select({dim}, {start})", f"{x}[{at}{start}:]", f"{x}.narrow({dim}, {start}, 1)", f"{x}[{at}::2]", f"{x}.view(-1)",
        f"{x}.reshape(-1)", f"{x}.flatten()", f"{x}.unsqueeze({dim})", f"{x}[None]", f"{x}.transpose(0, {dim})", f"{x}.expand(2, {whole})",
        f"{x}.view_as({x})", f"{x}.unbind({dim})[{start}]", f"{x}.split(1, {dim})[{start}]", f"{x}.squeeze({dim})", f"{x}.detach()",
        f"{x}.unfold({dim}, 1, 1)", f"{x}.movedim(0, {dim})", f"{x}.unflatten({dim}, (1, -1))", f"{x}.chunk(2, {dim})[0]", f"{x}.data",
        f"{x}.real" if "complex" not in "".join(s.dtypes) else f"{x}.view_as({x})", f"{x}.squeeze()", f"{x}.ravel()", f"{x}.expand_as({x})", f"{x}[...]",
        f"{x}.swapaxes(0, -1)", f"{x}.tensor_split(2, {dim})[0]", f"{x}.view({whole}, 1)", f"{x}.broadcast_to(1, {whole})",
        f"{x}.as_strided((1,), (1,))", f"{x}.as_strided(({shape[0]},), (1,))",
    ]
    if len(shape) == 2:
        kinds += [f"{x}.t()", f"{x}.diagonal()", f"{x}.T", f"{x}.permute(1, 0)", f"{x}.mT"]
    if "complex128" in s.dtypes:
        kinds += [f"torch.view_as_real({x}).abs()"]
    return s.random.choice(kinds)


def tangent(s: State) -> Step:
    """The tangent of something simple, through a write to a view or none."""
    x = s.pick(1)
    if x is None:
        return None
    one = s.random.choice([op for op in UNARY if (len(s.shapes[x]) > 1 or op not in OF_MATRICES) and op != "logcumsumexp(0)"])   # off by 1e-13 in PyTorch
    f = s.random.choice([f"d.{one}", "d * d", "d / 2 + d.sum()", "d.sum(0, keepdim=True) * d", "written(d * 1, lambda y: y[0].mul_(2))",
                         "written(d * 1, lambda y: y.view(-1)[1:].copy_(d.reshape(-1)[1:] * 3))", "written(d.detach() * 1, lambda y: y[-1:].add_(d[:1]))",
                         "written(d * 1, lambda y: y.transpose(0, -1)[0].zero_())", "torch.cat([d, d * 2])", "d[[0, 0]]", "torch.where(d > 0, d, d * d)",
                         "d.unsqueeze(0).expand(2, *d.shape).sum(0)", "torch.stack([d, d.detach()])", f"d.{s.random.choice(ALONG).format(0, '')}",
                         "written(d.detach().clone(), lambda y: y.copy_(d.sin()))", "Forward.apply(d)", "written(d * 1, lambda y: y.mul_(d.cos()))"])
    return f"tangent({x}, lambda d: {f})"


def gradient(s: State) -> Step:
    x, y = s.pick(), s.pick()
    if x is None or y is None:
        return None
    return f"Second.apply(torch.autograd.grad({y}.sum(), {x}, create_graph=True, allow_unused=True, materialize_grads=True)[0], {x})"

"""Steps with integer and boolean tensors: masks, indices, counts; beside floats, saved for backward, and written to."""
from __future__ import annotations

from .values import State, fits

Step = str | None


def discrete(s: State) -> Step:
    """A new integer or boolean tensor, drawn or made of another one."""
    x, other = s.pick(1), s.pick_discrete()
    shape = list(s.shapes[x]) if x else [2]
    made = [f"torch.arange({_size(shape)}).reshape({shape}) % 3", f"torch.tensor({s.random.choice(['[True, False]', '[0, 1]', '[1, 0, 1]', 'True', '2'])})"]
    if x:
        dim = s.dim(x)
        made += [f"{x} > {s.number()}", f"{x} <= {x}.mean({dim}, keepdim=True)" if "complex" not in "".join(s.dtypes) else f"{x} != 0", f"{x} == {x}",
                 f"{x}.bool()", f"torch.ones_like({x}, dtype=torch.bool)", f"torch.zeros_like({x}, dtype=torch.int64)", f"{x}.isnan()", f"{x}.detach().isfinite()"]
        if "complex" not in "".join(s.dtypes):
            made += [f"{x}.argmax({dim})", f"{x}.sort(dim={dim}, stable=True)[1]", f"{x}.argsort(dim={dim}, stable=True)", f"{x}.signbit()", f"{x}.max({dim})[1]"]
    if other:
        made += [f"{other} + 1", f"{other} * 2", f"~{other}", f"{other}[...]", f"{other}.reshape(-1)", f"{other}.clone()", f"{other}.any()",
                 f"{other}.sum()", f"{other} & 1", f"{other}.long()", f"{other}.bool()", f"{other} - {other}", f"{other}.int()", f"{other}.cumsum(0)",
                 f"{other}.detach()", f"{other}.flip(0)", f"-{other}", f"{other}.abs()", f"{other} // 2", f"{other}.all()", f"{other}[None]", f"{other}.t()"]
    return s.random.choice(made)


def beside(s: State) -> Step:
    """A float tensor made with an integer or boolean one."""
    m = s.pick_discrete()
    if m is None:
        return None
    x = s.choose([n for n in s.floats() if fits(s.shapes[m], s.shapes[n])]) or s.pick(1)
    if x is None:
        return None
    dim = s.dim(x) if s.shapes[x] else 0
    n = (s.shapes[x] or (1,))[dim]
    whole = f"({m}.long() % {n})"
    plus = " + 1" if "complex" in "".join(s.dtypes) else ""     # of a complex 0 ** 0 PyTorch makes no number; Python, NumPy and JAX make 1
    made = [f"{x} * {m}", f"{m} * {x}", f"{x} + {m}", f"{x} - {m}.long()", f"{m}.long() - {x}", f"{x} / ({m} + 1)", f"{x} ** ({m}.long(){plus})", f"{m} / 2",
            f"torch.where({m}.bool(), {x}, {x} * 2)", f"torch.where({m}.bool(), {x}, 0.5)", f"{x}.masked_fill({m}.bool(), 0.5)", f"{x} * {m}.to({x}.dtype)",
            f"{x}[{m}]", f"{x}[{whole}]", f"{x}[{m}.bool()]", f"{x}.take({whole})", f"{m} + 0.5", f"{m}.double()", f"{m}.sin()", f"{m} * 1.5",
            f"{x}.index_select({dim}, {whole}.reshape(-1))", f"{x}.masked_select({m}.bool())", f"{x}.expand_as({x}).gather({dim}, {whole}.expand_as({x}))",
            f"torch.addcmul({x}, {x}, {m})", f"torch.cat([{x}.reshape(-1), {m}.reshape(-1)])", f"torch.stack([{x}, {m}])", f"{m}.float() * {x}",
            f"{x}.scatter_add(0, {whole}.expand_as({x}) * 0, {x})", f"{x}.index_add({dim}, {whole}.reshape(-1)[:1], {x}.narrow({dim}, 0, 1))",
            f"{m} * {x}.sum()", f"{x}.type_as({x}) * {m}", f"{m}.to({x}.dtype).requires_grad_()", f"torch.mul({x}, {m}).sum(0)"]
    if "complex" not in "".join(s.dtypes):
        made += [f"torch.maximum({x}, {m})", f"torch.atan2({x}, {m})", f"{x}.clamp(max={m})", f"{x}.fmod({m} + 1)", f"torch.copysign({x}, {m})"]
    return s.random.choice(made)


def change_discrete(s: State) -> Step:
    """A write to an integer or boolean tensor, or to floats through one."""
    m = s.pick_discrete(writable=True)
    if m is None:
        return None
    x = s.choose([n for n in s.floats() if fits(s.shapes[m], s.shapes[n]) and n not in s.frozen])
    texts = [f"{m} += 1", f"{m}.zero_()", f"{m}.logical_not_()", f"{m}.copy_({m}.clone())", f"{m}.fill_(1)", f"{m}.mul_(2)", f"{m} |= 1", f"{m}.requires_grad_()",
             f"{m}.add_(0.5)", f"{m}.sum().backward()", f"{m}.retain_grad()", f"{m}.detach_()", f"{m}.unsqueeze_(0)", f"{m}[...] = 0", f"{m}.clamp_(0, 1)"]
    if x:
        texts += [f"{x} *= {m}", f"{x} += {m}", f"{x}.masked_fill_({m}.bool(), 0.25)", f"{x}[{m}.long() % {(s.shapes[x] or (1,))[0]}] = 0.5", f"{x}[{m}.bool()] *= 2", f"{x}.copy_({m})",
                  f"{x}.div_({m} + 1)", f"{x}[{m}.bool()] = {x}.detach().clone()[{m}.bool()]", f"{m}.copy_({x}.detach())", f"{m} += {x}",
                  f"{x}.masked_scatter_({m}.bool(), {x}.detach().clone())", f"{x}.sub_({m}, alpha=2)", f"{m}[{m}.bool()] = 0", f"{m}.copy_({x})"] * 2
    return s.random.choice(texts)


def _size(shape: list[int]) -> int:
    total = 1
    for n in shape:
        total *= n
    return total

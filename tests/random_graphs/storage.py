"""Steps with sparse tensors, and steps that give a Tensor other memory."""
from __future__ import annotations

from .values import State, size

Step = str | None


def sparse(s: State) -> Step:
    """Something dense that was made by way of a sparse tensor, whose own nodes are each library's; or whose gradient is sparse."""
    x = s.pick(1)
    if x is None or set(s.dtypes) & {"complex64", "complex128", "float16", "bfloat16"}:      # which PyTorch has parts of only
        return None
    shape, dim = s.shapes[x], s.dim(x)
    index = [[s.random.randrange(n) for _ in range(2)] for n in shape]
    one = f"{x}.to_sparse()"
    made = [f"{one}.to_dense()", f"({one} * {s.number()}).to_dense()", f"{one}.coalesce().values()", f"torch.sparse.sum({one})", f"({one} + {one}).to_dense()",
            f"torch.sparse_coo_tensor({index}, {x}.reshape(-1)[:2].clone(), {list(shape)}).to_dense()", f"{one}.neg().to_dense()",
            f"torch.sparse_coo_tensor({index}, {x}.reshape(-1)[:2] * 2, {list(shape)}).coalesce().values()", f"({one} / 2).to_dense()",
            f"{x}.gather({dim}, torch.zeros({list(shape)}, dtype=torch.int64), sparse_grad=True)", f"{one}.clone().detach().to_dense()",
            f"({x} + torch.sparse_coo_tensor({index}, torch.ones(2, dtype={x}.dtype), {list(shape)}))"]
    if len(shape) == 2:
        table = f"torch.nn.functional.embedding(torch.tensor({index[0]}), {x}, sparse=True)"
        y = s.choose([n for n, other in s.known() if len(other) == 2 and other[0] == shape[1]])
        made += [table, table, f"torch.sparse.sum({one}, {dim}).to_dense()", f"{one}.transpose(0, 1).to_dense()", f"{one}.t().to_dense()",
                 f"torch.sparse.softmax({one}, 1).to_dense()", f"torch.stack([{one}, {one}]).to_dense()"]
        if y:
            made += [f"torch.sparse.mm({one}, {y})", f"{one} @ {y}"]
    s.sparse = True
    found = s.random.choice(made)
    return found if "sparse_grad" in found or "embedding" in found else f"Second.apply({found}, {x})"


def storage(s: State) -> Step:
    """Memory that is given to another Tensor, or asked to have another size."""
    x, y = s.pick(1, writable=True), s.pick(1, writable=True)
    if x is None:
        return None
    shape = s.shapes[x]
    fewer = s.random.choice([[size(shape)], list(shape), [*shape[::-1]], [1], [shape[0], 1]])
    if size(tuple(fewer)) > size(shape):
        fewer = list(shape)
    return s.random.choice([f"{x}.detach().resize_({fewer})", f"{x}.resize_({fewer})", f"{x}._is_view() or {x}.set_({y})", f"{x}.detach().set_({y}.detach())",
                            f"{x}._is_view() or {x}.set_({x}.detach())", f"{x}.detach().clone().resize_({fewer}).add_(1)", f"{x}.resize_as_({x})"])

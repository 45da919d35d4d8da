"""T15: sparse Tensors and sparse gradients."""
from __future__ import annotations

from ..collect import each, ours
from ..observe import raises


def _sparse(torch, **options):
    return torch.sparse_coo_tensor(torch.tensor([[0, 1, 1], [2, 0, 2]]), torch.tensor([3.0, 4.0, 5.0]), (2, 3), **options)


def made(torch):
    s = _sparse(torch)
    return (
        s.to_dense(),
        s.is_sparse,
        str(s.layout).split(".")[-1],
        tuple(s.shape),
        s.dtype,
        s.is_coalesced(),
        s.coalesce().indices(),
        s.coalesce().values(),
        s._nnz(),
        s.sparse_dim(),
        s.dense_dim(),
        s._indices(),
        s._values(),
    )


def from_lists_and_without_a_size(torch):
    return (
        torch.sparse_coo_tensor([[0, 1], [1, 2]], [1.0, 2.0]).to_dense(),
        torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (2, 2)).to_dense(),
        torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (2, 2)).coalesce().values(),
        torch.sparse_coo_tensor(size=(2, 3)).to_dense(),
        torch.sparse_coo_tensor([[0]], [[1.0, 2.0]], (2, 2)).to_dense(),
    )


def to_sparse_and_back(torch):
    d = torch.tensor([[0.0, 2.0], [3.0, 0.0]])
    s = d.to_sparse()
    return (
        s._nnz(),
        s.to_dense(),
        s.indices(),
        s.values(),
        raises(lambda: _sparse(torch).indices(), "Cannot get indices on an uncoalesced tensor, please call .coalesce() first"),
    )


def gradient_through_to_dense(torch):
    s = _sparse(torch).coalesce().requires_grad_()
    (s.to_dense() * torch.arange(6.0).reshape(2, 3)).sum().backward()
    return s.grad.to_dense(), s.grad.is_sparse


def gradient_of_the_values(torch):
    values = torch.tensor([3.0, 4.0, 5.0], requires_grad=True)
    s = torch.sparse_coo_tensor(torch.tensor([[0, 1, 1], [2, 0, 2]]), values, (2, 3))
    (s.to_dense() * torch.arange(6.0).reshape(2, 3)).sum().backward()
    return values, s.requires_grad, s.grad_fn.name()


def gradient_through_to_sparse(torch):
    d = torch.tensor([[0.0, 2.0], [3.0, 0.0]], requires_grad=True)
    (d.to_sparse().to_dense() * 3).sum().backward()
    return d


def embedding_with_sparse_gradients(torch):
    w = torch.arange(8.0).reshape(4, 2).requires_grad_()
    out = torch.nn.functional.embedding(torch.tensor([1, 3, 1]), w, sparse=True)
    out.sum().backward()
    return out, w.grad.is_sparse, w.grad.to_dense(), w.grad._nnz(), w.grad.is_coalesced(), out.grad_fn.name()


def embedding_with_dense_gradients(torch):
    w = torch.arange(8.0).reshape(4, 2).requires_grad_()
    out = torch.nn.functional.embedding(torch.tensor([1, 3, 1]), w)
    (out * 2).sum().backward()
    return out, w, out.grad_fn.name()


def sparse_gradients_accumulate(torch):
    w = torch.arange(8.0).reshape(4, 2).requires_grad_()
    for i in ([1, 3], [3, 0]):
        torch.nn.functional.embedding(torch.tensor(i), w, sparse=True).sum().backward()
    return w.grad.is_sparse, w.grad.to_dense()


def sparse_then_dense(torch):
    w = torch.arange(8.0).reshape(4, 2).requires_grad_()
    torch.nn.functional.embedding(torch.tensor([1, 3]), w, sparse=True).sum().backward()
    (w * 2).sum().backward()
    return w.grad.is_sparse, w.grad.to_dense() if w.grad.is_sparse else w.grad


def dense_then_sparse(torch):
    w = torch.arange(8.0).reshape(4, 2).requires_grad_()
    (w * 2).sum().backward()
    first = w.grad
    torch.nn.functional.embedding(torch.tensor([1, 3]), w, sparse=True).sum().backward()
    return w.grad is first, w.grad


def sparse_and_dense_in_one_graph(torch):
    w = torch.arange(8.0).reshape(4, 2).requires_grad_()
    (torch.nn.functional.embedding(torch.tensor([1, 3]), w, sparse=True).sum() + (w * w).sum()).backward()
    return w.grad.is_sparse, w.grad.to_dense() if w.grad.is_sparse else w.grad


def gather_with_sparse_gradients(torch):
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    x.gather(1, torch.tensor([[0, 2], [1, 1]]), sparse_grad=True).sum().backward()
    return x.grad.is_sparse, x.grad.to_dense()


def sparse_times_dense(torch):
    s = _sparse(torch).coalesce().requires_grad_()
    d = torch.arange(6.0).reshape(3, 2).requires_grad_()
    out = torch.sparse.mm(s, d)
    (out * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    return out, s.grad.to_dense(), s.grad.is_sparse, d


def matmul_with_sparse(torch):
    s = _sparse(torch).coalesce()
    d = torch.arange(6.0).reshape(3, 2).requires_grad_()
    out = s @ d
    out.sum().backward()
    return out, d, torch.mm(s, d.detach()), s.mm(d.detach())


def sums_and_products(torch):
    s = _sparse(torch).coalesce()
    return (
        (s + s).to_dense(),
        (s * 2).to_dense(),
        (s * s).to_dense(),
        s.t().to_dense(),
        s.sum(),
        torch.sparse.sum(s),
        (s - s).to_dense(),
        (torch.ones(2, 3) + s),
        (-s).to_dense(),
        (s / 2).to_dense(),
        s.transpose(0, 1).to_dense(),
        s.clone().to_dense(),
        s.double().dtype,
        s.detach().to_dense(),
    )


def gradcheck_at_what_is_stored(torch):
    s = _sparse(torch).double().coalesce().requires_grad_()
    return torch.autograd.gradcheck(lambda t: t.to_dense(), s, masked=True), raises(
        lambda: torch.autograd.gradcheck(
            lambda t: t.to_dense(), torch.ones(2, 2, dtype=torch.float64).to_sparse().requires_grad_(), masked=False
        )
    )


def hooks_see_sparse_gradients(torch):
    w, seen = torch.arange(8.0).reshape(4, 2).requires_grad_(), []
    w.register_hook(lambda g: seen.append(g.is_sparse))
    torch.nn.functional.embedding(torch.tensor([1, 3]), w, sparse=True).sum().backward()
    return seen


def errors(torch):
    return raises(lambda: _sparse(torch).view(6)), raises(lambda: _sparse(torch).numpy())


@each(
    "S[0]", "S[-1]", "S[0, 2]", "S[:, 2]", "S[None]", "S[0][2]", "S[0, None]", "S[None, 0]", "list(S)", "S.select(1, 0)", "S.index_select(0, i)",
    "S.index_select(1, torch.tensor([2, 2, 0]))", "S.t()", "S.T", "S.transpose(0, 1)", "S.permute(1, 0)", "S.unsqueeze(0)", "S.unsqueeze(-1)", "S.coalesce().indices()",
    "torch.cat([S, S])", "torch.cat([S, S * 2], 1)", "torch.stack([S, S])", "S.sum(0)", "S.sum(1)", "torch.sparse.sum(S, (0, 1))", "S @ S.t()", "torch.sparse.mm(S, S.t())",
    "S @ D.t()", "D.t() @ S", "D[0] @ S.t()", "S @ D[0]", "S.mv(D[0])", "torch.addmm(torch.ones(2, 2), S, D.t())", "torch.sparse.addmm(D[:, :2], S, D.t(), beta=2, alpha=3)",
    "torch.smm(S, D.t())", "torch.spmm(S, D.t())", "torch.dsmm(S, D.t())", "S * D", "D * S", "S * S", "S / 2", "S // 2", "S.true_divide(2)", "2 * S", "-S", "abs(S)", "S ** 2",
    "torch.sin(S)", "S.erf()", "S.deg2rad()", "S.isnan()", "torch.isnan(S)", "S.sgn()", "S.long()", "S.bool()", "S.norm()", "torch.norm(S)", "torch.zeros_like(S)", "torch.empty_like(S)",
    "S.clone().div_(2)", "S.clone().sub_(S)", "D.sparse_mask(S)", "S.sparse_mask(S[:, None][:, 0].coalesce())", "torch.sparse.softmax(S, 1)", "torch.sparse.softmax(S, 0)",
    "torch.sparse.log_softmax(S, 1)", "torch.sparse_coo_tensor([[0], [0]], [3.0], (1, 1)).item()", "S.type()", "S.element_size()", "S.new_zeros(2).shape",
    "D.to_sparse(1)[0]", "D.to_sparse(1)[:, 2]", "D.to_sparse(1).index_select(1, i)",
)
def operations(torch, text):
    s = _sparse(torch)
    return eval(text, {"torch": torch, "S": s, "D": torch.arange(6.0).reshape(2, 3), "i": torch.tensor([1, 0])})


@each(
    "S.t()", "S.coalesce()", "S * 3", "S * D", "S * S", "torch.sparse.mm(S, D.t())", "S.transpose(0, 1)", "S + S", "torch.sparse.sum(S, 0)", "S.coalesce().values()",
    "D.sparse_mask(S)", "D * S", "torch.sparse.softmax(S, 1)", "torch.sparse.log_softmax(S, 1)",
)
def gradients_through_operations(torch, text):
    s = _sparse(torch).coalesce().requires_grad_()
    d = torch.arange(6.0).reshape(2, 3).requires_grad_()
    out = eval(text, {"torch": torch, "S": s, "D": d})
    dense = out.to_dense() if out.is_sparse else out
    (dense * torch.cos(torch.arange(float(dense.numel()))).reshape(dense.shape)).sum().backward()
    return out.requires_grad, dense, s.grad, None if d.grad is None else d.grad.to_dense()


def gradient_of_a_dense_factor(torch):
    d = torch.arange(6.0).reshape(2, 3).requires_grad_()
    torch.sparse.sum(_sparse(torch) * d).backward()
    return d.grad.is_sparse


@each("S.sum()", "(S @ D.t()).sum()", "torch.sparse.sum(S @ S.t())")
def gradients_of_what_is_not_stored(torch, text):
    """The gradient of a sparse Tensor is stored at its own places"""
    s = _sparse(torch).coalesce().requires_grad_()
    eval(text, {"torch": torch, "S": s, "D": torch.arange(6.0).reshape(2, 3)}).backward()
    return s.grad.is_sparse, s.grad


@ours
@each("S[0].to_dense()", "torch.cat([S, S * 2], 1).to_dense()", "S.index_select(1, torch.tensor([2, 2, 0])).to_dense()", "(S @ S.t()).to_dense()",
      "S.unsqueeze(0).to_dense()", "S.permute(1, 0).to_dense()")
def derivatives_of_parts(torch, text):
    """Gradients through parts and products of sparse Tensors, which PyTorch 2.13 lacks or stores elsewhere"""
    s = _sparse(torch).double().coalesce().requires_grad_()
    return {"gradcheck": torch.autograd.gradcheck(lambda t: eval(text, {"torch": torch, "S": t}), s, masked=True)}


WRONG = {
    "S[5]": "index 5 is out of bounds for dimension 0 with size 2", "S[0, 0, 0]": "too many indices", "S[0:1]": "", "S[[1, 0]]": "", "S[...]": "",
    "S.select(0, 7)": "select(): index 7 out of range for tensor of size [2, 3] at dimension 0", "S.index_select(1, torch.tensor([7]))": "",
    "S.permute(0, 0)": "duplicate dims are not allowed", "S.permute(0)": "number of dimensions in the tensor input does not match", "S.t() @ S.t()": "",
    "S.reshape(3, 2)": "reshape is not implemented for sparse tensors", "torch.cat([S, S.t()])": "All tensors must have the same shape", "bool(S)": "Boolean value of Tensor",
    "S.item()": "a Tensor with 6 elements cannot be converted to Scalar", "S.unsqueeze(5)": "Dimension out of range", "S.exp()": "", "S + 1": "", "S.max()": "", "S == S": "",
}


@each(*WRONG)
def wrong(torch, text):
    return raises(lambda: eval(text, {"torch": torch, "S": _sparse(torch)}), *filter(None, [WRONG[text]]))


@each(
    "D.add(S)", "D.add(S, alpha=3)", "torch.add(D, S)", "torch.add(D, S, alpha=2)", "D.sub(S)", "torch.sub(D, S, alpha=2)", "D.clone().add_(S)", "D.clone().add_(S, alpha=-0.5)",
    "D.clone().sub_(S, alpha=2)", "D.clone().__iadd__(S)", "D.t().clone().add_(S.t())", "torch.mm(D.t(), S)", "torch.matmul(D.t(), S)", "torch.nn.functional.linear(D, S)",
    "D.clone()[0:1].add_(S)", "D[0:1].add(S)", "D.long().add_(S)", "D.double().add_(S)", "torch.ones(2, 2).add(S)",
)
def a_dense_tensor_with_a_sparse_one_beside_it(torch, text):
    """Methods and functions of a dense Tensor take a sparse one"""
    seen = []
    for tracked in (False, True):
        d, s = torch.arange(6.0).reshape(2, 3).requires_grad_(tracked), _sparse(torch)
        out = raises(lambda: eval(text, {"torch": torch, "S": s, "D": d}))
        if "returns" in out:
            out = out["returns"]
            dense = out.to_dense() if out.is_sparse else out
            seen.append((out._version, out.requires_grad, out.grad_fn and out.grad_fn.name()))
            if tracked and dense.requires_grad:
                (dense * torch.arange(float(dense.numel())).reshape(dense.shape)).sum().backward()
        seen.append((out, d.grad))
    return seen


def steps_with_sparse_gradients(torch):
    """What training loops do: each way of taking a sparse gradient away from a parameter, in place."""
    ways = (lambda w: w.sub_(w.grad, alpha=0.1), lambda w: w.add_(w.grad, alpha=-0.1), lambda w: w.add_(w.grad.coalesce(), alpha=-0.1), lambda w: w.sub_(0.1 * w.grad),
            lambda w: w.__isub__(0.1 * w.grad), lambda w: w.data.sub_(w.grad.mul(0.1)), lambda w: w.copy_(w - 0.1 * w.grad.to_dense()))
    seen = []
    for step in ways:
        w = torch.arange(8.0).reshape(4, 2).clone().requires_grad_()
        for _ in range(2):
            w.grad = None
            (torch.nn.functional.embedding(torch.tensor([1, 3, 1]), w, sparse=True) ** 2).sum().backward()
            with torch.no_grad():
                step(w)
        seen.append((w.detach(), w.grad.is_sparse, w._version))
    return seen


def a_gradient_of_another_layout_is_assigned(torch):
    w = torch.arange(8.0).reshape(4, 2).requires_grad_()
    torch.nn.functional.embedding(torch.tensor([1, 1]), w, sparse=True).sum().backward()
    w.grad = w.grad.coalesce()
    torch.nn.functional.embedding(torch.tensor([1, 1]), w, sparse=True).sum().backward()
    first = w.grad
    w.grad = torch.ones(4, 2).to_sparse()
    (w * 2).sum().backward()
    return first, first.is_sparse, w.grad, w.grad.is_sparse, raises(lambda: setattr(w, "grad", torch.ones(2, 2).to_sparse())), raises(
        lambda: setattr(w, "grad", torch.ones(4, 2).double().to_sparse()))


@each(
    "torch.ones(2, 3).mul(S)", "torch.mul(torch.ones(2, 3), S)", "torch.ones(2, 3).mul_(S)", "torch.sparse.mm(torch.ones(3, 2), S)", "S.data", "S.stride()", "S.storage_offset()", "S.itemsize", "S.mT", "S.is_sparse_csr", "torch.ones(2).is_sparse_csr", "S.sum(1, keepdim=True)", "S.sum((0, 1), keepdim=True)", "S.unbind()", "S.unbind(1)",
    "S.norm(1)", "S.norm(float('inf'))", "S.norm(3)", "S.neg_()", "S.copy_(S * 2)", "S.t_()", "S.nan_to_num()", "torch.ones(2, 2).to_sparse_coo()", "torch.ones(2, 2).to_sparse(layout=torch.sparse_coo)", "torch.ones(()).to_sparse()",
    "torch.zeros(()).to_sparse().to_dense()", "torch.ones(2, 2).to_sparse(0)", "torch.ones(2, 2).to_sparse(3)", "torch.zeros(2, 3, layout=torch.sparse_coo)", "torch.empty(2, layout=torch.sparse_coo, dtype=torch.float64)", "S.new_zeros(2, 2)",
    "S.new_zeros(2, 2, layout=torch.strided)", "S.to_sparse_coo()._nnz()", "S @ 2",
)
def more_of_sparse_tensors(torch, text):
    return raises(lambda: eval(text, {"torch": torch, "S": _sparse(torch)}))


@each("E(i, W, max_norm=1.0, sparse=True)", "E(i, W, max_norm=5.0)", "E(i, W, None, 1.5, 1.0)", "E(i, W, None, None, 2.0, False, True)", "E(i, W, 1, None, 2.0, True)", "E(i, W, max_norm=1.0, norm_type=float('inf'))")
def options_of_embeddings(torch, text):
    w = torch.arange(8.0).reshape(4, 2).requires_grad_()
    out = eval(text, {"torch": torch, "E": torch.nn.functional.embedding, "i": torch.tensor([1, 3, 1]), "W": w})
    out.sum().backward()
    return out.detach(), w.detach(), w.grad.is_sparse, w.grad.to_dense(), w._version

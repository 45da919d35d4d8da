"""T15: sparse Tensors and sparse gradients."""
from __future__ import annotations

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

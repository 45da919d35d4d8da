"""Sparse Tensors and sparse gradients. The same lines run on PyTorch."""
from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

I, V, SIZE = [[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3)
WEIGHTS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def sparse(torch, values=None, **options):
    values = torch.tensor(V, dtype=torch.float64) if values is None else values
    return torch.sparse_coo_tensor(torch.tensor(I), values, SIZE, **options)


def weights(torch):
    return torch.tensor(WEIGHTS, dtype=torch.float64)


def embedding(torch, weight, indices, **options):
    return torch.nn.functional.embedding(torch.tensor(indices), weight, sparse=True, **options)


def leaf(torch, *shape):
    return torch.ones(*shape, dtype=torch.float64, requires_grad=True)


def stored(tensor):
    """All that a sparse Tensor holds."""
    return tensor.is_sparse, tensor.is_coalesced(), tuple(tensor.shape), tensor._indices().tolist(), tensor._values().tolist()


def test_attributes(torch):
    s = sparse(torch)
    assert (s.is_sparse, repr(s.layout), s._nnz(), s.sparse_dim(), s.dense_dim(), s.ndim, len(s)) == (True, "torch.sparse_coo", 3, 2, 0, 2, 2)
    assert (tuple(s.shape), tuple(s.size()), s.size(1), s.numel(), s.is_contiguous()) == (SIZE, SIZE, 3, 6, False)
    assert (torch.ones(2).is_sparse, repr(torch.ones(2).layout)) == (False, "torch.strided")


def test_printed(torch):
    s = sparse(torch, torch.tensor(V))
    assert repr(s) == str(s) == (
        "tensor(indices=tensor([[0, 1, 1],\n                       [2, 0, 2]]),\n       values=tensor([3., 4., 5.]),\n"
        "       size=(2, 3), nnz=3, layout=torch.sparse_coo)"
    )
    assert repr(sparse(torch, requires_grad=True)).endswith("nnz=3, dtype=torch.float64, layout=torch.sparse_coo,\n       requires_grad=True)")
    assert repr(torch.sparse_coo_tensor(size=(2, 3))) == (
        "tensor(indices=tensor([], size=(2, 0)),\n       values=tensor([], size=(0,)),\n       size=(2, 3), nnz=0, layout=torch.sparse_coo)"
    )


@pytest.mark.parametrize("indices, values, size", [
    ([[0, 1]], [1.0, 2.0], None),
    ([[0, 0], [1, 1]], [1.0, 2.0], (2, 2)),
    ([[1, 1]], [[1.0, 2.0], [3.0, 4.0]], (4, 2)),
    ([[0, 2, 0], [1, 0, 1], [3, 3, 3]], [1.0, 2.0, 3.0], (3, 2, 4)),
    ([[2, 0], [1, 0]], [[[1.0], [2.0]], [[3.0], [4.0]]], None),
])
def test_dense_and_coalesced(torch, indices, values, size):
    s = torch.sparse_coo_tensor(indices, values) if size is None else torch.sparse_coo_tensor(indices, values, size)
    dense = np.zeros(tuple(s.shape))
    np.add.at(dense, tuple(np.array(indices)), np.array(values))
    assert s.to_dense().tolist() == dense.tolist()
    c = s.coalesce()
    assert c.is_coalesced() and c.coalesce() is c and c.to_dense().tolist() == dense.tolist()
    order = np.ravel_multi_index(tuple(c.indices().numpy()), tuple(s.shape)[: len(indices)])
    assert (np.diff(order) > 0).all()


def test_nothing_stored(torch):
    s = torch.sparse_coo_tensor(size=(2, 3))
    assert (s._nnz(), s.to_dense().tolist(), s.dtype) == (0, [[0.0] * 3] * 2, torch.float32)


@pytest.mark.parametrize("make, error, message", [
    (lambda t: t.sparse_coo_tensor(t.tensor(I), t.tensor([1.0, 2.0]), SIZE), RuntimeError, "indices and values must have same nnz"),
    (lambda t: t.sparse_coo_tensor(t.tensor(I), t.tensor(V), (2, 2), check_invariants=True), RuntimeError, "size is inconsistent with indices"),
    (lambda t: t.sparse_coo_tensor([[-1, 0]], [1.0, 2.0], (3,), check_invariants=True), RuntimeError, "negative ind"),
    (lambda t: t.sparse_coo_tensor(t.tensor(I), t.tensor(V), (2, 3, 4)), RuntimeError, "sparse_dim"),
    (lambda t: sparse(t).indices(), RuntimeError, "Cannot get indices on an uncoalesced tensor"),
    (lambda t: sparse(t).values(), RuntimeError, "Cannot get values on an uncoalesced tensor"),
    (lambda t: sparse(t).numpy(), TypeError, "Use Tensor.to_dense"),
    (lambda t: sparse(t) + t.ones(2, 3), RuntimeError, "add\\(sparse, dense\\) is not supported"),
    (lambda t: sparse(t).exp(), NotImplementedError, "Could not run"),
    (lambda t: sparse(t).view(6), NotImplementedError, "Could not run"),
    (lambda t: t.embedding(t.ones(3, 2), t.tensor([3])), IndexError, "index out of range"),
    (lambda t: t.sparse.mm(sparse(t), t.ones(2, 2, dtype=t.float64)), RuntimeError, "shape|size"),
])
def test_errors(torch, make, error, message):
    with pytest.raises(error, match=message):
        make(torch)


@pytest.mark.parametrize("operation", [
    lambda t, s: s + s, lambda t, s: s - s, lambda t, s: s * 2, lambda t, s: 3 * s, lambda t, s: s / 2, lambda t, s: -s, lambda t, s: s.t(),
    lambda t, s: s.T, lambda t, s: s.transpose(0, 1), lambda t, s: s * s, lambda t, s: s * weights(t), lambda t, s: s.clone(),
    lambda t, s: s.float(), lambda t, s: s.detach(), lambda t, s: s.abs(), lambda t, s: s.sqrt(), lambda t, s: s.pow(2), lambda t, s: s.to_sparse(),
    lambda t, s: t.sparse.sum(s, 0), lambda t, s: t.sparse.sum(s, 1), lambda t, s: s.clone().add_(s), lambda t, s: s.clone().mul_(2),
    lambda t, s: s.clone().zero_(), lambda t, s: weights(t).to_sparse(), lambda t, s: weights(t).to_sparse(1), lambda t, s: s.coalesce() + s.coalesce(),
    lambda t, s: copy.deepcopy(s),
], ids=range(27))
def test_operations(torch, operation):
    theirs = pytest.importorskip("torch")
    for coalesced in (False, True):
        s, reference = sparse(torch), sparse(theirs)
        if coalesced:
            s, reference = s.coalesce(), reference.coalesce()
        result, expected = operation(torch, s), operation(theirs, reference)
        assert result.is_sparse
        np.testing.assert_allclose(result.to_dense().numpy(), expected.to_dense().numpy())
        assert tuple(result.shape) == tuple(expected.shape)


def test_pickled():
    import transgrad
    s = sparse(transgrad, requires_grad=True)
    again = pickle.loads(pickle.dumps(s))
    assert stored(again) == stored(s) and again.requires_grad


def test_sums_and_products(torch):
    s, d = sparse(torch), weights(torch).t()
    assert (s.sum().item(), torch.sparse.sum(s).item()) == (12.0, 12.0)
    dense = s.to_dense()
    for product in (s @ d, s.mm(d), s.matmul(d), torch.mm(s, d), torch.matmul(s, d), torch.sparse.mm(s, d)):
        assert torch.equal(product, dense @ d)
    assert torch.equal(s @ d[:, 0], dense @ d[:, 0])
    assert torch.equal(torch.sparse.addmm(torch.ones(2, 2, dtype=torch.float64), s, d), 1 + dense @ d)
    assert torch.equal(weights(torch) + s, weights(torch) + dense)


def test_gradient_of_a_leaf_is_stored_where_it_is(torch):
    s = sparse(torch, requires_grad=True)
    assert s.is_leaf and s.requires_grad
    (s.to_dense() * weights(torch)).sum().backward()
    assert stored(s.grad) == (True, False, SIZE, I, [3.0, 4.0, 6.0])
    s.to_dense().sum().backward()
    assert s.grad._values().tolist() == [4.0, 5.0, 7.0]
    s.grad = None
    assert s.grad is None


def test_gradient_of_the_values(torch):
    values = torch.tensor(V, dtype=torch.float64, requires_grad=True)
    s = sparse(torch, values)
    assert s.grad_fn.name() == "SparseCooTensorWithDimsAndTensorsBackward0" and not s.is_leaf
    dense = s.to_dense()
    assert dense.grad_fn.name() == "ToDenseBackward0"
    (dense * weights(torch)).sum().backward()
    assert values.grad.tolist() == [3.0, 4.0, 6.0]


@pytest.mark.parametrize("use, names", [
    (lambda t, s: (s.coalesce().values() ** 2).sum(), "PowBackward0"),
    (lambda t, s: t.sparse.mm(s, t.ones(3, 2, dtype=t.float64)).sum(), "SparseAddmmBackward0"),
    (lambda t, s: (s @ t.ones(3, 2, dtype=t.float64)).sum(), "MmBackward0"),
    (lambda t, s: t.sparse.sum(s), None),
    (lambda t, s: (s * 2).to_dense().sum(), "ToDenseBackward0"),
    (lambda t, s: (s + s).to_dense().sum(), "ToDenseBackward0"),
    (lambda t, s: (s.t().to_dense() ** 2).sum(), "PowBackward0"),
    (lambda t, s: (s * s).to_dense().sum(), "ToDenseBackward0"),
])
def test_gradients(torch, use, names):
    """At the stored places: that of ``s @ d`` is dense in PyTorch."""
    theirs = pytest.importorskip("torch")

    def gradient(t):
        s = sparse(t).coalesce().requires_grad_()
        out = use(t, s)
        out.backward()
        return s.grad.to_dense().numpy()[tuple(I)], out.grad_fn.next_functions[0][0].name() if out.grad_fn.next_functions else None

    found, name = gradient(torch)
    np.testing.assert_allclose(found, gradient(theirs)[0])
    assert names is None or name == names


def test_gradcheck(torch):
    s, d = sparse(torch).coalesce().requires_grad_(), leaf(torch, 3, 2)
    assert torch.autograd.gradcheck(lambda s: s.to_dense(), s, masked=True)
    assert torch.autograd.gradcheck(torch.sparse.mm, (s, d), masked=True)


def test_second_derivatives():
    import transgrad as torch
    values, d = torch.tensor(V, dtype=torch.float64, requires_grad=True), leaf(torch, 3, 2)
    assert torch.autograd.gradgradcheck(lambda v, d: torch.sparse.mm(sparse(torch, v).coalesce() * 2, d.exp()).sin(), (values, d))
    s = sparse(torch).coalesce().requires_grad_()
    assert torch.autograd.gradcheck(lambda s: s.to_dense() ** 2, s, check_sparse_nnz=True)
    with pytest.raises(ValueError, match="masked=True"):
        torch.autograd.gradcheck(lambda s: s.to_dense(), s, masked=False)
    with pytest.raises(ValueError, match="Sparse output is not supported"):
        torch.autograd.gradcheck(lambda s: s * 2, s, masked=True)


def test_embedding(torch):
    w = leaf(torch, 5, 2)
    out = embedding(torch, w, [[1, 1], [3, 0]])
    assert out.grad_fn.name() == "EmbeddingBackward0" and tuple(out.shape) == (2, 2, 2)
    out.sum().backward()
    assert stored(w.grad) == (True, False, (5, 2), [[1, 1, 3, 0]], [[1.0, 1.0]] * 4)
    assert (w.grad.sparse_dim(), w.grad.dense_dim()) == (1, 1)


def test_embedding_without_its_padding(torch):
    w = leaf(torch, 5, 2)
    embedding(torch, w, [[1, 1], [3, 0]], padding_idx=-4).sum().backward()
    assert w.grad._indices().tolist() == [[3, 0]]
    with pytest.raises(AssertionError, match="Padding_idx must be within num_embeddings"):
        embedding(torch, w, [1], padding_idx=5)


@pytest.mark.parametrize("options", [{}, {"padding_idx": 1}, {"scale_grad_by_freq": True}])
def test_dense_gradients_of_embedding(torch, options):
    theirs = pytest.importorskip("torch")

    def gradient(t):
        w = leaf(t, 5, 2)
        (t.nn.functional.embedding(t.tensor([1, 1, 3]), w, **options) * t.tensor([2.0, 3.0])).sum().backward()
        return w.grad.tolist()

    assert gradient(torch) == gradient(theirs)
    with pytest.raises(RuntimeError, match="scale_grad_by_freq not supported with sparse gradients"):
        embedding(torch, leaf(torch, 5, 2), [1, 1], scale_grad_by_freq=True).sum().backward()


def test_accumulation(torch):
    """Sparse to sparse and to dense: in place; dense to sparse: a new dense gradient."""
    w = leaf(torch, 4, 2)
    embedding(torch, w, [1, 1]).sum().backward()
    first = w.grad
    embedding(torch, w, [1, 2]).sum().backward()
    assert w.grad is first and first._nnz() == 4 and first.to_dense()[:, 0].tolist() == [0.0, 3.0, 1.0, 0.0]
    (w * 2).sum().backward()
    second = w.grad
    assert second is not first and not second.is_sparse and second[:, 0].tolist() == [2.0, 5.0, 3.0, 2.0]
    embedding(torch, w, [0]).sum().backward()
    assert w.grad is second and second[:, 0].tolist() == [3.0, 5.0, 3.0, 2.0]


def test_accumulation_under_create_graph(torch):
    w = leaf(torch, 4, 2)
    for _ in range(2):
        (embedding(torch, w, [1, 1]) ** 2).sum().backward(create_graph=True)
    assert w.grad.is_sparse and w.grad.requires_grad and w.grad.to_dense()[1].tolist() == [8.0, 8.0]
    (w ** 2).sum().backward(create_graph=True)
    assert not w.grad.is_sparse and w.grad[:2].tolist() == [[2.0, 2.0], [10.0, 10.0]]


def test_both_kinds_in_one_graph(torch):
    w = leaf(torch, 4, 2)
    (embedding(torch, w, [1, 3]).sum() + (w * w).sum() + embedding(torch, w, [1]).sum()).backward()
    assert not w.grad.is_sparse and w.grad[:, 0].tolist() == [2.0, 4.0, 2.0, 3.0]


@pytest.mark.parametrize("through", [lambda w: w * 2, lambda w: w.exp(), lambda w: w * w, lambda w: -w, lambda w: w.clone()])
def test_sparse_gradients_go_on(torch, through):
    w, expected = leaf(torch, 5, 2), leaf(torch, 5, 2)
    embedding(torch, through(w), [1, 1, 3]).sum().backward()
    torch.nn.functional.embedding(torch.tensor([1, 1, 3]), through(expected)).sum().backward()
    assert torch.allclose(w.grad.to_dense() if w.grad.is_sparse else w.grad, expected.grad)


def test_second_derivative_of_embedding(torch):
    w = leaf(torch, 4, 2)
    gradient, = torch.autograd.grad((embedding(torch, w, [1, 1, 3]) ** 3).sum(), w, create_graph=True)
    assert gradient.is_sparse
    second, = torch.autograd.grad(gradient.to_dense().sum(), w)
    assert (second.to_dense() if second.is_sparse else second)[:, 0].tolist() == [0.0, 12.0, 0.0, 6.0]


def test_hooks_see_sparse_gradients(torch):
    w, seen = leaf(torch, 4, 2), []
    w.register_hook(lambda g: seen.append(g.is_sparse))
    handle = w.register_hook(lambda g: g * 2)
    embedding(torch, w, [1]).sum().backward()
    handle.remove()
    assert seen == [True] and w.grad.to_dense()[1].tolist() == [2.0, 2.0]
    post = []
    w.register_post_accumulate_grad_hook(lambda w: post.append(w.grad.is_sparse))
    embedding(torch, w, [1]).sum().backward()
    assert post == [True]


def test_custom_function_that_returns_a_sparse_gradient(torch):
    class Row(torch.autograd.Function):
        @staticmethod
        def forward(ctx, w):
            return w[1]

        @staticmethod
        def backward(ctx, g):
            return torch.sparse_coo_tensor([[1]], g.unsqueeze(0), (4, 2))

    w = leaf(torch, 4, 2)
    Row.apply(w).sum().backward()
    assert stored(w.grad) == (True, True, (4, 2), [[1]], [[1.0, 1.0]])


def test_gather(torch):
    x = leaf(torch, 2, 3)
    y = torch.gather(x, 1, torch.tensor([[0, 2], [1, 1]]), sparse_grad=True)
    assert y.grad_fn.name() == "GatherBackward0"
    y.sum().backward()
    assert x.grad.is_sparse and x.grad.to_dense().tolist() == [[1.0, 0.0, 1.0], [0.0, 2.0, 0.0]]


def test_training_step_on_the_rows_that_were_used(torch):
    w = leaf(torch, 4, 2)
    embedding(torch, w, [1, 3]).sum().backward()
    with torch.no_grad():
        w -= 0.5 * w.grad.to_dense()
        gradient = w.grad.coalesce()
        w.index_add_(0, gradient.indices()[0], gradient.values(), alpha=-0.25)
    assert w[:, 0].tolist() == [1.0, 0.25, 1.0, 0.25]


def test_scipy_is_imported_when_it_is_needed():
    import subprocess
    import sys
    program = "import sys, transgrad as t; t.sparse_coo_tensor([[0]], [1.]); assert 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_gradients_that_are_asked_for(torch):
    s, t = sparse(torch, requires_grad=True), sparse(torch, requires_grad=True)
    gradient, = torch.autograd.grad((s.to_dense() * weights(torch)).sum(), s)
    assert gradient.is_sparse and (gradient._indices().tolist(), gradient._values().tolist()) == (I, [3.0, 4.0, 6.0])
    (s.to_dense() + t.to_dense()).sum().backward(inputs=[t])
    assert s.grad is None and t.grad._values().tolist() == [1.0] * 3
    unused, = torch.autograd.grad(t.to_dense().sum(), s, allow_unused=True)
    assert unused is None
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        torch.autograd.grad(t.to_dense().sum(), s)


def test_hooks_of_a_sparse_leaf(torch):
    s, seen = sparse(torch).coalesce().requires_grad_(), []
    s.register_hook(lambda g: seen.append(g.is_sparse))
    s.register_hook(lambda g: g * 2)
    s.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf is s and leaf.grad is not None))
    s.to_dense().sum().backward()
    assert seen == [True, True] and s.grad._values().tolist() == [2.0] * 3

"""T1: indexing, gathering, scattering."""
from __future__ import annotations

from ..collect import each, ours
from ..derive import by_differences, derivatives


@each(
    "v[0]", "v[-1]", "v[1:]", "v[::2]", "v[:]", "m[0]", "m[0, 1]", "m[:, 1]", "m[..., 0]", "m[None]", "m[:, None, :]", "m[..., None]",
    "m[1:, :2]", "b[0, :, 1]", "b[..., 1:3]", "m[()]", "m[...]", "s[...]", "s[None]", "v[i]", "m[:, i]", "m[i - 1]", "a[j, j]",
    "b[:, i, 0]", "b[0, i]", "b[i - 1, :, i]", "m[[0, 1]]", "m[[0, 1], [1, 2]]", "m[:, [0, 2]]", "m[k]", "v[l]", "m[:, l]", "b[:, l, 1:]",
    "m[k & k]", "m[np.array([0, 1])]", "v[np.int64(1)]", "v[torch.tensor(1)]", "m[True]", "m[None, True]", "v[[]]", "v[i == 9]",
    "m[[True, False]]", "b[:, [0, 1], None]", "b[1, ..., i]", "m[0][1]", "m[0][:2]", "m.T[1:]", "v[i][0]",
)
def get_item(torch, text):
    return derivatives(torch, text)


@each(
    "m.gather(1, j)", "m.gather(0, j[:1] - 1 + 1 - j[:1])", "torch.gather(m, 1, j)", "m.gather(dim=1, index=j)", "m.scatter(1, j, 9.0)",
    "m.scatter(1, P, n)", "m.scatter(0, J[:1] * 0, v[None])", "m.scatter_add(1, J, n)", "torch.scatter_add(m, 1, J, n)",
    "m.detach().scatter(1, J, n.detach(), reduce='add')", "m.scatter_reduce(1, J, n, 'sum')",
    "m.scatter_reduce(1, J, n, 'amax', include_self=False)", "m.scatter_reduce(1, J, n, 'mean')", "v.index_select(0, i)",
    "m.index_select(1, i)", "torch.index_select(m, 1, i)", "m.index_add(1, i, n)", "m.index_add(1, i, n, alpha=2)",
    "torch.index_add(v, 0, i, u)", "m.index_copy(1, i[:2], n[:, :2])", "m.index_fill(1, i, 5.0)", "m.index_fill(1, i, s)",
    "v.index_put((i[:2],), u[:2])", "v.index_put((i,), u, accumulate=True)", "torch.index_put(m, (i[:2] * 0, i[:2]), u[:2])",
    "m.masked_select(k)", "torch.masked_select(m, m > 0)", "m.masked_scatter(k, n)", "m.masked_scatter(k, b)", "m.take(i)",
    "m.take_along_dim(j, 1)", "torch.take_along_dim(m, j, dim=1)", "m.put(i[:2], u[:2])", "m.nonzero()", "torch.nonzero(k, as_tuple=True)",
    "m.argwhere()", "torch.select_scatter(m, v, 0, 1)", "torch.slice_scatter(m, n[:, :2], 1, 0, 2)", "torch.diagonal_scatter(a, v)",
    "torch.nn.functional.embedding(i, a)", "torch.embedding(a, i)", "torch.nn.functional.one_hot(i, 3)", "torch.tril_indices(3, 3)",
    "torch.where(k)",
)
def gathered(torch, text):
    return derivatives(torch, text)


@ours
@each("torch.as_strided_scatter(m, v, (3,), (2,))", "m.scatter_reduce(1, J, n, 'prod')")
def by_differences_alone(torch, text):
    """Derivatives that PyTorch 2.13 gets wrong or lacks."""
    return by_differences(torch, text)

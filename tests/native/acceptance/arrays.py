"""Programs with functions of NumPy that Numba itself does not have, or has in part."""
import numpy as np

from .registry import program

X = np.array([0.3, -1.2, 0.7, 2.1])
M = np.array([[1.5, 0.2, -0.3], [0.1, 2.0, 0.4], [-0.2, 0.3, 1.8]])


@program(M)
def size_along_an_axis(a):
    return np.sum(a) / np.size(a, 0)


@program(X)
def shape_in_a_list(x):
    out = np.zeros([1, 4])
    out[0] = x * x
    return np.sum(out)


@program(X)
def diagonal_matrix(x):
    return np.sum(np.diag(x) @ np.diag(x * x))


@program(M)
def diagonal_of_a_matrix(a):
    return np.sum(np.diag(a) ** 2)


@program(X)
def product(x):
    return np.prod(x)


@program(X)
def running_product(x):
    return np.sum(np.cumprod(x) * np.arange(4.0))


@program(X)
def running_sum(x):
    return np.sum(np.cumsum(x) ** 2)


@program(M)
def delete_a_column(a):
    return np.sum(np.delete(a, 1, axis=1) ** 2)


@program(M)
def norms_of_rows(a):
    return np.sum(np.linalg.norm(a, axis=1))


@program(M)
def einsum_trace(a):
    return np.einsum("ij,ji->", a, a)


@program(M, X[:3])
def einsum_product(a, x):
    return np.sum(np.einsum("ij,j->i", a, x) ** 2)


@program(np.stack([M, 2.0 * M]))
def stacked_products(a):
    return np.sum(a @ a)


@program(X)
def sorted_values(x):
    return np.sum(np.sort(x) * np.arange(4.0))


@program(X)
def sorted_by_indices(x):
    order = np.argsort(x)
    return np.sum(x[order] * np.arange(4.0))


@program(1.3, np.array([0.0, 1.0, 2.0]))
def table_look_up(x, grid):
    k = np.searchsorted(grid, x)
    return x * grid[k]


@program(X)
def boolean_mask(x):
    return np.sum(x[x > 0.0] ** 2)


@program(X)
def assignment_by_mask(x):
    y = x * 2.0
    y[y < 0.0] = 0.5
    return np.sum(y ** 2)


@program(X)
def where_with_scalars(x):
    return np.sum(np.where(x > 0.0, x * x, 0.1) + np.where(x > 1.0, 1.0, 2.0))


@program(X, np.array(2.0))
def zero_dimensional(x, c):
    return np.sum(x * c) + c


@program(M, X[:3])
def solve(a, b):
    return np.sum(np.linalg.solve(a, b) ** 2)


@program(M)
def inverse(a):
    return np.sum(np.linalg.inv(a) ** 2)


@program(M)
def determinant(a):
    return np.log(np.linalg.det(a))


@program(M @ M.T)
def cholesky(a):
    return np.sum(np.linalg.cholesky(a))


@program(M + M.T)
def eigenvalues(a):
    w, v = np.linalg.eigh(a)
    return np.sum(np.exp(-w) * np.arange(3.0))


@program(X, np.array([0.25, 0.5, 0.25]))
def convolution(x, kernel):
    return np.sum(np.convolve(x, kernel, mode="same") ** 2)


@program(np.array([0.2, 1.4]), np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 2.0]))
def interpolation(x, grid, values):
    return np.sum(np.interp(x, grid, values) ** 2)


@program(X)
def gradient_of_samples(x):
    return np.sum(np.gradient(x, 0.1) ** 2)


@program(X[:3], X[1:])
def cross_product(a, b):
    return np.sum(np.cross(a, b) ** 2)


@program(X)
def rolled(x):
    return np.sum(np.roll(x, 1) * x)


@program(X)
def padded(x):
    return np.sum(np.pad(x, (1, 2), mode="constant", constant_values=1.0) ** 3)


@program(X)
def clipped(x):
    return np.sum(np.clip(x, -1.0, 1.0) ** 2)


@program(X, np.array([2, 0, 2]))
def integer_indices(x, k):
    return np.sum(x[k] ** 2) + x[k[0]]


@program(X, np.array([1, 2, 3, 4]))
def integer_arrays(x, n):
    return np.sum(x * n) / n.sum()


@program(np.array([1.0 + 2.0j, 0.5 - 1.0j]))
def complex_numbers(z):
    return np.sum(np.abs(z * z) + z.real)


@program(X)
def negative_indices(x):
    return x[-1] * x[-2] + x[-3:].sum()


@program(X)
def slices_with_steps(x):
    return np.sum(x[::2] * x[1::2]) + np.sum(x[::-1] * x)


@program(X)
def in_place(x):
    y = x.copy()
    y[1:] += y[:-1] ** 2
    y *= 2.0
    y[0], y[1] = y[1], y[0]
    return np.sum(y ** 2)


@program(M)
def index_arrays(a):
    rows, columns = np.triu_indices(3, 1)
    b = np.zeros((3, 3))
    b[rows, columns] = a[columns, rows] * 2.0
    return np.sum(b @ a)

"""Lists and tuples of numbers where an array is meant: in functions, beside arrays, written into arrays."""
import numpy as np
import pytest

import transgrad as tg
from tests.passes.by_differences import Programs, check
from tests.random_programs.oracle import compile_text

X = np.array([1.3, 2.2])
OF_NUMPY = (
    "np.sum(np.append(x * 2, [x[0], 2.0]) ** 2)", "np.sum(np.append([1.0], x * 2) ** 2)", "np.sum(np.append([], [x * 2, x * 3]) ** 2)",
    "np.sum(np.append([[1.0, 2.0]], x.reshape(1, 2), axis=0) ** 2)", "np.sum(np.append(x, 5.0) ** 2)", "np.sum(np.append(x, x[0]) ** 2)",
    "np.sum(np.append(0.0, x) ** 2)", "np.sum(np.append([x[0]], [x[1]]) ** 2)", "np.sum(np.append(x, []) ** 2)",
    "np.sum(np.concatenate([x, []]) ** 2)", "np.sum(np.concatenate([x, [x[0], 1.0]]) ** 2)",
    "np.sum(np.concatenate([x.reshape(2, 1), [[1.0], [3.0]]], axis=None) ** 2)", "np.sum(np.hstack([x, []]) ** 2)",
    "np.sum(np.r_[x, []] ** 2)", "np.sum(np.r_[x, [x[0], 1.0], 0] ** 2)", "np.sum(np.append((x[0], 1.0), x) ** 2)",
    "np.sum(np.append(x.reshape(1, 2), [[x[0], 1.0]], axis=0) ** 2)", "np.sum(np.vstack([x, [x[0], 1.0]]) ** 2)",
    "np.sum(np.insert(x, 0, [x[1], 2.0]) ** 2)", "np.sum(np.insert(x, [0, 1], x[0]) ** 2)", "np.sum(np.append(x, (1, 2)) ** 2)",
    "np.sum(np.append([x[0], x[1]], 3) ** 2)", "np.sum(np.hstack((0, x, [1, x[0]])) ** 2)", "np.sum(np.column_stack(([1, 2], x)) ** 2)",
    "np.sum(np.concatenate(([0], x, [0])) ** 2)", "np.sum(np.block([[x[0], 1.0], [2.0, x[1]]]) ** 2)",
    "np.sum(np.stack([x, [1, 2], (x[0], 3)]) ** 2)", "np.sum(np.pad([x[0], 1.0], 1) ** 2)", "np.dot([x[0], 1.0], x)",
    "np.sum(np.outer([1, x[0]], x))", "np.interp(x[0], [0.0, 1.0, x[1]], [1.0, 2.0, x[0]])", "np.polyval([x[0], 1.0, 2.0], x[1])",
    "np.sum(np.where([True, False], x, [x[1], 1.0]))", "np.sum(np.diff([1.0, x[0], x[1]]) ** 2)",
    "np.sum(np.convolve([1, x[0]], x) ** 2)", "np.linalg.norm([x[0], 1.0, x[1]])",
    "np.max([x[0], 1.0, x[1]]) * np.mean([x[0], 1, 2]) * np.prod((x[0], x[1]))", "np.sum(np.maximum([x[0], 1.5], x))",
    "np.sum(np.einsum('i,i', [x[0], 1.0], x))", "np.sum(np.cumsum([x[0], 1.0, x[1]]))",
    "np.sum(np.linalg.solve([[2.0, x[0]], [0.0, 1.0]], x))", "np.sum(np.kron([1, x[0]], x))",
    "np.sum(np.sort([x[0], 0.5, x[1]]) * np.array([1, 2, 3]))", "np.sum(np.repeat([x[0], 1.0], 2) * np.arange(4))",
    "np.sum(np.tile([x[0], 1.0], 2) * np.arange(4))", "np.sum(np.meshgrid([x[0], 1.0], x)[0])", "np.sum(np.array([*x, 1.0]) ** 2)",
    "np.sum(np.full(3, x[0]) * [1, x[1], 2])", "np.average([x[0], x[1]], weights=[1, x[0]])",
    "np.std([x[0], 1.0, x[1]]) + np.var((x[0], 2))", "np.sum(np.broadcast_to([x[0], 1.0], (3, 2)))",
    "np.sum(np.reshape([x[0], 1.0, x[1], 2], (2, 2)) @ x)", "np.sum(np.transpose([[x[0], 1.0]]) * x)",
    "np.sum(np.flip([x[0], 1.0]) * x)", "np.sum(np.roll([x[0], 1.0], 1) * x)", "np.median([x[0], 1.0, x[1]])",
    "np.percentile([x[0], 1.0, x[1]], 40)", "np.sum(np.clip([x[0], 1.0], 0.2, x[1]))", "np.sum(np.power([x[0], 1.0], [2, x[1]]))",
    "np.sum(np.hypot([x[0], 1.0], x))", "np.sum(np.diag([x[0], 1.0]) @ x)", "np.sum(np.trace([[x[0], 1.0], [2, x[1]]]))",
    "np.sum(np.vander([x[0], 2.0], 3))", "np.sum(np.tril([[x[0], 1.0], [2, x[1]]]))", "np.vdot([x[0], 1.0], (x[1], 2))",
    "np.sum(np.inner([x[0], 1.0], [[1, 2], [x[1], 3]]))", "np.sum(np.matmul([[x[0], 1.0]], x))",
    "np.sum(np.tensordot([x[0], 1.0], x, 1))", "np.sum(np.take([x[0], 1.0, x[1]], [0, 2]))",
    "np.sum(np.histogram([x[0], 1.0], bins=[0, 1, 3], weights=[x[1], x[0]])[0] * [1, 2])",
    "np.sum(np.bincount([0, 1, 0], weights=[x[0], x[1], 2]) * x)", "np.sum(np.nan_to_num([x[0], np.nan]))",
    "np.sum(np.linalg.inv([[x[0], 0.5], [0.1, x[1]]]))", "np.sum(np.ptp([x[0], 1.0, x[1]]))",
    "np.sum(np.gradient([x[0], 1.0, x[1]]) ** 2)", "np.sum(np.geomspace(x[0], x[1], 3))", "np.sum(np.logspace(x[0], x[1], 3))",
    "np.sum(np.atleast_2d([x[0], 1]) ** 2)", "np.sum(np.correlate([1, x[0]], x) ** 2)", "np.sum(np.angle([x[0] + 1j * x[1], 1j]))",
    "np.sum(np.abs([x[0] + 1j * x[1], 1j]))", "x.dot([x[0], 1.0])", "np.sum(x @ [[x[0], 1.0], [2.0, x[1]]])", "np.sum([x[0], 1.0] @ x)",
    "np.sum(x * [x[0], 1.0])", "np.sum([x[0], 1.0] - x)", "np.sum(x ** [2, x[0]])", "np.sum(x / (x[0], 3.0))",
    "np.sum(np.where(x > [x[1], 0.0], x, [1.0, x[0]]))", "np.sum(np.abs(np.fft.fft([x[0], 1.0, x[1]])) ** 2)",
    "np.sum(np.add.reduce([x, x * x]))", "np.mean([x, x * x], axis=0) @ x", "np.sum(np.max([x, x * x - 1], axis=0))",
    "np.linalg.norm([x, x * x])", "np.sum(np.mean([[x[0], 1], [x[1], 2]], axis=1) * x)", "np.sum(np.sqrt([x[0], x[1]]))",
    "np.sum(np.exp((x[0], x[1])))", "np.sum(np.abs([x[0] - x[1], 1]))", "np.sum(np.diff([[x[0], x[1]], [1.0, x[0]]], axis=0))",
    "np.sum(np.rot90([[x[0], 1.0], [2, x[1]]]) @ x)", "np.sum(np.linalg.eigvalsh([[x[0], 0.1], [0.1, x[1]]]) ** 3)",
    "np.trace(np.linalg.cholesky([[x[0], 0.1], [0.1, x[1]]]))",
    "np.sum(np.linalg.svd([[x[0], 0.1], [0.3, x[1]]], compute_uv=False) ** 3)", "np.linalg.slogdet([[x[0], 0.1], [0.3, x[1]]])[1]",
    "np.sum(np.cov([x[0], 1.0, x[1]], [0.1, x[1], 2]))", "np.sum(np.corrcoef([x[0], 1.0, x[1]], [0.1, x[1], 2]))",
    "np.nansum([x[0], np.nan]) + np.nanmean([x[0], 1.0, np.nan])", "np.sum(np.fmax([x[0], 1.0], x)) + np.sum(np.sign([x[0], -1.0]) * x)",
    "np.sum(np.ldexp([x[0], 1.0], [1, 2]))", "np.sum(np.real([x[0] + 1j, 1.0]))", "np.sum(np.ravel([[x[0], 1.0], [2, x[1]]]) ** 2)",
    "np.sum(np.expand_dims([x[0], 1.0], 0) * x)", "np.sum(np.swapaxes([[x[0], 1.0], [2, x[1]]], 0, 1) @ x)",
    "np.sum(np.delete([x[0], 1.0, x[1]], 1) ** 2)", "np.sum(np.full((2, 2), [x[0], 1.0]) @ x)", "np.sum(np.full_like(x, [x[0], 1.0]))",
    "np.sum(np.vectorize(lambda v: v * v)([x[0], 1.0]))", "np.sum(np.resize([x[0], x[1]], 5) * np.arange(5))",
    "np.sum(np.compress([True, False, True], [x[0], 1.0, x[1]]))", "np.sum(np.extract([True, False, True], [x[0], 1.0, x[1]]))",
    "np.sum(np.unwrap([x[0], x[1]]) ** 2)", "np.sum(np.moveaxis([[x[0], 1.0]], 0, 1) @ [x[1]])", "np.sum(np.cumprod([x[0], x[1]]))",
    "np.all([x[0] > 0, x[1] > 0]) * x[0]", "np.sum(np.unique([x[0], x[1], 1.0]) ** 2)",
    "np.interp([0.5, x[0]], [0, 1, 3], [x[0], x[1], 2.0]) @ x", "np.sum(np.heaviside([x[0], -1], 0.5) * x)",
)
OF_SCIPY = (
    "sp.logsumexp([x[0], 1.0, x[1]])", "np.sum(sp.expit([x[0], 1.0]))", "np.sum(sl.solve([[2.0, x[0]], [0.0, 1.0]], x))",
    "sl.norm([x[0], 1.0])", "np.sum(st.norm.pdf([x[0], 1.0]))", "np.sum(sg.lfilter([x[0], 1.0], [1.0, 0.5], x))",
    "np.sum(sg.convolve([x[0], 1.0], x) ** 2)", "sint.trapezoid([x[0], 1.0, x[1]], [0, 1, 3])",
    "sint.simpson([x[0], 1.0, x[1]], x=[0, 1, 3])", "np.sum(sl.block_diag([[x[0]]], [[x[1], 1.0]]))",
    "np.sum(sl.toeplitz([x[0], 1.0, x[1]]) ** 2)", "sd.euclidean([x[0], 1.0], [x[1], 2.0])",
    "np.sum(sl.expm([[x[0], 0.1], [0.2, x[1]]]))", "np.sum(si.interp1d([0, 1, 2], [x[0], x[1], 1.0])([0.5, x[0]]))",
    "np.sum(sl.cho_solve(sl.cho_factor(np.array([[2.0, 0.1], [0.1, x[0]]])), [x[0], 1.0]))", "np.sum(sp.gammaln([x[0], 2.0]))",
)


def compared(text, space):
    f = compile_text(f"def program(x):\n    return {text}\n", text, {"np": np, "__name__": "written", **space})
    check(f, X)
    along = tg.jacfwd(f, fallback="error")(X)
    np.testing.assert_allclose(along, tg.grad(f, fallback="error")(X), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("text", OF_NUMPY)
@pytest.mark.filterwarnings("ignore:Degrees of freedom")
def test_functions_of_numpy(text):
    compared(text, {})


@pytest.mark.parametrize("text", OF_SCIPY)
def test_functions_of_scipy(text):
    import scipy.integrate as sint
    import scipy.interpolate as si
    import scipy.linalg as sl
    import scipy.signal as sg
    import scipy.spatial.distance as sd
    import scipy.special as sp
    import scipy.stats as st
    compared(text, {"sint": sint, "si": si, "sl": sl, "sg": sg, "sd": sd, "sp": sp, "st": st})


tried = Programs()


@tried
def written_into_an_array(x):
    y = np.zeros((2, 2))
    y[0] = [x[1], 1.0]
    y[:, 1] = (x[0], 3.0 * x[1])
    y[0] += [x[0], 2.0]
    z = np.ones((2, 2))
    z[...] = [[x[1], x[0]], [1.0, x[0] * 2.0]]
    return np.sum(y @ z @ x)


@tried
def lists_that_a_loop_fills(x):
    squares, rows = [], []
    for v in x:
        squares.append(v * v)
        rows.append([v, v * v])
    return (np.sum(np.broadcast_to(squares, (3, 2))) + np.dot(squares, x) + np.sum(np.maximum(squares, 1.0)) + np.sum(np.matmul(rows, x))
            + np.linalg.det(rows) + np.sum(np.transpose(rows) * x) + np.sum(np.append(squares, x[0])))


@tried
def of_comprehensions(x):
    squares, rows = [v * v for v in x], [(v, v * v) for v in x]
    return np.sum(np.outer(squares, x)) + np.sum(np.concatenate([squares, x])) + np.sum(np.sum(rows, axis=0) * x) + np.linalg.norm(rows)


@tried
def beside_arrays(x):
    y = x * [x[1], 2.0] - (1.0, x[0])
    return np.sum(np.where(y > [x[1], 0.0], y, [1.0, x[0]])) + np.sum(([x[0]] * 2) @ y) + len([x[0]] * np.int64(3)) * x[1]


@pytest.mark.parametrize("f", tried)
def test_programs(f):
    check(f, X)

"""T1: functions under their parameters' names, on matrices that have no factors, and on what is empty."""
from __future__ import annotations

from ..collect import each
from ..derive import derivatives
from ..observe import raises


@each(
    "torch.flip(m, dims=(0,))", "m.flip(dims=[1])", "m.permute(dims=(1, 0))", "torch.permute(m, dims=(1, 0))", "m.view(size=(6,))",
    "m.repeat(repeats=(2, 1))", "torch.tile(m, dims=(2,))", "v.expand(size=(2, 3))", "torch.broadcast_to(v, size=(2, 3))",
    "m.sum_to_size(size=(1, 3))", "torch.where(condition=m > 0, input=m, other=n)", "torch.where(m > 0, input=m, other=n)",
    "torch.trapezoid(y=v, x=u)", "torch.cdist(x1=m, x2=n)", "torch.linalg.det(A=a)", "torch.linalg.vecdot(x=v, y=u)",
    "torch.cosine_similarity(x1=m, x2=n, dim=0)", "torch.sin(input=v)", "torch.sum(input=m, dim=0)", "m.sum(axis=1, keepdims=True)",
    "torch.searchsorted(v.detach().sort()[0], input=u.detach())", "torch.searchsorted(sorted_sequence=q.detach(), input=u.detach())",
    "torch.searchsorted(v.detach(), u.detach(), sorter=v.detach().argsort())", "torch.isin(elements=i, test_elements=i[:1])",
    "m.bfloat16(memory_format=torch.preserve_format)",
)
def by_name(torch, text):
    return derivatives(torch, text, node=False)


@each(
    "torch.cosine_similarity(m[None], n[:, None], dim=-2)", "torch.diff(v, n=0, prepend=u)", "torch.diff(v, n=2, append=u)",
    "torch.linalg.vector_norm(v * 0, 0.5)",
    "torch.linalg.matrix_power(a, 0)", "torch.linalg.vander(v.sum(), N=2)", "v.sum().unfold(0, 1, 1)", "v.sum().squeeze(0)",
    "v.to('cpu', torch.float64, False, True)", "v.to(torch.float64, copy=True)", "torch.gradient(v, spacing=None)[0]",
    "v.sum().quantile(0.5, dim=0)", "v.sum().nanquantile(0.5, dim=-1, keepdim=True)", "v.gather(0, torch.zeros(0, dtype=torch.uint8))",
    "v[:0].softmax(0)", "m[:, :0].log_softmax(1)", "torch.linalg.svdvals(m[:0])", "v.sum().put(torch.tensor(0), v[:1])",
    "torch.linalg.pinv(a, hermitian=False)", "torch.linalg.pinv(torch.outer(v, u))", "torch.linalg.pinv(a, rtol=0.3)", "torch.linalg.pinv(a, atol=1.9)",
    "torch.linalg.inv_ex(a).inverse",
    "torch.linalg.cholesky_ex((h + h.T) / 2).L", "torch.linalg.solve_ex(a, v).result", "torch.linalg.lstsq(a, h, driver='gels').solution",
)
def odd_arguments(torch, text):
    return derivatives(torch, text, node=False)


@each("torch.linalg.vector_norm(v * 0, -1)", "torch.linalg.vector_norm(m * torch.eye(2, 3), 0.5, dim=1)", "torch.linalg.norm(v * 0, -2)")
def norms_of_what_has_zeros(torch, text):
    """A first derivative is 0 there; of the second, PyTorch knows less."""
    return derivatives(torch, text, node=False, second=False)


MATRICES = """
s = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
b = torch.stack([torch.eye(2), s])
p = torch.tensor([[1.0, 2.0], [2.0, 1.0]])
tall = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
nan = torch.tensor([[1.0, float("nan")], [0.0, 1.0]])
L = torch.linalg
"""


@each(
    "L.inv(s)", "L.inv(b)", "L.inv_ex(b).info", "L.inv_ex(s, check_errors=True)", "L.cholesky(torch.stack([torch.eye(2), p]))",
    "L.cholesky_ex(p).info", "L.cholesky_ex(p, check_errors=True)", "L.solve_ex(s, torch.ones(2)).info", "L.solve(b, torch.ones(2, 2))",
    "L.pinv(s)", "L.pinv(b, rtol=torch.tensor([0.1, 2.0]))", "torch.pinverse(s, 0.1)", "L.matrix_rank(s)", "L.matrix_rank(b, atol=10.0)",
    "L.matrix_rank(b, rtol=0.5)", "L.matrix_rank(b, 0.5)", "L.matrix_rank(s, hermitian=True)", "L.matrix_rank(s, tol=0.1)",
    "L.lstsq(tall, torch.ones(3, 1)).residuals", "L.lstsq(tall, torch.ones(3, 1)).rank", "L.lstsq(tall, torch.ones(3, 1)).singular_values",
    "L.lstsq(tall, torch.ones(3, 1), driver='gelsd').residuals", "L.lstsq(s, torch.ones(2, 1), driver='gelsd').rank",
    "L.lstsq(s, torch.ones(2, 1), driver='x')", "L.cond(s, 'fro')", "L.norm(s, ord='x')", "L.matrix_norm(s, ord=3)", "L.multi_dot([s])",
    "L.matrix_power(s, 1.5)", "L.lu_factor_ex(p).info", "L.lu_factor_ex(p * 0).info", "L.qr(s, 'x')", "L.eigh(p, UPLO='x')", "L.svd(nan)",
    "L.eigh(nan)", "L.solve_triangular(s, torch.ones(2), upper=True)", "issubclass(L.LinAlgError, RuntimeError)",
)
def where_there_is_no_factor(torch, text):
    scope = {"torch": torch}
    exec(MATRICES, scope)
    return shown(text, scope) | {"caught": "raises" in shown(text, scope) and issubclass(kind_of(text, scope), torch.linalg.LinAlgError)}


def kind_of(text, scope):
    try:
        eval(text, scope)
    except Exception as error:
        return type(error)


def shown(text, scope):
    """What an expression returns, or the kind of error and the first of its words."""
    try:
        return {"returns": eval(text, scope)}
    except Exception as error:
        return raises(lambda: eval(text, scope)) | {"words": str(error).splitlines()[0]}


@each(
    "x.narrow(0, 0, -1)", "x.roll((1, 2), 0)", "x.roll((), 0)", "x.roll((1, 1), (0, 1))", "x.rot90(1, (1, 1))", "x.rot90(1, (0,))", "x[0].rot90()",
    "x.hsplit(2)", "x.vsplit(2)", "x.dsplit(1)", "x.hsplit(3)[1]", "x.vsplit([1])[1]", "torch.hstack([])", "torch.vstack([])", "torch.dstack([])",
    "x.masked_fill(x > 0, 1j)", "x.masked_fill(x > 0, True)", "i.masked_fill(i > 0, 2.5)", "x.masked_scatter(i[None], x)",
    "x.index_add(0, i[:1], x[0])", "x.index_add(0, i[:1], x[:1, :2])", "x.take_along_dim(i, 1)", "x.take_along_dim(torch.tensor([[-1]]), 1)",
    "x[:0].amax(0)", "x[:0].aminmax()", "x[:0].aminmax(dim=0)", "x.movedim((0, 1), (0,))", "torch.linspace(0, 1, -1)",
    "torch.arange(1.0, 5.000001, 2.0, dtype=torch.int64)", "torch.arange(3.1, dtype=torch.int64)", "torch.linspace(4.3, 50, 5, dtype=torch.int64)",
    "torch.logspace(4.3, 0, 4, dtype=torch.int64)", "i.unique_consecutive()", "x[:, :1].unique_consecutive(dim=1)",
    "torch.tensor(None)", "torch.tensor({})", "torch.tensor([1, 2], dtype=float)", "x.to(float)", "torch.tensor(2 ** 63)", "torch.full(2, 1)",
    "torch.frombuffer(bytearray(4), dtype=torch.int32)", "x.size(5)", "x.stride(7)", "'a' in x", "list(reversed(x))", "2.0 in x",
    "setattr(x, 'requires_grad', 1)", "delattr(x, 'data')", "setattr(x, 'imag', 1)", "(setattr(z, 'imag', x[0, :2]), z)[1]",
    "(setattr(z, 'real', 5), z)[1]", "(setattr(x, 'real', x * 2), x)[1]", "issubclass(kind_of(\"x.to('cuda')\", {'x': x}), AssertionError)",
    "torch.from_dlpack(x).data_ptr() == x.data_ptr()", "torch.from_dlpack(x.requires_grad_())", "__import__('numpy').from_dlpack(x).shape",
    "torch.lu(torch.eye(2) * 3)[0]", "len(torch.lu(torch.eye(2), get_infos=True))",
    "F.pad(x, (1, 2), 'reflect')", "F.pad(x[None], (1, 0), 'replicate')", "F.pad(x[None], (2, 1), mode='circular')", "F.pad(x, (5, 0), 'reflect')",
    "F.pad(x, (1, 0), 'mirror')", "F.pad(x[None, None], (-4, 5, 0, 0), 'replicate')", "F.dropout(x, 0.5, training=False) is x",
    "F.dropout(x, p=1.0, training=True)", "F.softmin(i.float(), 0, dtype=torch.float64)",
)
def in_odd_ways(torch, text):
    z = torch.tensor([1 + 2j, 3 - 1j])
    scope = {"torch": torch, "x": torch.arange(6.0).reshape(2, 3), "i": torch.tensor([1, 0, 1]), "z": z, "F": torch.nn.functional, "kind_of": kind_of}
    found = shown(text, scope)
    found.pop("words", None)
    return found


HALVES = (
    "torch.addmm(b, x, w)", "torch.nn.functional.linear(x, w.t(), b)", "torch.addmv(b[:2], x, w[:, 0])", "x.clamp(x * 0.5, x * 2)",
          "torch.dist(x, x * 2)", "x.logit(0.2)", "torch.nn.functional.mish(x)",
          "x.scatter_reduce(0, torch.tensor([[0, 1, 0]]), x * 0.5 + 7, 'amax', include_self=False)", "x.float() + x", "x.sum(dtype=torch.float32)", "x @ w")


@each("erf()", "erfc()", "lgamma()", "digamma()", "i0()", "exp()", "sigmoid()", "log_softmax(0)", "erfinv()")
def of_float16(torch, text):
    x = torch.tensor([0.25, 0.5, 0.75], dtype=torch.float16, requires_grad=True)
    y = eval(f"x.{text}", {"x": x})
    return y.detach(), torch.autograd.grad(y.sum(), x), torch.nn.functional.gelu(x).dtype


@each(*HALVES)
def of_bfloat16(torch, text):
    """Whatever NumPy makes of it, the result and every gradient are bfloat16."""
    x = torch.tensor([[0.5, 0.25, 0.75], [0.125, 0.5, 0.625]], dtype=torch.bfloat16, requires_grad=True)
    w = torch.tensor([[1.0, 2.0, 0.5, 1.0]] * 3, dtype=torch.bfloat16, requires_grad=True)
    b = torch.tensor([1.0, 0.5, 0.25, 2.0], dtype=torch.bfloat16, requires_grad=True)
    y = eval(text, {"torch": torch, "x": x, "w": w, "b": b})
    first = torch.autograd.grad((y * y).sum(), [x, w, b], create_graph=True, allow_unused=True)
    return y.dtype, y.shape, [g.detach() if g is not None else g for g in first], [g.dtype for g in torch.autograd.grad(first[0].sum(), [x])]

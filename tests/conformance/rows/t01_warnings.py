"""T1: what is warned of, in which category, and what is not."""
from __future__ import annotations

import warnings

from ..collect import each
from ..observe import raises


def _caught(torch, text):
    """The result of an expression, and the categories that it warns of, errors of NumPy's included."""
    import numpy as np

    names = {"torch": torch, "np": np, "x": torch.tensor([1.0, 0.0, -1.0], requires_grad=True), "zeros": torch.zeros(3),
             "F": torch.nn.functional}
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
        warnings.simplefilter("always")
        result = eval(text, names)
    return result, sorted({w.category.__name__ for w in caught if w.category is not DeprecationWarning})


@each("x / 0", "x / zeros", "zeros / zeros", "1 / zeros", "x.log()", "x.sqrt()", "x.rsqrt()", "(x * 1000).exp()", "x ** -1", "x ** 0.5",
      "(x * 1e30) ** 2", "x.reciprocal()", "(x * 2).acos()", "x % 0", "x.fmod(0)", "x.log1p()", "(x * float('inf')).sum()",
      "(x * float('inf')).std()", "(x * float('nan')).relu()", "torch.tensor([1e300], dtype=torch.float64).float()",
      "torch.tensor([1e10]).half()", "x.detach().clone().log_()", "x.clone().div_(0)", "torch.outer(x * float('inf'), x)", "torch.logit(x)",
      "torch.xlogy(x, zeros)", "x.logsumexp(0)", "torch.logaddexp(x * float('inf'), x)", "x.to(torch.complex64) / 0", "torch.tensor(1.0) / 0",
      "torch.tensor(1000.0).exp()", "torch.corrcoef(torch.ones(2, 3))", "torch.addcdiv(x, x, zeros)", "torch.kron(x * float('inf'), x)",
      "torch.fft.fft(x * float('inf'))", "torch.linalg.vector_norm(zeros, -1)", "torch.special.xlogy(x, zeros)", "torch.where(x > 0, x.log(), x)",
      "F.softplus(x * 1e38 * 10)", "F.normalize(zeros, dim=0, eps=0.0)",
      "F.binary_cross_entropy(x.detach() * 0, zeros + 1)", "F.softmax(zeros - float('inf'), 0)", "torch.arange(3.0) // 0",
      "float('inf') * zeros", "zeros * np.inf", "np.float32(np.inf) * zeros", "zeros / np.float64(0)",
      "torch.autograd.grad(x.log().sum(), x)", "torch.autograd.functional.hessian(lambda a: a.sqrt().sum(), zeros)",
      "torch.autograd.functional.jvp(lambda a: a.log(), zeros, zeros + 1)", "torch.func.vmap(lambda a: a.log())(zeros)",
      "torch.func.jacfwd(lambda a: 1 / a)(zeros)")
def numbers_out_of_range_are_not_warned_of(torch, text):
    """Divisions by zero, overflow and what is no number come without a warning."""
    return _caught(torch, text)


def tangents_out_of_range_are_not_warned_of(torch):
    import numpy as np

    fw = torch.autograd.forward_ad
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"), fw.dual_level():
        warnings.simplefilter("always")
        dual = fw.make_dual(torch.zeros(3), torch.ones(3))
        found = [fw.unpack_dual(y) for y in (dual.log(), dual.sqrt(), dual.clone().log_())]
    return found, len(caught)


def what_numpy_warns_of_is_as_it_was(torch):
    import numpy as np

    x = torch.zeros(2, requires_grad=True)
    with np.errstate(divide="raise", over="ignore"):
        before = np.geterr()
        y = x.log() / 0
        failed = False
        try:
            x.reshape(3)
        except RuntimeError:
            failed = True
        inside = np.geterr() == before
        try:
            np.ones(2) / np.zeros(2)
            raised = False
        except FloatingPointError:
            raised = True
    return y, failed, inside, raised


def _messages(run):
    """What is warned of, each as its category and first words, where nothing is said once alone."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run()
    return [w for w in caught if w.category is not DeprecationWarning]


#: expressions, and the distinctive words of what they warn of (none: nothing is warned of)
_WARNED = {
    "torch.ones(1).std()": "std(): degrees of freedom is <= 0",
    "torch.ones(2, 1).var(1)": "var(): degrees of freedom is <= 0",
    "torch.ones(2, 2).var((0, 1))": "",
    "torch.tensor([1.0, 2.0]).var(correction=3)": "Correction should be strictly less than the reduction factor",
    "torch.var_mean(torch.ones(1))": "var_mean(): degrees of freedom is <= 0",
    "torch.std_mean(torch.ones(2, 1), 1)": "std_mean(): degrees of freedom is <= 0",
    "torch.tensor(1.0).var()": "var(): degrees of freedom is <= 0",
    "torch.cov(torch.ones(2, 1))": "cov(): degrees of freedom is <= 0",
    "torch.cov(torch.ones(2, 3))": "",
    "torch.nn.functional.kl_div(torch.ones(1), torch.ones(1))": "'batchmean' divides only by the batch size",
    "torch.nn.functional.kl_div(torch.ones(1), torch.ones(1), reduction='sum')": "",
    "torch.ones(3).T": "The use of `x.T` on tensors of dimension other than 2",
    "torch.tensor(1.0).T": "Tensor.T is deprecated on 0-D tensors",
    "torch.ones(2, 3).T": "",
    "torch.ones(1, 2, 3).mT": "",
    "torch.qr(torch.eye(2))": "torch.qr is deprecated in favor of torch.linalg.qr",
    "torch.lu(torch.eye(2))": "torch.lu is deprecated in favor of torch.linalg.lu_factor",
    "torch.cholesky(torch.eye(2))": "torch.cholesky is deprecated in favor of torch.linalg.cholesky",
    "torch.lu_solve(torch.ones(2, 1), *torch.linalg.lu_factor(torch.eye(2)))": "torch.lu_solve is deprecated in favor of torch.linalg.lu_solve",
    "torch.triangular_solve(torch.ones(2, 1), torch.eye(2))": "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangular",
    "torch.chain_matmul(torch.eye(2), torch.eye(2))": "torch.chain_matmul is deprecated",
    "torch.svd(torch.eye(2))": "",
    "torch.svd_lowrank(torch.eye(3), 2)": "",
    "torch.meshgrid(torch.ones(2), torch.ones(2))": "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument",
    "torch.meshgrid(torch.ones(2), torch.ones(2), indexing='xy')": "",
    "torch.cartesian_prod(torch.ones(2), torch.ones(2))": "",
    "torch.cross(torch.ones(3), torch.ones(3))": "Using torch.cross without specifying the dim arg is deprecated",
    "torch.linalg.cross(torch.ones(3), torch.ones(3))": "",
    "torch.ones(4)[torch.tensor([0, 1, 0, 1], dtype=torch.uint8)]": "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool",
    "torch.where(torch.tensor([0, 1], dtype=torch.uint8), torch.ones(2), torch.zeros(2))": "where received a uint8 condition tensor",
    "torch.ones(3, 3)[[[0, 1], [1, 0]]]": "Using a non-tuple sequence for multidimensional indexing is deprecated",
    "torch.ones(3, 3)[[0, 1]]": "",
    "torch.ones(3, 3)[[None, 1]]": "Using a non-tuple sequence for multidimensional indexing is deprecated",
    "torch.tensor([1j]).float()": "Casting complex values to real discards the imaginary part",
    "torch.tensor([1j]).bool()": "",
    "torch.zeros(1).copy_(torch.tensor([1j]))": "Casting complex values to real discards the imaginary part",
    "torch.zeros(1, dtype=torch.bool).copy_(torch.tensor([1j]))": "",
    "torch.tensor(torch.tensor([1j]).numpy(), dtype=torch.float32)": "Casting complex values to real discards the imaginary part",
    "float(torch.ones(1, requires_grad=True))": "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior",
    "torch.ones(1, requires_grad=True).item()": "",
    "torch.ones(1, requires_grad=True).sum().backward(create_graph=True)": "Using backward() with create_graph=True will create a reference cycle",
    "torch.ones(1, requires_grad=True).sum().backward()": "",
    "torch.ones(2).resize(2)": "non-inplace resize is deprecated",
    "torch.ones(2).resize_as(torch.ones(2))": "non-inplace resize_as is deprecated",
    "torch.ones(2).index_reduce(0, torch.tensor([0]), torch.ones(1), 'prod')": "index_reduce() is in beta",
    "torch.ones(2).scatter(0, torch.tensor([0]), torch.ones(1), reduce='add')": "The reduce argument of torch.scatter with Tensor src is deprecated",
    "torch.set_default_tensor_type('torch.FloatTensor')": "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1",
}


@each(*_WARNED)
def users_are_warned(torch, text):
    """What is warned of as a UserWarning, in torch's distinctive words."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        caught = _messages(lambda: eval(text, {"torch": torch}))
    finally:
        torch.set_warn_always(before)
    words = _WARNED[text]
    return ([issubclass(w.category, UserWarning) for w in caught[:1]],
            {"lacks": [words], "message": str([str(w.message) for w in caught])} if words and not any(words in str(w.message) for w in caught)
            else words)


@each("torch.ones(3).T", "torch.qr(torch.eye(2))", "float(torch.ones(1, requires_grad=True))", "torch.tensor([1j]).float()",
      "torch.ones(1, requires_grad=True).sum().backward(create_graph=True)", "torch.ones(1).std()", "torch.cov(torch.ones(1))",
      "(torch.ones(1, requires_grad=True) * 2).grad", "torch.ones(2).resize(2)", "torch.ones(2)[torch.ones(2, dtype=torch.uint8)]")
def once_or_each_time(torch, text):
    """Some warnings come once in a process, others each time."""
    first, second, third = (len(_messages(lambda: eval(text, {"torch": torch}))) for _ in range(3))
    return first >= second, second, third


def operands_that_are_no_numbers(torch):
    """Python asks the other operand, and says that there is no such operation."""
    x = torch.tensor([3.0])
    return ["ab" * torch.tensor(2), [raises(lambda f=f: f(), "Tensor") for f in (
        lambda: x + None, lambda: None + x, lambda: "a" + x, lambda: x + "a", lambda: x + [1], lambda: [1] + x, lambda: x / [1], lambda: {} / x,
        lambda: x ** None, lambda: x // (1,), lambda: x - {1})]]


@each("float(x)", "int(x)", "complex(x)", "torch.tensor([x])")
def numbers_of_tensors_without_grad_mode(torch, text):
    """A conversion to a number is not warned of where nothing is recorded."""
    x = torch.ones(1, requires_grad=True)
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with torch.no_grad():
            silent = _messages(lambda: eval(text, {"torch": torch, "x": x}))
        return len(silent), len(_messages(lambda: eval(text, {"torch": torch, "x": x}))) > 0
    finally:
        torch.set_warn_always(before)

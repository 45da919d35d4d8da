"""T1: what is warned of, in which category, and what is not."""
from __future__ import annotations

import warnings

from ..collect import each


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

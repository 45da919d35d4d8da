"""T1: settings that change nothing here, dtypes of few uses, and names that older programs have."""
from __future__ import annotations

import os
import tempfile
import warnings

from ..collect import each
from ..observe import raises


def remembered(torch):
    """What is set is read again, and set back"""
    seen = [torch.get_deterministic_debug_mode(), torch.is_deterministic_algorithms_warn_only_enabled(), torch.is_warn_always_enabled()]
    for mode in ("warn", 2, "default"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.set_deterministic_debug_mode(mode)
        seen.append((torch.get_deterministic_debug_mode(), torch.is_deterministic_algorithms_warn_only_enabled(), torch.are_deterministic_algorithms_enabled()))
    torch.set_warn_always(True)
    seen.append(torch.is_warn_always_enabled())
    torch.set_warn_always(False)
    torch.set_anomaly_enabled(True)
    seen.append(torch.is_anomaly_enabled())
    torch.set_anomaly_enabled(False)
    return [*seen, torch.is_anomaly_enabled(), torch.get_num_interop_threads() > 0, isinstance(torch.set_flush_denormal(False), bool)]


def threads_of_backward(torch):
    """The switch for backward's threads is remembered on each thread"""
    autograd = torch.autograd
    seen = [autograd.is_multithreading_enabled()]
    with autograd.set_multithreading_enabled(False):
        seen.append(autograd.is_multithreading_enabled())
    return [*seen, autograd.is_multithreading_enabled()]


@each(
    "torch.set_deterministic_debug_mode('never')", "torch.set_deterministic_debug_mode(3)", "torch.set_num_interop_threads(0)", "torch.set_num_interop_threads('2')",
    "torch.promote_types(torch.float32, torch.uint16)", "torch.promote_types(torch.uint32, torch.uint32)", "torch.ones(2, dtype=torch.uint16)", "torch.tensor([1, 2], dtype=torch.uint32) == 1",
    "torch.tensor([1, 2], dtype=torch.uint32) * 3", "torch.tensor([1, 2], dtype=torch.uint64).float()", "torch.iinfo(torch.uint16).max", "torch.tensor([1.3, 300.0]).to(torch.float8_e5m2).float()",
    "torch.tensor([1.3, 300.0]).to(torch.float8_e4m3fn).float()", "torch.tensor([0.3, -2.0]).to(torch.float8_e4m3fnuz).float()", "torch.tensor([0.3, -2.0]).to(torch.float8_e5m2fnuz).float()",
    "torch.tensor([0.3, 2.0]).to(torch.float8_e8m0fnu).float()", "torch.tensor([1.0]).to(torch.float8_e5m2).element_size()", "torch.legacy_contiguous_format == torch.contiguous_format",
    "isinstance(torch.contiguous_format, torch.memory_format)", "torch.default_generator.initial_seed() == torch.initial_seed()", "torch.empty_permuted((2, 3, 4), (2, 0, 1)).stride()",
    "torch.empty_permuted((2, 3, 4), (0, 1, 2), dtype=torch.float64).dtype", "torch.empty_permuted((2, 3), (0, 0))", "torch.hash_tensor(torch.arange(6.0)).tolist()",
    "torch.hash_tensor(torch.arange(6).reshape(2, 3), 1).tolist()", "torch.arange(6.0).reshape(2, 3).hash_tensor(0, keepdim=True).tolist()", "torch.binomial(torch.full((2,), 5.0), torch.tensor([0.0, 1.0]))",
    "torch.binomial(torch.ones(2), torch.ones(2, dtype=torch.float64))", "torch.ones(2, 3, 4).permute(2, 0, 1).dim_order()", "torch.ones(2, 3).t().dim_order()", "torch.ones(2, 3).is_sparse_csr",
    "torch.ones(2, 3).resize(3, 2)", "torch.ones(2, 3).resize(4)", "torch.arange(6.0).resize_as(torch.ones(2, 3))", "torch.tensor([1.0, 2.0]).map2_(torch.tensor([3.0, 4.0]), torch.tensor(2.0), lambda a, b, c: a + b * c)",
    "torch.eye(2).to_sparse_coo()", "torch.sparse.spdiags(torch.arange(9.0).reshape(3, 3), torch.tensor([0, -1, 2]), (4, 4))", "torch.sparse.spdiags(torch.arange(3.0), torch.tensor([1]), (2, 3))",
    "torch.sparse.spdiags(torch.ones(2, 2), torch.tensor([0]), (2, 2))", "torch.sparse.spdiags(torch.ones(2, 2), torch.tensor([1, 1]), (2, 2))", "torch.lobpcg(torch.eye(2), 1)",
    "torch.fft.Tensor is torch.Tensor", "torch.func.rearrange(torch.ones(2, 3), 'a b -> b')", "torch.func.rearrange(torch.ones(2, 3), 'a b c -> a b c')", "torch.func.rearrange(torch.ones(4, 3), '(a a) b -> a b')",
)
def values(torch, text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return raises(lambda: eval(text, {"torch": torch}))


def counts_of_trials(torch):
    """What was drawn has no derivative"""
    torch.manual_seed(0)
    p = torch.full((1000,), 0.25, requires_grad=True)
    out = torch.binomial(torch.full((1000,), 8.0), p)
    fair = bool((out.mean() - 2.0).abs() < 0.2), bool(((out >= 0) & (out <= 8)).all())
    return fair, out.grad_fn.name(), raises(lambda: out.sum().backward(), "derivative for aten::binomial is not implemented")


def of_a_file(torch):
    """A tensor on the memory of a file"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "numbers")
        kept = torch.from_file(path, shared=True, size=3, dtype=torch.float32)
        kept.copy_(torch.tensor([1.0, 2.0, 3.0]))
        again = torch.from_file(path, False, 3)
        again.mul_(2)
        return kept.clone(), again.clone()


def differences_in_one_input(torch):
    """The matrices of `get_numerical_jacobian_wrt_specific_input`"""
    import importlib
    module = importlib.import_module(f"{torch.__name__}.autograd.gradcheck")
    x, y = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in ([1.0, 2.0], [3.0, 0.5]))
    def product(x, y):
        return (x * y, x + y)
    found = module.get_numerical_jacobian_wrt_specific_input(product, 1, (x, y), product(x, y), 1e-6)
    return [m.round(decimals=6) for m in found], raises(lambda: module.get_numerical_jacobian_wrt_specific_input(product, 0, (x.detach(), y), product(x, y), 1e-6))


def sparse_results(torch):
    """gradcheck of a function with a sparse result"""
    check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
    x = torch.tensor([[4.0, 1.0], [2.0, 3.0]], dtype=torch.float64).requires_grad_()
    return check(lambda x: (x * 2).to_sparse_coo(), x, masked=True)

"""Every differentiable operation: gradients against differences, forward against reverse mode, both orders, and `vmap` against the loop.

The operations are the expressions that are compared with PyTorch in tests/conformance, at other points: away from kinks.
"""
import re

import numpy as np
import pytest

import transgrad as tg
from tests.conformance.collect import cases_of
from tests.conformance.derive import expression, inputs, names
from transgrad.autograd.gradcheck import GradcheckError
from transgrad.rules.static import NoDerivative

#: at a singularity, in a precision that differences do not see, random
UNCHECKED = re.compile(r"v - v|float\('nan'\)|zeros\(3\) - u|v \* 0\)|float32|float\(\)|half\(\)|bfloat16|cfloat|normal\(")
#: where a derivative may be refused
REFUSALS = (NoDerivative, NotImplementedError, TypeError, RuntimeError)
REFUSED = {"torch.linalg.svd(m).S", "torch.linalg.eigvals(a).abs().sum()"}
REFUSED_TWICE = {*REFUSED, "torch.special.zeta(q, p)", "m.cumprod(1)", "m.cumprod(dim=0)", "m.clone().cumprod_(1)", "m.prod()", "m.prod(1)",
                 "m.prod(0, keepdim=True)"}
#: what has no meaning for a batch: shapes that depend on values, memory and leaves of one's own
NOT_MAPPED = re.compile(r"masked_select\((k|m, m > 0)\)|as_strided_\(|requires_grad_\(\)")

MODULES = [f"rows.t01_{family}" for family in ("elementwise", "indexing", "inplace", "linalg", "reductions", "shapes")]


def operations(module):
    """Each expression of a module that gives tensors which require grad: its text, its function and its inputs."""
    for text in dict.fromkeys(case.text for case in cases_of(module) if case.text is not None):
        chosen = names(text)
        if not chosen or UNCHECKED.search(text):
            continue
        xs = [(x.detach() * 1.0137 + 0.0071).requires_grad_() for x in inputs(tg, chosen)]
        try:
            f = expression(tg, text, chosen)
            out = f(*xs)
        except Exception:       # a statement, or a case of an error
            continue
        outs = out if isinstance(out, (tuple, list)) else (out,)
        if all(isinstance(o, tg.Tensor) for o in outs) and any(o.requires_grad for o in outs):
            yield text, f, xs


def failures(module, check, refused):
    found, count = [], 0
    for text, f, xs in operations(module):
        count += 1
        try:
            check(f, xs)
        except Exception as error:
            if text not in refused or not isinstance(error, REFUSALS) or isinstance(error, GradcheckError):
                found.append(f"{text}: {type(error).__name__}: {str(error)[:200]}")
    assert count > 30
    return found


@pytest.mark.parametrize("module", MODULES)
def test_first_derivatives(module):
    def check(f, xs):
        tg.autograd.gradcheck(f, xs, check_forward_ad=True, fast_mode=True, check_undefined_grad=False)
    assert not failures(module, check, REFUSED)


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_second_derivatives(module):
    def check(f, xs):
        tg.autograd.gradgradcheck(f, xs, check_fwd_over_rev=True, fast_mode=True, check_undefined_grad=False)
    assert not failures(module, check, REFUSED_TWICE)


@pytest.mark.parametrize("module", MODULES)
def test_vmap_is_the_loop(module):
    def check(f, xs):
        batch = [tg.stack([x.detach() * (1 + 0.01 * k) for k in range(3)]) for x in xs]
        mapped = tg.vmap(f, in_dims=0)(*batch)
        examples = [f(*(b[k] for b in batch)) for k in range(3)]
        several = isinstance(mapped, (tuple, list))
        for k, found in enumerate(mapped if several else [mapped]):
            expected = tg.stack([e[k] if several else e for e in examples])
            assert found.shape == expected.shape and found.dtype == expected.dtype
            assert np.allclose(found.numpy(), expected.numpy(), equal_nan=True)
    assert not [line for line in failures(module, check, {"torch.linalg.svd(m).S"}) if not NOT_MAPPED.search(line)]


@pytest.mark.slow
@pytest.mark.parametrize("module", [m for m in MODULES if "inplace" not in m])
def test_batched_derivatives(module):
    """Gradients along a batch of cotangents at once are those along each."""
    def check(f, xs):
        out = f(*xs)
        outs = [o for o in (out if isinstance(out, (tuple, list)) else (out,)) if o.requires_grad]
        vectors = [tg.stack([tg.ones_like(o.detach()) * k for k in (1.0, -0.5)]) for o in outs]
        batched = tg.autograd.grad(outs, xs, vectors, retain_graph=True, allow_unused=True, is_grads_batched=True)
        each = [tg.autograd.grad(outs, xs, [v[k] for v in vectors], retain_graph=True, allow_unused=True) for k in range(2)]
        for k, found in enumerate(batched):
            assert (found is None) == (each[0][k] is None)
            assert found is None or np.allclose(found.numpy(), tg.stack([e[k] for e in each]).numpy(), equal_nan=True)
    assert not failures(module, check, REFUSED)

"""The least surface: every name that programs on torch.autograd use most is there."""
from __future__ import annotations

import importlib

import numpy as np

from ..collect import each, ours
from ..observe import raises

TENSOR = """sum backward grad clone grad_fn requires_grad requires_grad_ exp size device data_ptr register_hook _is_view detach add_ mul_ _base narrow view view_as pow abs is_leaf _version
expand zero_ dtype shape tolist cos sin copy_ data real t to reshape retain_grad stride unbind transpose transpose_ detach_ fill_ float double long bool half unsqueeze squeeze conj is_floating_point is_complex
register_post_accumulate_grad_hook as_strided item output_nr repeat select split sub_ add mul div numpy T chunk contiguous is_inference permute diagonal equal exp_ flatten new new_zeros numel relu resize_ storage_offset swapaxes
swapdims unfold amax amin angle bernoulli clamp cpu eq expand_as gather scatter scatter_add index_add index_add_ index_select masked_fill masked_select masked_scatter max min mean median norm prod sign sgn sort argsort topk
sqrt std var cumsum cumprod logsumexp softmax log_softmax tril triu trace matmul mm bmm mv dot outer addmm where roll flip kron cross det slogdet inverse cholesky svd qr"""
INPLACE = """sub_ add_ mul_ div_ pow_ abs_ exp_ cos_ sin_ sqrt_ relu_ clamp_ sign_ sgn_ neg_ log_ tanh_ sigmoid_ reciprocal_ rsqrt_ square_ fill_ zero_ copy_ squeeze_ unsqueeze_ t_ transpose_ swapaxes_ swapdims_ detach_ bernoulli_ eq_
scatter_ scatter_add_ index_add_ index_copy_ index_fill_ index_put_ masked_fill_ masked_scatter_ cumsum_ cumprod_ tril_ triu_ addmm_ clamp_min_ clamp_max_ resize_ requires_grad_ normal_ uniform_ random_ exponential_ floor_ ceil_ round_ trunc_
lerp_ addcmul_ addcdiv_ atan2_ remainder_ fmod_ as_strided_ set_ data_ptr"""
MODULE = """tensor ones zeros full empty eye arange rand randn rand_like randn_like zeros_like ones_like full_like empty_like randint_like cat stack where allclose Tensor Size is_grad_enabled is_inference view_as_real view_as_complex complex var_mean
as_strided einsum save load manual_seed FloatTensor DoubleTensor HalfTensor LongTensor IntTensor ShortTensor CharTensor ByteTensor BoolTensor BFloat16Tensor contiguous_format as_tensor from_numpy linspace randint randperm get_default_dtype set_default_dtype
no_grad enable_grad set_grad_enabled inference_mode is_inference_mode_enabled float16 float32 float64 bfloat16 complex64 complex128 int8 int16 int32 int64 uint8 bool float double half cfloat cdouble long int short set_printoptions vmap autograd linalg fft utils
dtype device Generator sparse_coo_tensor nn func special is_tensor numel preserve_format strided finfo iinfo"""
GRAPH = """Node GradientEdge get_gradient_edge increment_version register_multi_grad_hook allow_mutation_on_saved_tensors saved_tensors_hooks save_on_cpu disable_saved_tensors_hooks"""
AUTOGRAD = """backward grad Function Variable no_grad enable_grad set_grad_enabled inference_mode detect_anomaly set_detect_anomaly gradcheck gradgradcheck functional forward_ad graph profiler function variable grad_mode anomaly_mode"""


def _has(owner, names):
    return {name: hasattr(owner, name) for name in names.split()}


def tensor_methods(torch):
    return _has(torch.ones(2, 2), TENSOR)


def inplace_twins(torch):
    return _has(torch.ones(2, 2), INPLACE)


def complex_attributes(torch):
    return _has(torch.ones(2, 2, dtype=torch.complex64), "real imag conj angle H mH adjoint resolve_conj")


def module_names(torch):
    return _has(torch, MODULE)


def graph_names(torch):
    return _has(torch.autograd.graph, GRAPH)


def autograd_names(torch):
    return _has(torch.autograd, AUTOGRAD)


def function_names(torch):
    return (
        _has(torch.autograd.Function, "apply forward backward vjp jvp vmap setup_context generate_vmap_rule"),
        _has(torch.autograd.function, "Function FunctionCtx InplaceFunction once_differentiable"),
        _has(
            torch.autograd.function.FunctionCtx,
            "save_for_backward save_for_forward mark_dirty mark_non_differentiable set_materialize_grads",
        ),
    )


def functional_and_forward_names(torch):
    return _has(torch.autograd.functional, "jacobian hessian vjp jvp vhp hvp"), _has(
        torch.autograd.forward_ad, "dual_level make_dual unpack_dual enter_dual_level exit_dual_level UnpackedDualTensor"
    )


@each(
    "new()", "new(2, 3).shape", "new([1.0, 2.0])", "new_zeros(2)", "new_ones(2, dtype=torch.int64)", "new_full((1,), 2)", "new_empty(0)",
    "new_tensor(3.0)", "new_empty_strided((2, 2), (1, 2)).stride()",
)
def new(torch, text):
    return eval(f"torch.ones(2, dtype=torch.float64).{text}", {"torch": torch})


MODULES = """autograd.functional:jacobian autograd.forward_ad:dual_level,make_dual,unpack_dual autograd.graph:saved_tensors_hooks,Node
autograd.function:Function,once_differentiable,FunctionCtx autograd.gradcheck:gradcheck,gradgradcheck,GradcheckError autograd.profiler:profile,record_function
autograd.anomaly_mode:detect_anomaly,set_detect_anomaly autograd.grad_mode:no_grad,enable_grad,set_grad_enabled,inference_mode autograd.variable:Variable
autograd:Function,Variable,backward,grad,gradcheck utils.checkpoint:checkpoint,checkpoint_sequential linalg:inv,solve,eigh,svd fft:fft,rfft nn.functional:linear,pad,softmax,relu
func:grad,vmap,jacrev,jacfwd,hessian,vjp,jvp special:erf,expit autograd.functional:hessian,vjp,jvp,vhp,hvp"""


@each(*MODULES.split())
def imports(torch, text):
    """``from torch.autograd.function import Function`` and the like."""
    module, _, names = text.partition(":")
    loaded = importlib.import_module(f"{torch.__name__}.{module}")
    return {name: callable(getattr(loaded, name)) for name in names.split(",")}


@each(
    "Tensor", "Size", "dtype", "device", "Generator", "FloatTensor", "no_grad", "autograd.Function", "autograd.graph.Node",
    "autograd.forward_ad.UnpackedDualTensor", "autograd.graph.GradientEdge", "autograd.graph.saved_tensors_hooks",
    "autograd.profiler.profile", "autograd.function.InplaceFunction",
)
def classes(torch, text):
    """What is a class, so that isinstance and subclassing work."""
    found = torch
    for name in text.split("."):
        found = getattr(found, name)
    return isinstance(found, type), found.__name__


@each(
    "isinstance(x, torch.Tensor)", "isinstance(x, torch.FloatTensor)", "isinstance(x, torch.DoubleTensor)",
    "isinstance(i, torch.LongTensor)", "isinstance(x.shape, torch.Size)", "isinstance(x.dtype, torch.dtype)",
    "isinstance(x.device, torch.device)", "isinstance(x, torch.autograd.Variable)", "isinstance(y.grad_fn, torch.autograd.graph.Node)",
    "torch.device('cpu') == x.device", "torch.device('cpu').type", "x.dtype == torch.float32", "x.dtype is torch.float32",
    "x.dtype in (torch.float32, torch.float64)", "{torch.float32: 1}[x.dtype]", "x.shape == (3,)", "x.shape[0]", "x.shape + (1,)",
    "torch.Size([1, 2]) + (3,)", "tuple(x.shape)", "len(x.shape)", "x.size() == x.shape", "torch.Size((2, 3))[::-1]", "sum(x)", "max(x)",
    "min(x)", "sorted(x.tolist())", "list(map(float, x))", "[*x][0]", "dict(a=x)['a'] is x", "x is x.data", "any(x > 2)", "all(x > 0)",
    "x.T is x", "divmod(7, 2)", "round(float(x[0]), 2)", "x[0] == 1", "bool(x[0] == 1)", "if_true if x[0] > 0 else None",
    "x.mean().item() ** 2", "2 ** x[1].item()", "range(int(x[1]))", "'abc'[i[1]]", "[10, 20, 30][i[1]]", "np.zeros(int(x[2]))",
    "np.sin(x)", "np.add(x, 1)", "np.multiply(2.0, x)", "x * np.array([1.0, 2.0, 3.0], np.float32)", "x + np.float32(2)",
    "np.float32(2) * x", "x == np.array([1.0, 0.0, 3.0], np.float32)", "np.exp(x).dtype == torch.float32", "np.concatenate([x, x])",
    "np.stack([x, x])", "np.where(x > 1, x, 0)", "np.dot(x, x)", "np.maximum(x, 2)", "np.linalg.norm(x)",
)
def in_python(torch, text):
    """Tensors among Python's own operations, and NumPy's functions on Tensors."""
    x = torch.tensor([1.0, 2.0, 3.0])
    scope = {"torch": torch, "np": np, "x": x, "i": torch.tensor([0, 2]), "y": x.clone().requires_grad_() * 2, "if_true": 1}
    seen = eval(text, scope)
    return seen.tolist() if isinstance(seen, (np.ndarray, np.generic, torch.Tensor)) else seen


@ours
@each(
    "np.sum(x * x)", "np.mean(x, axis=0)", "np.array([1.0, 2.0, 3.0]) * x", "np.array([1.0, 2.0, 3.0]) / x", "np.float64(2) ** x",
    "np.sin(x) + np.exp(x)", "np.dot(x, np.arange(3.0))", "np.outer(x, x)", "np.linalg.norm(x)", "np.cumsum(x)", "np.sort(x)",
    "np.concatenate([x, np.ones(2), x])", "np.where(x > 1, x, -x)", "np.einsum('i,j->ij', x, x)", "np.reshape(x, (3, 1))",
    "np.transpose(np.stack([x, x]))", "np.max(x)", "np.prod(x)", "np.std(x)", "np.clip(x, 1, 2)", "np.ones((2, 3)) @ x",
    "np.tanh(x).sum()", "np.maximum(x, 1.5)", "np.linalg.inv(np.diag(x))", "np.interp(x, np.arange(5.0), np.arange(5.0) ** 2)",
    "np.add.reduce(x)", "np.multiply.outer(x, x)", "x[np.argsort(-x)]",
)
def numpy_functions(torch, text):
    """NumPy's functions on Tensors record, and keep NumPy's values."""
    code = compile(text, text, "eval")
    values = np.array([1.3, 0.6, 2.4])
    x = torch.tensor(values, requires_grad=True)
    y = eval(code, {"np": np, "x": x})
    y.backward(torch.ones_like(y))
    there, back = (np.stack([np.sum(eval(code, {"np": np, "x": values + step})) for step in sign * 1e-6 * np.eye(3)]) for sign in (1, -1))
    return {"a Tensor": isinstance(y, torch.Tensor), "NumPy's values": bool(np.allclose(y.detach().numpy(), eval(code, {"np": np, "x": values}))),
            "the gradient": bool(np.allclose(x.grad.numpy(), (there - back) / 2e-6, atol=1e-6))}


@ours
def arrays_refuse_tensors_that_require_grad(torch):
    """A Tensor that requires grad never turns into numbers in silence."""
    x = torch.ones(2, requires_grad=True)
    target = np.zeros(2)
    return {"asarray": "raises" in raises(lambda: np.asarray(x)), "assignment": "raises" in raises(lambda: exec("target[0] = x[0]", {"target": target, "x": x})),
            "the remedy is named": "detach" in raises(lambda: np.asarray(x), "no such words")["message"], "detached is fine": np.asarray(x.detach()).tolist() == [1.0, 1.0]}


_MISFIT = "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1"
WORDS = {
    "m.add_(x3)": _MISFIT, "m.mul_(x3)": _MISFIT, "m.add_(x3, alpha=2)": _MISFIT, "m.add_(torch.ones(3, 3))": _MISFIT, "m.lerp_(x3, 0.5)": _MISFIT, "m.masked_fill_(x3 > 1, 0)": _MISFIT, "m.addcmul_(x3, x3)": _MISFIT,
    "m.copy_(x3)": _MISFIT, "m.flip()": 'missing 1 required positional arguments: "dims"', "m.flip(())": "", "m.addmv(x, x)": "vector + matrix @ vector expected, got 2, 1, 1", "m.addmv_(m, x)": "vector + matrix @ vector expected, got 2, 2, 1",
    "x.addmv(m, x3)": "size mismatch, got input (2), mat (2x2), vec (3)", "x[:1].addmv(m, x)": "", "torch.tensor(1.0).addmv(m, x)": "", "m.addr(m, x)": "addr: Expected 1-D argument vec1, but got 2-D", "x.view_as(m)": "shape '[2, 2]' is invalid for input of size 2",
    "x.new(torch.Size([2, 3])).shape": "", "x.new_zeros(size=(2, 3))": "", "x.new_zeros()": 'missing 1 required positional arguments: "size"', "torch.tensor(1.0)[0]": "invalid index of a 0-dim tensor. Use `tensor.item()` in Python", "torch.tensor(1.0)[-1]": "index -1 is out of bounds for dimension 0 with size 0", "torch.tensor(1.0)[:]": "slice() cannot be applied to a 0-dim tensor.",
    "torch.tensor(1.0)[0, 0]": "too many indices for tensor of dimension 0", "torch.tensor(1.0).__setitem__(0, 1)": "invalid index of a 0-dim tensor", "torch.tensor(1.0)[None][0]": "", "m.resize_(4)._version": "", "m.resize_(2, 2)._version": "",
    "torch.sin(x, out=torch.empty(0))._version": "", "torch.sin(x, out=torch.empty(3))": "", "m.apply_(lambda a: a + 1)._version": "", "m.map_(m, lambda a, b: a * b)._version": "", "w.apply_(abs)": "Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead.",
    "w.map_(m, max)": "Can't call map_() on Variable that requires grad.",
}


@each(*WORDS)
def refused_in_known_words(torch, text):
    """Calls of the least surface that are refused, in the words that users search for, and those beside them that are not"""
    scope = {"x": torch.tensor([1.0, 2.0]), "m": torch.tensor([[2.0, 1.0], [1.0, 3.0]]), "x3": torch.tensor([1.0, 2.0, 3.0]), "w": torch.ones(2, 2, requires_grad=True)}
    return raises(lambda: eval(text, {"torch": torch, **scope}), *filter(None, [WORDS[text]])), scope["m"], scope["x"]

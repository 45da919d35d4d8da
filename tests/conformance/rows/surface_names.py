"""The least surface: every name that programs on torch.autograd use most is there."""
from __future__ import annotations

from ..collect import each

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
        _has(torch.autograd.function, "Function FunctionCtx InplaceFunction once_differentiable NestedIOFunction"),
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

"""What the documents define, row by row: functions with their options, and the other names; each must have a case."""
from __future__ import annotations

import re
from dataclasses import dataclass

from .collect import Case

ROWS = {
    "T1": "Tensor",
    "T2": "backward and grad",
    "T3": "Grad modes",
    "T4": "In-place and views",
    "T5": "Graph",
    "T6": "Function",
    "T7": "Forward mode",
    "T8": "functional",
    "T9": "vmap",
    "T10": "gradcheck",
    "T11": "Complex",
    "T12": "Profiler",
    "T13": "Anomaly",
    "T14": "Threads",
    "T15": "Sparse",
    "T16": "Old names",
    "T17": "Utilities",
    "T18": "Modules",
    "T19": "Optimizers",
}

# name(options): an option counts as shown where it is a keyword of a call of that name, or (marked *) is given by position.
SURFACE = {
    "T1": """tensor(data*, dtype, requires_grad) as_tensor() from_numpy() zeros(dtype) ones() full() empty() eye() arange() linspace(steps) rand() randn() randint() randperm() zeros_like(dtype) ones_like() full_like() empty_like()
        rand_like() randn_like() stack(dim) cat(dim) where() manual_seed() get_default_dtype() set_default_dtype() requires_grad_() detach() clone() retain_grad() zero_() copy_() add_(alpha) mul_() numpy(force) item() tolist()
        is_contiguous() stride() data shape dtype device grad grad_fn requires_grad is_leaf output_nr retains_grad _version _base names T mT H real imag allclose() einsum() save() load() view_as_real() view_as_complex() complex() var_mean()""",
    "T2": """backward(tensors*, grad_tensors*, retain_graph, create_graph, grad_variables, inputs, gradient) grad(outputs, inputs, grad_outputs, retain_graph, create_graph, only_inputs, allow_unused, is_grads_batched, materialize_grads) stride()""",
    "T3": "no_grad() enable_grad() set_grad_enabled(mode) inference_mode(mode) is_grad_enabled() is_inference_mode_enabled() is_inference()",
    "T4": "_version detach_() unbind() split() chunk() increment_version() requires_grad_() resize_() add(out) as_strided()",
    "T5": """Node name() metadata next_functions register_hook() register_prehook() _sequence_nr() variable _saved_self _saved_result register_hooks() saved_tensors_hooks() save_on_cpu(pin_memory) disable_saved_tensors_hooks() save_on_disk()
        get_gradient_edge() GradientEdge() register_multi_grad_hook(mode) allow_mutation_on_saved_tensors() retain_grad() register_post_accumulate_grad_hook()""",
    "T6": """apply() forward backward vjp jvp vmap setup_context generate_vmap_rule save_for_backward() save_for_forward() saved_tensors needs_input_grad mark_dirty() mark_non_differentiable() set_materialize_grads() once_differentiable InplaceFunction(inplace)""",
    "T7": "dual_level() enter_dual_level() exit_dual_level(level) make_dual(level) unpack_dual(level) primal tangent",
    "T8": """jacobian(create_graph, strict, vectorize, strategy) hessian(create_graph, strict, vectorize, outer_jacobian_strategy) vjp(v, create_graph, strict) jvp(v*, create_graph, strict) vhp(v*, create_graph, strict) hvp(v*, create_graph, strict)""",
    "T9": "vmap(in_dims, out_dims, randomness, chunk_size)",
    "T10": """gradcheck(eps, atol, rtol, raise_exception, check_sparse_nnz, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad, check_batched_forward_grad, check_forward_ad, check_backward_ad, fast_mode, masked)
        gradgradcheck(grad_outputs*, eps, atol, rtol, gen_non_contig_grad_outputs, raise_exception, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad, check_fwd_over_rev, check_rev_over_rev, fast_mode)""",
    "T11": "conj() real imag abs() angle() view_as_real() view_as_complex() complex() polar()",
    "T12": """profile(enabled, use_cuda, record_shapes, with_flops, profile_memory, with_stack, use_kineto, use_cpu, with_modules) export_chrome_trace() key_averages(group_by_input_shape, group_by_stack_n) self_cpu_time_total total_average()
        table(sort_by, row_limit, max_src_column_width, header, top_level_events_only) record_function() emit_nvtx(enabled, record_shapes) emit_itt(enabled, record_shapes) load_nvprof sequence_nr""",
    "T13": "detect_anomaly(check_nan) set_detect_anomaly(mode, check_nan)",
    "T14": "Thread() get_ident()",
    "T15": "sparse_coo_tensor() to_dense() to_sparse() coalesce() embedding(sparse) gather(sparse_grad) gradcheck(masked)",
    "T16": "Variable(requires_grad, volatile) backward(grad_variables, retain_variables) creator previous_functions mark_shared_storage() volatile reinforce() gradcheck(check_sparse_nnz)",
    "T17": "checkpoint(use_reentrant, preserve_rng_state) checkpoint_sequential() set_printoptions(precision, threshold, edgeitems, linewidth, profile, sci_mode) no_grad()",
    "T18": """Parameter(requires_grad) Module register_buffer(persistent) register_parameter() add_module() named_parameters(recurse, remove_duplicate) named_buffers() named_modules(remove_duplicate) state_dict() load_state_dict(strict, assign)
        register_forward_pre_hook(prepend) register_forward_hook(with_kwargs) register_full_backward_hook() register_full_backward_pre_hook() train() eval() double() to() requires_grad_() Sequential() ModuleList() ModuleDict() ParameterList() ParameterDict()
        Linear(bias) Conv1d() Conv2d(stride, padding, groups, dilation, padding_mode) Conv3d() ConvTranspose2d(output_padding) MaxPool2d() AvgPool2d() BatchNorm1d() BatchNorm2d(momentum, affine, track_running_stats) LayerNorm(eps, bias) GroupNorm() Dropout()
        Embedding(padding_idx, max_norm) RNN(nonlinearity, bidirectional) LSTM(batch_first, proj_size) GRU() RNNCell() LSTMCell() GRUCell() MultiheadAttention(batch_first) TransformerEncoderLayer(dropout, batch_first, norm_first) TransformerEncoder() MSELoss(reduction)
        CrossEntropyLoss(label_smoothing, ignore_index, weight) BCEWithLogitsLoss(pos_weight) functional_call() stack_module_state() clip_grad_norm_(norm_type) clip_grad_value_() parameters_to_vector() vector_to_parameters()""",
    "T19": """SGD(lr, momentum, nesterov, weight_decay, dampening, maximize) Adam(lr, betas, amsgrad, weight_decay, maximize) AdamW(lr, amsgrad) RMSprop(centered, momentum) Adagrad(lr) LBFGS(line_search_fn, max_iter, history_size) add_param_group()
        zero_grad(set_to_none) step() state_dict() load_state_dict() register_step_pre_hook() register_step_post_hook() StepLR() MultiStepLR() ExponentialLR() LambdaLR() CosineAnnealingLR() ReduceLROnPlateau(patience) OneCycleLR(total_steps) SequentialLR() ChainedScheduler()""",
}


@dataclass(frozen=True)
class Entry:
    """A name of the surface, or an option of it."""

    row: str
    name: str
    option: str = ""

    @property
    def title(self) -> str:
        return f"{self.name}({self.option}=)" if self.option else self.name


def entries(row: str) -> list[Entry]:
    """The names of a row in order, each followed by its options."""
    found = []
    for name, call, options in re.findall(r"(\w+)(\(([^)]*)\))?", SURFACE[row]):
        found.append(Entry(row, name))
        found += [Entry(row, name, option) for option in re.split(r"[\s,]+", options) if option]
    return found


def row_of(case: Case) -> str:
    """The row that a module's name begins with; examples and programs are rows of their own."""
    stem = case.module.split(".")[-1]
    return f"T{int(stem[1:3])}" if stem[0] == "t" and stem[1:3].isdigit() else case.module.split(".")[0]


def find(cases: list[Case], entry: Entry) -> list[Case]:
    """The cases that show an entry: those of its row, or else any."""
    found = [case for case in cases if shows(case, entry)]
    return [case for case in found if row_of(case) == entry.row] or found


def shows(case: Case, entry: Entry) -> bool:
    """Whether the text of a case has the name, and the option in a call of it."""
    option = entry.option
    if not option or option.endswith("*"):
        return entry.name in case.words
    return (entry.name, option) in case.keywords

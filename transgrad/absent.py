"""Public names of PyTorch that are omitted, in classes with a reason and a hint.

The classes serve the message of AttributeError, a page of the documentation, and the test that compares the list with the recorded
names of PyTorch. A plain name belongs to ``torch``; names of other modules follow ``torch.autograd:`` and the like.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

__all__ = ["CLASSES", "Absent", "class_of", "leave_out", "message", "refusing"]


@dataclass(frozen=True)
class Absent:
    """A class of omitted names, with the reason and the alternative."""

    title: str
    reason: str
    instead: str
    text: str

    @functools.cached_property
    def names(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the class by module."""
        found: dict[str, list[str]] = {}
        place = "torch"
        for word in self.text.split():
            if word.endswith(":"):
                place = word[:-1]
            else:
                found.setdefault(place, []).append(word)
        return {place: tuple(words) for place, words in found.items()}


CLASSES: tuple[Absent, ...] = (
    Absent("Devices and streams", "arrays are NumPy arrays in CPU memory",
           "remove the call, or guard it with torch.cuda.is_available(), which is False", """
        AcceleratorError DeviceObjType Event OutOfMemoryError Stream StreamObjType accelerator cpu get_device_module mps mtia xpu
        profiler_allow_cudagraph_cupti_lazy_reinit_cuda12
        torch.Tensor: ipu mtia record_stream xpu
        torch.autograd.graph: set_override_stale_capture_stream set_warn_on_accumulate_grad_stream_mismatch
        torch.utils.checkpoint: DefaultDeviceType get_device_states set_device_states
    """),
    Absent("Kernels of one library or device", "they are internal functions of PyTorch",
           "call the function of torch.nn.functional or torch that the kernel belongs to", """
        affine_grid_generator alpha_dropout alpha_dropout_ batch_norm batch_norm_backward_elemt batch_norm_backward_reduce
        batch_norm_elemt batch_norm_gather_stats batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats
        binary_cross_entropy_with_logits cosine_embedding_loss cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution
        cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler cudnn_is_acceptable
        dropout_ embedding_bag embedding_renorm_ feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_
        grid_sampler grid_sampler_2d grid_sampler_3d hinge_embedding_loss instance_norm is_vulkan_available kl_div
        margin_ranking_loss miopen_batch_norm miopen_convolution miopen_convolution_add_relu miopen_convolution_relu
        miopen_convolution_transpose miopen_ctc_loss miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d
        mkldnn_convolution mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer native_batch_norm
        native_channel_shuffle native_dropout native_group_norm native_layer_norm native_norm norm_except_dim poisson_nll_loss
        slice_inverse triplet_margin_loss
        torch.Tensor: slice_inverse to_mkldnn
        torch.nn.functional: grouped_mm native_channel_shuffle
    """),
    Absent("Mixed precision", "operations run in the dtype of their arguments, and half precision is not faster",
           "remove the context, or cast with .to(dtype)", """
        GradScaler amp autocast autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_cpu_dtype
        get_autocast_dtype get_autocast_gpu_dtype get_autocast_ipu_dtype get_autocast_xla_dtype is_autocast_cache_enabled
        is_autocast_cpu_enabled is_autocast_enabled is_autocast_ipu_enabled is_autocast_xla_enabled set_autocast_cache_enabled
        set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype
        set_autocast_ipu_dtype set_autocast_ipu_enabled set_autocast_xla_dtype set_autocast_xla_enabled
    """),
    Absent("Quantization and small dtypes", "NumPy has no quantized arrays, no integers below eight bits, and no complex half precision",
           "compute in float32 or float16, and round with torch.round and torch.clamp", """
        QInt32Storage QInt8Storage QUInt2x4Storage QUInt4x2Storage QUInt8Storage ao bit bits16 bits1x8 bits2x4 bits4x2 bits8 chalf
        choose_qparams_optimized complex32 dequantize empty_quantized fake_quantize_per_channel_affine fake_quantize_per_tensor_affine
        fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight
        fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16
        fbgemm_pack_quantized_matrix
        float4_e2m1fn_x2 fused_moving_avg_obs_fake_quant int1 int2 int3 int4 int5 int6 int7 int_repr per_channel_affine
        per_channel_affine_float_qparams per_channel_symmetric per_tensor_affine per_tensor_symmetric q_per_channel_axis
        q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qint32 qint8 qscheme quantization quantize_per_channel
        quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru quantized_gru_cell quantized_lstm
        quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell
        quantized_rnn_tanh_cell
        quint2x4 quint4x2 quint8 uint1 uint2 uint3 uint4 uint5 uint6 uint7
        torch.Tensor: chalf dequantize int_repr q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point
        qscheme
        torch.nn.functional: ScalingType SwizzleType scaled_grouped_mm scaled_mm
    """),
    Absent("Scripts, export, compilation", "functions of Tensors run as Python, and functions of arrays are compiled by transgrad",
           "call the function directly; for functions of arrays use transgrad.compile and `transgrad export`", """
        AliasDb AnyType Argument ArgumentSpec AwaitType Block BoolType BufferDict CallStack Capsule ClassType Code CompilationUnit
        CompleteArgumentSpec ComplexType ConcreteModuleType ConcreteModuleTypeBuilder DeepCopyMemoTable DeserializationStorageContext
        DictType EnumType ErrorReport ExecutionPlan FileCheck FloatType FunctionSchema Future FutureType Gradient Graph
        GraphExecutorState
        IODescriptor InferredType IntType InterfaceType JITException ListType LiteScriptModule Node NoneType NumberType OperatorInfo
        OptionalType PyObjectType RRefType ScriptClass ScriptClassFunction ScriptDict ScriptDictIterator ScriptDictKeyIterator
        ScriptFunction ScriptList ScriptListIterator ScriptMethod ScriptModule ScriptModuleSerializer ScriptObject ScriptObjectProperty
        SerializationStorageContext StaticModule StringType SymBool SymBoolType SymFloat SymInt SymIntType TensorType TracingState
        TupleType Type UnionType Use Value classes compiler cond cpp export fork futures fx hub import_ir_module
        import_ir_module_from_buffer jit library merge_type_from_type_comment ops package parse_ir parse_schema parse_type_comment
        sym_constrain_range sym_constrain_range_for_size sym_float sym_fresh_size sym_int sym_ite sym_max sym_min sym_not sym_sqrt
        sym_sum
        unify_type_list wait while_loop
        torch.autograd.graph: region_activation_memory_budget
        torch.func: debug_unwrap functionalize
    """),
    Absent("Dispatch and subclasses", "there is one dense Tensor class and no dispatcher; NumPy's protocols replace it",
           "wrap a Tensor in your own class", """
        DisableTorchFunction DisableTorchFunctionSubclass DispatchKey DispatchKeySet ExcludeDispatchKeyGuard Tag overrides
        torch.Tensor: as_subclass module_load
        torch.autograd: has_torch_function is_view_replay_enabled
        torch.nn.functional: assert_int_or_pair boolean_dispatch handle_torch_function has_torch_function has_torch_function_unary
        has_torch_function_variadic
    """),
    Absent("Selective checkpoints", "the policy refers to operations of PyTorch's dispatcher",
           "checkpoint the parts of the function that should be recomputed", """
        torch.utils.checkpoint: CheckpointPolicy GraphExecGroup SAC_IGNORED_OPS SavedTensor SelectiveCheckpointContext
        create_selective_checkpoint_contexts
    """),
    Absent("Gradients of another dtype or layout", "a gradient has the dtype and the documented layout of its tensor",
           "change it in a hook, or cast .grad after backward", """
        torch.Tensor: grad_dtype
        torch.autograd: enforce_grad_layout_policy
        torch.autograd.grad_mode: enforce_grad_layout_policy
    """),
    Absent("Processes and machines", "the tape runs in one process", "use multiprocessing on arrays, or threads", """
        is_distributed monitor multiprocessing prepare_multiprocessing_environment
        torch.Tensor: is_distributed
    """),
    Absent("Rarer modules and optimizers", "transgrad.nn and transgrad.optim provide the most common ones",
           "use the function of torch.nn.functional in your own Module, and write other updates in a loop: "
           "with torch.no_grad(): p -= lr * p.grad", """
        ModuleDict ParameterDict
        torch.func: replace_all_batch_norm_modules_
        torch.nn: AdaptiveLogSoftmaxWithLoss Bilinear CTCLoss Container CrossMapLRN2d
        EmbeddingBag FractionalMaxPool2d FractionalMaxPool3d LPPool1d LPPool2d LPPool3d LazyBatchNorm1d LazyBatchNorm2d
        LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d
        LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear
        LinearCrossEntropyLoss LinearCrossEntropyOptions MaxUnpool1d MaxUnpool2d MaxUnpool3d MultiLabelMarginLoss MultiMarginLoss
        NLLLoss2d RNNBase RNNCellBase SyncBatchNorm
        Transformer TransformerDecoder TransformerDecoderLayer UninitializedBuffer UninitializedParameter UpsamplingBilinear2d
        UpsamplingNearest2d attention common_types factory_kwargs grad intrinsic parallel qat quantizable quantized
        torch.nn.init: constant dirac eye kaiming_normal kaiming_uniform normal orthogonal sparse uniform xavier_normal xavier_uniform
        torch.optim: ASGD Adadelta Adafactor Adamax Muon NAdam RAdam Rprop SparseAdam swa_utils swap_in_optimizer_params_and_state
    """),
    Absent("Rarer functions of networks", "transgrad.nn.functional provides the most common ones",
           "compose the function of operations on Tensors", """
        conv_tbc convolution ctc_loss
        torch.nn.functional: conv_tbc ctc_loss embedding_bag fractional_max_pool2d fractional_max_pool2d_with_indices
        fractional_max_pool3d fractional_max_pool3d_with_indices linear_cross_entropy lp_pool1d lp_pool2d lp_pool3d max_unpool1d
        max_unpool2d max_unpool3d multi_margin_loss multilabel_margin_loss upsample upsample_bilinear upsample_nearest
    """),
    Absent("Data, distributions", "NumPy and SciPy provide them", "select batches with NumPy indices, and use scipy.stats", """
        distributions quasirandom
    """),
    Absent("Storages", "the memory of a Tensor is an array", "x.numpy() shares it; x.untyped_storage() gives its size and address", """
        BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage ComplexFloatStorage DoubleStorage FloatStorage
        HalfStorage
        IntStorage LongStorage PyTorchFileReader PyTorchFileWriter ShortStorage Storage StorageBase TypedStorage UntypedStorage
        get_file_path serialization storage to_dlpack
        torch.Tensor: const_data_ptr storage_type
    """),
    Absent("Compressed, blocked, nested and masked layouts", "sparse Tensors use the coordinate layout of SciPy",
           "x.to_sparse() for coordinates, scipy.sparse for other layouts, and a separate mask for masked tensors", """
        ccol_indices_copy col_indices_copy crow_indices_copy jagged masked nested row_indices_copy sparse_bsc sparse_bsc_tensor
        sparse_bsr
        sparse_bsr_tensor sparse_compressed_tensor sparse_csc sparse_csc_tensor sparse_csr sparse_csr_tensor
        torch.Tensor: ccol_indices col_indices crow_indices row_indices to_padded_tensor to_sparse_bsc to_sparse_bsr to_sparse_csc
        to_sparse_csr
        torch.sparse: SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT SparseSemiStructuredTensorCUTLASS sampled_addmm
        semi_structured spsolve to_sparse_semi_structured
    """),
    Absent("Older sparse operations", "they read or write the stored coordinates, and have no derivative in PyTorch",
           "use torch.sparse.mm and torch.sparse.addmm, or torch.sparse_coo_tensor for another size", """
        hsmm hspmm indices_copy resize_as_sparse_ saddmm sspaddmm values_copy
        torch.Tensor: resize_as_sparse_ sparse_resize_ sparse_resize_and_clear_ sspaddmm
        torch.sparse: BFloat16Tensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor
        check_sparse_tensor_invariants
    """),
    Absent("First-class dimensions", "dimensions are numbers", "index with numbers, slices, arrays or masks", """
        torch.Tensor: index
    """),
    Absent("Removed from PyTorch too", "the name only raises an error", "torch.linalg has eig, eigh, lstsq and matrix_rank", """
        eig lstsq matrix_rank symeig
        torch.Tensor: eig lstsq symeig
    """),
    Absent("Information about PyTorch itself", "they describe the build of PyTorch or are internal", "remove the call", """
        AVG AggregationType BenchmarkConfig BenchmarkExecutionStats FatalError LockingLogger LoggerBase NoopLogger SUM
        ThroughputBenchmark
        classproperty compiled_with_cxx11_abi functional has_lapack has_mkl has_openmp has_spectral init_num_threads return_types
        thread_safe_generator torch_version types version
        torch.Tensor: name
        torch.autograd: DeviceType NestedIOFunction ProfilerActivity ProfilerConfig ProfilerEvent ProfilerState kineto_available
        profiler_legacy profiler_util
        torch.autograd.function: FunctionMeta NestedIOFunction
        torch.autograd.profiler: DeviceType EnforceUnique KinetoStepTracker MemRecordsAcc ProfilerActivity ProfilerConfig ProfilerState
        kineto_available
        torch.signal.windows: windows
        torch.utils.checkpoint: check_backward_validity detach_variable
    """),
    Absent("Device profiler", "the tape has the profiler of torch.autograd", "use torch.autograd.profiler.profile", """
        profiler
    """),
)


#: modules whose other names all belong to one class
_WHOLE = {place: found for found in CLASSES for place, title in (
    ("torch.nn", "Rarer modules and optimizers"), ("torch.utils", "Data, distributions"),
    ("torch.cuda", "Devices and streams"), ("torch.backends", "Devices and streams")) if found.title == title}


@functools.cache
def _index() -> dict[tuple[str, str], Absent]:
    return {(place, name): found for found in CLASSES for place, names in found.names.items() for name in names}


def class_of(place: str, name: str) -> Absent | None:
    """Return the class of ``place.name``, or None if it is not omitted on purpose."""
    return _index().get((place, name))


def message(owner: str, place: str, name: str) -> str:
    """Return the message of an AttributeError, with the reason and a hint for a name of torch."""
    text = f"{owner} has no attribute {name!r}"
    found = class_of(place, name) or (None if name.startswith("_") else _WHOLE.get(place))
    if found is None:
        return text
    return f"{text}: {place}.{name} is left out ({found.title}): {found.reason}. Hint: {found.instead}"


def refusing(module: str, place: str) -> Callable[[str], NoReturn]:
    """Return the ``__getattr__`` of a module with the names of torch's ``place``."""
    def __getattr__(name: str) -> NoReturn:
        raise AttributeError(message(f"module {module!r}", place, name))
    return __getattr__


class LeftOut:
    """An omitted attribute of a class: `hasattr` is False, and other attributes are looked up as fast as before."""

    def __init__(self, place: str, name: str) -> None:
        self.place, self.name = place, name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        subject = f"type object {owner.__name__!r}" if instance is None else f"{owner.__name__!r} object"
        raise AttributeError(message(subject, self.place, self.name), name=self.name, obj=instance)


def leave_out(cls: type, place: str) -> frozenset[str]:
    """Add the omitted names of a module to a class, so that access raises the reason and a hint; return the names."""
    names = frozenset(name for found in CLASSES for name in found.names.get(place, ()))
    for name in names:
        setattr(cls, name, LeftOut(place, name))
    return names

"""Modules that call a function of `transgrad.nn.functional` with options that are set once.

Activations, dropouts, pools, losses and changes of shape are rows of tables: the class, its function, and where they differ from those
of the function, its options in order.
"""
from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from ...autograd.ops import FUNCTIONS
from ...autograd.padding import pad
from ...autograd.tensor import Tensor
from .. import functional as F
from ..functional.losses import reduction_of
from ..parameter import Parameter
from .module import Module

__all__ = ["Dropout", "Flatten", "PReLU", "Softmax2d", "Unflatten", "Upsample"]

#: parameters of functions that are not options of modules
_NOT_OPTIONS = ("training", "_stacklevel", "dtype", "out")


class FunctionModule(Module):
    """A module that calls ``function`` of `transgrad.nn.functional` with its options.

    Attributes
    ----------
    _function : str
        The name of the function.
    __signature__ : inspect.Signature
        The options, with their defaults, as the arguments of ``__init__``.
    _shown : tuple of str
        The options that ``repr`` shows; ``inplace`` only if it is set.
    """

    _function = ""
    __signature__ = inspect.Signature()
    _shown: tuple[str, ...] = ()
    _trains = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        try:
            bound = self.__signature__.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}.__init__() {error}") from None
        bound.apply_defaults()
        self._set_options(bound.arguments)

    def _set_options(self, options: dict[str, Any]) -> None:
        self._options = tuple(options)
        for name, value in options.items():
            setattr(self, name, value)

    def forward(self, *inputs: Any) -> Any:
        options = {name: getattr(self, name) for name in self._options}
        if self._trains:
            options["training"] = self.training
        return getattr(F, self._function)(*inputs, **options)

    def extra_repr(self) -> str:
        shown = [f"{name}={getattr(self, name)!r}" for name in self._shown if name != "inplace"]
        return ", ".join(shown + ["inplace=True"] * ("inplace" in self._shown and self.inplace))


class _Threshold(FunctionModule):
    """A function whose one option ``repr`` shows without its name."""

    def extra_repr(self) -> str:
        return super().extra_repr().removeprefix("lambd=").removeprefix("size=")


class _Dropout(FunctionModule):
    """A function that is random in training mode."""

    def _set_options(self, options: dict[str, Any]) -> None:
        if not 0.0 <= options["p"] <= 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {options['p']}")
        super()._set_options(options)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class _Pool(FunctionModule):
    """A pool; its stride is the size of the windows by default."""

    def _set_options(self, options: dict[str, Any]) -> None:
        if options["stride"] is None:
            options["stride"] = options["kernel_size"]
        super()._set_options(options)

    def extra_repr(self) -> str:
        if self._function != "avg_pool1d":
            return super().extra_repr()
        sizes = ((name, getattr(self, name)) for name in self._shown)       # PyTorch shows these as tuples in one dimension only
        return ", ".join(f"{name}={size if isinstance(size, tuple) else (size,)}" for name, size in sizes)


class _Loss(FunctionModule):
    """A loss; Tensors among its options are buffers, and the older options of the reduction are accepted."""

    def _set_options(self, options: dict[str, Any]) -> None:
        options["reduction"] = reduction_of(options.pop("size_average", None), options.pop("reduce", None), options["reduction"])
        for name in ("weight", "pos_weight"):
            if name in options and (options[name] is None or isinstance(options[name], Tensor)):
                self.register_buffer(name, options[name])
        super()._set_options(options)

    def extra_repr(self) -> str:
        return ""


class _Unlisted(FunctionModule):
    """A function whose options ``repr`` does not show."""

    def extra_repr(self) -> str:
        return ""


def _define(base: type[FunctionModule], rows: dict[str, str], inputs: int = 1, shown: Iterable[str] = ()) -> None:
    """Define one class for each row; the function's first parameters are the inputs of the module."""
    for name, row in rows.items():
        function, *wanted = row.split()
        called = getattr(F, function)
        parameters = dict(list(inspect.signature(called).parameters.items())[inputs:])
        wanted = wanted or [k for k in parameters if k not in _NOT_OPTIONS]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        summary = (inspect.getdoc(called) or "").partition("\n")[0]
        globals()[name] = type(name, (base,), {
            "__doc__": f"{summary}\n\nThe options are those of `transgrad.nn.functional.{function}`.",
            "__module__": __name__, "__qualname__": name, "_function": function, "_trains": "training" in parameters,
            "_shown": tuple(shown or wanted), "__signature__": inspect.Signature([parameters[k].replace(kind=kind) for k in wanted])})
        if name not in __all__:
            __all__.append(name)


_define(FunctionModule, {
    "ReLU": "relu", "ReLU6": "relu6", "LeakyReLU": "leaky_relu", "ELU": "elu", "CELU": "celu", "SELU": "selu", "RReLU": "rrelu",
    "GELU": "gelu", "SiLU": "silu", "Mish": "mish", "Sigmoid": "sigmoid", "LogSigmoid": "logsigmoid", "Tanh": "tanh",
    "Tanhshrink": "tanhshrink", "Softplus": "softplus", "Hardsigmoid": "hardsigmoid", "Hardswish": "hardswish", "Softsign": "softsign",
    "Softmax": "softmax", "LogSoftmax": "log_softmax", "Softmin": "softmin", "GLU": "glu", "Threshold": "threshold",
    "Hardtanh": "hardtanh", "PixelShuffle": "pixel_shuffle", "PixelUnshuffle": "pixel_unshuffle", "ChannelShuffle": "channel_shuffle",
    "Unfold": "unfold", "Fold": "fold"})
_define(_Threshold, {"Softshrink": "softshrink", "Hardshrink": "hardshrink", "LocalResponseNorm": "local_response_norm"})
_define(_Dropout, {"Dropout": "dropout", "Dropout1d": "dropout1d", "Dropout2d": "dropout2d", "Dropout3d": "dropout3d",
                   "AlphaDropout": "alpha_dropout", "FeatureAlphaDropout": "feature_alpha_dropout"})
for _n in "123":
    _define(_Pool, {f"MaxPool{_n}d": f"max_pool{_n}d kernel_size stride padding dilation return_indices ceil_mode"},
            shown=("kernel_size", "stride", "padding", "dilation", "ceil_mode"))
    _define(_Pool, {f"AvgPool{_n}d": f"avg_pool{_n}d"}, shown=("kernel_size", "stride", "padding"))
    _define(FunctionModule, {f"AdaptiveAvgPool{_n}d": f"adaptive_avg_pool{_n}d", f"AdaptiveMaxPool{_n}d": f"adaptive_max_pool{_n}d"},
            shown=("output_size",))
_REDUCTION = "size_average reduce reduction"
_define(_Loss, {
    "L1Loss": f"l1_loss {_REDUCTION}", "MSELoss": f"mse_loss {_REDUCTION}", "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss reduction delta", "NLLLoss": "nll_loss", "CrossEntropyLoss": "cross_entropy", "KLDivLoss": "kl_div",
    "BCELoss": "binary_cross_entropy", "BCEWithLogitsLoss": "binary_cross_entropy_with_logits", "PoissonNLLLoss": "poisson_nll_loss",
    "HingeEmbeddingLoss": "hinge_embedding_loss", "SoftMarginLoss": "soft_margin_loss",
    "MultiLabelSoftMarginLoss": "multilabel_soft_margin_loss"}, inputs=2)
_define(_Loss, {
    "GaussianNLLLoss": "gaussian_nll_loss", "MarginRankingLoss": "margin_ranking_loss", "CosineEmbeddingLoss": "cosine_embedding_loss",
    "TripletMarginLoss": "triplet_margin_loss", "TripletMarginWithDistanceLoss": "triplet_margin_with_distance_loss"}, inputs=3)
_define(_Unlisted, {"CosineSimilarity": "cosine_similarity dim eps", "PairwiseDistance": "pairwise_distance"}, inputs=2)
Dropout: Any = globals()["Dropout"]


class _Pad(Module):
    """Pad the ends of the last dimensions."""

    _count, _mode = 0, ""

    def __init__(self, padding: Any, value: float = 0.0) -> None:
        super().__init__()
        self.padding = tuple(padding) if isinstance(padding, (tuple, list)) else (padding,) * (2 * self._count)
        self.value = value

    def forward(self, input: Any) -> Any:
        return pad(input, self.padding, self._mode, self.value if self._mode == "constant" else None)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}" if type(self).__name__.startswith("Constant") else str(self.padding)


for _prefix, _mode in (("Zero", "constant"), ("Constant", "constant"), ("Reflection", "reflect"), ("Replication", "replicate"),
                       ("Circular", "circular")):
    for _count in (1, 2, 3):
        _name = f"{_prefix}Pad{_count}d"
        globals()[_name] = type(_name, (_Pad,), {
            "_count": _count, "_mode": _mode, "__module__": __name__, "__qualname__": _name,
            "__doc__": f"Pad both ends of the last {_count} dimensions, with mode {_mode!r}."})
        __all__.append(_name)


class Softmax2d(Module):
    """`Softmax` over the channels of images."""

    def forward(self, input: Any) -> Any:
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)


class PReLU(Module):
    """ReLU with a learned factor below 0."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(FUNCTIONS["full"]((num_parameters,), float(init), dtype=dtype, device=device))

    def forward(self, input: Any) -> Any:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class _Shape(Module):
    """A method of Tensors that changes the shape, with the arguments of the module."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self._options = tuple(options)
        self.__dict__.update(options)

    def forward(self, input: Any) -> Any:
        return getattr(input, type(self).__name__.lower())(*(getattr(self, name) for name in self._options))

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._options)


class Flatten(_Shape):
    """Join the dimensions between two, by default all but the first."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__(start_dim=start_dim, end_dim=end_dim)


class Unflatten(_Shape):
    """Split one dimension into several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__(dim=dim, unflattened_size=unflattened_size)


class Upsample(Module):
    """Resize images by interpolation."""

    def __init__(self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
                 recompute_scale_factor: bool | None = None) -> None:
        super().__init__()
        self.size, self.mode, self.align_corners, self.recompute_scale_factor = size, mode, align_corners, recompute_scale_factor
        self.scale_factor = tuple(map(float, scale_factor)) if isinstance(scale_factor, tuple) else scale_factor and float(scale_factor)

    def forward(self, input: Any) -> Any:
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)

    def extra_repr(self) -> str:
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)}, mode={self.mode!r}"

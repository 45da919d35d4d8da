"""Losses."""
from __future__ import annotations

from typing import Any

from ...autograd.tensor import Tensor
from .options import WithOptions, family

__all__: list[str] = []


class _Loss(WithOptions):
    """A loss, whose old options for its reduction are understood as well; Tensors among its options are buffers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        old = {name: kwargs.pop(name) for name in ("size_average", "reduce") if name in kwargs}
        super().__init__(*args, **kwargs)
        if any(value is not None for value in old.values()):
            average, reduce = (old.get(name) is not False for name in ("size_average", "reduce"))
            self.reduction = "none" if not reduce else "mean" if average else "sum"

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("weight", "pos_weight") and (value is None or isinstance(value, Tensor)) and name not in self._buffers:
            self.register_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def extra_repr(self) -> str:
        return ""


_MEAN = {"reduction": "mean"}
_FOUND = family(
    __name__, _Loss,
    L1Loss=("l1_loss", "Absolute differences.", _MEAN),
    MSELoss=("mse_loss", "Squared differences.", _MEAN),
    SmoothL1Loss=("smooth_l1_loss", "Squared differences, linear beyond ``beta``.", {**_MEAN, "beta": 1.0}),
    HuberLoss=("huber_loss", "Half the squared differences, linear beyond ``delta``.", {**_MEAN, "delta": 1.0}),
    NLLLoss=("nll_loss", "Minus the log-probability of the class.", {"weight": None, "ignore_index": -100, **_MEAN}),
    CrossEntropyLoss=("cross_entropy", "The cross-entropy of classes, or of their probabilities, given logits.",
                      {"weight": None, "ignore_index": -100, **_MEAN, "label_smoothing": 0.0}),
    KLDivLoss=("kl_div", "The Kullback-Leibler divergence.", {**_MEAN, "log_target": False}),
    BCELoss=("binary_cross_entropy", "The cross-entropy of two classes, given probabilities.", {"weight": None, **_MEAN}),
    BCEWithLogitsLoss=("binary_cross_entropy_with_logits", "The cross-entropy of two classes, given logits.",
                       {"weight": None, **_MEAN, "pos_weight": None}),
    PoissonNLLLoss=("poisson_nll_loss", "Minus the log-likelihood of counts.",
                    {"log_input": True, "full": False, "eps": 1e-8, **_MEAN}),
    GaussianNLLLoss=("gaussian_nll_loss", "Minus the log-likelihood of normal numbers.", {"full": False, "eps": 1e-6, **_MEAN}),
    HingeEmbeddingLoss=("hinge_embedding_loss", "Distances of similar pairs, and a margin for others.", {"margin": 1.0, **_MEAN}),
    MarginRankingLoss=("margin_ranking_loss", "How far pairs are from their order.", {"margin": 0.0, **_MEAN}),
    SoftMarginLoss=("soft_margin_loss", "The logistic loss of classes 1 and -1.", _MEAN),
    CosineEmbeddingLoss=("cosine_embedding_loss", "One minus the cosine of similar pairs, the cosine of others.",
                         {"margin": 0.0, **_MEAN}),
    MultiMarginLoss=("multi_margin_loss", "A hinge between the class and all others.", {"p": 1, "margin": 1.0, "weight": None, **_MEAN}),
    MultiLabelMarginLoss=("multilabel_margin_loss", "A hinge between several classes and all others.", _MEAN),
    MultiLabelSoftMarginLoss=("multilabel_soft_margin_loss", "The logistic loss of several classes.", {"weight": None, **_MEAN}),
    TripletMarginLoss=("triplet_margin_loss", "A hinge between the distances of similar and of other pairs.",
                       {"margin": 1.0, "p": 2.0, "eps": 1e-6, "swap": False, **_MEAN}),
    CTCLoss=("ctc_loss", "Minus the log-probability of a sequence without alignment.", {"blank": 0, **_MEAN, "zero_infinity": False}),
)


class _WithDistance(_Loss):
    """A loss of triplets with a distance of the user's."""

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Any:
        options = {name: getattr(self, name) for name in self._options}
        from .. import functional as F
        return F.triplet_margin_with_distance_loss(anchor, positive, negative, **options)


_FOUND |= family(
    __name__, _WithDistance,
    TripletMarginWithDistanceLoss=("triplet_margin_with_distance_loss", "`TripletMarginLoss` with any distance.",
                                   {"distance_function": None, "margin": 1.0, "swap": False, **_MEAN}),
)
_FOUND |= family(
    __name__, WithOptions,
    CosineSimilarity=("cosine_similarity", "The cosine of the angle between vectors.", {"dim": 1, "eps": 1e-8}),
    PairwiseDistance=("pairwise_distance", "The distances of vectors.", {"p": 2.0, "eps": 1e-6, "keepdim": False}),
)
for _name in ("CosineSimilarity", "PairwiseDistance"):
    _FOUND[_name]._shown = ()
globals().update(_FOUND)
__all__ += list(_FOUND)

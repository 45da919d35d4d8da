"""Attention: means of values, weighted by the softmax of products of queries and keys."""
from __future__ import annotations

import math
from typing import Any

from ...autograd import dtypes
from ...autograd.ops import FUNCTIONS
from ...autograd.padding import pad as padded
from ...autograd.tensor import Tensor
from .linear_maps import linear

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]

_call: Any = FUNCTIONS


def _additive(mask: Any, like: Any) -> Any:
    """Convert a boolean mask of excluded entries to an additive one; return any other mask unchanged."""
    return mask if mask is None or mask.is_floating_point() else like.new_zeros(mask.shape).masked_fill(mask, -math.inf)


def _weights(query: Any, key: Any, mask: Any, scale: float | None = None) -> Any:
    """Return the softmax over the keys for each query; rows without a key are 0."""
    scores = (query * (1.0 / math.sqrt(query.shape[-1]) if scale is None else scale)) @ key.mT
    if mask is None:
        return scores.softmax(-1)
    scores = scores + mask
    none = (scores.detach() == -math.inf).all(-1, keepdim=True)
    return scores.masked_fill(none, 0.0).softmax(-1).masked_fill(none, 0.0) if bool(none.any()) else scores.softmax(-1)


def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
                                 is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False) -> Tensor:
    """``softmax(query @ key.mT * scale + mask) @ value``.

    Parameters
    ----------
    query, key, value : Tensor, shapes (*, L, E), (*, S, E), (*, S, V)
        The queries, keys and values.
    attn_mask : Tensor, broadcasts to (*, L, S), optional
        Numbers that are added to the products, or booleans that are True for the keys to attend to.
    dropout_p : float
        The probability with which a weight is 0.
    is_causal : bool
        Whether a query attends only to the keys up to its own position.
    scale : float, optional
        The factor; ``1 / sqrt(E)`` by default.
    enable_gqa : bool
        Whether several heads of queries (dimension -3) share one of keys and values.

    Returns
    -------
    Tensor, shape (*, L, V)

    Raises
    ------
    RuntimeError
        If `is_causal` has a mask, or the heads of queries are no multiple of those of keys.
    """
    if is_causal and attn_mask is not None:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if is_causal:
        attn_mask = _call["ones"](query.shape[-2], key.shape[-2], dtype=dtypes.bool_).tril()
    if enable_gqa:
        heads = query.shape[-3]
        if heads % key.shape[-3] or heads % value.shape[-3]:
            raise RuntimeError("scaled_dot_product_attention: For enable_gqa=True, Number of heads in key and value must divide the "
                               "number of heads in query")
        key, value = (x.repeat_interleave(heads // x.shape[-3], -3) for x in (key, value))
    if attn_mask is not None and attn_mask.dtype == dtypes.bool_:
        attn_mask = _additive(attn_mask.logical_not(), query)
    return _call["dropout"](_weights(query, key, attn_mask, scale), dropout_p) @ value


def multi_head_attention_forward(
    query: Any, key: Any, value: Any, embed_dim_to_check: int, num_heads: int, in_proj_weight: Any, in_proj_bias: Any, bias_k: Any,
    bias_v: Any, add_zero_attn: bool, dropout_p: float, out_proj_weight: Any, out_proj_bias: Any, training: bool = True,
    key_padding_mask: Any = None, need_weights: bool = True, attn_mask: Any = None, use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None, k_proj_weight: Any = None, v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None,
    average_attn_weights: bool = True, is_causal: bool = False,
) -> tuple[Any, Any]:
    """Attention of several heads between affine maps; query, key and value have shape (L, N, E) or (L, E).

    Returns
    -------
    tuple
        The result (L, N, E), and with ``need_weights`` the weights (N, L, S), for each head unless they are averaged; else None.

    Raises
    ------
    AssertionError
        If the sizes do not fit.
    RuntimeError
        If ``is_causal`` has no mask.
    """
    batched = query.ndim == 3
    if not batched:
        query, key, value = (x.unsqueeze(1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, embed = query.shape
    if embed != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {embed}")
    if embed % num_heads:
        raise AssertionError(f"embed_dim {embed} not divisible by num_heads {num_heads}")
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    given = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else in_proj_weight.chunk(3)
    biases = (None, None, None) if in_proj_bias is None else in_proj_bias.chunk(3)
    q, k, v = (linear(x, w, b) for x, w, b in zip((query, key, value), given, biases))
    mask, padding = _additive(attn_mask, q), _additive(key_padding_mask, q)
    if bias_k is not None:
        k, v = (_call["cat"]([x, b.expand(1, batch, -1)]) for x, b in ((k, bias_k), (v, bias_v)))
    q, k, v = (x.reshape(x.shape[0], batch, num_heads, -1).permute(1, 2, 0, 3) for x in (q, k, v))
    k, v = (x if s is None else s.reshape(batch, num_heads, *s.shape[1:]) for x, s in ((k, static_k), (v, static_v)))
    if add_zero_attn:
        k, v = (padded(x, (0, 0, 0, 1)) for x in (k, v))
    if mask is not None and mask.ndim == 3:
        mask = mask.reshape(batch, num_heads, *mask.shape[1:])
    if padding is not None:
        padding = padding.reshape(batch, 1, 1, -1)
        mask = padding if mask is None else padding + mask
    more = (bias_k is not None) + add_zero_attn
    if mask is not None and more:
        mask = padded(mask, (0, more))
    weights = _weights(q, k, mask)
    dropped = _call["dropout"](weights, dropout_p) if training else weights
    found: Any = linear((dropped @ v).permute(2, 0, 1, 3).reshape(length, batch, embed), out_proj_weight, out_proj_bias)
    shown = (dropped.mean(1) if average_attn_weights else dropped) if need_weights else None
    if batched:
        return found, shown
    return found.squeeze(1), shown if shown is None else shown.squeeze(0)

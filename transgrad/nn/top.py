"""Functions of ``torch.nn.functional`` that torch also has at its top."""
from __future__ import annotations

from . import functional as F
from .recurrent import gru, gru_cell, lstm, lstm_cell, rnn_relu, rnn_relu_cell, rnn_tanh, rnn_tanh_cell

__all__ = ["gru", "gru_cell", "lstm", "lstm_cell", "rnn_relu", "rnn_relu_cell", "rnn_tanh", "rnn_tanh_cell"]

for _name in ("adaptive_avg_pool1d", "avg_pool1d", "bilinear", "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
              "conv_transpose2d", "conv_transpose3d", "group_norm", "layer_norm", "max_pool1d", "max_pool1d_with_indices", "max_pool2d",
              "max_pool3d", "pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "rms_norm"):
    globals()[_name] = getattr(F, _name)
    __all__.append(_name)
adaptive_max_pool1d = F.adaptive_max_pool1d_with_indices
__all__.append("adaptive_max_pool1d")

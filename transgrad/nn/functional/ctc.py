"""Connectionist temporal classification: the likelihood of a sequence of labels, summed over all alignments with the time steps."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...autograd.ops import FUNCTIONS
from ...autograd.tensor import Tensor, wrap
from .reductions import reduced

__all__ = ["ctc_loss"]

_call: Any = FUNCTIONS
_NEVER = -1e30


def _lengths(given: Any, count: int, name: str) -> Any:
    """Lengths as an array, one for each example."""
    found = np.atleast_1d(np.asarray(given.numpy() if isinstance(given, Tensor) else given)).astype(np.int64)
    if found.shape != (count,):
        raise RuntimeError(f"{name} must be of size batch_size")
    return found


def _labels(targets: Any, lengths: Any, blank: int) -> Any:
    """The labels of each example with blanks between and around them, (N, 2 S + 1); the positions beyond an example's length are blank."""
    given = targets.numpy().astype(np.int64)
    longest = int(lengths.max(initial=0))
    rows = np.full((len(lengths), longest), blank)
    if given.ndim == 1:
        places = np.concatenate(([0], np.cumsum(lengths)))
        parts = [given[a:b] for a, b in zip(places, places[1:])]
    else:
        if given.shape[1] < longest:
            raise RuntimeError(f"Expected tensor to have size at least {longest} at dimension 1, but got size {given.shape[1]} for "
                               "argument #2 "
                               "'targets' (while checking arguments for ctc_loss_allocate_outputs)")
        parts = [row[:n] for row, n in zip(given, lengths)]
    for row, part in zip(rows, parts):
        row[:len(part)] = part
    out = np.full((len(lengths), 2 * longest + 1), blank)
    out[:, 1::2] = rows
    return out


def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = "mean",
             zero_infinity: bool = False) -> Tensor:
    """Minus the logarithm of the probability that labels come out in this order, blanks and repetitions left aside.

    Parameters
    ----------
    log_probs : Tensor, shape (T, N, C) or (T, C)
        Logarithms of the probabilities of labels at each time.
    targets : Tensor of int, shape (N, S) or (sum of target_lengths,)
        The labels.
    input_lengths, target_lengths : Tensor or tuple of int, shape (N,)
        How many times and labels each example has.
    blank : int
        The label that stands for none.
    reduction : str
        ``none``, ``sum``, or ``mean``: of the losses over their numbers of labels.
    zero_infinity : bool
        Whether the loss is 0 where labels are more than times, instead of infinite.

    Raises
    ------
    RuntimeError
        If shapes, lengths or the blank do not fit.
    """
    single = log_probs.ndim == 2
    logs = log_probs.unsqueeze(1) if single else log_probs
    steps, batch, classes = logs.shape
    times, counts = _lengths(input_lengths, batch, "input_lengths"), _lengths(target_lengths, batch, "target_lengths")
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    if times.max(initial=0) > steps:
        raise RuntimeError(f"Expected input_lengths to have value at most {steps}, but got value {times.max()} (while checking arguments "
                           "for "
                           "ctc_loss_allocate_outputs)")
    labels = _labels(targets.unsqueeze(0) if single and targets.ndim == 1 else targets, counts, blank)
    if labels.min(initial=0) < 0 or labels.max(initial=0) >= classes:
        raise RuntimeError(f"targets must be labels between 0 and {classes - 1}")
    losses = -_log_likelihood(logs, labels, times, counts, 0.0 if zero_infinity else math.inf)
    if reduction == "mean":
        return (losses / wrap(np.maximum(counts, 1).astype(losses.dtype))).mean()
    return reduced(losses.squeeze(0) if single and reduction == "none" else losses, reduction)


def _log_likelihood(logs: Any, labels: Any, times: Any, counts: Any, impossible: float) -> Any:
    """The forward recursion: ``reached[n, k]`` is the logarithm of the probability of having come to the k-th label.

    What cannot be reached is very unlikely rather than impossible, for sums of zeros have no logarithm with a derivative; where the end
    is such, it is multiplied by ``impossible``.
    """
    emitted = logs.gather(2, wrap(np.broadcast_to(labels, (len(logs), *labels.shape))))
    never = logs.new_full(labels.shape, _NEVER)
    emitted = _call["where"](emitted.detach() == -math.inf, never, emitted)
    first = wrap(np.arange(labels.shape[1]) < 2)
    skips = np.zeros(labels.shape, np.bool_)
    skips[:, 2:] = (labels[:, 2:] != labels[:, :-2]) & (np.arange(labels.shape[1] - 2) % 2 == 1)
    reached = _call["where"](first, emitted[0], never)
    for t in range(1, len(logs)):
        by_one = _call["cat"]([never[:, :1], reached[:, :-1]], 1)
        by_two = _call["cat"]([never[:, :2], reached[:, :-2]], 1)[:, :labels.shape[1]]
        ways = _call["stack"]([reached, by_one, _call["where"](wrap(skips), by_two, never)])
        reached = _call["where"](wrap((t < times)[:, None]), ways.logsumexp(0) + emitted[t], reached)
    last = 2 * counts[:, None]
    ends = _call["stack"]([reached.gather(1, wrap(last)), reached.gather(1, wrap(np.maximum(last - 1, 0)))])
    ends = _call["where"](wrap(np.stack([np.ones_like(last), last]) > 0), ends, never[:1, :1])
    found = ends.logsumexp(0).squeeze(1)
    return found * _call["where"](found.detach() < _NEVER / 2, impossible, 1.0).to(found.dtype)

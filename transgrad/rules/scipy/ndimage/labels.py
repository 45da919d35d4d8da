"""scipy.ndimage: measurements of an image, whole or by labels.

An extremum's derivative goes to the first of the elements that are it, a median's to the elements in the middle in a stable order.
Of a label that nothing bears, extrema and medians are 0, and so are their derivatives.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.ndimage as nd

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Type
from ...registry import constant, definition
from .ranks import taken


def codes(x: Any, labels: Any, index: Any) -> Any:
    """For each element, in order, the position of its label among the sorted labels in ``index``; their number for other labels."""
    x, labels = np.broadcast_arrays(x, labels)
    wanted = np.unique(index)
    at = np.searchsorted(wanted, labels.ravel())
    return np.where(np.isin(labels.ravel(), wanted), at, wanted.size)


def entries(index: Any) -> Any:
    """Which of its own sorted elements each element of ``index`` is."""
    return np.reshape(np.unique(index, return_inverse=True)[1], np.shape(index))


def chosen_mask(labels: Any, index: Any) -> Any:
    """The elements with a label; without one, those that bear any above 0."""
    return np.asarray(labels) > 0 if index is None else np.asarray(labels) == index


def ranked_places(x: Any, labels: Any, index: Any, which: str) -> Any:
    """The place of the element of each label that is the least, greatest, or on either side of the middle; -1 for none."""
    if labels is None:
        labels, index = np.ones(x.shape, int), 1
    elif np.ndim(index) == 0:
        labels, index = np.asarray(chosen_mask(labels, index), int), 1
    x, labels = np.broadcast_arrays(x, labels)
    number = codes(x, labels, index)
    turn = -1 if which == "greatest" else 1
    order = np.lexsort((turn * np.arange(x.size), x.ravel(), number))
    first = np.searchsorted(number[order], np.arange(np.unique(index).size))
    count = np.searchsorted(number[order], np.arange(np.unique(index).size), side="right") - first
    if np.ndim(index) == 0 and not count.all():
        raise ValueError("zero-size array to reduction operation which has no identity")
    step: Any = {"least": 0, "greatest": count - 1, "lower": (count - 1) // 2, "upper": count // 2}[which]
    found = np.where(count > 0, order[np.minimum(first + step, x.size - 1)], -1)
    return found[entries(index)]


def _vector(*args: Any) -> Type | None:
    return Arr("int64", (ANY,))


def _like_index(index: Any) -> Type | None:
    t = index.type
    if isinstance(t, Arr):
        return Arr("int64", t.dims)
    return Arr("int64", (ANY,)) if isinstance(getattr(index, "value", None), (list, tuple)) or hasattr(t, "elem") or hasattr(t, "elems") \
        else None


def _of_labels(x: Any, labels: Any, index: Any, which: Any) -> Type | None:
    if getattr(labels, "value", labels) is None or getattr(index, "value", index) is None or not isinstance(
            getattr(index, "value", ()), (list, tuple)) or type(index.type).__name__ == "Num":
        return Arr("int64", (), scalar=True)
    return _like_index(index)


constant(codes, entries, chosen_mask, ranked_places)
SHAPES.update({codes: _vector, entries: _like_index, ranked_places: _of_labels})


def whole_image(x: Any, labels: Any) -> Any:
    """The image with as many elements as there are labels."""
    return np.broadcast_to(x, np.broadcast_shapes(np.shape(x), np.shape(labels)))


def bearers(x: Any, labels: Any, index: Any) -> Any:
    """The elements of an image with a label; all of them if there are no labels."""
    return x if labels is None else whole_image(x, labels)[chosen_mask(np.broadcast_to(labels, np.shape(whole_image(x, labels))), index)]


def is_one(labels: Any, index: Any) -> bool:
    """Whether a measurement is one number."""
    return labels is None or index is None or not isinstance(index, (list, tuple)) and np.ndim(index) == 0


def totals(x: Any, labels: Any, index: Any) -> Any:
    """The sum of the elements of each label."""
    at = entries(index)
    return np.bincount(codes(x, labels, index), np.ravel(whole_image(x, labels)), np.size(at))[at]


def counts(x: Any, labels: Any, index: Any) -> Any:
    """How many elements bear each label."""
    return totals(np.ones(np.shape(x)), labels, index)


@definition(nd.sum, nd.sum_labels)
def sum_labels(input: Any, labels: Any = None, index: Any = None) -> Any:
    """The sum of the elements with a label."""
    return np.sum(bearers(input, labels, index)) if is_one(labels, index) else totals(input, labels, index)


@definition(nd.mean)
def mean(input: Any, labels: Any = None, index: Any = None) -> Any:
    """The mean of the elements with a label."""
    if is_one(labels, index):
        return np.mean(bearers(input, labels, index))
    return totals(input, labels, index) / counts(input, labels, index)


@definition(nd.variance)
def variance(input: Any, labels: Any = None, index: Any = None) -> Any:
    """The variance of the elements with a label."""
    if is_one(labels, index):
        return np.var(bearers(input, labels, index))
    middle = np.append(totals(input, labels, index) / counts(input, labels, index), 0.0)
    back = np.append(np.unique(entries(index), return_index=True)[1], np.size(entries(index)))
    away = np.ravel(whole_image(input, labels)) - np.ravel(middle)[back[codes(input, labels, index)]]
    shape = np.shape(whole_image(input, labels))
    return totals(np.reshape(away * away, shape), labels, index) / counts(input, labels, index)


@definition(nd.standard_deviation)
def standard_deviation(input: Any, labels: Any = None, index: Any = None) -> Any:
    """The square root of the variance; its derivative is 0 at 0."""
    if is_one(labels, index):
        return np.std(bearers(input, labels, index))
    square = nd.variance(input, labels, index)
    return np.sqrt(square + (square == 0.0)) * (square != 0.0)


def ranked(input: Any, labels: Any, index: Any, which: str) -> Any:
    """The element of each label that has a rank."""
    x = input if labels is None else whole_image(input, labels)
    return taken(x, ranked_places(x, labels, index, which), 0.0)


@definition(nd.minimum)
def minimum(input: Any, labels: Any = None, index: Any = None) -> Any:
    """The smallest of the elements with a label."""
    return ranked(input, labels, index, "least")


@definition(nd.maximum)
def maximum(input: Any, labels: Any = None, index: Any = None) -> Any:
    """The largest of the elements with a label."""
    return ranked(input, labels, index, "greatest")


@definition(nd.median)
def median(input: Any, labels: Any = None, index: Any = None) -> Any:
    """The mean of the two elements in the middle."""
    return 0.5 * (ranked(input, labels, index, "lower") + ranked(input, labels, index, "upper"))


@definition(nd.extrema)
def extrema(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Least and greatest elements, and their places."""
    return (minimum(input, labels, index), maximum(input, labels, index),
            nd.minimum_position(input, labels, index), nd.maximum_position(input, labels, index))


@definition(nd.center_of_mass)
def center_of_mass(input: Any, labels: Any = None, index: Any = None) -> Any:
    """The mean place, weighed with the elements."""
    mass = sum_labels(input, labels, index)
    at = np.indices(np.shape(input), dtype=float)
    middle = [sum_labels(input * at[k], labels, index) / mass for k in range(np.ndim(input))]
    if is_one(labels, index):
        return tuple(middle)
    return [tuple([m[k] for m in middle]) for k in range(len(index))]


@definition(nd.labeled_comprehension)
def labeled_comprehension(input: Any, labels: Any, index: Any, func: Callable[..., Any], out_dtype: Any, default: Any,
                          pass_positions: Any = False) -> Any:
    """A function of the elements with each label."""
    x = input if labels is None else whole_image(input, labels)
    if is_one(labels, index) and index is None:
        part = np.ravel(bearers(x, labels, index))
        return func(part, bearers(np.reshape(np.arange(np.size(x)), np.shape(x)), labels, index).ravel()) if pass_positions else func(part)
    found = []
    for label in np.ravel(index):
        mask = np.ravel(chosen_mask(np.broadcast_to(labels, np.shape(x)), label))
        if not np.any(mask):
            found.append(default)
        elif pass_positions:
            found.append(func(np.ravel(x)[mask], np.flatnonzero(mask)))
        else:
            found.append(func(np.ravel(x)[mask]))
    return found[0] if is_one(labels, index) else np.reshape(np.stack(found), np.shape(index))

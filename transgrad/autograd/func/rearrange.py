"""`rearrange`: dimensions named by a pattern, in another order, split and joined."""
from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from ..ops import FUNCTIONS

__all__ = ["rearrange"]

Group = list[str]


def _groups(text: str, pattern: str) -> list[Group]:
    """The dimensions of one side: each a list of names, ``1`` for none, ``...`` for all that are not named."""
    if text.count("(") != text.count(")") or re.search(r"\([^)]*\(|[^\w\s().]", text):
        raise ValueError(f"'{pattern}' is not a pattern of names, '...', and names in parentheses")
    found = []
    for token in re.findall(r"\([^)]*\)|\.\.\.|\w+|\S", text):
        names = token.strip("()").split() if token[0] == "(" else [token]
        if any(not (name == "..." or name.isidentifier() or name == "1") for name in names):
            raise ValueError(f"'{token}' in '{pattern}' is not the name of a dimension")
        found.append([name for name in names if name != "1"])
    return found


def _named(groups: list[Group], pattern: str) -> list[str]:
    names = [name for group in groups for name in group]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"Identifiers {twice} stand more than once on a side of '{pattern}'")
    return names


def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Any:
    """A tensor with its dimensions in another order, some split and some joined.

    Parameters
    ----------
    tensor : Tensor, or sequence of Tensors of one shape
        The tensor to rearrange; a sequence is stacked along a first dimension.
    pattern : str
        The names of the dimensions and, after ``->``, the names in the new order; those in parentheses are one dimension,
        and ``...`` stands
        for those that have no name.
    **axes_lengths : int
        The lengths of dimensions that one is split into; one of them may be left out.

    Returns
    -------
    Tensor

    Raises
    ------
    ValueError
        If the pattern does not name the tensor's dimensions, or lengths do not fit.

    Examples
    --------
    >>> rearrange(FUNCTIONS["ones"](6, 2), "(a b) c -> c b a", b=3).shape
    torch.Size([2, 3, 2])
    """
    if isinstance(tensor, (list, tuple)):
        tensor = FUNCTIONS["stack"](list(tensor))
    if pattern.count("->") != 1:
        raise ValueError(f"'{pattern}' must contain one '->'")
    left, right = (_groups(side, pattern) for side in pattern.split("->"))
    names, wanted = _named(left, pattern), _named(right, pattern)
    if set(names) != set(wanted):
        raise ValueError(f"Identifiers only on one side of '{pattern}' (should be on both): {sorted(set(names) ^ set(wanted))}")
    rest = tensor.ndim - len([group for group in left if group != ["..."]])
    if rest < 0 or rest and ["..."] not in left:
        raise ValueError(f"The left side of '{pattern}' has {len(left)} dimensions, the tensor {tensor.ndim}")
    lengths: dict[str, Sequence[int]] = {}
    k = 0
    for group in left:
        if group == ["..."]:
            lengths["..."] = tuple(tensor.shape[k:k + rest])
            k += rest
            continue
        lengths.update(_split(group, int(tensor.shape[k]), axes_lengths, pattern))
        k += 1
    unknown = sorted(set(axes_lengths) - set(names))
    if unknown:
        raise ValueError(f"'{pattern}' names no dimension {unknown}")
    apart = tensor.reshape([n for name in names for n in lengths[name]])
    first = {name: sum(len(lengths[other]) for other in names[:place]) for place, name in enumerate(names)}
    moved = apart.permute([first[name] + j for name in wanted for j in range(len(lengths[name]))])
    sizes = [list(lengths["..."]) if group == ["..."] else [math.prod(n for name in group for n in lengths[name])] for group in right]
    return moved.reshape([n for size in sizes for n in size])


def _split(group: Group, size: int, given: dict[str, int], pattern: str) -> dict[str, Sequence[int]]:
    """The lengths of the names that a dimension is split into."""
    open_ = [name for name in group if name not in given]
    known = math.prod(given[name] for name in group if name in given)
    if len(open_) > 1:
        raise ValueError(f"The lengths of all but one of {group} in '{pattern}' must be given")
    if not open_ and known != size or known <= 0 or size % known:
        raise ValueError(f"A dimension of size {size} is not ({' '.join(group)}) of '{pattern}' with {given}")
    return {name: (given[name] if name in given else size // known,) for name in group}

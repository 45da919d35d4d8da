"""Heaps and sorted lists of the standard library in plain Python, which the front end compiles if their items are differentiated."""
from __future__ import annotations

import bisect
import heapq
from typing import Any

from ..context import Lowering

__all__ = ["HANDLERS", "in_order", "largest", "smallest"]


def _rise(heap: Any, start: int, place: int) -> None:
    """Move the item at ``place`` towards ``start`` until its parent is not larger."""
    item = heap[place]
    while place > start:
        parent = (place - 1) >> 1
        if not item < heap[parent]:
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


def _sink(heap: Any, place: int) -> None:
    """Move the item at ``place`` to a leaf along the smaller children, and up again."""
    end, start, item = len(heap), place, heap[place]
    child = 2 * place + 1
    while child < end:
        if child + 1 < end and not heap[child] < heap[child + 1]:
            child += 1
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    _rise(heap, start, place)


def heappush(heap: Any, item: Any) -> None:
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def heappop(heap: Any) -> Any:
    last = heap.pop()
    if len(heap) > 0:
        first = heap[0]
        heap[0] = last
        _sink(heap, 0)
        last = first
    return last


def heapreplace(heap: Any, item: Any) -> Any:
    first = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return first


def heappushpop(heap: Any, item: Any) -> Any:
    if len(heap) > 0 and heap[0] < item:
        first = heap[0]
        heap[0] = item
        _sink(heap, 0)
        item = first
    return item


def heapify(x: Any) -> None:
    for place in reversed(range(len(x) // 2)):
        _sink(x, place)


def bisect_right(a: Any, x: Any) -> int:
    lo, hi = 0, len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        if x < a[mid]:
            hi = mid
        else:
            lo = mid + 1
    return lo


def bisect_left(a: Any, x: Any) -> int:
    lo, hi = 0, len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        if a[mid] < x:
            lo = mid + 1
        else:
            hi = mid
    return lo


def insort_right(a: Any, x: Any) -> None:
    a.insert(bisect_right(a, x), x)


def insort_left(a: Any, x: Any) -> None:
    a.insert(bisect_left(a, x), x)


def in_order(items: Any, reverse: Any) -> Any:
    """A stable sort by ``<`` alone."""
    out = list(items)
    for k in range(1, len(out)):
        item, place = out[k], k
        while place > 0 and (out[place - 1] < item if reverse else item < out[place - 1]):
            out[place] = out[place - 1]
            place -= 1
        out[place] = item
    return out


def smallest(items: Any) -> Any:
    best = items[0]
    for item in items:
        if item < best:
            best = item
    return best


def largest(items: Any) -> Any:
    best = items[0]
    for item in items:
        if item > best:
            best = item
    return best


def _compiled(function: Any) -> Any:
    def handler(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        from ...ir.ops import Value
        from ...ir.types import holds_reference
        from ..calls.dispatch import varied
        from ..calls.functions import call_function
        if kwargs or len(args) != function.__code__.co_argcount:
            return NotImplemented
        ops = [ctx.escape(a, node) for a in args]
        if not varied(ctx, *ops) and not any(isinstance(o, Value) and holds_reference(o.type) for o in ops):
            return NotImplemented
        return call_function(ctx, function, ops, {}, node)
    return handler


HANDLERS: dict[Any, Any] = {
    heapq.heappush: _compiled(heappush), heapq.heappop: _compiled(heappop), heapq.heapify: _compiled(heapify),
    heapq.heapreplace: _compiled(heapreplace), heapq.heappushpop: _compiled(heappushpop),
    bisect.bisect: _compiled(bisect_right), bisect.bisect_right: _compiled(bisect_right), bisect.bisect_left: _compiled(bisect_left),
    bisect.insort: _compiled(insort_right), bisect.insort_right: _compiled(insort_right), bisect.insort_left: _compiled(insort_left),
}

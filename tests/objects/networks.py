"""Networks and linked structures whose instances refer to each other."""
from __future__ import annotations

from .registry import program


class Edge:
    def __init__(self, a, b, capacity):
        self.a, self.b, self.capacity, self.flow = a, b, capacity, 0.0

    def other(self, node):
        return self.b if node == self.a else self.a

    def residual(self, node):
        return self.capacity - self.flow if node == self.a else self.flow


class Network:
    def __init__(self, edges):
        self.adjacent = {}
        for e in edges:
            self.adjacent.setdefault(e.a, []).append(e)
            self.adjacent.setdefault(e.b, []).append(e)

    def path(self, source, sink, seen=()):
        if source == sink:
            return []
        for e in self.adjacent[source]:
            to = e.other(source)
            if to not in seen and e.residual(source) > 1e-9:
                rest = self.path(to, sink, (*seen, source))
                if rest is not None:
                    return [(e, source), *rest]
        return None

    def max_flow(self, source, sink):
        total = 0.0
        while (path := self.path(source, sink)) is not None:
            amount = min(e.residual(n) for e, n in path)
            for e, n in path:
                e.flow += amount if n == e.a else -amount
            total += amount
        return total


@program(3.0, 2.0, 1.5)
def maximum_flow(a, b, c):
    edges = [Edge("s", "u", a), Edge("s", "v", b), Edge("u", "v", 1.0), Edge("u", "t", b * 0.7), Edge("v", "t", c)]
    flow = Network(edges).max_flow("s", "t")
    return flow + sum(e.flow ** 2 for e in edges)


class LinkedDeque:
    class Link:
        __slots__ = ("value", "prev", "next")

        def __init__(self, value):
            self.value = value
            self.prev = self.next = self

    def __init__(self):
        self.root = self.Link(None)

    def append(self, value):
        link, last = self.Link(value), self.root.prev
        link.prev, link.next = last, self.root
        last.next = self.root.prev = link
        return link

    def remove(self, link):
        link.prev.next, link.next.prev = link.next, link.prev
        return link.value

    def __iter__(self):
        link = self.root.next
        while link is not self.root:
            yield link.value
            link = link.next


@program(0.5, 2.0)
def doubly_linked(a, b):
    d = LinkedDeque()
    links = [d.append(a * k + b) for k in range(4)]
    removed = d.remove(links[1])
    return sum(v * v for v in d) - removed

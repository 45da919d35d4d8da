"""Objects, lists and dicts that hold themselves."""
import numpy as np
import pytest

import transgrad as tg

X = np.array([0.3, 0.5, 0.7])


class Node:
    def __init__(self, value, parent=None):
        self.value, self.parent, self.children = value, parent, []
        if parent is not None:
            parent.children.append(self)


class Bound:
    def __init__(self, x):
        self.x = x
        self.go = self.step

    def step(self, y):
        return self.x * y


def scaled(node, s):
    return node.value * s


def called(bound, y):
    return bound.go(y)


def parents(x):
    root = Node(x[0])
    a, b = Node(x[1], root), Node(x[2], root)
    return scaled(root, x[1]) + a.parent.value * b.value + len(root.children)


def own_method(x):
    bound = Bound(x[0])
    return bound.go(x[1]) + called(bound, x[2])


def list_in_itself(x):
    items = [x[0]]
    items.append(items)
    return items[1][0] * x[1]


def dict_in_itself(x):
    d = {"v": x[0]}
    d["self"] = d
    return d["self"]["self"]["v"] * x[1]


@pytest.mark.parametrize("f", [parents, own_method, list_in_itself, dict_in_itself])
def test_derivatives(f):
    want = np.array([(f(X + e) - f(X - e)) / 2e-6 for e in 1e-6 * np.eye(3)])
    for transform in (tg.grad, tg.jacfwd):
        np.testing.assert_allclose(transform(f, fallback="error")(X), want, rtol=1e-7, atol=1e-9)

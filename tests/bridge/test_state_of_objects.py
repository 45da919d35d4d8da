"""State that objects, containers, classes and closures hold, in functions that run on the tape."""
from __future__ import annotations

import argparse
import collections
import types
import typing
from typing import Any

import numpy as np
import pytest
from scipy.spatial import KDTree

import transgrad as tg

from ..oracles import gradient

X = np.array([0.3, 0.7, -0.2])
pytestmark = pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
ONE = "1.0"


class Slotted:
    __slots__ = ("a", "log")

    def __init__(self) -> None:
        self.a, self.log = np.ones(3), []


class Model:
    """Holds arrays in every way that a program may."""

    shared: typing.ClassVar = [np.zeros(3)]
    table: typing.ClassVar = np.zeros(3)

    def __init__(self) -> None:
        self.b = np.ones(3)
        self.tail = self.b[1:]
        self.items: Any = [np.zeros(3), (np.ones(3), "name")]
        self.by_name = {"u": np.full(3, 2.0), "inner": [np.zeros(3)]}
        self.queue = collections.deque([np.zeros(3)], maxlen=2)
        self.found = collections.defaultdict(list)
        self.space = types.SimpleNamespace(v=np.zeros(3))
        self.options = argparse.Namespace(w=np.ones(3))
        self.other = Slotted()

    def in_attribute(self, x: Any) -> Any:
        self.b += eval(ONE) * x
        return np.sum(self.b ** 2)

    def in_view(self, x: Any) -> Any:
        self.b *= eval(ONE) * x
        self.tail[0] = x[0] ** 2
        return np.sum(self.b ** 3) + np.sum(self.tail)

    def in_list(self, x: Any) -> Any:
        self.items[0][:] = eval(ONE) * x
        self.items[1][0][1:] = x[1:] ** 2
        self.items.append(x * 2.0)
        return sum(np.sum(a ** 2) for a in (self.items[0], self.items[1][0], self.items[2]))

    def in_dict(self, x: Any) -> Any:
        self.by_name["u"][0] = eval(ONE) * x[0]
        self.by_name["inner"][0] += x
        self.by_name["new"] = x ** 2
        return sum(np.sum(v) ** 2 for v in (self.by_name["u"], self.by_name["inner"][0], self.by_name["new"]))

    def in_deque(self, x: Any) -> Any:
        self.queue[0][:] = eval(ONE) * x
        self.queue.append(x ** 2)
        self.queue.append(x ** 3)
        self.found["a"].append(x[0])
        return sum(np.sum(v) for v in self.queue) * self.found["a"][-1]

    def in_namespace(self, x: Any) -> Any:
        self.space.v[:] = eval(ONE) * x
        self.space.z = x ** 2
        self.options.w *= x
        return np.sum(self.space.v * self.space.z + self.options.w ** 2)

    def in_class(self, x: Any) -> Any:
        Model.shared[0][:] = eval(ONE) * x
        Model.table[:] = x ** 2
        return np.sum(self.shared[0] * self.table)

    def in_slots(self, x: Any) -> Any:
        self.other.a *= eval(ONE) * x
        self.other.log.append(x[1])
        return np.sum(self.other.a ** 2) * self.other.log[0]

    def by_instance_dict(self, x: Any) -> Any:
        vars(self)["b"][:] = eval(ONE) * x
        self.__dict__.update(late=x ** 2)
        return np.sum(self.b * self.late)      # type: ignore[attr-defined]

    def given_a_shape(self, x: Any) -> Any:
        y = eval(ONE) * np.outer(x, x)
        y.shape = (-1,)
        self.b.shape = (3, 1)
        return y @ np.arange(9.0) + np.sum(self.b[:, 0] * x)


METHODS = ["in_attribute", "in_view", "in_list", "in_dict", "in_deque", "in_namespace", "in_class", "in_slots", "by_instance_dict",
           "given_a_shape"]


def state(x: Any, seen: dict[int, int]) -> Any:
    """The state of a value, with the identity of what it holds."""
    if id(x) in seen:
        return seen[id(x)]
    seen[id(x)] = len(seen)
    kind = type(x)
    if isinstance(x, np.ndarray):
        return kind, x.shape, x.tolist()
    if isinstance(x, dict):
        return kind, [(k, state(v, seen)) for k, v in x.items()]
    if isinstance(x, (list, tuple, collections.deque)):
        return kind, [state(v, seen) for v in x]
    if isinstance(x, Slotted):
        return kind, state(x.a, seen), state(x.log, seen)
    if isinstance(x, (np.float64, float)):
        return float(x)
    return (kind, state(vars(x), seen)) if hasattr(x, "__dict__") else (kind, x)


def fresh() -> Model:
    Model.shared[0] = np.zeros(3)
    Model.table = np.zeros(3)
    return Model()


@pytest.mark.parametrize("name", METHODS)
def test_derivative_and_state(name: str) -> None:
    plain = fresh()
    getattr(plain, name)(X)
    after = state(plain, {}), state([Model.shared, Model.table], {})
    want, _ = gradient(lambda x: getattr(fresh(), name)(x), X)
    v = np.array([0.2, -1.0, 0.5])
    for run, expected in ((lambda m: tg.grad(getattr(m, name))(X), want), (lambda m: tg.grad(lambda x: getattr(m, name)(x))(X), want),
                          (lambda m: tg.jvp(lambda x: getattr(m, name)(x), (X,), (v,))[1], want @ v)):
        model = fresh()
        arrays = model.b, model.items, model.by_name["u"], model.other.a
        np.testing.assert_allclose(run(model), expected, rtol=1e-6, atol=1e-8)
        assert (state(model, {}), state([Model.shared, Model.table], {})) == after
        assert all(a is b for a, b in zip(arrays, (model.b, model.items, model.by_name["u"], model.other.a)))


def test_state_after_an_exception() -> None:
    class Fails:
        def __init__(self) -> None:
            self.log: list[Any] = []
            self.parts = {"a": [np.zeros(3)]}

        def run(self, x: Any) -> Any:
            self.log.append(eval(ONE) * x)
            self.parts["a"][0][:] = x
            raise ValueError("mine")
    model = Fails()
    array = model.parts["a"][0]
    with pytest.raises(ValueError, match="mine"):
        tg.grad(model.run)(X)
    assert type(model) is Fails and type(model.log[0]) is np.ndarray and model.parts["a"][0] is array
    np.testing.assert_array_equal(array, X)


def test_variables_that_closures_share() -> None:
    def make() -> Any:
        total = np.zeros(3)
        kept: list[Any] = []

        def put(x: Any) -> None:
            nonlocal total
            total = total + eval(ONE) * x
            kept.append(total)

        def f(x: Any) -> Any:
            put(x)
            put(x ** 2)
            return np.sum(total ** 2) + np.sum(kept[0])
        return f, lambda: (total, kept)
    want, _ = gradient(lambda x: make()[0](x), X)
    f, read = make()
    np.testing.assert_allclose(tg.grad(f)(X), want, rtol=1e-6)
    total, kept = read()
    assert type(total) is np.ndarray and [type(v) for v in kept] == [np.ndarray, np.ndarray]
    np.testing.assert_allclose(total, X + X ** 2)


def test_classes_and_tuples_in_closures() -> None:
    class Scaled:
        def __init__(self, x: Any) -> None:
            self.x = np.zeros(3)
            self.x[:] = x

        def norm(self) -> Any:
            return eval(ONE) * np.sum(self.x ** 3)
    made = (Scaled, np.ones(3))
    want = 3.0 * X ** 2
    np.testing.assert_allclose(tg.grad(lambda x: Scaled(x).norm())(X), want)
    np.testing.assert_allclose(tg.grad(lambda x: made[0](x * made[1]).norm())(X), want)


def test_generic_classes() -> None:
    T = typing.TypeVar("T")

    class Box(typing.Generic[T]):
        def __init__(self) -> None:
            self.held = np.zeros(3)

        def put(self, x: Any) -> Any:
            made = np.zeros(3)
            made[:] = eval(ONE) * x
            self.held = made
            return np.sum(self.held ** 2)
    box = Box[int]()
    np.testing.assert_allclose(tg.grad(box.put)(X), 2.0 * X)
    np.testing.assert_array_equal(box.held, X)
    assert type(box) is Box


def test_a_derivative_of_a_method_in_a_function_on_the_tape() -> None:
    class Energy:
        def __init__(self) -> None:
            self.k, self.log = np.ones(3), []

        def at(self, x: Any) -> Any:
            self.log.append(eval(ONE) * x)
            return np.sum(self.k * x ** 3)
    energy = Energy()
    np.testing.assert_allclose(tg.grad(lambda x: np.sum(tg.grad(energy.at)(x) ** 2))(X), 36.0 * X ** 3)
    assert all(type(v) is np.ndarray for v in energy.log) and type(energy) is Energy


def test_trees_of_points() -> None:
    points = np.array([[0.0, 0.1], [1.0, 0.2], [0.3, 1.1], [0.9, 1.2]])

    def f(p: Any) -> Any:
        tree = KDTree(eval(ONE) * p)
        distances, _ = tree.query(p * 1.1, k=2)
        return np.sum(distances[:, 1] ** 2) + sum(np.sum((p[i] - p[j]) ** 2) for i, j in sorted(tree.query_pairs(1.2)))
    want, _ = gradient(lambda flat: f(flat.reshape(4, 2)), points.ravel())
    np.testing.assert_allclose(tg.grad(f)(points).ravel(), want, rtol=1e-5, atol=1e-7)


class Vector(np.ndarray):
    """An array with a unit, as NumPy's guide to subclasses makes it."""

    unit: str

    def __new__(cls, data: Any, unit: str = "m") -> Any:
        made = np.asarray(data, float).view(cls)
        made.unit = unit
        return made

    def __array_finalize__(self, obj: Any) -> None:
        self.unit = getattr(obj, "unit", "none")

    def norm2(self) -> Any:
        return np.sum(self * self)

    def scaled(self, k: Any) -> Any:
        return type(self)(self * k, self.unit)

    def __matmul__(self, other: Any) -> Any:
        return self.__class__([self[0] * other[1], self[1] * other[2], other[0]], "square")


class Twice(Vector):
    def norm2(self) -> Any:
        return 2.0 * super().norm2()


class Buffered(np.ndarray):
    """An array over a buffer that it also holds."""

    def __new__(cls, data: Any) -> Any:
        data = np.array(data, dtype=float)
        made = super(Buffered, cls).__new__(cls, data.shape, float, data)
        made.A = data
        return made

    def norm(self) -> Any:
        self.A[0] *= 2.0
        return np.linalg.norm(self) * self.A[0]


class Holder:
    def __init__(self) -> None:
        self.v = Twice([1.0, 2.0, 0.5], "km")
        self.log: list[Any] = []

    def step(self, x: Any) -> Any:
        self.v += eval(ONE) * x
        self.log.append(self.v.scaled(x[0]))
        u = Vector(x)
        assert u.unit == "m" and isinstance(u, Vector) and not isinstance(u, Twice) and type(u) is Vector
        assert type(u * 2.0) is Vector and (u + self.v).shape == (3,) and type(np.asarray(u)) is not Vector and u[1:].unit == "m"
        return float(self.v.norm2() + self.log[-1].norm2() + (u @ self.v).norm2()) + u[1] ** 2 + Buffered(x).norm()


def test_subclasses_of_ndarray() -> None:
    want, _ = gradient(lambda x: Holder().step(x), X)
    holder = Holder()
    vector = holder.v
    np.testing.assert_allclose(tg.grad(holder.step)(X), want, rtol=1e-6)
    plain = Holder()
    plain.step(X)
    assert holder.v is vector and type(holder.v) is Twice and type(holder.log[0]) is Twice and holder.log[0].unit == "km"
    np.testing.assert_array_equal(np.asarray(holder.v), np.asarray(plain.v))
    np.testing.assert_array_equal(np.asarray(holder.log[0]), np.asarray(plain.log[0]))
    np.testing.assert_allclose(tg.jvp(lambda x: Holder().step(x), (X,), (X,))[1], want @ X, rtol=1e-6)
    np.testing.assert_allclose(tg.hessian(lambda x: Vector(x).scaled(x[0]).norm2() * eval(ONE))(X), tg.hessian(
        lambda x: np.sum((x * x[0]) ** 2))(X), rtol=1e-9)

"""Registered classes: the signatures of ``jax.tree_util``, gradients in the registered structure, in every mode."""
import dataclasses
import enum
import gc
import inspect
import warnings
import weakref

import numpy as np
import pytest

import transgrad as tg
from transgrad import tree
from transgrad.rules.installed import at_least
from transgrad.transforms.registered import by_parts


class Celsius:
    """Its parts are in other units than its fields; its initializer does not take gradients."""

    def __init__(self, degrees, weights, name):
        if not isinstance(degrees, float):
            raise TypeError("not a float")
        self.degrees, self.weights, self.name = degrees, weights, name

    def mean(self):
        return self.degrees * np.mean(self.weights)


def _parts(t):
    return (t.degrees / 2.0, [t.weights]), (t.name, 3, 0.5)


def _make(aux, parts):
    made = object.__new__(Celsius)
    made.degrees = parts[0] * 2.0 if parts[0] is not None else None
    made.weights, made.name = parts[1][0], aux[0]
    return made


tg.register_pytree_node(Celsius, _parts, _make)


@tg.tree.register_dataclass
@dataclasses.dataclass
class Gas:
    pressure: np.ndarray
    volume: float
    gamma: float = dataclasses.field(default=1.4, metadata={"static": True})
    name: str = dataclasses.field(default="air", metadata={"static": True})

    def work(self):
        return np.sum(self.pressure) * self.volume ** self.gamma


class Closed:
    """What holds a registered instance, and one that no gradient is wanted of."""

    def __init__(self):
        self.gas, self.mass, self.lookup = Gas(np.array([1.0, 2.0]), 1.5), 2.0, None


class Cyclic:
    def __init__(self, x, parent=None):
        self.x, self.parent = x, parent or self


tg.register_dataclass(Cyclic, data_fields=["x"], meta_fields=["parent"])


def of_celsius(t):
    return t.mean() ** 2


def of_gas(gas):
    return gas.work() ** 2


def of_closed(c):
    return c.gas.work() * c.mass


def of_cyclic(c):
    return c.parent.parent.x * c.x ** 2


def of_several(gas, x, others):
    return gas.work() * x + others["t"].mean() * others["k"]


def celsius():
    return Celsius(3.0, np.array([1.0, 2.0]), "in")


def on_tape(f):
    return lambda *args: eval("1.0") * f(*args)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("taped", [False, True])
def test_gradients(taped):
    wrap = on_tape if taped else lambda f: f
    options = {} if taped else {"fallback": "error"}
    bar = tg.grad(wrap(of_celsius), **options)(celsius())
    assert type(bar) is Celsius and bar.name == "in"
    # by the parts: half the degrees, and the weights
    assert bar.degrees / 2.0 == pytest.approx(2 * 4.5 * 1.5 * 2.0)
    np.testing.assert_allclose(bar.weights, 2 * 4.5 * np.array([1.5, 1.5]))
    gas = Gas(np.array([1.0, 2.0]), 1.5)
    value, bar = tg.value_and_grad(wrap(of_gas), **options)(gas)
    work = 3.0 * 1.5 ** 1.4
    assert value == pytest.approx(work ** 2) and type(bar) is Gas and (bar.gamma, bar.name) == (1.4, "air")
    assert bar.volume == pytest.approx(2 * work * 3.0 * 1.4 * 1.5 ** 0.4)
    np.testing.assert_allclose(bar.pressure, 2 * work * 1.5 ** 1.4 * np.ones(2))
    closed = tg.grad(wrap(of_closed), **options)(Closed())
    assert type(closed) is Closed and closed.lookup is None and closed.mass == pytest.approx(work)
    np.testing.assert_allclose(closed.gas.pressure, 2.0 * 1.5 ** 1.4 * np.ones(2))
    root = Cyclic(2.0)
    bar = tg.grad(wrap(of_cyclic), **options)(Cyclic(3.0, root))
    assert bar.parent is root and bar.x == pytest.approx(2 * 2.0 * 3.0)


def test_every_mode():
    gas = Gas(np.array([1.0, 2.0]), 1.5)
    want = tg.grad(of_gas)(gas)

    def check(bar):
        assert type(bar) is Gas and bar.gamma == 1.4
        np.testing.assert_allclose(bar.pressure, want.pressure)
        assert bar.volume == pytest.approx(want.volume)
    check(tg.vjp(of_gas, gas)[1](1.0)[0])
    check(tg.jacrev(of_gas)(gas))
    check(tg.jacfwd(of_gas)(gas))
    check(tg.grad(tg.checkpoint(of_gas))(gas))
    direction = Gas(np.array([0.5, -1.0]), 2.0)
    slope = np.sum(want.pressure * direction.pressure) + want.volume * direction.volume
    assert tg.jvp(of_gas, (gas,), (direction,))[1] == pytest.approx(slope)
    assert tg.linearize(of_gas, gas)[1](direction) == pytest.approx(slope)
    step = 1e-6
    ends = [tg.grad(of_gas)(Gas(gas.pressure + s * direction.pressure, gas.volume + s * direction.volume)) for s in (step, -step)]
    product, = tg.hvp(of_gas, (gas,), (direction,))
    np.testing.assert_allclose(product.pressure, (ends[0].pressure - ends[1].pressure) / (2 * step), rtol=1e-6)
    assert product.volume == pytest.approx((ends[0].volume - ends[1].volume) / (2 * step))
    assert tg.check(of_gas)(gas)


def test_several_arguments():
    gas, others = Gas(np.array([1.0, 2.0]), 1.5), {"t": celsius(), "k": 2.0}
    bars = tg.grad(of_several, argnums=(0, 1, 2))(gas, 0.5, others)
    assert [type(bar).__name__ for bar in bars] == ["Gas", "float64", "dict"] or isinstance(bars[1], float)
    assert type(bars[2]["t"]) is Celsius and bars[2]["k"] == pytest.approx(4.5)
    assert bars[1] == pytest.approx(gas.work())
    bar = tg.grad(of_several, argnums=1)(gas, 0.5, others)
    assert bar == pytest.approx(gas.work())


def test_what_is_not_differentiated_is_not_compiled_in():
    derivative = tg.grad(of_gas)
    for gamma in (1.4, 2.0, 3.0):
        gas = Gas(np.array([1.0, 2.0]), 1.5, gamma)
        assert derivative(gas).volume == pytest.approx(2 * gas.work() * 3.0 * gamma * 1.5 ** (gamma - 1))


def test_trees():
    leaves, form = tree.flatten({"gas": Gas(np.ones(2), 1.5), "t": celsius()})
    assert len(leaves) == 4
    back = tree.unflatten(form, leaves)
    assert type(back["gas"]) is Gas and back["t"].degrees == 3.0
    assert [path for path, _ in tree.leaves_with_paths(Gas(np.ones(2), 1.5), "g")] == ["g.pressure", "g.volume"]
    doubled = tree.map_leaves(lambda x: 2 * x, Gas(np.ones(2), 1.5))
    assert doubled.volume == 3.0 and doubled.gamma == 1.4


def test_signatures():
    jax = pytest.importorskip("jax")
    for name in ("register_pytree_node", "register_dataclass"):
        ours = list(inspect.signature(getattr(tg, name)).parameters)
        theirs = list(inspect.signature(getattr(jax.tree_util, name)).parameters)
        if name == "register_pytree_node" and not at_least("jax", 0, 4, 38):        # the last parameter is newer than JAX 0.4.35
            theirs += [] if ours[-1] in theirs else [ours[-1]]
        assert ours == theirs
        assert getattr(tree, name) is getattr(tg, name)


def test_errors():
    with pytest.raises(ValueError, match="registered already"):
        tg.register_dataclass(Gas)
    with pytest.raises(TypeError, match="is not a dataclass"):
        tg.register_dataclass(type("New", (), {}))
    with pytest.raises(TypeError, match="no container"):
        tg.register_pytree_node(list, None, None)

    @dataclasses.dataclass
    class Two:
        a: float
        b: float
    with pytest.raises(ValueError, match="the fields of Two are"):
        tg.register_dataclass(Two, data_fields=["a"], meta_fields=[])
    assert tg.grad(lambda t: t.a * t.b)(Two(1.0, 2.0)).a == 2.0     # before it is registered
    tg.register_dataclass(Two, data_fields=["a"], meta_fields=["b"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bar = tg.grad(lambda t: t.a * t.b, fallback="error")(Two(1.0, 2.0))
    assert (bar.a, bar.b) == (2.0, 2.0)


class Shade(enum.Enum):
    DARK = 1


class Weight:
    def __init__(self, w):
        self.w = w


tg.register_pytree_node(Weight, lambda m: ((m.w,), None), lambda aux, children: Weight(*children))


@pytest.mark.parametrize("key", ["a", 1, None, np.int64(1), Shade.DARK, (1, "x"), float("inf")], ids=repr)
def test_keys_of_dicts(key):
    found = tg.grad(lambda d: np.sum(d[key].w ** 2))({key: Weight(np.array([1.0, 2.0]))})
    assert list(found) == [key] and type(found[key]) is Weight
    np.testing.assert_array_equal(found[key].w, [2.0, 4.0])


def test_a_class_whose_name_is_no_identifier():
    cls = type("two words", (), {"__init__": lambda self, w: setattr(self, "w", w)})
    tg.register_pytree_node(cls, lambda m: ((m.w,), None), lambda aux, children: cls(*children))
    found = tg.grad(lambda m: np.sum(m.w ** 2))(cls(np.array([1.0, 2.0])))
    assert type(found) is cls
    np.testing.assert_array_equal(found.w, [2.0, 4.0])


def test_functions_made_at_each_call_are_not_kept_alive():
    living = []
    for k in range(600):
        def loss(m, k=k):
            return np.sum(m.w) * k
        living.append(weakref.ref(loss))
        if k % 100 == 0:
            tg.grad(loss)(Weight(np.ones(2)))
        else:
            by_parts(loss, (Weight(np.ones(2)),))
    del loss
    gc.collect()
    assert sum(ref() is not None for ref in living) <= 300

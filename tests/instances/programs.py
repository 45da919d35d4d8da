"""Functions of a model that read its fields, call its methods, and change it."""
import copy

import numpy as np

from .classes import Net, Particle, System

X = np.array([1.0, 3.0])


def reads(m):
    return m.twice ** 2 + m(X)


def other_fields(m):
    return m.b ** m.n if m.name == "model" and m.other is None else 0.0


def steps(m):
    for _ in range(m.n):
        m.step()
    return m(X)


def in_place(m):
    return m.in_place() + m.b


def under_two_names(m):
    total = 0.0
    for one in [m, m]:
        one.b = one.b * 2
        total = total + one.b
    return total


def one_of_two(m):
    other = m if m.b > 0 else type(m)(np.zeros(2), 1.0)
    other.b = other.b * 3
    return m.b * other.b


def copied(m):
    other = copy.copy(m)
    other.b = other.b * 3
    return m.b * other.b + np.sum(other.w)


def in_a_dict(m):
    table = {"m": m}
    table["m"].b *= 2
    return m.b


def recursive(m, depth=3):
    if depth == 0:
        return m.b
    m.b = m.b * 1.1
    return recursive(m, depth - 1) + m.b


def through_a_setter(m):
    m.shift = m.b * 2
    return m.shift ** 2


def until(m):
    while m.b < 3.0:
        m.b = m.b * 1.7
    return m.b ** 2


def on_one_path(m):
    if m.b > 0.2:
        m.b = m.b ** 2
    else:
        m.w = m.w * 3
    return np.sum(m.w) * m.b


def replaced(m):
    m.w = np.ones(5) * m.b
    return m.w[0]


def raises_inside(m):
    try:
        m.b = m.b * 2
        if m.b > 0.5:
            raise ValueError("large")
    except ValueError:
        m.b = m.b * 3
    return m.b ** 2


class Helper:
    """An instance without floats, which the gradient has None for."""

    def __init__(self):
        self.count = 2


class Holder:
    """Fields of integers that floats are put into."""

    def __init__(self):
        self.x, self.helper, self.numbers, self.table, self.rng = 2.0, Helper(), [1, 2], {"k": 1}, np.random.default_rng(0)


def into_a_helper(m):
    m.helper.count = m.x * 2
    return m.helper.count ** 2


def into_integers(m):
    m.numbers[0] = m.x * 2
    m.table["k"] = m.x * 3
    return m.numbers[0] ** 2 * m.table["k"]


#: These are not compiled. An argument that is changed is a value at run time, as one of two or in a recursion; an attribute is assigned in a
#: try clause and read in its handler.
ON_THE_TAPE = [one_of_two, recursive, raises_inside]
#: attrs calls validators and converters in ``__setattr__``
WRITES = [steps, under_two_names, copied, in_a_dict, through_a_setter, until, on_one_path, replaced, in_place]
MODEL_PROGRAMS = [reads, other_fields, steps, in_place, under_two_names, one_of_two, copied, in_a_dict, recursive, through_a_setter, until,
                  on_one_path, replaced, raises_inside]


def of_net(net):
    return net(np.array([0.3, -0.4])) ** 2


def of_counting_net(net):
    net.calls += 1
    net.layers[0].b = net.layers[0].b * 2.0
    return net(np.array([0.3, -0.4])) * net.calls


def of_system(system):
    for _ in range(5):
        system.step()
    return system.energy()


def of_grown_system(system):
    system.extra = Particle(system.stiffness, 1.0)
    system.extra.push(2.0, system.dt)
    return system.extra.x ** 2 + system.particles[1].x


OTHER_PROGRAMS = [(of_net, Net), (of_counting_net, Net), (of_system, System)]
INTO_INTEGERS = [into_a_helper, into_integers]

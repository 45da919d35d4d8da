"""Finite differences by the floats of an instance, and the comparison of derivatives and of states."""
from __future__ import annotations

import copy

import numpy as np


def fields(value):
    """The fields of an instance, by their names."""
    slots = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ()) if name not in ("__weakref__", "__dict__")]
    found = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return {**found, **getattr(value, "__dict__", {})}


def children(value):
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    if hasattr(value, "__dict__") and not callable(getattr(value, "dtype", None)) or hasattr(type(value), "__slots__"):
        if type(value).__module__.startswith("tests."):
            return sorted(fields(value).items())
    return None


def leaves(value, path=()):
    """The floats and arrays of floats in a value, by their paths."""
    inner = children(value)
    if inner is not None:
        return {k: v for key, item in inner for k, v in leaves(item, (*path, key)).items()}
    active = isinstance(value, (float, complex)) or isinstance(value, np.ndarray) and value.dtype.kind in "fc"
    return {path: value} if active else {}


def get(value, path):
    for key in path:
        value = value[key] if isinstance(value, (list, tuple, dict)) else getattr(value, key)
    return value


def put(value, path, new):
    owner = get(value, path[:-1])
    if isinstance(owner, tuple):
        put(value, path[:-1], tuple(new if k == path[-1] else item for k, item in enumerate(owner)))
    elif isinstance(owner, (list, dict)):
        owner[path[-1]] = new
    else:
        object.__setattr__(owner, path[-1], new)


def finite(f, model, step=1e-6):
    """The gradient by each leaf."""
    found = {}
    for path, value in leaves(model).items():
        shape = np.shape(value)
        out = np.zeros(shape)
        for place in np.ndindex(shape):
            ends = []
            for sign in (1, -1):
                moved = copy.deepcopy(model)
                new = np.array(value, float)
                new[place] += sign * step
                put(moved, path, new if isinstance(value, np.ndarray) else float(new))
                ends.append(f(moved))
            out[place] = (ends[0] - ends[1]) / (2 * step)
        found[path] = out
    return found


def assert_gradient(got, model, want, rtol=1e-5):
    """The gradient has the class and the fields of the model, the shapes of its leaves, and None for the others."""
    same_form(got, model)
    for path, slope in want.items():
        found = get(got, path)
        assert np.shape(found) == np.shape(slope), (path, found)
        np.testing.assert_allclose(found, slope, rtol=rtol, atol=1e-7, err_msg=str(path))


def same_form(got, model):
    inner = children(model)
    if inner is None or not isinstance(model, (list, tuple, dict)) and not leaves(model):
        active = isinstance(model, (float, complex)) or isinstance(model, np.ndarray) and model.dtype.kind in "fc"
        assert active or got is None, (got, model)
        if active:
            assert np.asarray(got).dtype == np.asarray(model).dtype and np.shape(got) == np.shape(model)
        return
    assert type(got) is type(model)
    mine = dict(children(got))
    assert mine.keys() == dict(inner).keys()
    for key, item in inner:
        same_form(mine[key], item)


def assert_same_state(a, b):
    """Two models hold the same, by classes and values."""
    assert type(a) is type(b) or isinstance(a, float) and isinstance(b, float), (a, b)
    inner = children(a)
    if inner is None:
        if isinstance(a, (float, np.ndarray)):
            np.testing.assert_allclose(a, b, rtol=1e-12)
        elif not callable(a) and type(a).__module__ == "builtins":
            assert a == b
        return
    other = dict(children(b))
    assert other.keys() == dict(inner).keys()
    for key, item in inner:
        assert_same_state(item, other[key])

"""Lists and dicts of lists, dicts and arrays: under two names, copied, sorted, replaced, and of several types."""
import copy

import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


def _total(lists):
    t = 0.0
    for items in lists:
        for j, u in enumerate(items):
            t = t * 1.1 + u * u * (2 + j)
    return t


@tried
def shortened_under_another_name(x):
    a = [[x[0] * x[1]] for _ in range(3)]
    b = a if x[0] > 0 else []
    b.pop()
    return _total(a)


@tried
def lengthened_under_another_name(x):
    a = [[x[0]] for _ in range(3)]
    b = a if x[0] > 0 else []
    b.append([x[1], x[0]])
    b[0] = [x[2], x[1]]
    return _total(a) + _total(b)


@tried
def sorted_and_swapped(x):
    a = [[x[0]], [x[1]]]
    b = sorted(a, key=lambda items: -items[0])
    b[0], b[-1] = b[-1], b[0]
    return _total(a) + 2.0 * _total(b)


@tried
def copied_and_swapped(x):
    a = [[x[0]], [x[1], x[2]]]
    b = copy.copy(a)
    b[0], b[-1] = b[-1], b[0]
    return _total(a) + 2.0 * _total(b)


@tried
def a_dict_copied_and_swapped(x):
    a = {}
    for i in range(2):
        a[i] = [x[k] for k in range(i + 1)]
    b = {**a}
    a[0], a[1] = a[1], a[0]
    return _total(a.values()) + 2.0 * _total(b.values())


@tried
def a_dict_copied_and_shortened(x):
    a = {}
    for i in range(3):
        a[i] = x[i] * x[0]
    b = {**a}
    a.pop(1)
    return sum(u**3 for u in b.values()) + sum(u * u for u in a.values())


@tried
def a_dict_of_lists_copied_and_shortened(x):
    a = {}
    for i in range(2):
        a[i] = [x[i]]
    a[0] = a[1]
    b = dict(a)
    if x[1] > 0.5:
        a.pop(1)
    return _total(b.values()) + 2.0 * _total(a.values())


@tried
def sorted_and_written_to(x):
    a = [{0: x[0], 1: 2.0 * x[1]}]
    b = sorted(a, key=lambda d: 1.0)
    for d in b:
        d[0] *= 2.0 * x[1]
    a[0][3] = 1.5
    return _total([d.values() for d in a])


@tried
def sorted_lists_written_to(x):
    a = [[x[0]], [x[1]]]
    a.pop(0)
    b = sorted(a, key=lambda items: 1.0)
    b[0][0] *= 2.0 * x[1]
    return a[0][0] ** 2


@tried
def written_to_by_a_place_that_is_computed(x):
    a = [[x[0]], [x[1]]]
    for i in np.argsort(x[:2]):
        a[i][0] *= x[2]
    return a[0][0] ** 2 + a[1][0] ** 3


@tried
def tuples_of_lists(x):
    a = ([x[0]], [x[1]])
    for i in np.argsort(x[:2]):
        a[i][0] *= x[2]
    return a[0][0] ** 2 + a[1][0] ** 3


@tried
def tuples_of_arrays(x):
    a = (x * 1.0, x * 2.0)
    for i in range(2):
        a[i][0] *= x[1]
    return a[0][0] ** 2 + a[1][0] ** 3


@tried
def tuples_of_arrays_written_to_by_name(x):
    u, w = x * 1.0, x * 2.0
    a = (u, w)
    q = a[int(x[1] > 0)]
    w[0] = 5.0 * x[1]
    return q[0] ** 2 + w[1] * q[1]


@tried
def dicts_by_a_key_that_is_computed(x):
    a = {"p": x * 1.0, "q": x * 2.0}
    keys = ["p", "q"]
    if x[0] < 0:
        keys.append("p")
    for k in keys:
        v = a[k]
        a["q"][0] = x[1] * v[0]
    return a["p"][0] ** 2 + a["q"][0] ** 3


@tried
def tuples_in_tuples(x):
    a = (([x[0]], x * 2.0), ([x[0]], x * 4.0))
    for i in range(2):
        p, q = a[i]
        p[0] *= q[1]
        q[0] = p[0]
    return a[0][0][0] ** 2 + a[1][1][0] ** 3


@tried
def a_slice_of_a_list_in_a_loop(x):
    a = [x * x[1], x * x]
    b = [v for v in a]
    for _ in range(2):
        b[1:] = [x * 2.0]
    a[0][1:] += a[0][:1]
    return np.sum(a[0] * a[0]) + 2.0 * np.sum(b[0] * b[0])


@tried
def arrays_and_numbers_in_one_list(x):
    a, b = [], x * x
    for i in range(3):
        a.append(b if i % 2 else x[0] * x)
    a.append(x[0])
    b[0] = x[1] * 3.0
    t = 0.0
    for i in range(len(a)):
        t = t + np.sum(a[i]) ** 2
    return t


@tried
def arrays_and_numbers_in_one_dict(x):
    a, b = {}, x * x
    for i in range(3):
        a[i] = b if i % 2 else x[0] * x
    a[7] = x[0]
    b[0] = x[1] * 3.0
    t = 0.0
    for v in a.values():
        t = t + np.sum(v) ** 2
    return t


@tried
def longer_and_shorter_arrays(x):
    a = [x[:1] * 2.0]
    for _ in range(2):
        a.append(x * 3.0)
    t = 0.0
    for i in range(3):
        t = t + np.sum(a[i] * a[i])
        a[i] = x[i:] * 2.0
    for i in range(3):
        t = t + np.sum(a[i] * a[i])
    return t


@tried
def longer_and_shorter_arrays_in_a_dict(x):
    d = {}
    for i in range(3):
        d[i] = x[i:] * x[0]
    t = 0.0
    for i in range(3):
        t = t + np.sum(d[i] * d[i])
        d[i] = x[:i] * 2.0
    d[7] = x
    for v in d.values():
        t = t + np.sum(v * v)
    return t


@tried
def longer_and_shorter_arrays_in_tuples(x):
    d = []
    for i in range(3):
        d.append((x[i:], x[i]))
    t = 0.0
    for u, v in d:
        t = t * 1.3 + np.sum(u * u) * v
    d[1] = (x, x[0])
    d[2] = (x[:1], x[0])
    for u, v in d:
        t = t * 1.3 + np.sum(u * u) * v
    return t


@tried
def extended_in_place(x):
    a = [[x[0]], [x[1]]]
    a.append([x[0], x[1]])
    a[1:] = [[x[1], x[0]], [x[2]]]
    a[1] += [x[0]]
    for i in range(2):
        a[i] += [x[0] * i, x[1]]
    return _total(a)


@tried
def of_which_nothing_that_is_added_is_read(x):
    a = [[x[0]], [x[1]]]
    a.append([x[2]])
    a[1:] = [[x[1], x[0]], [x[2]]]
    a[1] += [x[0]]
    return a[1][0] ** 2


@tried
def replaced_by_fewer_and_lengthened(x):
    a = [[x[0]], [x[1]]]
    for i in range(2):
        a.append([x[0], x[1]])
    a[:] = [[x[1], x[0]]]
    a[0].append(x[2])
    return _total(a)


@tried
def a_dict_of_lists_extended_in_place(x):
    a = {"p": [x[0]], "q": [x[1]]}
    for k in a:
        a[k] += [x[0], x[2]]
    return _total(a.values())


@pytest.mark.parametrize("f", tried)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_nested_lists(f):
    check(f, np.array([0.31, 0.73, 1.13]))

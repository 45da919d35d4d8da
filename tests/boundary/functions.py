"""Functions of a container, as users write them: given whole to NumPy, starred, looped over, or handed to a helper."""
# ruff: noqa: E704
from __future__ import annotations

import functools
import inspect
import math
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["FUNCTIONS"]


def cubes(y: Any) -> Any:
    """A number made of all elements of an array."""
    return np.sum(np.abs(y) ** 2) if np.iscomplexobj(y) else np.sum(y * y * y)


def wave(a: Any, b: Any) -> Any:
    return np.sum(np.sin(a) * np.cos(b))


def squares(*arrays: Any) -> Any:
    total = 0.0
    for a in arrays:
        total = total + np.sum(a * a)
    return total


def inner_sum(p: Any) -> Any:
    return sum(np.sum(q) for q in p)


def of_record(p: Any) -> Any:
    return cubes(p["a"]) + np.mean(p["b"])


def of_instance(p: Any) -> Any:
    return cubes(p.a) + np.mean(p.b[0]) * p.b[1]


def f_concatenate(x): return cubes(np.concatenate(x))
def f_concatenate_last(x): return cubes(np.concatenate(x, -1))
def f_concatenate_flat(x): return cubes(np.concatenate(x, axis=None))
def f_stack(x): return cubes(np.stack(x))
def f_stack_last(x): return cubes(np.stack(x, axis=-1))
def f_vstack(x): return cubes(np.vstack(x))
def f_hstack(x): return cubes(np.hstack(x))
def f_column_stack(x): return cubes(np.column_stack(x))
def f_dstack(x): return cubes(np.dstack(x))
def f_block(x): return cubes(np.block(x))
def f_array(x): return cubes(np.array(x))
def f_asarray(x): return cubes(np.asarray(x))
def f_array_ndmin(x): return cubes(np.array(x, ndmin=3))
def f_sum(x): return cubes(np.sum(x))
def f_sum_first(x): return cubes(np.sum(x, axis=0))
def f_mean(x): return cubes(np.mean(x))
def f_mean_first(x): return cubes(np.mean(x, 0))
def f_prod(x): return cubes(np.prod(x))
def f_max(x): return cubes(np.max(x))
def f_std(x): return cubes(np.std(x))
def f_var(x): return cubes(np.var(x, axis=0))
def f_norm(x): return np.linalg.norm(x)
def f_median(x): return cubes(np.median(x))
def f_cumsum(x): return cubes(np.cumsum(x))
def f_diff(x): return cubes(np.diff(x))
def f_exp(x): return cubes(np.exp(x))
def f_abs(x): return cubes(np.abs(x))
def f_multiply(x): return cubes(np.multiply(x, 2.0))
def f_power(x): return cubes(np.power(x, 2))
def f_beside_an_array(x): return cubes(np.ones(1) * x)
def f_ravel(x): return cubes(np.ravel(x))
def f_transpose(x): return cubes(np.transpose(x))
def f_dot(x): return cubes(np.dot(x, x))
def f_outer(x): return cubes(np.outer(x, x))
def f_where(x): return cubes(np.where(np.array(x) > 0, x, 0.0))
def f_clip(x): return cubes(np.clip(x, -9, 9))
def f_starred_subtract(x): return cubes(np.subtract(*x))
def f_starred_helper(x): return wave(*x)
def f_starred_any(x): return squares(*x)
def f_starred_after(x): return squares(2.0, *x)
def f_helper_that_sums(x): return inner_sum(x)
def f_comprehension(x): return sum([cubes(q) for q in x])
def f_generator(x): return sum(np.sum(q) for q in x)
def f_builtin_sum(x): return cubes(sum(x))
def f_list_of_it(x): return cubes(np.concatenate(list(x)))
def f_tuple_of_it(x): return cubes(np.stack(tuple(x)))
def f_reversed(x): return cubes(np.stack(x[::-1]))
def f_rest(x): return cubes(np.stack(x[1:]))
def f_first_and_last(x): return cubes(x[0]) + 2 * cubes(x[-1])
def f_reduce(x): return cubes(functools.reduce(operator.add, x))
def f_add_reduce(x): return cubes(np.add.reduce(x))
def f_append(x): return cubes(np.append(x[0], x[1]))
def f_broadcast_arrays(x): return cubes(np.broadcast_arrays(*x)[0])
def f_meshgrid(x): return cubes(np.meshgrid(*x)[0])
def f_zip(x): return 0.5 + sum(cubes(p * q) for p, q in zip(x, x[1:]))
def f_enumerate(x): return sum(k * cubes(p) for k, p in enumerate(x))
def f_einsum(x): return cubes(np.einsum("...i,...i", *x))
def f_multi_dot(x): return cubes(np.linalg.multi_dot(x))
def f_plus_itself(x): return cubes(np.concatenate(x + x))
def f_twice(x): return sum(cubes(q) for q in x * 2)
def f_hypot(x): return math.hypot(*x)
def f_fsum(x): return math.fsum(x)
def f_in_a_loop(x): return sum(cubes(np.array(x) * k) for k in range(2))
def f_tile(x): return cubes(np.tile(x, 2))
def f_atleast_2d(x): return cubes(np.atleast_2d(x))
def f_shape(x): return np.shape(x)[0] * cubes(x[0])
def f_one_item(x): return cubes(np.sum(x[0]))
def f_record(x): return cubes(x["a"]) * np.sum(x["b"])
def f_record_in_helper(x): return of_record(x)
def f_values(x): return sum(np.sum(v) for v in x.values())
def f_by_number(x): return np.sum(np.abs(x[0]) ** 2) * np.sum(np.real(x[1]))
def f_items_of_items(x): return np.sum(x["a"][0] * x["a"][1]) + np.sum(x["b"][0]) * x["b"][1]
def f_attributes(x): return of_instance(x)


def f_nested_loops(x):
    total = 0.0
    for a in x:
        for v in a:
            total = total + np.sum(v * v * v)
    return total


def f_loops_over_pairs(x):
    total = 0.0
    for a in x:
        for b in x:
            total = total + np.sum(a * b)
    return total


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    name.removeprefix("f_"): f for name, f in inspect.getmembers(sys.modules[__name__], inspect.isfunction) if name.startswith("f_")}

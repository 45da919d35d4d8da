"""Functions made in loops and comprehensions read the variables around them when they are called, not when they are made."""
import numpy as np
import pytest

import transgrad as tg

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
X = np.array([0.6, -0.8, 1.7, 0.35])
k = 1       # which none of them reads


def in_a_list(x):
    functions = [lambda y: y * x[k] for k in range(3)]
    return sum(f(1.0) for f in functions)


def in_a_list_with_a_condition(x):
    functions = [lambda y: y * x[k] for k in range(3) if k < 2]
    return functions[0](1.0)


def in_a_dict(x):
    functions = {i: (lambda y: y * x[i]) for i in range(3)}
    return functions[0](2.0) * functions[2](1.0)


def in_two_lists(x):
    functions = [[lambda y: y * x[a] * x[b] for a in range(2)] for b in range(3)]
    return sum(f(1.0) for row in functions for f in row)


def beside_a_variable_of_that_name(x):
    k = 0
    functions = [lambda y: y * x[k] for k in range(3)]
    return functions[0](1.0) * x[k]


def by_a_default(x):
    functions = [lambda y, k=k: y * x[k] for k in range(3)]
    return sum(f(k + 1.0) for k, f in enumerate(functions))


def over_values(x):
    functions = [lambda y: y * v for v in x]
    return functions[0](2.0) * functions[1](1.0)


def appended(x):
    functions = []
    for j in range(3):
        functions.append(lambda y: y * x[j])
    return sum(f(1.0) for f in functions)


def appended_and_assigned_again(x):
    functions = []
    for j in range(3):
        def f(y):
            return y * x[j]
        functions.append(f)
    j = 0
    return sum(f(1.0) for f in functions)


def assigned_after_an_append(x):
    functions, j = [], 0
    functions.append(lambda y: y * x[j])
    j = 2
    return functions[0](x[1])


PROGRAMS = [in_a_list, in_a_list_with_a_condition, in_a_dict, in_two_lists, beside_a_variable_of_that_name, by_a_default, over_values,
            appended, appended_and_assigned_again, assigned_after_an_append]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    want = np.array([(f(X + e) - f(X - e)) / 2e-6 for e in 1e-6 * np.eye(4)])
    for transform in (tg.grad, tg.jacfwd):
        derivative = transform(f)
        for _ in range(3):
            np.testing.assert_allclose(derivative(X.copy()), want, rtol=1e-7, atol=1e-9)

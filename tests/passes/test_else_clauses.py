"""What an else clause raises is not caught by its try statement, and what the try clause raises is, whatever the passes add and remove."""
import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


def stops(x):
    if x > 0.5:
        raise ValueError("stop")
    return x * x


@tried
def something_that_is_dropped(x):
    a, b, c = x
    try:
        try:
            y = np.sin(a)
            def nothing():
                if a > 0.0:
                    pass
            nothing()
        except ValueError:
            y = b
        else:
            if a > 0.0:
                raise ValueError("stop")
    except ValueError:
        return b * c
    return y * a


@tried
def a_loop_that_keeps_what_it_computes(x):
    s = x[0]
    try:
        for k in range(3):
            s = np.sin(x[1] * s + x[0])
        if s > -5.0:
            raise ValueError("stop")
    except ValueError:
        y = x[2] * x[1]
    else:
        y = stops(s)
    return y * x[0]


@tried
def a_loop_in_either_clause(x):
    try:
        try:
            s = x[0] * x[1]
            for k in range(3):
                s = np.cos(x[1] * s + x[0])
        except ValueError:
            y = x[2]
        else:
            t = x[1]
            for k in range(3):
                t = t * np.sin(s + k * t)
            y = stops(t * t + 1.0)
    except ValueError:
        y = x[0] * x[1]
    return y * x[2]


@pytest.mark.parametrize("f", tried, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_else_clauses(f):
    check(f, np.array([0.3, 0.7, -0.4]))

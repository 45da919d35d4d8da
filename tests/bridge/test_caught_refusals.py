"""A refusal of the tape that the function catches, as an error of its own, reaches the caller all the same."""
import math
import struct
import warnings

import numpy as np
import pytest

import transgrad as tg


def packed(x):
    try:
        y = eval("struct.unpack")("d", struct.pack("d", x))[0]
    except (TypeError, struct.error):
        y = 3.0
    return y * x


def square_roots(x):
    out = []
    for v in [*x, None, "a"]:
        try:
            out.append(math.sqrt(v - 1.0))
        except (TypeError, ValueError) as error:
            out.append(len(out) * x[0] if isinstance(error, ValueError) else 1.0)
            continue
        else:
            out[-1] *= 2
    return sum(out)


@pytest.mark.parametrize("f, x", [(packed, 2.0), (tg.checkpoint(square_roots), np.array([0.9, 1.2, 1.5]))])
def test_a_caught_refusal_is_raised(f, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in (lambda: tg.grad(f)(x), lambda: tg.vjp(f, x)):
            with pytest.raises((TypeError, tg.TransgradError), match="differentiated"):
                call()


def test_errors_of_the_function_are_its_own():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(tg.grad(square_roots)(np.array([0.9, 1.2, 1.5])), [0.0, 0.2 ** -0.5, 0.5 ** -0.5])

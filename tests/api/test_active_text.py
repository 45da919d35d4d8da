"""A differentiated number that comes back from text: refused wherever the text went; text beside numbers in a container does no harm."""
import decimal
import io
import os
import warnings

import numpy as np
import pytest

import transgrad as tg


def printed_into_a_buffer(x):
    buffer = io.StringIO()
    print("x", x, sep="=", file=buffer)
    return float(buffer.getvalue().split("=")[1]) ** 2


def through_a_decimal(x):
    return float(decimal.Decimal(str(x)) * 2) ** 2


def digit_by_digit(x):
    return sum(int(d) * 10.0 ** -k for k, d in enumerate(str(x).replace(".", "")))


def through_the_environment(x):
    os.environ["TRANSGRAD_TEST_OF_TEXT"] = repr(x)
    return float(os.environ["TRANSGRAD_TEST_OF_TEXT"]) ** 2


@pytest.mark.parametrize("f", [printed_into_a_buffer, through_a_decimal, digit_by_digit, through_the_environment])
def test_numbers_read_from_text_are_refused(f, monkeypatch):
    monkeypatch.setenv("TRANSGRAD_TEST_OF_TEXT", "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in (lambda: tg.grad(f)(1.5), lambda: tg.jvp(f, (1.5,), (1.0,)), lambda: tg.vjp(f, 1.5), lambda: tg.jacrev(f)(1.5)):
            with pytest.raises((tg.UnsupportedSyntax, tg.UnsupportedCall), match="differentiated"):
                call()


def labels_in_dicts(x):
    rows = [{"label": f"{x:.2f}", "value": x * k} for k in range(4)]
    return sum(row["value"] for row in rows)


def labels_in_tuples(x):
    rows = []
    for k in range(4):
        rows.append((f"{x:.2f}", x * k))
    return sum(v for _, v in rows)


def labels_as_keys(x):
    table = {}
    for k in range(4):
        table[f"{x:.2f} {k}"] = x * k
    return sum(table.values())


def history(x):
    log = []
    for _ in range(3):
        log.append((f"step {x}", {"x": x, "text": str(x)}))
        x = x * 2
    return x + log[-1][1]["x"]


@pytest.mark.parametrize("f, slope", [(labels_in_dicts, 6.0), (labels_in_tuples, 6.0), (labels_as_keys, 6.0), (history, 12.0)])
def test_numbers_beside_text_are_compiled(f, slope):
    assert tg.grad(f, fallback="error")(1.5) == slope
    assert tg.jvp(f, (1.5,), (1.0,), fallback="error")[1] == slope
    np.testing.assert_allclose(tg.linearize(f, 1.5, fallback="error")[1](2.0), 2 * slope)

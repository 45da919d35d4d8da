"""Containers of which a loop that may be left early changes one item: the other items were there before."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

import transgrad as tg
from tests import oracles
from tests.random_programs.oracle import compile_text

X = np.array([0.3, 0.5, 0.7])
S = 0.6

#: a container, and an item that replaces its first one
CONTAINERS = {
    "tuples": ("[(1.0, s), (s, s * 0.5)]", "(np.exp(v), s * v)"),
    "entries": ("[(x[0], s), (s, s * 0.5)]", "(v, s ** 2)"),
    "lists": ("[[1.0, s], [s, s * 0.5]]", "[np.exp(v), s * v]"),
    "dict": ("{0: (1.0, s), 1: (s, s * 0.5)}", "(np.exp(v), s * v)"),
}

HELPER = """
def total(items):
    found = 0.0
    for p, q in items:
        found += p * q
    return found
"""

EXITS = {
    "break": """
    rows = {rows}
    for v in x:
        if v > {limit}:
            break
        rows[0] = {item}
    return {total}
""",
    "break of inner loop": """
    rows = {rows}
    for v in x:
        if v > {limit}:
            break
        for k in range(2):
            rows[0] = {item}
    return {total}
""",
    "break in a loop": """
    found = 0.0
    for w in x:
        rows = {rows}
        for v in x:
            if v * w > 0.5 * {limit}:
                break
            rows[0] = {item}
        found = found * w + {total}
    return found
""",
    "break of while": """
    rows = {rows}
    k = 0
    while k < 3:
        v = x[k]
        if v > {limit}:
            break
        rows[0] = {item}
        k += 1
    return {total}
""",
    "continue": """
    rows = {rows}
    for v in x:
        if v > {limit}:
            continue
        rows[0] = {item}
    return {total}
""",
    "return": """
    rows = {rows}
    for v in x:
        if v > {limit}:
            return 2.0 * {total}
        rows[0] = {item}
    return {total}
""",
}


@pytest.mark.parametrize("limit", [0.0, 0.4, 2.0], ids=["at once", "later", "never"])
@pytest.mark.parametrize("leave, held", list(itertools.product(EXITS, CONTAINERS)))
def test_values_and_gradients(leave, held, limit):
    rows, item = CONTAINERS[held]
    total = f"total({'rows.values()' if held == 'dict' else 'rows'})"
    body = EXITS[leave].format(rows=rows, item=item, total=total, limit=limit)
    f = compile_text(f"import numpy as np\n{HELPER}\ndef program(x, s):{body}", f"{leave} {held} {limit}")
    np.testing.assert_allclose(tg.compile(f)(X.copy(), S), f(X, S), rtol=1e-14)
    want, error = oracles.gradient(oracles.Problem(f, (X, S), (0, 1)), np.append(X, S))
    assert error < 1e-9
    found = tg.grad(f, argnums=(0, 1), fallback="error")(X.copy(), S)
    np.testing.assert_allclose(np.append(*found), want, rtol=1e-8, atol=1e-9)
    value, slope = tg.jvp(f, (X.copy(), S), (np.ones(3), 1.0), fallback="error")
    np.testing.assert_allclose([value, slope], [f(X, S), want.sum()], rtol=1e-8, atol=1e-9)

"""Names that are None at first, or on some paths, and lists, tuples or dicts elsewhere."""
import numpy as np
import pytest

import transgrad as tg

from .by_differences import Programs, check

tried = Programs()
X = np.array([0.31, 0.73, 1.13])


@tried
def none_on_another_path(x):
    d = {"k": x * 0.5, "m": x}
    if x[0] > 0.5:
        d = None
    return np.sum(d["k"]) + np.sum(d["m"] * x)


@tried
def asked_for(x):
    d = None
    if x[0] < 0.5:
        d = {"k": x * 0.5, "m": x}
    s = np.sum(x)
    if d is not None:
        s = s * np.sum(d["k"]) + np.sum(d["m"] * x)
    return s


@tried
def a_list(x):
    d = None
    if x[0] < 0.5:
        d = [x * 2, x * 3]
    s = np.sum(x)
    if d is not None:
        for r in d:
            s = s * np.sum(r)
        s = s + d[0][1] * np.sum(d[1]) + len(d)
    return s


@tried
def a_tuple_in_a_loop(x):
    t = None
    for _ in range(3):
        t = (x * 2, x[0]) if t is None else (t[0] * x, t[1] * x[1])
    a, b = t
    return np.sum(a) * b


@tried
def the_best(x):
    best = None
    for k in range(3):
        c = {"v": x[k] * x[k - 1], "w": x * k}
        if best is None or c["v"] > best["v"]:
            best = c
    return best["v"] * np.sum(best["w"])


@tried
def the_one_before(x):
    prev, s = None, 0.0
    for k in range(3):
        row = [x[k], x[k] ** 2]
        if prev is not None:
            s = s + prev[0] * row[1]
        prev = row
    return s


@tried
def longer_and_longer(x):
    acc = None
    for k in range(4):
        acc = [x[k % 3]] if acc is None else acc + [acc[-1] * x[k % 3]]
    return sum(acc)


@tried
def tuples_in_tuples(x):
    t = None
    for k in range(3):
        t = (x[k], (x * k, {"a": x[0]})) if t is None else (t[0] * x[k], (t[1][0] + x, {"a": t[1][1]["a"] * x[k]}))
    return t[0] * np.sum(t[1][0]) + t[1][1]["a"]


@tried
def given_to_a_helper(x):
    def total(d):
        return 0.0 if d is None else np.sum(d["k"] * x)

    def made(d):
        return {"k": x} if d is None else {"k": d["k"] * x}
    d, s = None, 0.0
    for _ in range(3):
        s = s + total(d)
        d = made(d)
    return s + total(d)


@tried
def a_dict_of_any_keys(x):
    seen = None
    for k in range(4):
        if seen is None:
            seen = {}
        seen[k % 2] = x[k % 3] * (seen[k % 2] if k % 2 in seen else 1.0)
    return sum(v * v for v in seen.values())


@tried
def kept_in_a_list(x):
    rows = [None, None, None]
    for k in range(3):
        rows[k] = (x[k], x * k)
    return sum(r[0] * np.sum(r[1]) for r in rows if r is not None)


@tried
def until_it_is_there(x):
    found, k = None, 0
    while found is None:
        if x[k] > 0.5:
            found = (k, x[k] * x)
        k += 1
    return np.sum(found[1]) * found[0]


@tried
def never_there(x):
    d = None
    for k in range(3):
        if x[k] > 5.0:
            d = [x * k]
    return np.sum(x * x) if d is None else np.sum(d[0])


@pytest.mark.parametrize("f", tried)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_optional(f):
    check(f, X)
    g, v, e = tg.grad(f), np.array([1.0, 0.5, -0.3]), 1e-5
    np.testing.assert_allclose(tg.hvp(f, (X,), (v,))[0], (g(X + e * v) - g(X - e * v)) / (2 * e), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f", tried[:8])
def test_compiled(f):
    assert "tape" not in tg.grad(f, fallback="error").source_for(X)


def test_not_in_machine_code():
    """Numba would infer the type of a dict that may be None for ever."""
    pytest.importorskip("numba")
    with pytest.raises(tg.UnsupportedByNumba, match="may be None"):
        tg.grad(the_best, backend="numba")(X)


@pytest.mark.parametrize("f", tried[1:])
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_batches(f):
    g, batch = tg.grad(f), np.stack([X, 1.1 * X[::-1]])
    np.testing.assert_allclose(tg.vmap(g)(batch), [g(x) for x in batch])

"""A fixed sample of the product of forms: what fails is listed in ``known.txt``, which must not grow. ``python -m tests.forms`` runs all."""
from __future__ import annotations

import pathlib

import pytest

from .run import run

#: the families of NumPy's functions of arrays; those of lists of arrays are the matter of tests.cross
FAMILIES = ["arithmetic", "elementary", "reductions", "cumulative", "indexing", "shape", "products", "fft", "polynomials"]
KNOWN = frozenset(pathlib.Path(__file__).with_name("known.txt").read_text().splitlines())
MODES = ["grad", "vjp", "jvp", "export"]


@pytest.mark.parametrize("shard", range(3))
def test_a_sample_of_forms(shard: int) -> None:
    counts, failures = run(FAMILIES, modes=MODES, shard=shard, shards=450)
    new = [f for f in failures if f"{f.case} as {f.kind}: {f.outcome.mode}" not in KNOWN]
    assert not new, "\n".join(map(str, new))
    assert counts["right"] > 40

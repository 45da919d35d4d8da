"""A sample of the cross product with a fixed seed: what fails is listed in ``known.txt``, which must not grow."""
from __future__ import annotations

import pathlib

import pytest

from tests.cross.reports import run_slice
from tests.cross.run import Settings, run

KNOWN = frozenset(pathlib.Path(__file__).with_name("known.txt").read_text().split("\n"))
NUMPY = ("arithmetic", "elementary", "reductions", "cumulative", "joining", "indexing", "linalg", "products", "shape")


@pytest.mark.parametrize("shard", range(4))
def test_a_sample_has_no_new_failure(shard: int) -> None:
    """Each program is right in value, structure, shape and dtype and leaves its arguments alone, or is refused."""
    summary = run(Settings(seed=24, count=240, modes=2, shard=shard, shards=4, families=NUMPY))
    assert sum(summary.counts.values()) > 80
    assert summary.counts["right"] > 40
    new = [r for r in summary.failures if f"{r.index} {r.mode}" not in KNOWN]
    assert not new, "\n\n".join(f"{r.index} {r.mode}: {r.outcome.kind}: {r.outcome.cause}\n{r.script}" for r in new)


def test_slices_add_up_in_a_report(tmp_path: pathlib.Path) -> None:
    """A slice is run once, and the report counts all."""
    for part in (0, 1):
        run_slice(Settings(seed=3, modes=1, families=("elementary",)), part, 20_000, tmp_path)
    with pytest.raises(SystemExit, match="slice 1/20000"):
        run_slice(Settings(seed=3, modes=1, families=("elementary",)), 1, 20_000, tmp_path)
    text = (tmp_path / "cross.md").read_text()
    assert "| 3 | 0/20000 | " in text and "| 3 | 1/20000 | " in text and "checks of" in text

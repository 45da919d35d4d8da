"""The length of an instance of a dataclass is what its ``__len__`` says, and not the number of its fields."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import transgrad as tg


@dataclass
class Samples:
    values: np.ndarray
    name: str

    def __len__(self):
        return len(self.values)


def mean(samples):
    return np.sum(samples.values ** 2) / len(samples)


def test_len_of_a_dataclass():
    samples = Samples(np.arange(5.0), "a")
    value, gradient = tg.value_and_grad(mean)(samples)
    assert value == mean(samples)
    np.testing.assert_allclose(gradient.values, 2 * samples.values / 5)

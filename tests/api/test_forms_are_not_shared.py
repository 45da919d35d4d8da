"""A gradient has the class of its own argument, whatever was compiled before."""
from __future__ import annotations

import collections

import numpy as np

import transgrad as tg


def test_a_dict_after_an_ordered_dict_of_the_same_keys():
    x = np.ones(2)
    for cls in (collections.OrderedDict, dict, collections.OrderedDict):
        for f in (lambda p: np.sum(np.log1p(p["a"])), lambda p: np.sum(p["a"] ** 2)):
            assert type(tg.grad(f)(cls(a=x))) is cls

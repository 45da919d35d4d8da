"""Helpers, closures, classes, containers: the IR computes what Python computes."""
import pytest

from .functions import CASES
from .lowered import check


@pytest.mark.parametrize("f, args, kwargs", CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_computes_what_python_computes(f, args, kwargs):
    check(f, *args, **kwargs)

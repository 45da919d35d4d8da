"""Functions as a user writes them (`tests.rules.uses`): compiled, the value is SciPy's and the gradient that of differences."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats

import transgrad as tg
from transgrad.testing import check_grad

from .uses import every


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize(("f", "args"), [pytest.param(*held, id=name) for name, held in every().items()])
def test_use(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    try:
        f(*args)
    except (AttributeError, NameError) as error:
        if not re.match("module 'scipy|name '(STANDARD|PLACED|FLAT)'", str(error)):
            raise
        pytest.skip(f"not in the installed version: {error}")
    value, _ = tg.value_and_grad(f, argnums=tuple(range(len(args))), fallback="error")(*args)
    np.testing.assert_allclose(value, f(*args), rtol=1e-9)
    check_grad(f, args)


def test_tukey() -> None:
    """By one difference: SciPy integrates for a tenth of a second for each probability."""
    def f(shift: Any) -> Any:
        found = scipy.stats.tukey_hsd(np.array([0.3, 0.9, 0.1]) + shift, np.array([0.2, -0.4]))
        return found.statistic[0, 1] + 3.0 * found.pvalue[0, 1]
    want = (f(0.4 + 1e-4) - f(0.4 - 1e-4)) / 2e-4
    np.testing.assert_allclose(tg.grad(f, fallback="error")(0.4), want, rtol=1e-5)

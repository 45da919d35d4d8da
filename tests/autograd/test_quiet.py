"""Operations on Tensors are silent where NumPy warns; NumPy's own functions, and functions of arrays, are not."""
import threading
import warnings

import numpy as np
import pytest

import transgrad as tg
from transgrad.autograd.ops import FFT, FUNCTIONS, LINALG, METHODS, SPECIAL


@pytest.fixture(autouse=True)
def _warning():
    with np.errstate(all="warn"):
        yield


def test_every_operation_is_silent():
    loud = [name for table in (FUNCTIONS, METHODS, LINALG, FFT, SPECIAL) for name, f in table.items()
            if callable(f) and not isinstance(f, type) and not hasattr(f, "silent")]
    assert not loud


@pytest.mark.parametrize("f", [lambda x: 1 / x, lambda x: x.log(), lambda x: tg.log(x), lambda x: x.clone().log_(), lambda x: x ** -1.5,
                               lambda x: x.sum() / x.prod(), lambda x: tg.tensor([1e300])])
def test_numpy_is_as_it_was(f):
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        before = np.geterr()
        f(tg.zeros(2))
        assert np.geterr() == before


def test_numpy_is_as_it_was_after_an_error():
    before = np.geterr()
    with pytest.raises(RuntimeError):
        tg.ones(2) + tg.ones(3)
    with pytest.raises(TypeError):
        tg.ones(2) + "a"
    assert np.geterr() == before


def test_numpys_functions_on_tensors_warn():
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
        np.log(tg.zeros(2))


def test_arrays_warn():
    tg.zeros(2).log()
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        np.ones(2) / np.zeros(2)


def reciprocals(x):
    return np.sum(1.0 / x)


def evaluated(x):
    return eval("np.sum(1.0 / x)")


def test_compiled_functions_warn():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        tg.grad(reciprocals)(np.zeros(2))


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_functions_of_arrays_on_the_tape_warn():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        tg.grad(evaluated)(np.zeros(2))


def test_hooks_and_functions_hear_of_their_own():
    class Loud(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return tg.from_numpy(np.log(x.detach().numpy()))

        @staticmethod
        def backward(ctx, g):
            return g
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        Loud.apply(tg.zeros(2, requires_grad=True))


def test_in_another_thread():
    seen = []

    def run():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tg.zeros(2).log()
            seen.append((len(caught), np.geterr()["divide"]))
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [(0, "warn")]

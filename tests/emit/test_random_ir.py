"""Random IR, run by the interpreter and as emitted text."""
import ast

import astunparse
import numpy as np
import pytest

from tests.emit.random_ir import RandomArrays, RandomIR
from transgrad import emit
from transgrad.ir.interp import call
from transgrad.ir.verify import verify


@pytest.mark.parametrize("seed", range(400))
def test_text_computes_what_the_ir_does(seed):
    fn = RandomIR(seed).function()
    verify(fn)
    module = emit.emit(fn)
    run = emit.load(module)
    for args in ((3, 5), (0, 0), (-2, 7)):
        assert run(*args) == call(fn, list(args)), f"{module.text}\n{fn}"


@pytest.mark.parametrize("seed", range(300))
def test_text_writes_the_arrays_that_the_ir_writes(seed):
    fn = RandomArrays(seed).function()
    verify(fn)
    module = emit.emit(fn)
    run = emit.load(module)
    for start in (0, -3, 2):
        args, other = ([np.arange(start, start + 4), np.arange(4) ** 2] for _ in range(2))
        with np.errstate(over="ignore"):
            got, expected = run(*args), call(fn, other)
        np.testing.assert_equal((got, args), (expected, other), module.text)


@pytest.mark.parametrize("seed", range(0, 400, 20))
def test_text_is_the_same_each_time_and_to_another_printer(seed):
    text = emit.emit(RandomIR(seed).function()).text
    assert text == emit.emit(RandomIR(seed).function()).text
    tree = ast.parse(text)
    assert ast.dump(ast.parse(astunparse.unparse(tree))) == ast.dump(tree)

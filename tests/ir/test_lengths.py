"""Lengths in a callee's types, said in the caller's."""
import numpy as np

import transgrad as tg
from transgrad.ir.lengths import as_caller_sees
from transgrad.ir.types import ANY, BIG, ONE, Arr, Dim, ListT, Num, TupleT


def vector(dim):
    return Arr("float64", (dim,))


def test_lengths_of_arguments_have_the_callers_names():
    seen = as_caller_sees([vector(Dim(False, ("arg", 0)))], [vector(Dim(False, ("b", 0), 2))])
    assert seen(vector(Dim(False, ("arg", 0)))) == vector(Dim(False, ("b", 0), 2))
    assert seen(vector(Dim(None, ("arg", 0), -1))) == vector(Dim(None, ("b", 0), 1))


def test_other_lengths_have_none():
    seen = as_caller_sees([vector(Dim(False, ("arg", 0)))], [vector(BIG)])
    assert seen(vector(Dim(False, ("arg", 0)))) == vector(BIG)
    assert seen(vector(Dim(None, ("fresh", 7)))) == vector(ANY)
    assert seen(vector(ONE)) == vector(ONE)
    assert seen(vector(Dim(False, ("<const>", 3)))) == vector(Dim(False, ("<const>", 3)))


def test_structures():
    inner, outer = Dim(False, ("arg", 1)), Dim(False, ("w", 0))
    seen = as_caller_sees([TupleT((Num("int", inner), ListT(vector(inner))))], [TupleT((Num("int", outer), ListT(vector(outer))))])
    assert seen(TupleT((vector(inner),))) == TupleT((vector(outer),))


def turned(x):
    """Rows of numbers and elements, and of numbers alone."""
    c, s = np.cos(x), np.sin(x)
    m = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return m @ m


def test_rows_of_a_display_are_as_long_as_each_other():
    for x in (0.3, np.float64(0.3)):
        text = tg.jacfwd(turned).source_for(x)
        assert "broadcast_to" not in text and "zeros" not in text
        step = 1e-20
        np.testing.assert_allclose(tg.jacfwd(turned)(x), turned(x + step * 1j).imag / step, rtol=1e-12)

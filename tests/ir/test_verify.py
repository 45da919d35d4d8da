"""The verifier finds each way in which IR can be broken, and says where."""
import operator

import pytest

from transgrad.ir.ops import (
    UNDEF,
    Block,
    Build,
    Call,
    CallValue,
    For,
    Function,
    GetAttr,
    Handler,
    If,
    Invoke,
    Lit,
    Loc,
    Param,
    Raise,
    SetAttr,
    Source,
    Tree,
    Try,
    Value,
    While,
    With,
)
from transgrad.ir.types import ANY, BIG, UNKNOWN, Arr, ListT, Num
from transgrad.ir.verify import VerificationError, verify

FLOAT, INT, BOOL = Num("float"), Num("int"), Num("bool")


def x_neg(x, y):
    return Call(operator.neg, [x], results=[y])


def broken(match, params, ops, yields=(), **parts):
    fn = Function("f", Block(list(params), list(ops), list(yields)), **parts)
    with pytest.raises(VerificationError, match=match) as info:
        verify(fn)
    assert info.value.violations and "f" in str(info.value)


@pytest.fixture
def v():
    return [Value(FLOAT, f"v{k}") for k in range(8)]


def test_well_formed(v):
    x, y = v[:2]
    verify(Function("f", Block([x], [x_neg(x, y)], [y]), signature=[Param("x", x), Param("n", Lit(3))]))


def test_definitions(v):
    x, y = v[:2]
    broken("before it is defined", [x], [x_neg(y, v[2])], [x])
    broken("defined twice", [x], [x_neg(x, y), x_neg(x, y)], [x])
    broken("defined twice", [x, x], [], [x])
    broken("not a Value", [x], [x_neg(x, Lit(1))], [x])
    broken("neither a Value nor a Lit", [x], [x_neg(3.0, y)], [x])
    op = x_neg(x, y)
    broken("occurs in two places", [x], [op, op], [x])


def test_scopes(v):
    x, y, z = v[:3]
    broken("not visible", [x], [If(Lit(True), Block([], [x_neg(x, y)], []), Block())], [y])
    branch = Block([], [x_neg(x, y)], [y])
    broken("not visible", [x], [If(Lit(True), branch, Block([], [x_neg(y, z)], [z]), results=[v[4]])], [v[4]])
    shared = Block()
    broken("a block occurs in two places", [x], [If(Lit(True), shared, shared)], [x])


def test_undef(v):
    x, y = v[:2]
    broken("undef is read", [x], [x_neg(UNDEF, y)], [y])
    broken("returns undef", [x], [], [UNDEF])
    loop = For([Source("range", [Lit(0), Lit(2), Lit(1)])], [UNDEF], Block([Value(INT), y], [], [x]), results=[v[2]])
    verify(Function("f", Block([x], [loop], [v[2]])))


def test_branches(v):
    x, y = v[:2]
    broken("then yields 0 values for 1 results", [x], [If(Lit(True), Block(), Block([], [], [x]), results=[y])], [y])
    broken("does not fit", [x], [If(Lit(True), Block([], [], [x]), Block([], [], [Lit("a")]), results=[y])], [y])
    broken("parameters of the branches", [x], [If(Lit(True), Block([y]), Block())], [x])


def loop(v, **change):
    parts = dict(sources=[Source("range", [Lit(0), Lit(3), Lit(1)])], inits=[v[0]], body=Block([Value(INT), v[1]], [], [v[1]]),
                 results=[v[2]])
    return For(**{**parts, **change})


def test_loops(v):
    x = v[0]
    verify(Function("f", Block([x], [loop(v)], [v[2]])))
    broken("parameters of the body", [x], [loop(v, body=Block([v[1]], [], [v[1]]))], [v[2]])
    broken("body yields 0 values", [x], [loop(v, body=Block([Value(INT), v[1]], [], []))], [v[2]])
    broken("stop flag is missing", [x], [loop(v, body=Block([Value(INT), v[1]], [], []), stops=True)], [v[2]])
    broken("body yields 0 values", [x], [loop(v, stops=True)], [v[2]])
    broken("0 results, expected 1", [x], [loop(v, results=[])], [x])
    broken("unknown source", [x], [loop(v, sources=[Source("walk", [])])], [v[2]])
    broken("has 1 operands, expected 3", [x], [loop(v, sources=[Source("range", [Lit(3)])])], [v[2]])
    broken("walked backwards", [x], [loop(v, sources=[Source("count", [Lit(3)], reverse=True)])], [v[2]])
    broken("a loop over nothing", [x], [loop(v, sources=[], body=Block([v[1]], [], [v[1]]))], [v[2]])
    broken("initial value", [x], [loop(v, inits=[Lit("a")])], [v[2]])


def test_while(v):
    x = v[0]
    good = While([x], Block([v[1]], [], [Lit(False)]), Block([v[2]], [], [v[2]]), results=[v[3]])
    verify(Function("f", Block([x], [good], [v[3]])))
    broken("parameters of the condition", [x], [While([x], Block([], [], [Lit(False)]), Block([v[2]], [], [v[2]]), results=[v[3]])], [x])
    broken("yields of the condition", [x], [While([x], Block([v[1]]), Block([v[2]], [], [v[2]]), results=[v[3]])], [x])
    broken("condition is undef", [x], [While([x], Block([v[1]], [], [UNDEF]), Block([v[2]], [], [v[2]]), results=[v[3]])], [x])


def test_try_and_with(v):
    x, y = v[:2]
    broken("handler yields 0", [x], [Try(Block([], [], [x]), [Handler(None, Block())], results=[y])], [y])
    broken("yields of finally", [x], [Try(Block(), [], Block([], [], [x]))], [x])
    broken("parameters where one", [x], [With(Lit(None), Block([v[1], v[2]]))], [x])
    broken("body yields 0", [x], [With(Lit(None), Block(), results=[y])], [y])
    broken("parameters where one", [x], [Try(Block(), [Handler(None, Block([v[1], v[2]]))])], [x])


def test_invoke(v):
    x, y = v[:2]
    p = Value(Arr("float64", (BIG,)))
    callee = Function("g", Block([p], [], [p]))
    broken("g takes 1 arguments, got 2", [x], [Invoke(callee, [x, x], results=[y])], [y])
    broken("does not fit", [x], [Invoke(callee, [x], results=[y])], [y])
    broken("0 results, expected 1", [x], [Invoke(callee, [Lit(None)])], [x])
    bad = Function("h", Block([v[3]], [], [v[4]]))
    with pytest.raises(VerificationError, match="IR of h"):
        verify(Function("f", Block([x], [Invoke(bad, [x], results=[y])], [y])))


def test_displays_and_others(v):
    x, y = v[:2]
    broken("unknown display", [x], [Build("heap", [], results=[y])], [x])
    broken("three items", [x], [Build("slice", [x], results=[y])], [x])
    broken("a value for each key", [x], [Build("dict", [x], results=[y])], [x])
    broken("without its class", [x], [Build("namedtuple", [x], results=[y])], [x])
    broken("0 results", [x], [GetAttr(x, "T")], [x])
    broken("1 results, expected 0", [x], [SetAttr(x, "T", x, results=[y])], [x])
    broken("1 results, expected 0", [x], [Raise(None, results=[y])], [x])
    broken("one result at most", [x], [CallValue(x, [], results=[y, v[2]])], [x])
    broken("not callable", [x], [Call(3, [], results=[y])], [x])
    broken("unknown part", [x], [Call(operator.neg, [x], results=[y], part="middle", loc=Loc("m.py", 3))], [x])


def test_returned_structure(v):
    x = v[0]
    broken("reads result 1 of 1", [x], [], [x], returns=Tree("leaf", index=1))
    broken("keys for", [x], [], [x], returns=Tree("dict", [Tree("leaf", index=0)]))
    broken("unknown kind", [x], [], [x], returns=Tree("heap"))
    broken("not one of", [x], [], [x], signature=[Param("q", v[1])])


def test_types_that_fit(v):
    a, b, c = Value(Arr("float64", (BIG,))), Value(Arr("float64", (ANY,))), Value(UNKNOWN)
    verify(Function("f", Block([a, v[0]], [
        If(Lit(True), Block([], [], [a]), Block([], [], [a]), results=[b]),
        If(Lit(True), Block([], [], [a]), Block([], [], [Lit("s")]), results=[c]),
        If(Lit(True), Block([], [], [Lit(1)]), Block([], [], [v[0]]), results=[v[1]]),
    ], [b])))
    lists = [Value(ListT(FLOAT)), Value(ListT(None, 0)), Value(ListT(FLOAT))]
    verify(Function("f", Block(lists[:2], [If(Lit(True), Block([], [], [lists[0]]), Block([], [], [lists[1]]), results=[lists[2]])],
                               [lists[2]])))

"""The transformations: how each is called on a program, and what of its results is compared with differences."""
from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import transgrad as tg

from .oracle import along, direction, like, paired, second, settled
from .program import Program
from .trees import Differs, compare, is_number, leaves, numbers_at, rebuild, same, single

__all__ = ["MODES", "NotForMode", "Trial"]


class NotForMode(Exception):
    """The transformation does not apply to this program."""


@dataclass
class Trial:
    """A program under one transformation.

    Attributes
    ----------
    snippet : str
        The source that calls the transformation, for the script of a failure.
    """

    program: Program
    rng: np.random.Generator
    snippet: str = ""
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.args, self.kwargs = self.program.arguments()
        self.inputs = self.program.inputs(self.args, self.kwargs)
        if not leaves(self.inputs):
            raise NotForMode("no numbers among the inputs")
        coarse = "float32" in self.program.text or single(self.inputs) or single((self.args, self.kwargs))      # or computes in float32
        self.rtol = 5e-3 if coarse else 2e-6

    # -- running

    def positional(self, name: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """A function of the inputs alone, for transformations that differentiate all arguments."""
        if self.kwargs:
            raise NotForMode("arguments by keyword")
        if len(self.picked_positions()) != len(self.args):
            raise NotForMode("some arguments are not differentiated")
        return self.program.space[name], self.args

    def picked_positions(self) -> list[int]:
        """The positions that are differentiated."""
        return [k for k in self.program.picked if isinstance(k, int)]

    def options(self) -> dict[str, Any]:
        """argnums and argnames."""
        return eval(f"dict({self.program.wrt})")

    def prepared(self, call: Callable[..., Any], again: Callable[..., Any] | None = None) -> None:
        """Calls a derivative with earlier arguments, or before the state of the program changes; whatever becomes of that."""
        program = self.program
        if not program.before and not program.change:
            return
        args, kwargs = program.evaluate(program.before or program.call)
        try:
            call(*args, **kwargs)
        except Exception:
            pass
        if program.change:
            exec(program.change, program.space)
            self.defined()

    def defined(self) -> None:
        """`NotForMode` where the function itself raises an exception."""
        try:
            self.value("loss")
        except Exception as error:
            raise NotForMode(f"the function raises {type(error).__name__}") from error

    def unchanged(self, *held: tuple[str, Any, Any]) -> None:
        """Arguments and whatever else was given are what they were."""
        args, kwargs = self.program.arguments()
        for what, now, then in (("arguments", (self.args, self.kwargs), (args, kwargs)), *held):
            if not same(now, then):
                raise Differs("state", f"the {what} were written to")

    def apart(self, got: Any, *given: Any) -> None:
        """Results share no memory with arguments, nor with one another."""
        mine = [(p, a) for p, a in leaves(got) if isinstance(a, np.ndarray) and a.size]
        theirs = [(p, a) for p, a in leaves(list(given)) if isinstance(a, np.ndarray) and a.size]
        for k, (p, a) in enumerate(mine):
            for q, b in [*theirs, *mine[:k]]:
                if np.may_share_memory(a, b) and np.shares_memory(a, b):
                    raise Differs("memory", f"result{p} shares memory with {'result' if (q, b) in mine[:k] else 'an argument'}")

    def value(self, name: str) -> Any:
        """What the function returns."""
        return self.program.at(self.inputs, name)

    def run(self, name: str) -> Callable[[tuple[Any, ...]], Any]:
        """The function of the inputs, for differences."""
        return lambda x: self.program.at(x, name)

    def check_gradient(self, g: Any, name: str = "loss") -> None:
        """A gradient against its argument and against differences."""
        wanted = self.inputs[0] if self.program.single else self.inputs
        compare(g, wanted, what="gradient")
        self.unchanged()
        self.apart(g, self.args, self.kwargs)
        v = direction(self.inputs, self.rng)
        want, errors = along(self.run(name), self.inputs, v)
        self.judge([paired(g if not self.program.single else (g,), v)], [np.real(want[0])], errors, self.rtol)

    def judge(self, got: list[Any], want: list[Any], errors: list[float], rtol: float) -> None:
        """Numbers against differences."""
        found = settled(got, [np.asarray(w) for w in want], errors, rtol)
        if found is not None:
            raise Differs("value", found)


def _gradient(options: str = "", wrap: str = "") -> Callable[[Trial], None]:
    def mode(t: Trial) -> None:
        extra = ", ".join(filter(None, [t.program.wrt, options]))
        t.snippet = f"got = {wrap or 'tg.grad'}(loss{', ' if extra else ''}{extra})({t.program.call})"
        maker = eval(wrap or "tg.grad", {"tg": tg})
        derivative = maker(t.program.space["loss"], **t.options(), **eval(f"dict({options})"))
        t.prepared(derivative)
        t.check_gradient(derivative(*t.args, **t.kwargs))
    return mode


def value_and_grad(t: Trial) -> None:
    t.snippet = f"got = tg.value_and_grad(loss{', ' if t.program.wrt else ''}{t.program.wrt})({t.program.call})"
    derivative = tg.value_and_grad(t.program.space["loss"], **t.options())
    t.prepared(derivative)
    value, g = derivative(*t.args, **t.kwargs)
    compare(value, t.value("loss"), numbers=True, rtol=1e-9 if t.rtol < 1e-4 else 1e-4, what="value")
    t.check_gradient(g)


def vjp(t: Trial) -> None:
    f, args = t.positional("f")
    t.snippet = f"y, pullback = tg.vjp(f, {t.program.call})\ngot = pullback(y)"
    t.prepared(lambda *a: tg.vjp(f, *a))
    y, pullback = tg.vjp(f, *args)
    want = t.value("f")
    compare(y, want, numbers=True, rtol=1e-9 if t.rtol < 1e-4 else 1e-4, what="value")
    c = direction(want, t.rng)
    if not c:
        raise NotForMode("no numbers in the result")
    cotangent, before = like(want, c), like(want, c)
    got = pullback(cotangent)
    compare(got, t.inputs, what="gradient")
    t.unchanged(("cotangents", cotangent, before))
    t.apart(got, t.args, t.kwargs, cotangent)
    kept = copy.deepcopy(got)
    more = pullback(like(want, c))
    if not same(more, kept):
        raise Differs("state", "the pullback gives other results when it is called again")
    v = direction(t.inputs, t.rng)
    dy, errors = along(t.run("f"), t.inputs, v)
    right = sum(float(np.real(np.sum(np.conj(np.asarray(b)) * d))) for (_, b), d in zip(leaves(before), dy))
    t.judge([paired(got, v)], [np.asarray(right)], [sum(e * max(1.0, b.size) * 2 for e, b in zip(errors, c))], t.rtol)


def _check_tangent(t: Trial, dot: Any, want: Any, dy: list[np.ndarray], errors: list[float]) -> None:
    compare(dot, rebuild(want, lambda leaf: leaf), what="tangent")
    got = numbers_at(dot, want)
    t.judge(got, dy, errors, t.rtol if not single(want) else 5e-3)


def jvp(t: Trial) -> None:
    f, args = t.positional("f")
    v = direction(t.inputs, t.rng)
    tangents, before = like(t.inputs, v), like(t.inputs, v)
    t.snippet = f"primals = ({t.program.call},)\ngot = tg.jvp(f, primals, primals)"
    t.prepared(lambda *a: tg.jvp(f, a, tuple(copy.deepcopy(a))))
    y, dot = tg.jvp(f, args, tangents)
    want = t.value("f")
    compare(y, want, numbers=True, rtol=1e-9 if t.rtol < 1e-4 else 1e-4, what="value")
    t.unchanged(("tangents", tangents, before))
    t.apart(dot, t.args, tangents)
    dy, errors = along(t.run("f"), t.inputs, [np.asarray(b) for _, b in leaves(before)])
    _check_tangent(t, dot, want, dy, errors)


def linearize(t: Trial) -> None:
    f, args = t.positional("f")
    v = direction(t.inputs, t.rng)
    tangents, before = like(t.inputs, v), like(t.inputs, v)
    t.snippet = f"y, f_dot = tg.linearize(f, {t.program.call})\ngot = f_dot({t.program.call})"
    t.prepared(lambda *a: tg.linearize(f, *a)[1](*copy.deepcopy(a)))
    y, along_ = tg.linearize(f, *args)
    want = t.value("f")
    compare(y, want, numbers=True, rtol=1e-9 if t.rtol < 1e-4 else 1e-4, what="value")
    dot = along_(*tangents)
    kept = copy.deepcopy(dot)
    t.unchanged(("tangents", tangents, before))
    t.apart(dot, t.args, tangents)
    along_(*like(t.inputs, direction(t.inputs, t.rng)))
    if not same(along_(*like(t.inputs, v)), kept) or not same(dot, kept):
        raise Differs("state", "f_dot gives other results when it is called again")
    dy, errors = along(t.run("f"), t.inputs, [np.asarray(b) for _, b in leaves(before)])
    _check_tangent(t, dot, want, dy, errors)


def _jacobian(name: str) -> Callable[[Trial], None]:
    def mode(t: Trial) -> None:
        t.snippet = f"got = tg.{name}(f{', ' if t.program.wrt else ''}{t.program.wrt})({t.program.call})"
        want = t.value("f")
        if any(np.iscomplexobj(leaf) for _, leaf in leaves((want, t.inputs))):
            raise NotForMode("complex numbers")
        derivative = getattr(tg, name)(t.program.space["f"], **t.options())
        t.prepared(derivative)
        got = derivative(*t.args, **t.kwargs)
        want = t.value("f")
        t.unchanged()
        t.apart(got, t.args, t.kwargs)
        wanted = t.inputs[0] if t.program.single else t.inputs
        compare(got, _jacobian_like(want, wanted), what="Jacobian", dtypes=one_dtype(want, wanted))
        v = direction(t.inputs, t.rng)
        dy, errors = along(t.run("f"), t.inputs, v)
        blocks = iter(numbers_at(got, _jacobian_like(want, wanted)))
        rows = []
        for y in [leaf for _, leaf in leaves(want)]:
            rows.append(sum((np.tensordot(np.asarray(next(blocks)), d, axes=d.ndim) for d in v), np.zeros(np.shape(y))))
        t.judge(rows, dy, errors, t.rtol if not single(want) else 5e-3)
    return mode


def one_dtype(*values: Any) -> bool:
    """Whether all numbers have one dtype: those of blocks of mixed dtypes are not laid down."""
    return len({np.asarray(leaf).dtype for _, leaf in leaves(values)}) < 2


def _jacobian_like(y: Any, x: Any) -> Any:
    """A value of the structure, shapes and dtypes of a Jacobian."""
    def block(out: Any) -> Any:
        def fill(leaf: Any) -> Any:
            return np.zeros(np.shape(out) + np.shape(leaf), np.result_type(np.asarray(out).dtype, np.asarray(leaf).dtype))
        return rebuild(x, fill)
    return rebuild(y, block)


def hessian(t: Trial) -> None:
    t.snippet = f"got = tg.hessian(loss{', ' if t.program.wrt else ''}{t.program.wrt})({t.program.call})"
    if any(np.iscomplexobj(leaf) for _, leaf in leaves(t.inputs)):
        raise NotForMode("complex numbers")
    derivative = tg.hessian(t.program.space["loss"], **t.options())
    t.prepared(derivative)
    got = derivative(*t.args, **t.kwargs)
    t.unchanged()
    wanted = t.inputs[0] if t.program.single else t.inputs

    def outer(leaf: Any) -> Any:
        return rebuild(wanted, lambda other: np.zeros(np.shape(leaf) + np.shape(other), np.result_type(np.asarray(leaf).dtype, np.asarray(other).dtype)))
    compare(got, rebuild(wanted, outer), what="Hessian", dtypes=one_dtype(wanted))
    u, v = direction(t.inputs, t.rng), direction(t.inputs, t.rng)
    want, errors = second(t.run("loss"), t.inputs, u, v)
    blocks = iter([np.asarray(leaf) for _, leaf in leaves(got)])
    total = sum(float(np.sum(np.tensordot(next(blocks), q, axes=q.ndim) * p)) for p in u for q in v)
    t.judge([total], [np.real(want[0])], errors, max(t.rtol, 1e-4))


def hvp(t: Trial) -> None:
    f, args = t.positional("loss")
    if any(np.iscomplexobj(leaf) for _, leaf in leaves(t.inputs)):
        raise NotForMode("complex numbers")
    u, v = direction(t.inputs, t.rng), direction(t.inputs, t.rng)
    tangents, before = like(t.inputs, v), like(t.inputs, v)
    t.snippet = f"primals = ({t.program.call},)\ngot = tg.hvp(loss, primals, primals)"
    t.prepared(lambda *a: tg.hvp(f, a, tuple(copy.deepcopy(a))))
    got = tg.hvp(f, args, tangents)
    compare(got, t.inputs, what="product")
    t.unchanged(("tangents", tangents, before))
    t.apart(got, t.args, tangents)
    want, errors = second(t.run("loss"), t.inputs, u, [np.asarray(b) for _, b in leaves(before)])
    t.judge([paired(got, u)], [np.real(want[0])], errors, max(t.rtol, 1e-4))


def _batched(t: Trial, name: str) -> tuple[tuple[Any, ...], list[tuple[Any, ...]]]:
    """Arguments with an axis of three examples, and the examples."""
    t.positional(name)
    if any(not is_number(leaf) for _, leaf in leaves(t.inputs)):
        raise NotForMode("other arguments")
    examples = []
    for k in range(3):
        v = direction(t.inputs, t.rng)
        rest = iter(v)
        examples.append(rebuild(t.inputs, lambda leaf, k=k, rest=rest: _nudged(leaf, next(rest) * 0.01 * k)))
    stacks = iter([np.stack([np.asarray(e) for e in group]) for group in zip(*[[leaf for _, leaf in leaves(e)] for e in examples])])
    return rebuild(t.inputs, lambda leaf: next(stacks)), examples


def _nudged(leaf: Any, by: Any) -> Any:
    out = np.asarray(leaf + by, np.asarray(leaf).dtype)
    return out if isinstance(leaf, np.ndarray) else out[()] if isinstance(leaf, np.generic) else type(leaf)(out)


def _stacked(outs: list[Any]) -> Any:
    stacks = iter([np.stack([np.asarray(v) for v in group]) for group in zip(*[[leaf for _, leaf in leaves(o)] for o in outs])])
    return rebuild(outs[0], lambda leaf: next(stacks))


def vmap(t: Trial) -> None:
    batch, examples = _batched(t, "f")
    t.snippet = f"one = ({t.program.call},)\ngot = tg.vmap(f)(*jax.tree.map(lambda x: np.stack([x, x]), one))    # each of the examples is f(*one)"
    try:
        outs = [t.program.at(e, "f") for e in examples]
        want = _stacked(outs)
    except Exception as error:
        raise NotForMode("the function fails for an example") from error
    mapped = tg.vmap(t.program.space["f"])
    got = mapped(*copy.deepcopy(batch))
    compare(got, want, numbers=True, rtol=1e-8 if t.rtol < 1e-4 else 1e-3, what="batch")


def vmap_grad(t: Trial) -> None:
    batch, examples = _batched(t, "loss")
    t.snippet = (f"one = ({t.program.call},)\ngot = tg.vmap(tg.grad(loss, argnums={tuple(range(len(t.inputs)))}))"
                 "(*jax.tree.map(lambda x: np.stack([x, x]), one))")
    mapped = tg.vmap(tg.grad(t.program.space["loss"], argnums=tuple(range(len(t.inputs)))))
    given = copy.deepcopy(batch)
    got = mapped(*given)
    compare(got, batch, what="batch of gradients")
    if not same(given, batch):
        raise Differs("state", "the arguments were written to")
    v = direction(t.inputs, t.rng)
    for k, e in enumerate(examples):
        want, errors = along(t.run("loss"), e, v)
        t.judge([paired(rebuild(got, lambda leaf, k=k: leaf[k]), v)], [np.real(want[0])], errors, t.rtol)


def tape(t: Trial) -> None:
    """The derivative of what the compiler refuses: the same call, as if the function had been refused."""
    from transgrad.transforms.arguments import bind, check_leaves
    from transgrad.transforms.fallback import TapedVariant
    extra = f"{', ' if t.program.wrt else ''}{t.program.wrt}"
    t.snippet = ("from transgrad.transforms.fallback import TapedVariant\n"
                 f"derivative = tg.grad(loss{extra})\nargs, kwargs = (lambda *a, **k: (a, k))({t.program.call})\n"
                 "got = TapedVariant(derivative, {}, None).function(*args, **kwargs)")
    derivative = tg.grad(t.program.space["loss"], **t.options())
    variant = TapedVariant(derivative, {}, None)
    values = bind(derivative.primal, derivative.__signature__, t.args, t.kwargs)
    check_leaves(derivative.primal, derivative.target.slots, values)      # as before a compilation
    t.prepared(variant.function)
    t.check_gradient(variant.call_with(values))


def tensors(t: Trial) -> None:
    """Tensors in place of the inputs, and ``backward``."""
    t.snippet = (f"args, kwargs = (lambda *a, **k: (a, k))({t.program.call})    # every number in them is\n"
                 "# tg.tensor(number, requires_grad=True); then loss(*args, **kwargs).backward(); got = .grad of each")
    made: list[Any] = []

    def lift(leaf: Any) -> Any:
        made.append(tg.tensor(np.array(leaf), requires_grad=True))  # type: ignore[attr-defined]
        return made[-1]
    held = rebuild(t.inputs, lift)
    args, kwargs = t.program.arguments()
    full = list(args)
    for k, v in zip(t.program.picked, held):
        if isinstance(k, int):
            full[k] = v
        else:
            kwargs[k] = v
    y = t.program.space["loss"](*full, **kwargs)
    if not isinstance(y, tg.Tensor):  # type: ignore[attr-defined]
        raise NotForMode("as in torch, a function such as math.sin makes numbers of Tensors")
    if y.requires_grad:
        y.backward()
    g = [np.zeros_like(m.detach().numpy()) if m.grad is None else m.grad.numpy() for m in made]
    for p, (_, leaf) in zip(g, leaves(t.inputs)):
        compare(p, np.asarray(leaf), what="gradient")
    v = direction(t.inputs, t.rng)
    want, errors = along(t.run("loss"), t.inputs, v)
    t.judge([paired(g, v)], [np.real(want[0])], errors, t.rtol)


#: Each transformation with how often it is tried.
MODES: dict[str, tuple[Callable[[Trial], None], float]] = {
    "grad": (_gradient(), 3.0), "value_and_grad": (value_and_grad, 2.0), "vjp": (vjp, 3.0), "jvp": (jvp, 2.0), "linearize": (linearize, 1.5),
    "jacfwd": (_jacobian("jacfwd"), 1.0), "jacrev": (_jacobian("jacrev"), 1.0), "hessian": (hessian, 1.0), "hvp": (hvp, 1.0),
    "vmap": (vmap, 1.0), "vmap of grad": (vmap_grad, 0.7), "unoptimized": (_gradient("optimize=False"), 0.7),
    "tape": (tape, 1.5), "tensors": (tensors, 0.5), "numba": (_gradient("backend='numba'"), 0.03),
}

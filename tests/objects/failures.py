"""Exceptions as objects, clean-up clauses and context managers."""
from __future__ import annotations

import contextlib
import math

import numpy as np

from .registry import program


class SolverError(Exception):
    """Carries the iterate at which a solver stopped."""


class Diverged(SolverError):
    def __init__(self, x, step):
        super().__init__(f"diverged in step {step}")
        self.x = x
        self.step = step


class Stalled(SolverError):
    def __init__(self, x):
        super().__init__("stalled", x)
        self.x = x


class FixedPoint:
    def __init__(self, f, limit=10.0, tolerance=1e-3):
        self.f, self.limit, self.tolerance = f, limit, tolerance

    def solve(self, x, steps):
        for k in range(steps):
            new = self.f(x)
            if abs(new) > self.limit:
                raise Diverged(new, k)
            if abs(new - x) < self.tolerance:
                raise Stalled(new)
            x = new
        return x


@program(0.5, 1.8)
def solver_errors(a, b):
    total = 0.0
    for f in (lambda x: b * x * x, lambda x: a * x, lambda x: math.cos(x) * a):
        try:
            total += FixedPoint(f).solve(1.5, 6)
        except Diverged as error:
            total += math.log(error.x) / (1 + error.step)
        except SolverError as error:
            total += error.x
    return total


@program(1.5)
def error_args(x):
    try:
        if x > 1.0:
            raise ValueError("too large", x * x, 3)
        y = x
    except ValueError as error:
        message, value, count = error.args
        y = value / count
    return y + x


class Transaction:
    def __init__(self, account):
        self.account = account

    def __enter__(self):
        self.saved = self.account.balance
        return self.account

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self.account.balance = self.saved
        return kind is not None and issubclass(kind, InsufficientFunds)


class InsufficientFunds(Exception):
    def __init__(self, missing):
        self.missing = missing


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.log = []

    def withdraw(self, amount):
        self.log.append(amount)
        if amount > self.balance:
            raise InsufficientFunds(amount - self.balance)
        self.balance -= amount


@program(10.3, 4.0)
def transactions(start, amount):
    account = Account(start)
    for k in range(1, 4):
        with Transaction(account) as a:
            a.withdraw(amount * k * 0.5)
            a.withdraw(amount)
    return account.balance ** 2 + sum(account.log)


@program(10.3, 7.1)
def failed_transfer(a, b):
    first, second = Account(a), Account(b)
    penalty = 0.0
    for amount in (3.0, b, 2.0):
        try:
            first.withdraw(amount)
            second.balance += amount * 0.9
        except InsufficientFunds as error:
            penalty += error.missing ** 2
        finally:
            second.balance *= 1.01
    return first.balance * second.balance - penalty


@program(0.7, given=lambda: [Account(2.0)])
def failed_transfer_passed(x, account):
    paid = 0.0
    for k in range(4):
        try:
            account.withdraw(x * (k + 1) * 0.4)
        except InsufficientFunds as error:
            paid += error.missing
            break
        else:
            paid += 1.0
    return paid + account.balance * x


class Retry:
    def __init__(self, times, backoff):
        self.times, self.backoff = times, backoff
        self.attempts = 0

    def __call__(self, action, value):
        scale = 1.0
        for attempt in range(self.times):
            self.attempts += 1
            try:
                return action(value * scale)
            except (ArithmeticError, ValueError):
                scale *= self.backoff
        raise RuntimeError("gave up")


def only_small(v):
    if v > 1.0:
        raise ValueError(v)
    return math.sqrt(1.0 - v * v)


@program(1.7, 0.7)
def retried(x, backoff):
    retry = Retry(4, backoff)
    return retry(only_small, x) + retry(only_small, x * 0.1) * retry.attempts


@program(0.4)
def chained_cause(x):
    try:
        try:
            raise Stalled(x * 3.0)
        except Stalled as error:
            raise RuntimeError("outer") from error
    except RuntimeError as error:
        return error.__cause__.x ** 2 + x


@contextlib.contextmanager
def scaled(state, factor):
    old = state["scale"]
    state["scale"] = old * factor
    try:
        yield state
    finally:
        state["scale"] = old


@program(0.8, 1.3)
def scaled_context(x, factor):
    state = {"scale": x}
    total = state["scale"]
    with scaled(state, factor) as s:
        total += s["scale"] ** 2
        with scaled(state, 2.0):
            total += math.sin(state["scale"])
    return total * state["scale"]


@program(0.6)
def suppressed(x):
    values = []
    for k in range(4):
        with contextlib.suppress(ValueError):
            values.append(only_small(x * k * 0.7))
    return sum(values) * len(values)


class Stopwatch:
    def __init__(self):
        self.laps = []
        self.now = 0.0

    def advance(self, dt):
        self.now += dt

    @contextlib.contextmanager
    def lap(self):
        start = self.now
        yield self
        self.laps.append(self.now - start)


@program(0.3, 0.9)
def stopwatch(a, b):
    watch = Stopwatch()
    with watch.lap():
        watch.advance(a)
        watch.advance(b * b)
    with watch.lap() as w:
        w.advance(a * b)
    return watch.laps[0] * watch.laps[1] + watch.now


@program(0.9)
def exit_stack(x):
    closed = []

    class Resource:
        def __init__(self, cost):
            self.cost = cost

        def __enter__(self):
            return self

        def __exit__(self, *exc):
            closed.append(self.cost)

    with contextlib.ExitStack() as stack:
        used = [stack.enter_context(Resource(x ** k)) for k in (1, 2, 3)]
        total = sum(r.cost for r in used)
    return total + closed[0] * 0.5


@program(np.array([0.5, 2.0, -1.0]))
def partial_writes(x):
    out = np.zeros(3)
    reached = 0
    try:
        for k in range(3):
            if x[k] < 0:
                raise ValueError
            out[k] = math.sqrt(x[k])
            reached += 1
    except ValueError:
        out[reached] = x[reached] ** 2
    return float(np.sum(out * np.arange(1.0, 4.0)))


@program(1.2)
def finally_changes(x):
    total = x
    for k in range(3):
        try:
            if k == 1:
                continue
            total *= x
        finally:
            total += 0.5 * x
    return total


def parse(tokens, env):
    """A calculator in reverse Polish notation that reports what is missing."""
    stack = []
    for token in tokens.split():
        if token in "+*":
            try:
                b, a = stack.pop(), stack.pop()
            except IndexError:
                raise SyntaxError(token) from None
            stack.append(a + b if token == "+" else a * b)
        elif token in env:
            stack.append(env[token])
        else:
            stack.append(float(token))
    return stack.pop()


@program(0.7, 1.6)
def calculator_errors(x, y):
    env = {"x": x, "y": y}
    total = 0.0
    for text in ("x y + 2 *", "x +", "z 1 +", "y y *"):
        try:
            total += parse(text, env)
        except SyntaxError:
            total += 0.1 * x
        except ValueError:
            total *= y
    return total


class OutOfBounds(ValueError):
    @property
    def excess(self):
        return self.args[0] - self.args[1]


class Bounds:
    def __init__(self, hi):
        self.hi = hi

    def check(self, value):
        if value > self.hi:
            raise OutOfBounds(value, self.hi)
        return value


@program(2.2, 1.5)
def excess_property(x, hi):
    bounds = Bounds(hi)
    total = 0.0
    for factor in (0.5, 1.0, 1.5):
        try:
            total += bounds.check(x * factor)
        except OutOfBounds as error:
            total -= error.excess ** 2
    return total


@program(0.5)
def nested_functions_raise(x):
    class Stop(Exception):
        def __init__(self, value):
            self.value = value

    def visit(depth, value):
        if depth == 4:
            raise Stop(value)
        visit(depth + 1, value * 1.5 + x)

    try:
        visit(0, x)
    except Stop as stop:
        return stop.value
    return 0.0


class Validator:
    errors = (TypeError, ValueError)

    def __init__(self):
        self.failures = []

    def run(self, *checks):
        score = 0.0
        for name, check in checks:
            try:
                score += check()
            except self.errors as error:
                self.failures.append((name, type(error).__name__))
        return score


@program(0.4, 1.9)
def validator(a, b):
    v = Validator()
    score = v.run(("a", lambda: only_small(a)), ("b", lambda: only_small(b)), ("c", lambda: a * b))
    return score / (1 + len(v.failures))


@program(1.4)
def reraised(x):
    log = []

    def attempt(v):
        try:
            return only_small(v)
        except ValueError:
            log.append(v)
            raise

    total = 0.0
    for k in range(3):
        try:
            total += attempt(x - 0.5 * k)
        except ValueError as error:
            total += error.args[0] * 0.1
    return total + sum(log)

"""A try clause that leaves nothing to do has no handlers: what they would do gives no value another type."""
import pytest

import transgrad as tg


def converted(x):
    try:
        return float(x)
    except:
        return complex(x)


def bound(x):
    try:
        y = float(x)
    except (TypeError, ValueError):
        y = complex(x)
    else:
        y = y * y
    finally:
        x = 2 * x
    return y * x


def in_a_loop(x, n=3):
    for k in range(n):
        try:
            z = float(x)
            break
        except ValueError:
            continue
        else:
            x = x + 1
    return z * x


def else_alone(x):
    try:
        pass
    except ValueError:
        return 0.0
    else:
        return x ** 3


def called(x):
    return converted(x) * x


@pytest.mark.parametrize("f, want", [
    (converted, 1.0), (bound, 6 * 1.3 ** 2), (in_a_loop, 2.6), (else_alone, 3 * 1.3 ** 2), (called, 2.6),
], ids=lambda p: getattr(p, "__name__", ""))
@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_gradient(f, want, fallback):
    assert tg.grad(f, fallback=fallback)(1.3) == pytest.approx(want)
    assert tg.compile(f)(1.3) == pytest.approx(f(1.3))
    text = tg.compile(f).source_for(1.3)
    assert "complex" not in text and "ValueError" not in text


def test_what_can_fail_is_caught():
    def f(x):
        try:
            z = float(x)
            w = 1.0 / z
        except ZeroDivisionError:
            return 3.0 * x
        return w

    assert tg.grad(f)(0.0) == 3.0
    assert tg.grad(f)(2.0) == -0.25
    assert "except ZeroDivisionError" in tg.compile(f).source_for(1.3)

"""Private names of classes, ``self.__x``, are those that Python makes of them: of the class, not of the instance."""
import pytest

import transgrad as tg


class Base:
    def __init__(self, x):
        self.__n = x

    def get(self):
        return self.__n


class Both(Base):
    def __init__(self, x):
        super().__init__(x * x)
        self.__n = 5 * x

    def own(self):
        return self.__n


class Worker:
    __scale = 3.0

    def __init__(self, k, **options):
        self.__k = k
        self.__load(**options)

    def __load(self, **options):
        for name in ("z",):
            setattr(self, f"_{type(self).__name__}__{name}", options.get(name, 2.0))

    @staticmethod
    def __square(x):
        return x * x

    def work(self, x, __unit=1.0):
        def __twice(y):
            return 2 * y + __unit

        class __Inner:
            def __init__(self, v):
                self.__v = v

            def get(self):
                return self.__v

        return Worker.__square(x) * self.__k * self.__z * self.__scale + __twice(__Inner(x).get())

    def matched(self, x):
        try:
            raise ValueError
        except ValueError as __error:
            found = __error
        import math as __m
        match [1.0, x, self.__k]:
            case [_, *__rest]:
                return __rest[0] * __rest[1] * __m.sqrt(x) if isinstance(found, ValueError) else 0.0


class _Underlined:
    def __init__(self, x):
        self.__v = x

    def __iter__(self):
        yield self.__v
        yield [self.__v * __k for __k in (2.0, 3.0)][1]


made = Both(2.0)
worker = Worker(1.5)


def base_and_derived(x):
    s = Both(x)
    return s.get() + 10 * s.own()


def of_an_instance_from_outside(x):
    return x * made.get() + x * x * made.own()


def methods_that_are_private(x):
    return Worker(x, z=x).work(x) + worker.work(x, 2.0)


def names_of_statements(x):
    return Worker(x).matched(x)


def class_with_an_underscore(x):
    a, b = _Underlined(x)
    return a * b


def stored_by_its_full_name(x):
    s = Base(x)
    s._Base__n = x * x * x
    return s.get()


@pytest.mark.parametrize("fallback", ["error", "tape"])
@pytest.mark.parametrize("f, want", [
    (base_and_derived, lambda x: 2 * x + 50),
    (of_an_instance_from_outside, lambda x: 4 + 20 * x),
    (methods_that_are_private, lambda x: 12 * x ** 3 + 2 + 18 * x + 2),
    (names_of_statements, lambda x: 2.5 * x ** 1.5),
    (class_with_an_underscore, lambda x: 6 * x),
    (stored_by_its_full_name, lambda x: 3 * x ** 2),
], ids=lambda p: getattr(p, "__name__", ""))
def test_gradient(f, want, fallback):
    assert tg.grad(f, fallback=fallback)(1.3) == pytest.approx(want(1.3))
    assert tg.compile(f)(1.3) == pytest.approx(f(1.3))


def test_statement_apart():
    """A statement that runs on the tape has the names of its class, too."""
    class Taped:
        def __init__(self, x):
            self.__x = x

        def value(self, text):
            y = self.__x * float(eval(text)) * self.__x
            return y * self.__x

    def f(x):
        return Taped(x).value("2.0")

    with pytest.warns(tg.TapeFallbackWarning):
        assert tg.grad(f)(1.3) == pytest.approx(6 * 1.3 ** 2)


def test_other_name_is_not_there():
    class Other:
        def get(self, s):
            return s.__n

    with pytest.raises(AttributeError, match="_Other__n"):
        tg.grad(lambda x: Other().get(Both(x)))(1.3)

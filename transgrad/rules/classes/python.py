"""Classification of the functions of math, cmath, operator and the built-in ones."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (
    Namespace(
        "math",
        differentiable="""
            acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees dist erf erfc exp exp2 expm1 fabs fma fmod frexp
            fsum gamma hypot ldexp lgamma log log10 log1p log2 modf nextafter pow prod radians remainder sin sinh sqrt sumprod tan
            tanh
        """,
        constant="ceil comb factorial floor gcd isclose isfinite isinf isnan isqrt lcm perm trunc ulp",
    ),
    Namespace(
        "cmath",
        differentiable="acos acosh asin asinh atan atanh cos cosh exp log log10 phase polar rect sin sinh sqrt tan tanh",
        constant="isclose isfinite isinf isnan",
    ),
    Namespace(
        "operator",
        differentiable="abs add getitem iadd imatmul imod imul ipow isub itruediv matmul mod mul neg pos pow sub truediv",
        handled="attrgetter call concat delitem iconcat itemgetter methodcaller setitem",
        constant="""
            and_ contains countOf eq floordiv ge gt iand ifloordiv ilshift index indexOf inv invert ior irshift is_ is_none is_not
            is_not_none ixor le length_hint lshift lt ne not_ or_ rshift truth xor
        """,
    ),
    Namespace(
        "builtins",
        differentiable="abs complex divmod float max min pow sorted sum",
        handled="""
            classmethod dict enumerate filter frozenset getattr iter list map next property reversed set setattr slice staticmethod
            super tuple vars zip
        """,
        constant="all any bool int len range round",
        structural="""
            ascii bin callable chr dir format hasattr hash hex id isinstance issubclass object oct ord print repr str type
        """,
        refused={
            "the object that it finds by name is not tracked; write the variable or attribute itself": "delattr globals locals memoryview",
            "bytes are not numbers": "bytearray bytes",
            "it runs source that is not known at compile time": "compile eval exec",
            "it talks to a person or to the system": "breakpoint copyright credits exit help input license open quit",
            "coroutines are not compiled": "aiter anext",
        },
    ),
)

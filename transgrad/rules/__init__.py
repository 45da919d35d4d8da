"""The table of derivative rules, by family: one definition per rule, used by the compiler in reverse and forward mode and by the tape.

A rule is plain mathematics: it runs on arrays, on IR values (inside a `Builder`) and on Tensors. The driver un-broadcasts and casts.
For complex numbers the pairing of cotangent and tangent is the plain product, without a conjugate, so that
holomorphic rules read like real ones: a cotangent is the conjugate of the gradient, and the driver conjugates the seed and the
result. A real argument's cotangent is the real part of its entry, and a real result's tangent the real part of its tangent.
"""
import sys
import types
from typing import TYPE_CHECKING

from . import (  # noqa: F401
    arithmetic,
    at_zero,
    builtin_reductions,
    constants,
    cumulative,
    decompositions,
    einsum,
    elementary,
    emath,
    extrema,
    fft,
    grids,
    helpers,
    histograms,
    indexing,
    joining,
    least_squares,
    linalg,
    methods,
    moments,
    nan,
    norms,
    padding,
    poly1d,
    polynomials,
    products,
    quantiles,
    random,
    reductions,
    sampling,
    second,
    sets,
    shape,
    statistics,
    writes,
)
from .registry import Rule, alias, all_rules, constant, definition, definition_of, lookup, rule, takes_lists
from .static import ZERO, NeedsType, NoDerivative
from .views import view_of

__all__ = [
    "NeedsType", "NoDerivative", "Rule", "ZERO", "alias", "all_rules", "constant", "definition", "definition_of", "lookup", "rule",
    "takes_lists", "view_of",
]

if TYPE_CHECKING:
    from .listing import RuleInfo


class _Table(types.ModuleType):
    """The package, which can be called: ``transgrad.rules()`` lists the table."""

    def __call__(self, name: str | None = None) -> list["RuleInfo"]:
        """List the entries of the rule table, of every public function or of those with a name.

        Parameters
        ----------
        name : str, optional
            ``svd``, ``np.linalg.svd`` or ``numpy.linalg.svd``.

        Returns
        -------
        list of RuleInfo
            With the attributes ``name``, ``kind``, ``how``, ``domain``, ``policy`` and ``text``.

        Examples
        --------
        >>> import transgrad as tg
        >>> [(r.name, r.how) for r in tg.rules("np.tanh")]
        [('numpy.tanh', 'elementwise')]
        """
        from .listing import find, listing
        return listing() if name is None else find(name)


sys.modules[__name__].__class__ = _Table

"""T1: the operations that no other table names, with all their derivatives."""
from __future__ import annotations

from ..collect import each
from ..derive import derivatives


@each(
    "m.narrow_copy(1, 0, 2)", "m.split_with_sizes([1, 2], 1)[1]", "m.sum_to_size(1, 3)",
    "torch.row_stack([m, n])", "m.clone().divide_(n)", "m.clone().multiply_(n)", "m.clone().subtract_(n)", "p.clone().arcsin_()", "p.clone().arccos_()",
    "v.clone().arctan_()", "v.clone().arcsinh_()", "q.clone().arccosh_()", "q.clone().acosh_()", "p.clone().arctanh_()", "v.clone().arctan2_(u)",
    "v.clone().ldexp_(u)", "v.clone().fix_()", "v.clone().le_(u)", "v.clone().ne_(u)", "v.clone().not_equal_(0)",
    "v.clone().greater_equal_(u)", "torch.nn.functional.pad(m, (1, 1))",
)
def the_rest(torch, text):
    return derivatives(torch, text)

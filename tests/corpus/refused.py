"""What the compiler does not take of the corpus, and says so: case and modes, with the reason.  Everything else has to be right."""
from __future__ import annotations

_REVERSE = ("primal", "reverse", "reverse_over_reverse")

#: case → the modes in which it is refused
REFUSED: dict[str, tuple[str, ...]] = {
    # which of two arrays a name refers to is decided by data, and one of them is written to
    "numpy_traps-view_or_copy_view": _REVERSE,
    "numpy_traps-view_or_copy_copy": _REVERSE,
    "numpy_traps-written_in_one_branch_only": (*_REVERSE, "forward_over_reverse"),
    # dict.setdefault of a differentiated value
    "functions-keyword_dict": ("primal", "reverse"),
    # second derivatives of gradients that hand out parts of one array, or keep structures of structures
    "classes-attribute_of_passed_object": ("reverse_over_reverse",),
    "numpy_manner-shape_functions": ("reverse_over_reverse",),
    "numpy_manner-noncontiguous": ("reverse_over_reverse",),
    "numpy_traps-views_of_views": ("reverse_over_reverse",),
    "numpy_traps-gaussian_elimination": ("reverse_over_reverse",),
    "broadcast_cotangents-attr": ("reverse_over_reverse",),
    "odd_arrays-views_of_views_written": ("reverse_over_reverse",),
    "odd_arrays-pingpong": ("reverse_over_reverse",),
    "odd_arrays-tensor_ops": ("reverse_over_reverse",),
    "odd_arrays-item_index": ("reverse_over_reverse",),
    "odd_containers-dict_comp_items": ("reverse_over_reverse", "forward_over_reverse"),
    "odd_control-with_view": ("reverse_over_reverse",),
}

#: case → the modes in which the derivative stops with an error at run time: a defect, but not a wrong number
STOPS: dict[str, tuple[str, ...]] = {
    # the cotangent of a list that grows is added to one of another length
    "containers-grouped": ("reverse_over_reverse",),
}

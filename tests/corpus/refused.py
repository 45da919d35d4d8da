"""What the compiler does not take of the corpus, and says so: case and modes, with the reason.  Everything else has to be right."""
from __future__ import annotations

#: case → the modes in which it is refused
REFUSED: dict[str, tuple[str, ...]] = {
    # second derivatives in reverse mode of gradients that keep attributes of objects, or hand out parts of structures of structures
    "classes-attribute_of_passed_object": ("reverse_over_reverse",),
    "broadcast_cotangents-attr": ("reverse_over_reverse",),
    "containers-nested_comprehension": ("reverse_over_reverse",),
    "numpy_traps-views_of_views": ("reverse_over_reverse",),
    "odd_containers-dict_comp_items": ("reverse_over_reverse", "forward_over_reverse"),
    # … of gradients that hand containers of shadows to functions and write to them
    "odd_references-argument_list_grows": ("reverse_over_reverse",),
    "idioms-setdefault_lists": ("reverse_over_reverse",),
}

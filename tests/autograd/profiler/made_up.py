"""A profile made up by hand, the same in any library that has torch's FunctionEvent."""
from __future__ import annotations

from types import ModuleType
from typing import Any

EVENTS: list[dict[str, Any]] = [
    {"id": 1, "name": "step", "thread": 1, "start_us": 0.0, "end_us": 500.0, "scope": 7, "is_user_annotation": True},
    {"id": 2, "name": "aten::mul", "thread": 1, "start_us": 10.0, "end_us": 110.5, "input_shapes": [[2, 3], [3]], "sequence_nr": 1,
     "cpu_memory_usage": 2048, "stack": ["/somewhere/deep/down/in/the/files/of/a/user/who/likes/folders/program.py(12): forward", "b.py(3): main"]},
    {"id": 3, "name": "aten::to", "thread": 1, "start_us": 20.0, "end_us": 30.0, "input_shapes": [[2]], "stack": ["c.py(1): f"]},
    {"id": 4, "name": "aten::mul", "thread": 1, "start_us": 120.0, "end_us": 131.0, "input_shapes": [[7], []], "sequence_nr": 2},
    {"id": 5, "name": "MulBackward0", "thread": 2, "start_us": 200.0, "end_us": 1300.25, "scope": 1, "fwd_thread": 1, "sequence_nr": 1,
     "cpu_memory_usage": -64},
    {"id": 6, "name": "aten::sum", "thread": 2, "start_us": 300.0, "end_us": 400.0, "input_shapes": [[2, 3]], "cpu_memory_usage": 5_000_000},
    {"id": 7, "name": "aten::sum", "thread": 2, "start_us": 310.0, "end_us": 390.0, "input_shapes": [[2, 3]]},
    {"id": 8, "name": "a name that is longer than the column of names will ever be", "thread": 2, "start_us": 2000.0, "end_us": 2_500_000.0},
]


def calls(library: ModuleType, *, stacks: bool = False, flops: bool = False) -> list[Any]:
    """The events as `library` has them."""
    events = []
    for given in EVENTS:
        fields = {"input_shapes": None, "stack": [], **given, "flops": 1234 * given["id"] if flops and "sequence_nr" in given else 0}
        events.append(library.FunctionEvent(**(fields if stacks else fields | {"stack": []})))
    return events

"""The documentation page of PyTorch compatibility, from the cases: every row, function, option and example, its test and its state."""
from __future__ import annotations

from collections.abc import Iterable, Iterator

from .collect import Case, all_cases, expected_failures
from .surface import ROWS, Entry, entries, find, row_of

HEAD = """# PyTorch compatibility

`transgrad.autograd` has the semantics of `torch.autograd`, and `import transgrad as torch` runs programs that use the names below. Each line stands for tests that
run the same code on transgrad and on PyTorch 2.13. They compare values, dtypes, flags, `grad_fn` names, version counters, strides of gradients, the order of hooks, and the classes and
main words of errors. Where PyTorch is not installed, recorded results are compared. `pytest tests/conformance -k "NAME"` runs a test by its name.
"""
OURS = "Names that PyTorch 2.13 no longer has are tested against its documentation."
#: each difference, with the cases that show it
DIFFERENCES: dict[str, tuple[str, ...]] = {
    "A complex tangent of a real tensor is refused. PyTorch's behavior depends on the operation.":
        ("rows.t07_forward::a_complex_tangent_of_a_real_tensor",),
    "The tangents of `x.mul_(x)` and of `triangular_solve` on a full matrix are correct. PyTorch uses overwritten values for the first, and the ignored "
    "triangle for the second.":
        ("rows.t07_forward::a_dual_multiplied_by_itself_in_place", "rows.t07_forward::a_triangular_system_in_a_full_matrix"),
    "The gradient of a sparse Tensor is sparse and has its pattern, and that of a dense Tensor is dense. In PyTorch the gradients through `S.sum()` and "
    "`S @ D` are dense, that through a product of sparse Tensors has another pattern, and that of a dense factor is sparse.":
        ("rows.t15_sparse::gradients_of_what_is_not_stored[S.sum()]", "rows.t15_sparse::gradients_of_what_is_not_stored[(S @ D.t()).sum()]",
         "rows.t15_sparse::gradients_of_what_is_not_stored[torch.sparse.sum(S @ S.t())]", "rows.t15_sparse::gradient_of_a_dense_factor"),
    "More gradients than outputs are refused. PyTorch ignores the surplus.":
        ("rows.t02_odd::what_is_no_gradient[[torch.ones(2), None]]", "rows.t02_odd::what_is_no_gradient[(torch.ones(2), torch.ones(2))]"),
    "The derivative of a pseudo-inverse is refused if nonzero singular values are cut off. PyTorch uses a formula that assumes constant rank.":
        ("rows.t01_uses::odd_arguments[torch.linalg.pinv(a, atol=1.9)]",),
}
#: what is accepted here, and an error in PyTorch
MORE = """transgrad accepts some programs that PyTorch refuses, and differs in details that the tests do not compare:

- A list of numbers may be assigned (`x[:] = [1, 2]`). NumPy functions and keywords work on Tensors (`np.sin(x)`, `axis=`). A dtype equals NumPy's dtype of the same name and has its attributes (`x.dtype.kind`), and may be given as `'float32'` or `np.float32`. `from_numpy` shares memory with
  arrays that have negative strides. Dual levels nest.
- `conj()` of a complex Tensor is a copy, and `is_conj()` is False. The parts of `unsafe_split` are copies.
- `logical_and_()` and similar operations on a Tensor that requires grad send zeros back.
- Orthogonal polynomials of `torch.special`, `airy_ai` and `spherical_bessel_j0` have derivatives, and `//` has derivative zero. In PyTorch these results do not require grad.
- A hook on a view runs also if its base was written to before. Such a view may be written to whether or not its `grad_fn` has been read.
- `index_put_` with a repeated index sends the gradient to the value that was stored last. PyTorch sends it to each of them.
- NumPy functions on Tensors emit NumPy's floating-point warnings, as `np.errstate` says. Functions of torch do not.
- Losses and grid functions have second derivatives and forward mode where PyTorch's have none.
- Convolutions, activations and common losses are one node of the graph, as in PyTorch. Normalization, pooling, attention, resampling and other losses are several.
- Dual levels belong to the thread that entered them. PyTorch has one level for each process.
- The profiler records operations under PyTorch's names, but not all operations inside an operation."""


def page() -> str:
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    cases, failing = all_cases(), expected_failures()
    yield HEAD
    yield f"Of {len(cases)} cases, {len(cases) - len(failing)} agree with PyTorch and {len(failing)} differ. {OURS}\n"
    yield "## Differences\n"
    for text, ids in DIFFERENCES.items():
        yield f"- {text} ({', '.join(f'`{name}`' for name in dict.fromkeys(i.split('[')[0].split('.')[-1] for i in ids))})"
    yield f"\n{MORE}\n"
    yield "## Areas\n"
    yield "| area | | cases | result |"
    yield "|---|---|---|---|"
    for row, title in [*ROWS.items(), ("examples", "Documented examples"), ("programs", "Programs"), ("rows", "Other names")]:
        mine = [c for c in cases if row_of(c) == row]
        yield f"| {row if row in ROWS else ''} | {title} | {len(mine)} | {_state(mine, failing)} |"
    for row, title in ROWS.items():
        yield f"\n## {row} {title}\n"
        yield from _surface(row, cases, failing)


def _surface(row: str, cases: list[Case], failing: set[str]) -> Iterator[str]:
    yield "| function, option or attribute | cases | example | result |"
    yield "|---|---|---|---|"
    for entry in entries(row):
        found = find(cases, entry)
        yield f"| `{_title(entry)}` | {len(found)} | {_name(found[0]) if found else ''} | {_state(found, failing)} |"


def _title(entry: Entry) -> str:
    return f"{entry.name}({entry.option.rstrip('*')}=)" if entry.option else entry.name


def _name(case: Case) -> str:
    return f"`{case.module.split('.')[-1]}::{case.function.__name__}`"


def _state(cases: Iterable[Case], failing: set[str]) -> str:
    found = list(cases)
    bad = sum(c.id in failing for c in found)
    return "no test" if not found else "same" if not bad else f"{bad} of {len(found)} differ" if len(found) > 1 else "differs"

"""Writes docs/torch-compatibility.md from the cases: every row, function, option and documented example, its test and its state."""
from __future__ import annotations

from collections.abc import Iterable, Iterator

from .collect import Case, all_cases, expected_failures
from .surface import ROWS, Entry, entries, find, row_of

HEAD = """# Compatibility with PyTorch

`transgrad.autograd` has the semantics of `torch.autograd`, and `import transgrad as torch` runs programs on the surface listed here.
Each line below stands for tests that run the same lines on transgrad and on PyTorch 2.13 and compare values, dtypes, flags, `grad_fn` names, versions,
strides of gradients, orders of hooks, kinds of errors and the distinctive words of their messages. Where PyTorch is not installed, what it showed is on record.

*This page is written by `make texts` from the tests. A test is run by its name: `pytest tests/conformance -k "NAME"`.*
"""
OURS = "Names that PyTorch 2.13 no longer has are tested against the documents."
#: what is different, and why; the cases that show it
DIFFERENCES: dict[str, tuple[str, ...]] = {
    "A complex tangent of a real tensor is refused. PyTorch carries it through some formulas, takes the real part in others, and raises in the rest.":
        ("rows.t07_forward::a_complex_tangent_of_a_real_tensor",),
    "The tangents of `x.mul_(x)` and of `triangular_solve` on a full matrix are the derivatives. PyTorch's use what has been overwritten, and the other "
    "half of the matrix.":
        ("rows.t07_forward::a_dual_multiplied_by_itself_in_place", "rows.t07_forward::a_triangular_system_in_a_full_matrix"),
    "The gradient of a sparse Tensor is sparse and stored at its own places, that of a dense one is dense. PyTorch's gradient through `S.sum()` and "
    "`S @ D` is dense, that through a product of two sparse ones is stored elsewhere too, and that of a dense factor is sparse.":
        ("rows.t15_sparse::gradients_of_what_is_not_stored[S.sum()]", "rows.t15_sparse::gradients_of_what_is_not_stored[(S @ D.t()).sum()]",
         "rows.t15_sparse::gradients_of_what_is_not_stored[torch.sparse.sum(S @ S.t())]", "rows.t15_sparse::gradient_of_a_dense_factor"),
    "More gradients than outputs are refused. PyTorch takes no notice of the surplus.":
        ("rows.t02_odd::what_is_no_gradient[[torch.ones(2), None]]", "rows.t02_odd::what_is_no_gradient[(torch.ones(2), torch.ones(2))]"),
    "The derivative of a pseudo-inverse is refused where singular values that are not 0 are left out. PyTorch's formula holds where the rank "
    "stays what it is, and its gradient is not the slope there.":
        ("rows.t01_uses::odd_arguments[torch.linalg.pinv(a, atol=1.9)]",),
}
#: what is accepted here, and an error there
MORE = """Beside these, some things that PyTorch refuses are accepted: a list of numbers may be assigned (`x[:] = [1, 2]`), NumPy's functions and
keywords are understood (`np.sin(x)`, `axis=`), a dtype is equal to NumPy's of the same name and has its attributes (`x.dtype.kind`), a dtype may be given in any way that NumPy takes one (`'float32'`, `np.float32`), an array whose
elements lie backwards shares its memory (`from_numpy(a[::-1])`), dual levels nest, and inside a rule of one's own NumPy's arithmetic holds (`1 - mask`).
`conj()` of a complex tensor is a copy, not a view whose conjugation is put off, and `is_conj()` is False. `logical_and_()` and its kin, written into a tensor that requires grad, send zeros back; PyTorch leaves the history as if nothing had been written. Orthogonal polynomials of `torch.special`, `airy_ai`,
`spherical_bessel_j0` and `//` (zeros) have derivatives, where PyTorch's results require no grad. The parts of `unsafe_split` are copies. A hook that is registered on a
view after its base was written to is run, and such a view may be written to whether or not its `grad_fn` has been asked for: PyTorch loses the
hook, or ends with a segmentation fault, and refuses the write until `grad_fn` has been read. `index_put_` with a place named twice sends the
gradient to the value that stayed there; PyTorch sends it to both. NumPy's functions on Tensors (`np.log(x)`)
warn of divisions by zero, overflow and the like as on arrays, where `np.errstate` lets them; torch's never do. The gradient of
`ctc_loss` is the slope for any numbers; PyTorch's is one where they are logarithms of softmaxes. Losses and grids have second derivatives and
forward mode where PyTorch's have none. What PyTorch computes in one node is one here as
well where it is a convolution, an activation, or a loss of squares, classes or log-odds; normalization, pools, attention, resampling and other losses
are several. Pools, resampling and group normalization of images whose channels are last have them in rows.
Dual levels belong to the thread that entered them, so that threads can use forward mode at once; PyTorch has one level in a process. A profiler
hears of the operations that users call by PyTorch's names, and of the nodes; what an operation runs inside, and memory that is filled, has events of
its own in PyTorch's way only in part."""


def page() -> str:
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    cases, failing = all_cases(), expected_failures()
    yield HEAD
    yield f"{len(cases)} cases: {len(cases) - len(failing)} show what PyTorch shows, {len(failing)} differ. {OURS}\n"
    yield "## Differences\n"
    for text, ids in DIFFERENCES.items():
        yield f"- {text} ({', '.join(f'`{name}`' for name in dict.fromkeys(i.split('[')[0].split('.')[-1] for i in ids))})"
    yield f"\n{MORE}\n"
    yield "## Rows\n"
    yield "| row | | cases | state |"
    yield "|---|---|---|---|"
    for row, title in [*ROWS.items(), ("examples", "Documented examples"), ("programs", "Programs"), ("rows", "The least surface")]:
        mine = [c for c in cases if row_of(c) == row]
        yield f"| {row if row in ROWS else ''} | {title} | {len(mine)} | {_state(mine, failing)} |"
    for row, title in ROWS.items():
        yield f"\n## {row} {title}\n"
        yield from _surface(row, cases, failing)
        yield from _facts([c for c in cases if row_of(c) == row], failing)
    yield "\n## Documented examples\n"
    yield "| example | test | state |"
    yield "|---|---|---|"
    for case in (c for c in cases if row_of(c) == "examples"):
        yield f"| {case.summary} | {_name(case)} | {_state([case], failing)} |"
    yield "\n## Programs\n"
    yield from _facts([c for c in cases if row_of(c) in ("programs", "rows")], failing)


def _surface(row: str, cases: list[Case], failing: set[str]) -> Iterator[str]:
    yield "| function, option or attribute | cases | for instance | state |"
    yield "|---|---|---|---|"
    for entry in entries(row):
        found = find(cases, entry)
        yield f"| `{_title(entry)}` | {len(found)} | {_name(found[0]) if found else ''} | {_state(found, failing)} |"


def _title(entry: Entry) -> str:
    return f"{entry.name}({entry.option.rstrip('*')}=)" if entry.option else entry.name


def _facts(cases: list[Case], failing: set[str]) -> Iterator[str]:
    """What each function of cases shows; those over a table of expressions in one line."""
    yield ""
    for function in dict.fromkeys(c.function for c in cases):
        mine = [c for c in cases if c.function is function]
        state = "" if _state(mine, failing) == "same" else f" — {_state(mine, failing)}"
        count = f" ({len(mine)} expressions)" if mine[0].text is not None else ""
        yield f"- {_fact(mine[0])}{count}: {_name(mine[0])}{state}"


def _fact(case: Case) -> str:
    first = (case.function.__doc__ or "").strip().splitlines()
    text = first[0].rstrip(".") if first else case.function.__name__.replace("_", " ")
    return text[0].upper() + text[1:]


def _name(case: Case) -> str:
    return f"`{case.module.split('.')[-1]}::{case.function.__name__}`"


def _state(cases: Iterable[Case], failing: set[str]) -> str:
    found = list(cases)
    bad = sum(c.id in failing for c in found)
    return "no test" if not found else "same" if not bad else f"{bad} of {len(found)} differ" if len(found) > 1 else "differs"

"""The pipelines: every pass that rewrites a whole function, in order.

`manager` explains how they run. `prepare`, `simplify`, `lower_to_numpy` and `lower_to_numba` are the entry points.
"""
from __future__ import annotations

from ..ir.ops import Function
from .ad.residuals.checkpoint import checkpoint_loops, save_lists
from .ad.residuals.merge_lists import merge_saved_lists
from .algebra.bitmask_select import select_by_bitmasks
from .algebra.constant_multiples import combine_constant_multiples
from .algebra.contraction import contract_sums, sum_rows_first
from .algebra.cross_products import cross_by_helper
from .algebra.einsum_to_matmul import lower_einsum_to_matmul
from .algebra.full_masks import slice_full_masks
from .algebra.gather_adjoint import scatter_gathered_adjoints
from .algebra.identities import apply_identities
from .algebra.linear_solves import cancel_linear_solves, invert_triangular_factors
from .algebra.logaddexp_derivative import differentiate_logaddexp
from .algebra.logsumexp_shift import cancel_logsumexp_shift
from .algebra.powers_of_two import combine_powers_of_two
from .algebra.scalar_broadcast import broadcast_scalars
from .algebra.strength_reduction import multiply_powers
from .algebra.symmetric_sums import share_symmetric_sums
from .algebra.triangular_products import multiply_triangular_matrices
from .canonicalize.functionalize_updates import functionalize_updates
from .canonicalize.inline_derivatives import inline_derivatives
from .canonicalize.lower_unpacking import lower_unpacking
from .canonicalize.norm_powers import differentiate_norm_powers, expand_kinks
from .canonicalize.numpy_arithmetic import may_raise, use_numpy_arithmetic
from .canonicalize.primal_licm import hoist_primal_invariants
from .canonicalize.real_powers import use_real_powers
from .canonicalize.symbolic_shapes import name_symbolic_lengths
from .canonicalize.write_through import write_through
from .loops.distribution import distribute_loops
from .loops.reverse_loops import hoist_array_views, sink_loop_reductions, vectorize_derivatives
from .loops.scalar_promotion import promote_scalars
from .manager import Each, IfChanged, Pipeline, Property, With, analysis, provide, run
from .memory.add_to_store import store_first_additions
from .memory.adjoint_forwarding import forward_adjoints
from .memory.arrays_as_lists import keep_arrays_as_lists
from .memory.buffer_reuse import reuse_buffers
from .memory.in_place_accumulation import accumulate_in_place
from .memory.merge_slice_adds import merge_slice_additions
from .memory.preallocate import preallocate_arrays
from .memory.product_destination import multiply_into_destination
from .memory.rows_as_lists import keep_rows_as_lists
from .memory.stack_rows import stack_rows
from .memory.store_to_load_forwarding import forward_stores_to_loads
from .memory.zero_init_elision import elide_zero_initialization
from .scalarize.values import has_effects, replace_numpy_scalars, scalarize_rows, scalarize_small_arrays
from .simplify.copies import elide_copies
from .simplify.cse import eliminate_common_subexpressions
from .simplify.dce import eliminate_dead_code
from .simplify.direct_calls import lower_direct_calls
from .simplify.fold import fold, fold_and_release, rebuild_index_tuples, release_boundaries, use_operand_shapes
from .simplify.licm import hoist_invariants
from .simplify.shape_checks import move_shape_checks, move_shape_checks_only
from .simplify.shapes import read_shapes_from_operands
from .switches import is_on
from .vectorize.accumulate_outer import accumulate_products
from .vectorize.contiguous_parts import specialize_contiguous_parts
from .vectorize.slice_pushdown import push_slices_down
from .vectorize.slp_vectorize import pack_contiguous_parts
from .vectorize.vectorize_loops import vectorize_loops

__all__ = ["ARITHMETIC", "ARITHMETIC_HALVES", "ARITHMETIC_ONCE", "BACKWARD_HALF", "CANONICALIZE", "CANONICALIZE_HALVES", "CUT",
           "FINISH", "FORWARD", "FORWARD_OF_CALLEE", "LOWER_FUNCTIONAL", "LOWER_NUMPY", "LOWER_NUMPY_HALVES",
           "LOWER_NUMPY_WITH_EFFECTS", "NORMALIZE", "REVERSE", "REVERSE_HALVES", "REVERSE_OF_CALLEE", "SIMPLIFY",
           "SIMPLIFY_HESSIAN_PRODUCT", "finish", "lower_numba", "lower_to_library", "lower_to_numba", "lower_to_numpy",
           "normalize", "pipelines", "prepare", "simplify", "simplify_hessian_product"]


_FOLD = IfChanged(fold, (eliminate_dead_code,))


def _canonicalize(may_raise: bool) -> Pipeline:
    """The passes before differentiation; ``may_raise`` allows scalar arithmetic that raises where NumPy's does not."""
    return (
        _FOLD,
        With(scalarize_small_arrays, {"risky": may_raise}),
        functionalize_updates,
        hoist_primal_invariants,
        specialize_contiguous_parts,
        forward_stores_to_loads,
        pack_contiguous_parts,
        push_slices_down,
        vectorize_loops,
        distribute_loops,
        IfChanged(scalarize_rows, (hoist_primal_invariants,), {"risky": may_raise}),
    )


#: Before differentiation: a computation that is not needed, or has a cheaper form, need not be differentiated.
CANONICALIZE = _canonicalize(may_raise=True)
#: The same for a function that is split into a forward and a backward half: the backward half cannot be run again after an exception.
CANONICALIZE_HALVES = _canonicalize(may_raise=False)

#: After the front end, for the function and each one that it calls.
NORMALIZE: Pipeline = (
    Each((lower_unpacking, write_through)),
)

#: Before the derivative of a function that another one calls: the caller has been canonicalized with it.
FORWARD_OF_CALLEE: Pipeline = (
    inline_derivatives,
    differentiate_norm_powers,
)
#: Directly before reverse mode; `checkpoint_loops` serves checkpointed loops.
CUT: Pipeline = (
    name_symbolic_lengths,
    checkpoint_loops,
)
REVERSE_OF_CALLEE: Pipeline = (*FORWARD_OF_CALLEE, *CUT)

#: Before the derivative of a function. Where memory that is shared through a call stands against the reverse mode, calls are inlined
#: between `FORWARD` and `CUT`.
FORWARD: Pipeline = (*FORWARD_OF_CALLEE, *CANONICALIZE)
REVERSE: Pipeline = (*FORWARD, *CUT)
REVERSE_HALVES: Pipeline = (*FORWARD_OF_CALLEE, *CANONICALIZE_HALVES, *CUT)
#: After the backward half of a pullback, which may be called any number of times, has been generated.
BACKWARD_HALF: Pipeline = (Each((save_lists,)),)

#: After differentiation, batching, and whenever IR has been generated.
SIMPLIFY: Pipeline = (
    fold_and_release,
    use_operand_shapes,
    apply_identities,
    broadcast_scalars,
    combine_constant_multiples,
    eliminate_common_subexpressions,
    IfChanged(share_symmetric_sums, (apply_identities,)),
    combine_powers_of_two,
    cancel_linear_solves,
    cancel_logsumexp_shift,
    scatter_gathered_adjoints,
    elide_copies,
    stack_rows,
    read_shapes_from_operands,
    eliminate_dead_code,
    IfChanged(multiply_powers, (eliminate_common_subexpressions,)),
    differentiate_logaddexp,
    rebuild_index_tuples,
)

#: After the forward derivative of a gradient.
SIMPLIFY_HESSIAN_PRODUCT: Pipeline = (*SIMPLIFY, merge_slice_additions)

#: The arithmetic on Python numbers of finished functions that are called as a whole, of halves, and of functions that cannot run again.
ARITHMETIC: Pipeline = (use_real_powers,)
ARITHMETIC_HALVES: Pipeline = (With(use_real_powers, {"checked": True}),)
ARITHMETIC_ONCE: Pipeline = (*ARITHMETIC_HALVES, use_numpy_arithmetic)

#: Before source code for any back end is generated.
FINISH: Pipeline = (Each((expand_kinks, release_boundaries)),)

#: Before NumPy source code is generated: the function is not differentiated or batched again.
LOWER_NUMPY_HALVES: Pipeline = (
    hoist_invariants,
    promote_scalars,
    accumulate_products,
    vectorize_derivatives,
    sink_loop_reductions,
    merge_saved_lists,
    Each((
        invert_triangular_factors,
        multiply_triangular_matrices,
        select_by_bitmasks,
        contract_sums,
        lower_einsum_to_matmul,
        slice_full_masks,
        cross_by_helper,
        multiply_into_destination,
    )),
    elide_zero_initialization,
    forward_adjoints,
    Each((move_shape_checks,)),
    keep_rows_as_lists,
    accumulate_in_place,
    store_first_additions,
    reuse_buffers,
    preallocate_arrays,
    hoist_array_views,
    lower_direct_calls,
)
#: The same for a function that is called as a whole, instead of as half of a pullback.
LOWER_NUMPY_WITH_EFFECTS: Pipeline = (With(replace_numpy_scalars, {"risky": False}), *LOWER_NUMPY_HALVES)
#: The same for one without effects: it can be run again from its start after an exception.
LOWER_NUMPY: Pipeline = (With(replace_numpy_scalars, {"risky": True}), keep_arrays_as_lists, *LOWER_NUMPY_HALVES)

#: Before source for arrays of another library is generated: nothing is computed in place, and no buffer is reused.
LOWER_FUNCTIONAL: Pipeline = (
    eliminate_dead_code,
    hoist_invariants,
    merge_saved_lists,
    Each((lower_einsum_to_matmul,)),
)


def lower_numba(kernels: dict[str, Function], parallel: bool = False) -> Pipeline:
    """The passes before source code for Numba is generated, for one function of a module.

    Loops that are fused become functions in ``kernels``, shared by the module; ``parallel`` runs them on several threads.
    """
    # imported here to keep the start-up time of the NumPy back end
    from .numba.calls import rewrite_calls
    from .numba.concatenation import join_lists
    from .numba.contractions import write_contractions
    from .numba.integer_overflow import limit_integers
    from .numba.loop_fusion import fuse_loops
    from .numba.lower_loops import index_loops
    from .numba.reciprocals import divide_once
    from .numba.triangular_solves import solve_with_factors
    from .numba.undefined_values import fill_in
    return (
        fill_in,
        solve_with_factors,
        join_lists,
        sum_rows_first,
        write_contractions,
        index_loops,
        With(promote_scalars, {"native": True}),
        With(fuse_loops, {"kernels": kernels, "parallel": parallel}),
        divide_once,
        rewrite_calls,
        limit_integers,
        eliminate_dead_code,
        move_shape_checks_only,
    )


def pipelines() -> dict[str, Pipeline]:
    """The pipelines by name, in the order in which a derivative goes through them."""
    return {
        "after the front end": NORMALIZE,
        "before differentiation; of callees, the first two": FORWARD,
        "directly before reverse mode": CUT,
        "simplify": SIMPLIFY,
        "simplify a Hessian-vector product": SIMPLIFY_HESSIAN_PRODUCT[len(SIMPLIFY):],
        "after the backward half of a pullback": BACKWARD_HALF,
        "finish": FINISH,
        "lower to NumPy source": LOWER_NUMPY,
        "choose the arithmetic on Python numbers": ARITHMETIC,
        "choose the arithmetic on Python numbers, for functions that cannot run again": ARITHMETIC_ONCE,
        "lower to source for other array libraries": LOWER_FUNCTIONAL,
        "lower to Numba": lower_numba({}),
    }


def normalize(fn: Function) -> None:
    """Run the passes after the front end."""
    run(NORMALIZE, fn)


def prepare(fn: Function, steps: Pipeline = CANONICALIZE) -> None:
    """Run the passes before differentiation.

    Parameters
    ----------
    fn : Function
        Rewritten in place.
    steps : Pipeline
        `CANONICALIZE`, or a pipeline that includes it.
    """
    run(steps if is_on("simplify") else tuple(step for step in steps if step is not _FOLD), fn)


def simplify(fn: Function) -> None:
    """Run the passes after IR has been generated."""
    if is_on("simplify"):
        run(SIMPLIFY, fn)


def simplify_hessian_product(fn: Function) -> None:
    """Run the passes after the forward derivative of a gradient has been generated."""
    if is_on("simplify"):
        run(SIMPLIFY_HESSIAN_PRODUCT, fn)


def finish(fn: Function) -> None:
    """Run the passes before source code for any back end is generated."""
    run(FINISH, fn, Property.FINAL)


def lower_to_numpy(fn: Function, *, whole: bool) -> bool:
    """Run the passes before NumPy source code is generated.

    Parameters
    ----------
    fn : Function
        Rewritten in place.
    whole : bool
        Whether the function is all that is called: it is neither half of a pullback nor part of a larger computation.

    Returns
    -------
    bool
        Whether its arithmetic on Python numbers may raise where NumPy's does not, so that the caller has to run another form of it then.
    """
    steps = LOWER_NUMPY_HALVES
    if whole:
        steps = LOWER_NUMPY_WITH_EFFECTS if analysis(has_effects, fn) else LOWER_NUMPY
    run(steps, fn, Property.FINAL)
    once = not is_on("numbers") or has_effects(fn)
    run(ARITHMETIC_ONCE if once else ARITHMETIC if whole else ARITHMETIC_HALVES, fn, Property.FINAL)
    raises = not once and may_raise(fn)
    if whole and (raises or fn.attrs.real_powers and not once):
        fn.attrs.floats = True
    return raises


def lower_to_library(fn: Function) -> None:
    """Run the passes before source for arrays of another library than NumPy is generated."""
    run(LOWER_FUNCTIONAL, fn, Property.FINAL)


def lower_to_numba(fn: Function, kernels: dict[str, Function], parallel: bool) -> None:
    """Run the passes before source code for Numba is generated; see `lower_numba`."""
    run(lower_numba(kernels, parallel), fn, Property.FINAL)


provide(simplify=SIMPLIFY, forward_of_callee=FORWARD_OF_CALLEE, reverse_of_callee=REVERSE_OF_CALLEE)

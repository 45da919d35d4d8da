"""Numerical beside analytical derivatives: whole Jacobians, or one random projection of each."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..tensor import wrap
from .analytical import by_backward, by_forward
from .arrays import Array, differentiable
from .case import Case, Options
from .errors import FAST_ONLY, GradcheckError, mismatch
from .numerical import Direction, along, unit_directions

__all__ = ["compare"]

Table = list[list[Array]]
"""For each source, for each target, a matrix with a row for each direction of the source."""


def compare(case: Case, options: Options) -> None:
    """Raise `GradcheckError` where the derivatives of the function differ."""
    if not case.targets:
        _expect_constant(case, options)
    elif options.fast_mode:
        _compare_projections(case, options)
    else:
        _compare_jacobians(case, options)


def _compare_jacobians(case: Case, options: Options) -> None:
    directions = [unit_directions(x.numel()) for _, x in case.sources]
    numerical = _numerical(case, directions, options)
    analytical = _analytical(case, directions, options)
    for t in range(len(case.targets)):
        for s in range(len(case.sources)):
            if not np.allclose(analytical[s][t], numerical[s][t], options.rtol, options.atol):
                raise GradcheckError(_message(case, t, s, numerical[s][t], analytical[s][t]))


def _compare_projections(case: Case, options: Options) -> None:
    """As far as u J v tells, with random vectors of positive numbers: one pair for each input and output."""
    random = np.random.default_rng(0)       # of our own: the user's numbers stay as they are
    pairs = [(_unit(random, x.numel()), _unit(random, x.numel())) for _, x in case.sources]
    vectors = [_unit(random, y.numel()) for _, y in case.targets]
    numerical = _numerical(case, [[pair] for pair in pairs], options)
    if case.forward:
        analytical = _analytical(case, [[pair] for pair in pairs], options)
    else:
        numerical = [[ju @ v for ju, v in zip(row, vectors)] for row in numerical]
        columns = [by_backward(y, [x for _, x in case.sources], [v], options.nondet_tol, options.check_grad_dtypes)
                   for (_, y), v in zip(case.targets, vectors)]
        analytical = [[_project(columns[t][s], pair) for t in range(len(vectors))] for s, pair in enumerate(pairs)]
    for s, (x, pair) in enumerate(zip((x for _, x in case.sources), pairs)):
        for t, v in enumerate(vectors):
            weight = (pair[0].sum() + (pair[1].sum() if x.is_complex() else 0.0)) * (1.0 if case.forward else v.sum())
            if not np.allclose(analytical[s][t], numerical[s][t], options.rtol, options.atol * weight):
                raise GradcheckError(_message(case, t, s, numerical[s][t], analytical[s][t]) + _whole(case, t, s, options))


def _unit(random: np.random.Generator, size: int) -> Array:
    v = random.random(size)
    return v / (np.linalg.norm(v) or 1.0)


def _project(column: Array, pair: Direction) -> Array:
    """The product of a direction and a gradient; the parts of a complex one have directions of their own."""
    if not np.iscomplexobj(column):
        return pair[0] @ column
    projected: Array = pair[0] @ column.real + 1j * (pair[1] @ column.imag)
    return projected


def _numerical(case: Case, directions: Sequence[Sequence[Direction]], options: Options) -> Table:
    table = []
    for (place, x), steps in zip(case.sources, directions):
        rows = [along(case.func, case.inputs, place, step, options.eps) for step in steps]
        table.append([_matrix([row[o] for row in rows], y.numel(), x.is_complex() and not case.forward) for o, y in case.targets])
    return table


def _analytical(case: Case, directions: Sequence[Sequence[Direction]], options: Options) -> Table:
    if not case.forward:
        sources = [x for _, x in case.sources]
        columns = [by_backward(y, sources, np.eye(y.numel()), options.nondet_tol, options.check_grad_dtypes) for _, y in case.targets]
        return [[column[s] for column in columns] for s in range(len(sources))]
    kept = [k for k, o in enumerate(o for o, y in enumerate(case.returned) if differentiable(y)) if case.returned[o].requires_grad]
    table = []
    for (place, _), steps in zip(case.sources, directions):
        rows = [by_forward(case.func, case.inputs, place, step[0], options.check_grad_dtypes) for step in steps]
        table.append([_matrix([row[k] for row in rows], y.numel(), False) for k, (_, y) in zip(kept, case.targets)])
    return table


def _matrix(rows: Sequence[Array], width: int, is_complex: bool) -> Array:
    return np.stack(rows) if rows else np.zeros((0, width), complex if is_complex else float)


def _expect_constant(case: Case, options: Options) -> None:
    """What depends on nothing must not change."""
    for place, x in case.sources:
        for direction in unit_directions(x.numel()):
            if any(np.any(change != 0) for change in along(case.func, case.inputs, place, direction, options.eps)):
                raise GradcheckError("Numerical gradient for function expected to be zero")


def _message(case: Case, t: int, s: int, numerical: Array, analytical: Array) -> str:
    part = case.part if (s if case.forward else t) in case.parts else None
    return mismatch(_shown(numerical), _shown(analytical), t, s, forward=case.forward, part=part)


def _shown(values: Array) -> Any:
    return values.item() if values.size == 1 and values.ndim < 2 else wrap(values)


def _whole(case: Case, t: int, s: int, options: Options) -> str:
    """The two Jacobians that a failed projection is of."""
    directions = [unit_directions(x.numel()) for _, x in case.sources]
    numerical = _numerical(case, directions, options)[s][t]
    analytical = _analytical(case, directions, options)[s][t]
    hint = FAST_ONLY if np.allclose(analytical, numerical, options.rtol, options.atol) else ""
    return (f"\nThe numbers above are projections of the numerical and analytical jacobians (fast mode). In slow mode these are:\n\n"
            f"Numerical:\n {wrap(numerical)}\nAnalytical:\n{wrap(analytical)}\n\n"
            f"The max per-element difference (slow mode) is: {np.abs(numerical - analytical).max()}.\n{hint}")

"""What provides each of the `services`. Imports are inside functions for start-up time: a provider is loaded on its first use."""
from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from . import services

__all__ = ["connect"]


def connect() -> None:
    """Provide all services; called once, when the package is imported."""
    _provide(services.lookup_rule, "rules.registry", "lookup")
    _provide(services.on_python_numbers, "rules.scalar", "scalar_expression")
    _provide(services.scalar_form, "rules.scalar", "scalar_form")
    _provide(services.reverse_of, "passes.entry_points", "reverse")
    _provide(services.tangent_of_call, "passes.ad.forward.invoke", "jvp_of")
    _provide(services.eliminate_dead_code, "passes.simplify.dce", "eliminate_dead_code")
    _provide(services.prepare_callee, "passes.canonicalize.lower_unpacking", "lower_unpacking")
    _provide(services.check_meanwhile, "passes.analysis.pullback_hazards", "check_meanwhile")
    _provide(services.check_untracked, "passes.analysis.untracked_values", "check_untracked")
    _provide(services.gradient, "api", "grad")
    _provide(services.forward_jacobian, "api", "jacfwd")
    services.install_calls.provide(_installer)
    _provide(services.compare_first_use, "comparison.first_use", "compare_first")
    _provide(services.compact_html, "view.compact", "compact")
    _provide(services.explanation_html, "view.pictures", "explanation_html")
    _provide(services.pattern_svg, "view.pictures", "pattern_svg")
    _provide(services.view_page, "view", "view")
    _provide(services.tape_call, "bridge.region", "call")
    _provide(services.tape_checked_call, "bridge.region", "checked")
    _provide(services.tape_run, "bridge.calls", "run")
    _provide(services.tape_split, "bridge.calls", "split")
    _provide(services.tape_linear, "bridge.calls", "linear")
    _provide(services.observe_calls, "bridge.observe", "observing")
    _provide(services.detect_anomaly, "autograd.anomaly_mode", "set_detect_anomaly")
    _provide(services.tape_vmap, "autograd.batching", "vmap")
    _provide(services.solve_on_tape, "bridge.solved", "solved")
    _provide(services.custom_vjp_on_tape, "bridge.custom_functions", "apply_vjp")
    _provide(services.custom_through_tape, "bridge.custom_functions", "through")
    _provide(services.record_primitive, "bridge.primitives", "record")
    _provide(services.custom_jvp_on_tape, "bridge.custom_functions", "apply_jvp")


def _provide(service: services.Service, module: str, name: str) -> None:
    def load() -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(import_module(f"{__package__}.{module}"), name)
        return found
    service.provide(load)


def _installer() -> Callable[[], None]:
    from . import api
    from .custom import lowering
    from .transforms.nested import functions as inside

    def install() -> None:
        inside.install(api)
        lowering.install()
    return install

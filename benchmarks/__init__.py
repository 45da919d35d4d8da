"""Measurements: emitted against hand-written derivatives, gradient over primal, compile time, determinism."""

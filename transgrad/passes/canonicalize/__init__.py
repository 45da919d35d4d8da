"""Normal forms before differentiation: inlining, named lengths, functional updates, loop-invariant code motion."""

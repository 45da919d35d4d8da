"""Memory: in-place accumulation, buffer reuse, destination passing, dead-store elimination."""

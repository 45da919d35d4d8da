"""Reports about a derivative: explanations, source, memory, notes on tracebacks, internal errors."""

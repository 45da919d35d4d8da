"""Placeholder."""
def invoke_lifted(ctx, func, bound, node): raise NotImplementedError

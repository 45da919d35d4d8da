"""Placeholder."""
def match(ctx, node): raise NotImplementedError

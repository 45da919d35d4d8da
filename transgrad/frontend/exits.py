"""Placeholder."""
def try_statement(ctx, node): raise NotImplementedError
def try_star(ctx, node): raise NotImplementedError
def with_statement(ctx, node): raise NotImplementedError

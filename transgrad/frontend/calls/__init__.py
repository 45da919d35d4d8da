"""Lowering of calls: binding, inlining, invocation, and the calls that have lowerings of their own."""

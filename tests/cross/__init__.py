"""Generated cross product of user programs.

A program is an *atom* (one call, operator, method, builtin, protocol or control-flow form) whose operands arrive in one of many
ways (alone, in a container, starred, by keyword, …), in one of many kinds (Python float, float32, complex, strided, size 0, …),
inside one of many *frames* (a loop, a branch, a helper, a generator, …).  Each program is source text, so that a failure prints as
a stand-alone script.  Each is differentiated by several transformations and compared with finite differences: value, structure,
shape, dtype, and the state left behind.
"""

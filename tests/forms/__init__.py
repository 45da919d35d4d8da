"""The forms of functions: every case of the rule table (keywords and shapes) with its operands as other kinds of numbers.

``python -m tests.forms`` runs the product of all cases, operands and modes; `test_forms` a fixed sample. The oracle is finite differences
with an error estimate. A derivative is right, or refused by a documented error, or raises what the function itself raises; its value is
that of the function in structure, shape and dtype, and a gradient has the shape and dtype of its argument.
"""

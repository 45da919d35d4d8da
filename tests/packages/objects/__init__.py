"""Object-oriented code of published packages, unmodified: environments, filters, calculators, equations of state, event loops.

``python -m tests.packages.objects`` differentiates each program, compares it with finite differences and prints what compiles. The packages
are those of the optional extra ``objects``; programs of packages that are not installed are left out.
"""

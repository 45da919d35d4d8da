"""Mutation testing of the compiler: breaks one rule or pass at a time and reports the mutants that no test notices.

Each mutant is one edit of one file of transgrad (a term dropped, a sign flipped, an alias forgotten, a type widened, a guard
skipped, a condition negated).  It runs the tests that execute the changed line, as recorded by coverage contexts, in a copy of
the source, and stops at the first failure.  ``python -m tests.mutation --count 100``.
"""

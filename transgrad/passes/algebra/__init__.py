"""Algebraic simplification: identities of arithmetic and of linear algebra, contractions, strength reduction."""

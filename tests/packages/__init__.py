"""Functions of published packages that know nothing of automatic differentiation."""

"""Small arrays as scalars: of single values, and of whole functions."""

"""The abstract domain: abstract values, their joins, aliases and escapes, and the state outside of the function."""

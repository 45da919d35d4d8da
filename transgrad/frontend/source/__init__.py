"""The source of a function: find it, parse it, and check that the code object was compiled from it."""

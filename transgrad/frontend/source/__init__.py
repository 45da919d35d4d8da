"""The source of a function: find it, parse it, and check that it is what the code object was compiled from."""

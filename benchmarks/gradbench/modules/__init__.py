"""The modules of GradBench, one file each: the function in a natural spelling, and its derivatives from the public API.

Each file has ``functions(backend)``, which returns the functions that an eval may ask for, by name.
"""

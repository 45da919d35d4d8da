"""Models of library classes: containers of the standard library, arrays of other libraries, objects of SciPy."""

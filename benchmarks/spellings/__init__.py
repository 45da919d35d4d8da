"""Natural spellings of the same functions: how much the speed of a derivative depends on the way a function is written."""

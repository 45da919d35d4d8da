"""Specialization: static arguments, the types of arguments, and the limit on how much is compiled."""

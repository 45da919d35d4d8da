"""Derivatives with respect to instances: gradients of the class of the argument, in every mode."""

"""What torch has as one operation and NumPy lacks: plain functions of arrays, each with its rule in the one table.

A parameter that is called ``self``, ``other``, ``dim`` … here is called so by torch too, in what a node shows as saved.
"""

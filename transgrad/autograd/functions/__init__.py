"""What torch has as one operation and NumPy lacks: plain functions of arrays, each with its rule in the one table.

A parameter that is called ``self``, ``other``, ``dim`` … here has the same name in torch, among the saved attributes of a node.
"""

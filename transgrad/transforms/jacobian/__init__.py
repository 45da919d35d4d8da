"""Jacobians and Hessians."""

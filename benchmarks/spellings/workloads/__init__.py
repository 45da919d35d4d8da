"""The workloads, one in each module."""

"""One workload a file; `benchmarks.workload` says what stands in it."""

"""Benchmarks: `pytest bench --benchmark-only`; see docs/benchmarks.md."""

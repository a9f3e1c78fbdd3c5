"""Benchmarks for your own data and model."""

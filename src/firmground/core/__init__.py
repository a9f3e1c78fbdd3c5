"""Frozen data types and pure functions."""

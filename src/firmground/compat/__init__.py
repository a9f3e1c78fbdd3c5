"""Formats and verifiers of predecessor systems; no check uses them unless it is asked to."""

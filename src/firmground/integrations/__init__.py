"""Integrations with test runners, agents, frameworks and telemetry: one module and extra each."""

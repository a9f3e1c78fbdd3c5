"""The built-in hooks, one file for each external system."""

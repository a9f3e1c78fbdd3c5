"""Settings from TOML and the environment, read once."""

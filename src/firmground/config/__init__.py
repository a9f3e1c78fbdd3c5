"""Which settings are we using? TOML and the environment, read once at the door."""

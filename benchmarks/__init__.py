"""Every figure firmground states, printed by a command. Speed is a ratio within one run."""

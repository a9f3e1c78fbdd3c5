"""The nouns, frozen, and the arithmetic, pure."""

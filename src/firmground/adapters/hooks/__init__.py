"""The hooks that come with firmground: one file for each thing in the world."""

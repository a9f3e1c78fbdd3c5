"""Can we prove it later? Formats, proofs and the log that keeps every run."""

"""The ledger: formats, proofs and the log that keeps every run."""

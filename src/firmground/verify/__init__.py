"""Where each claim stands on the evidence."""

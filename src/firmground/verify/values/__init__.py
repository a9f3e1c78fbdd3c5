"""Values read out of text: what a number, a date or a time of day is, however it is written."""

"""One file or folder per outside thing; each implements a port."""

"""Run the command line as ``python -m firmground``."""

from firmground.cli.main import main

main()

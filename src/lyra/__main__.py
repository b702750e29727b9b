"""`python -m lyra` is the command line."""

from lyra.cli.main import main

main()

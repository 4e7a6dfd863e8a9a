"""`python -m crag`."""

from crag.cli import main

main()

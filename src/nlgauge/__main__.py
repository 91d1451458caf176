"""`python -m nlgauge` is the nlgauge command."""

from nlgauge.cli import main

main()

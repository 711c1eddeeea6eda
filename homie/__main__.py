"""`python -m homie` is `homie`."""

from homie.cli.main import main

main()

"""`python -m homie` is `homie`."""

import os
import sys

# Python puts the current folder first, where a file such as yaml.py would hide a package; `homie` has it not there. Of
# a checkout it stays first: Homie's own packages are in it.
if not sys.flags.safe_path and os.path.realpath(sys.path[0]) != os.path.dirname(os.path.dirname(__file__)):
    sys.path.append(sys.path.pop(0))

from homie.cli.main import main

main()

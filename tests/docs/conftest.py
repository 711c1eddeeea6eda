"""The docs are run against the stand-ins that the tests of planners have: a chat server and tiny models."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "planners"))

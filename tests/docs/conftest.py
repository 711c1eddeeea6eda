"""The docs are run against the stand-ins that the tests of planners have: a chat server and tiny models, and run
folders of the tests of benches."""

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parents[1] / name) for name in ("planners", "bench")]

"""`python -m robot_server TARGET --listen ADDRESS`, or `python PATH/TO/robot_server TARGET --listen ADDRESS`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
if "robot_server" not in sys.modules:  # started by its path: make it importable, and nothing that lies beside it
    sys.path[:] = [place for place in sys.path if Path(place).resolve() != HERE]
    sys.path.insert(0, "")  # as `python -m` does
    spec = importlib.util.spec_from_file_location(
        "robot_server", HERE / "__init__.py", submodule_search_locations=[str(HERE)]
    )
    assert spec is not None and spec.loader is not None
    sys.modules["robot_server"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["robot_server"])

try:
    from robot_server.command import main
except ModuleNotFoundError as missing:
    sys.stderr.write(
        f"{sys.executable} has no {missing.name}: install it with `{sys.executable} -m pip install numpy msgpack`.\n"
    )
    sys.exit(2)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

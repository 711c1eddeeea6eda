"""The command `python -m robot_server`: find a robot, listen, serve.

It prints `ready ADDRESS` on stdout when clients can connect; everything else goes to stderr. Exit code 2 for a wrong
argument, with one sentence.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import importlib.util
import json
import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from robot_server.robot import WrongInput
from robot_server.serving import Server, listen, listening, tell
from robot_server.wire import UNIX

TOKEN_VARIABLE = "HOMIE_ROBOT_TOKEN"
"""The environment variable with the token of a server on TCP."""
NAMED = {
    "robosuite": "robot_server.worlds.robosuite_arm:RobosuiteArm",
    "habitat": "robot_server.worlds.habitat_fetch:HabitatFetch",
}
"""Robots that come with this package, by name."""


def main(arguments: Sequence[str]) -> int:
    """Serve until SIGTERM, Ctrl-C, or, if requested, the end of stdin. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="robot_server", description="Serve a robot to Homie.")
    parser.add_argument("robot", help="FILE.py:CLASS, MODULE:CLASS or a name, and :ARGUMENT behind it")
    parser.add_argument("--listen", default="tcp://127.0.0.1:0", help="unix:PATH or tcp://127.0.0.1:PORT")
    parser.add_argument("--token-env", default=TOKEN_VARIABLE, help="the environment variable with the token")
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of `ready ADDRESS`")
    parser.add_argument("--until-stdin-ends", action="store_true", help="end when stdin is closed")
    options = parser.parse_args(arguments)
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a simulator prints must not hide the address
    signal.signal(signal.SIGTERM, _stop)
    try:
        listener, address = listen(options.listen)
        with listening(listener, address), contextlib.closing(find(options.robot)) as robot:
            if options.until_stdin_ends:
                threading.Thread(target=_end_with_stdin, daemon=True).start()
            server = Server(robot, listener, token_for(address, options.token_env, tell), tell)
            about = json.dumps({"url": address, "robot": options.robot})
            output.write(f"{about}\n" if options.json else f"ready {address}\n")
            output.flush()
            server.serve()
    except WrongInput as error:
        tell(str(error))
        return 2
    except KeyboardInterrupt:
        return 0
    return 0


def find(text: str) -> Any:
    """Create the robot of FILE.py:CLASS:ARGUMENT, MODULE:CLASS:ARGUMENT or NAME:ARGUMENT. Raises WrongInput."""
    place, _, rest = text.partition(":")
    if place in NAMED:
        (place, _, attribute), argument = NAMED[place].partition(":"), rest
    else:
        attribute, _, argument = rest.partition(":")
    if not attribute:
        raise WrongInput(f"'{text}' names no robot: give FILE.py:CLASS, MODULE:CLASS or one of {', '.join(NAMED)}.")
    module = _module(place)
    try:
        make = functools.reduce(getattr, attribute.split("."), module)
    except AttributeError:
        raise WrongInput(f"{place} has no '{attribute}'.") from None
    return make(argument)


def _module(place: str) -> Any:
    if not place.endswith(".py"):
        try:
            return importlib.import_module(place)
        except ModuleNotFoundError as error:
            raise WrongInput(f"There is no module '{error.name}' in this Python ({sys.executable}).") from error
    path = Path(place).resolve()
    if not path.is_file():
        raise WrongInput(f"There is no file {place}.")
    sys.path.insert(0, str(path.parent))  # as for a script
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def token_for(address: str, variable: str, tell: Callable[[str], None]) -> str:
    """Return the token of a server on TCP: that of the environment, or a new one, which is logged. A Unix socket needs
    none: only this user can access it."""
    token = os.environ.get(variable, "").strip()
    if address.startswith(UNIX):
        return ""
    if not token:
        token = secrets.token_hex(24)
        tell(f"Clients need the token: export {variable}={token}")
    return token


def _stop(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _end_with_stdin() -> None:
    """End this process when the process that started it ends, in whatever way."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(5.0)
    os._exit(0)  # the robot hangs in a request

"""`homie serve robot`: a robot behind the robot protocol, for `--robot remote:URL` of another process."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from homie.cli.output import print_json, tell
from homie.cli.parameters import settings
from homie.envs.remote.environments import ENVIRONMENTS, python_for
from homie.envs.remote.process import replace_this_process
from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.options import OpenOptions
from homie.runtime.assembly import open_robot

Option = typer.Option


def robot(
    robot: Annotated[
        str,
        typer.Argument(help="As of `homie run` (`franka:pick`), FILE.py:CLASS, or of `homie env` (`robosuite:Stack`)."),
    ],
    python: Annotated[
        str, Option(help="The Python that serves it: then the robot is FILE.py:CLASS or MODULE:CLASS there.")
    ] = "",
    listen: Annotated[
        str, Option(help="Where clients connect: unix:PATH, or tcp://127.0.0.1:PORT (0 for a free one).")
    ] = "tcp://127.0.0.1:8767",
    token_env: Annotated[
        str, Option(help="The environment variable with the token of clients on TCP; without one it is made and shown.")
    ] = "HOMIE_ROBOT_TOKEN",
    robot_option: Annotated[
        list[str] | None, Option(help="A setting of the robot; may be repeated.", metavar="NAME=VALUE")
    ] = None,
    seed: Annotated[int, Option(help="The scene that it opens with.", min=0)] = 0,
    scene: Annotated[Path | None, Option(help="A scene spec (JSON) instead of a generated one.")] = None,
    picture_size: Annotated[str | None, Option(help="Size of the pictures: 320 or 640x480.")] = None,
    json: Annotated[bool, Option("--json", help="Print one JSON object on stdout when it is ready.")] = False,
) -> None:
    """Serve a robot to `--robot remote:URL` in another process, until Ctrl-C."""
    if python or ".py:" in robot or robot.partition(":")[0] in ENVIRONMENTS:
        if robot_option or scene or picture_size or seed:
            raise BadInput(
                f"'{robot}' is made of its argument: leave out --robot-option, --seed, --scene and --picture-size."
            )
        replace_this_process(python or python_for(robot), robot, listen, token_env, json=json)
    values = settings({"robot_settings": robot_option})
    options = OpenOptions.build(robot=robot, seed=seed, scene=scene, picture_size=picture_size, **values)

    def ready(url: str) -> None:
        tell(f"The robot is at {url}; use it with --robot remote:{url}. Ctrl-C ends it.")
        if json:
            print_json({"url": url, "robot": robot})

    serve = registry.load("services", "robot")
    serve(lambda: open_robot(options), listen, token_env, ready=ready, tell=tell)
    tell("The robot server has ended.")

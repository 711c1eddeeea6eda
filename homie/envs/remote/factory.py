"""Factories of remote robots. `--robot remote:URL`: a running robot server. `--robot remote:TARGET`, `habitat:CONFIG`:
a server that is started for the run."""

from __future__ import annotations

import contextlib
import os

from pydantic import BaseModel, ConfigDict, Field

from homie.envs.remote.environments import python_for
from homie.envs.remote.link import Link
from homie.envs.remote.process import ServerProcess
from homie.envs.remote.robot import RemoteRobot, connect
from homie.kernel.errors import BadInput
from homie.kernel.options import Seed
from homie.kernel.robot_factory import Opening
from robot_server.command import TOKEN_VARIABLE
from robot_server.wire import TCP, UNIX


class RemoteSettings(BaseModel):
    """Settings for connecting to or starting a robot server, with timeouts in seconds of wall-clock time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: Seed = 0
    python: str = Field(
        "", description="The Python that a server is started with (default: Homie's own, or that of `homie env`)."
    )
    token_env: str = Field(TOKEN_VARIABLE, description="The environment variable with the token of a server at tcp://.")
    start_seconds: float = Field(120.0, gt=0.0, description="For the start of a server.")
    connect_seconds: float = Field(10.0, gt=0.0, description="For the connection.")
    reply_seconds: float = Field(30.0, gt=0.0, description="For an answer; a server that takes longer is given up.")
    reset_seconds: float = Field(180.0, gt=0.0, description="For the start of an episode.")


def open_robot(argument: str, settings: RemoteSettings) -> RemoteRobot:
    """Open the robot of `--robot remote:ARGUMENT`.

    Raises:
        BadInput: The address, the token, the target or the description of the robot is wrong.
        MissingPart: The environment of the robot is not installed.
        InfrastructureError: There is no robot server, or it does not start.
    """
    if not argument:
        raise BadInput(
            "Which robot server? Give --robot remote:unix:PATH, remote:tcp://HOST:PORT, or what to start, as"
            " remote:FILE.py:CLASS."
        )
    with contextlib.ExitStack() as stack:
        url, process = argument, None
        if not argument.startswith((UNIX, TCP)):
            process = ServerProcess(settings.python or python_for(argument), argument, settings.start_seconds)
            stack.callback(process.close)
            url = process.url
        elif settings.python:
            raise BadInput(f"The robot server at {argument} runs already: leave out the setting `python`.")
        link = Link(
            url,
            token="" if process else os.environ.get(settings.token_env, "").strip(),
            connect_seconds=settings.connect_seconds,
            reply_seconds=settings.reply_seconds,
            process=process,
        )
        stack.callback(link.close)
        robot = connect(link, settings.seed, settings.reset_seconds)
        robot.reset(seed=settings.seed)
        stack.pop_all()
        return robot


def open_habitat_robot(argument: str, settings: RemoteSettings) -> RemoteRobot:
    """Open the robot of `--robot habitat:CONFIG`. Raises as `open_robot`."""
    if not argument:
        raise BadInput("Which task of Habitat? Give the path of its configuration: --robot habitat:CONFIG.")
    return open_robot(f"habitat:{argument}", settings)


open_habitat = Opening(RemoteSettings, open_habitat_robot, "A rearrangement task of Habitat: `habitat:CONFIG`.")
"""Factory of the robot of a Habitat configuration, in a process of the Python that has Habitat."""
open_remote = Opening(
    RemoteSettings,
    open_robot,
    "A robot in another process and another Python: `remote:URL`, or `remote:FILE.py:CLASS`.",
)
"""Factory of the robot behind a robot server."""

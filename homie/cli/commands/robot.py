"""`homie robot`: profiles of ROS 2 robots."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from homie.cli.output import columns, print_json, save, say, tell
from homie.kernel import registry
from homie.kernel.errors import InfrastructureError

Option = typer.Option


def profile(
    urdf: Annotated[Path, typer.Argument(help="The URDF of the robot (not a xacro file).")],
    out: Annotated[Path | None, Option(help="Write the profile into this file instead of printing it.")] = None,
) -> None:
    """Make a first profile from a URDF: joints, limits, the chain to the hand; the names of topics are guesses."""
    text = registry.load("ros", "profile")(urdf)
    if out is None:
        say(text, end="")
    else:
        save(out, text.encode())


def check(
    profile: Annotated[str, typer.Argument(help="`fetch`, `franka` or a YAML file.")],
    seconds: Annotated[float, Option(help="How long to listen.", min=0.5, max=60.0)] = 3.0,
    transport: Annotated[str, Option(help="`rclpy`, `dds`, or `auto`: rclpy where a ROS 2 is sourced.")] = "auto",
    json: Annotated[bool, Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Listen to the robot and show which topics, actions and frames of a profile are there, with rates and ages."""
    read = registry.load("ros", "read-profile")(profile)
    with registry.load("ros", "node")("/homie_check", transport) as node:
        tell(f"Listening for {seconds:g} s on the ROS 2 network ...")
        findings = registry.load("ros", "check")(node, read, seconds)
    if json:
        print_json({"profile": read.name, "findings": [dataclasses.asdict(finding) for finding in findings]})
    else:
        say(columns([("PART", "NAME", "RATE", "AGE", "STATE"), *map(_row, findings)]))
    missing = sum(bool(finding.problem) for finding in findings)
    if missing:
        raise InfrastructureError(
            f"{missing} of {len(findings)} parts of the profile {read.name} are not there as it says: compare it with "
            "`ros2 topic list`, ROS_DOMAIN_ID and the clock of the robot."
        )


def _row(finding: object) -> tuple[str, ...]:
    rate, age = getattr(finding, "rate", None), getattr(finding, "age", None)
    shown = ("" if rate is None else f"{rate:.1f} Hz", "" if age is None else f"{1000 * age:.0f} ms")
    return (getattr(finding, "part", ""), getattr(finding, "name", ""), *shown, getattr(finding, "problem", "") or "ok")


robot_command = {"profile": profile, "check": check}

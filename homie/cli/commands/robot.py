"""`homie robot`: profiles of ROS 2 robots."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from homie.cli.output import columns, print_json, save, say, tell
from homie.kernel import registry
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.interfaces import Replay
from homie.kernel.support.text import format_count

Option = typer.Option
SECONDS = 10.0
"""Age from which on it is shown in seconds; such an age is of another clock."""


def profile(
    urdf: Annotated[Path, typer.Argument(help="The URDF of the robot (not a xacro file).")],
    out: Annotated[Path | None, Option(help="Write the profile into this file instead of printing it.")] = None,
    effector: Annotated[
        str, Option(help="The link that stands for the hand, best the point between the fingers.", metavar="LINK")
    ] = "",
    base: Annotated[
        str, Option(help="The link whose frame heights count from, on the floor if it drives.", metavar="LINK")
    ] = "",
) -> None:
    """Make a first profile from a URDF: joints, limits, the chain to the hand; the names of topics are guesses."""
    text = registry.load("ros", "profile")(urdf, effector=effector, base=base)
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
    robot_profile = registry.load("ros", "read-profile")(profile)
    with registry.load("ros", "node")("/homie_check", transport) as node:
        tell(f"Listening for {seconds:g} s on the ROS 2 network over {node.transport} ...")
        findings = registry.load("ros", "check")(node, robot_profile, seconds)
    missing = sum(bool(finding.problem) for finding in findings)
    sentence = (
        f"{missing} of {len(findings)} parts of the profile {robot_profile.name} are not there as it says: compare "
        "it with `ros2 topic list`, ROS_DOMAIN_ID and the clock of the robot."
    )
    if json:
        result = {"profile": robot_profile.name, "findings": [dataclasses.asdict(finding) for finding in findings]}
        print_json({**result, "error": sentence, "exit_code": InfrastructureError.exit_code} if missing else result)
        if missing:
            raise typer.Exit(InfrastructureError.exit_code)
        return
    say(columns([("PART", "NAME", "RATE", "AGE", "STATE"), *map(_row, findings)]))
    if missing:
        raise InfrastructureError(sentence)


def guard(
    profile: Annotated[str, typer.Argument(help="`fetch`, `franka` or a YAML file.")],
    arm_robot: Annotated[
        bool, Option("--arm-robot", help="Let the robot move. Without it every command is refused.")
    ] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would be sent, send nothing.")] = False,
    approve: Annotated[str, Option(help="`none`, or `subtask`: a person lets each subtask begin.")] = "none",
    silence: Annotated[
        float | None,
        Option(
            help="Stop a moving robot when the agent is silent for so many seconds (default: 0.2).", min=0.1, max=2.0
        ),
    ] = None,
    of_run: Annotated[
        int | None, Option(hidden=True, help="Of the guard that a run starts: the process with which it ends.")
    ] = None,
    socket: Annotated[Path | None, Option(help="Where to listen for the agent, if not at the usual place.")] = None,
    transport: Annotated[str, Option(help="`rclpy`, `dds`, or `auto`: rclpy where a ROS 2 is sourced.")] = "auto",
) -> None:
    """Stand between agent and robot: check every command, stop the robot when the agent is silent or a person says so.

    Ctrl-C stops the robot and ends the guard.
    """
    if approve not in ("none", "subtask"):
        raise BadInput(f"--approve is none or subtask, not '{approve}'.")
    run = registry.load("ros", "guard")

    def ready(path: str, over: str) -> None:
        state = "dry run" if dry_run else "ARMED" if arm_robot else "not armed: nothing moves"
        tell(f"Guarding {profile} over {over} ({state}), listening at {path}")

    run(
        profile,
        armed=arm_robot or dry_run,
        dry_run=dry_run,
        approval=approve,
        silence=silence,
        run=of_run,
        path=socket,
        transport=transport,
        tell=tell,
        ready=ready,
    )


def record(
    profile: Annotated[str, typer.Argument(help="`fetch`, `franka` or a YAML file.")],
    out: Annotated[Path, Option(help="The folder of the new bag.")],
    seconds: Annotated[float | None, Option(help="For how long; without it until Ctrl-C.", min=0.5)] = None,
    transport: Annotated[str, Option(help="`rclpy`, `dds`, or `auto`: rclpy where a ROS 2 is sourced.")] = "auto",
) -> None:
    """Record the topics of a profile and the transforms as a rosbag2 (MCAP) that ROS 2 and Foxglove open.

    It only listens: robot, guard and agent are as they were. A kill costs the last second at most.
    """

    def ready(count: int) -> None:
        topics = format_count(count, "topic")
        tell(f"Recording {topics} of {profile} into {out}" + ("; Ctrl-C ends it." if seconds is None else "."))

    counts = registry.load("ros", "record")(profile, out, seconds=seconds, transport=transport, ready=ready)
    say(columns([("TOPIC", "MESSAGES"), *((name, str(count)) for name, count in counts.items())]))


def episodes(
    bag: Annotated[Path, typer.Argument(help="The folder of a rosbag2, or an .mcap file.")],
    out: Annotated[Path, Option(help="The folder of recordings: a run folder for each episode is put there.")],
    profile: Annotated[str, Option(help="The robot that was recorded: `fetch`, `franka` or a YAML file.")] = "fetch",
    task: Annotated[
        str | None, Option(help="What was done, where no agent has said so: all of the bag is one demonstration of it.")
    ] = None,
    json: Annotated[bool, Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make recordings of a bag: episodes with measurements, pictures, commands and decisions, for `homie data` and
    `report`."""
    from homie.data.bags import convert_bag

    replay: Replay = registry.load("ros", "replay")(bag, profile)
    converted = convert_bag(bag, replay, f"ros:{profile}", out, task)
    for problem in replay.problems:
        tell(f"{bag}: {problem}.")
    if json:
        episodes = [{**dataclasses.asdict(episode), "run": str(episode.run)} for episode in converted]
        print_json({"episodes": episodes, "problems": list(replay.problems)})
        return
    rows = [(str(e.run), e.task, str(e.subtasks), f"{e.seconds:.1f} s", _end(e.finished)) for e in converted]
    say(columns([("RUN", "TASK", "SUBTASKS", "LENGTH", "END"), *rows]))


def _end(finished: bool) -> str:
    return "finished" if finished else "not in the bag: unfinished"


def _row(finding: object) -> tuple[str, ...]:
    rate, age = getattr(finding, "rate", None), getattr(finding, "age", None)
    age_text = "" if age is None else f"{1000 * age:.0f} ms" if abs(age) < SECONDS else f"{age:.0f} s"
    cells = ("" if rate is None else f"{rate:.1f} Hz", age_text)
    return (getattr(finding, "part", ""), getattr(finding, "name", ""), *cells, _state(finding))


def _state(finding: object) -> str:
    return getattr(finding, "problem", "") or getattr(finding, "note", "") or "ok"


robot_command = {"profile": profile, "check": check, "guard": guard, "record": record, "episodes": episodes}

"""`homie serve`: the policy of a skill set for robots on other machines; a simulated robot, or an agent, for
programs of ROS 2; a robot or a suite for agents; a planner for EMMOE's executor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from homie.cli.commands.serve_emmoe import emmoe_planner
from homie.cli.commands.serve_robot import robot
from homie.cli.output import print_json, tell
from homie.cli.parameters import Config, build, options_from, settings
from homie.kernel import registry
from homie.kernel.errors import BadInput, MissingCheckpoint
from homie.kernel.interfaces import Robot, SkillSet
from homie.kernel.options import OpenOptions
from homie.kernel.robot_factory import Opening
from homie.runtime.assembly import load_skills

Option = typer.Option


def policy(
    name: Annotated[str, typer.Argument(help="The skill set: `nomad`, `octo`, `m3`, ...")],
    checkpoint: Annotated[Path | None, Option(help="The checkpoint, as after the colon of --skills.")] = None,
    dialect: Annotated[
        Literal["homie", "openpi", "vla-eval"],
        Option(help="The protocol of the clients: Homie's, openpi's or vla-eval's."),
    ] = "homie",
    host: Annotated[
        str, Option(help="The address to listen at; any but this machine's own needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 8765,
    token_env: Annotated[
        str, Option(help="The environment variable that holds the token which clients must bring.")
    ] = "HOMIE_POLICY_TOKEN",
    skill_option: Annotated[
        list[str] | None, Option(help="A setting of the skill set; may be repeated.", metavar="SET.NAME=VALUE")
    ] = None,
    idle_seconds: Annotated[float, Option(help="End a session that asks nothing for so long.", min=1.0)] = 600.0,
    sessions: Annotated[int, Option(help="How many clients at a time.", min=1)] = 16,
    debug: Annotated[bool, Option("--debug", help="Tell clients the tracebacks of unexpected errors.")] = False,
    json: Annotated[bool, Option("--json", help="Print one JSON object on stdout when it is ready.")] = False,
) -> None:
    """Serve the policy of a skill set to robots on other machines until Ctrl-C."""
    serve = registry.load("services", "policy")
    values = settings({"planner_settings": None, "skill_settings": skill_option})
    argument = "" if checkpoint is None else str(checkpoint)
    if "," in name + argument:
        raise BadInput(
            f"One skill set is served, and its checkpoint has no comma in its path (got '{name} {argument}')."
        )

    def load() -> SkillSet:
        try:
            (skill_set,) = load_skills(f"{name}:{argument}", values.get("skill_settings"), fallback=False).sets.values()
        except MissingCheckpoint as error:
            raise MissingCheckpoint(
                f"The skill set '{name}' has no checkpoint: give what would follow the colon of `--skills {name}:...`"
                " as `--checkpoint PATH`."
            ) from error
        assert isinstance(skill_set, SkillSet)
        return skill_set

    def ready(url: str, skill_set: SkillSet) -> None:
        use = f"use it with --skills remote:{url}" if dialect == "homie" else f"it speaks the dialect of {dialect}"
        tell(f"The policy of {skill_set.name} is at {url}; {use}. Ctrl-C ends it.")
        if json:
            print_json({"url": url, "policy": name, "about": skill_set.describe()})

    serve(
        name,
        load,
        dialect=None if dialect == "homie" else registry.load("dialects", dialect),
        host=host,
        port=port,
        token_env=token_env,
        idle_seconds=idle_seconds,
        sessions=sessions,
        debug=debug,
        ready=ready,
        tell=tell,
    )
    tell("The policy server has ended.")


def ros(
    robot: Annotated[str, Option(help="The simulated robot: `mujoco`, `franka`, `franka:FAMILY`.")] = "mujoco",
    seed: Annotated[int, Option(help="The house or table, as of `homie run`.", min=0)] = 0,
    scene: Annotated[Path | None, Option(help="A scene spec (JSON) instead of a generated one.")] = None,
    profile: Annotated[str, Option(help="The names on the network: `fetch`, `franka` or a YAML file.")] = "",
    robot_option: Annotated[
        list[str] | None,
        Option(help="A setting of the robot, as `body=FILE.yaml`; may be repeated.", metavar="NAME=VALUE"),
    ] = None,
    camera: Annotated[str, Option(help="The camera of the robot that it shows; by default its eye.")] = "",
    camera_rate: Annotated[float, Option(help="Pictures a second; 0 for none.", min=0.0, max=60.0)] = 5.0,
    picture_size: Annotated[str | None, Option(help="Size of the pictures: 320 or 640x480.")] = None,
    rehearsal: Annotated[
        bool, Option("--rehearsal", help="As a real robot: with its cameras alone, and armed by nobody but you.")
    ] = False,
    speed: Annotated[
        float, Option(help="Its seconds in one of this machine, if the profile has `use_sim_time`.", min=0.1, max=10.0)
    ] = 1.0,
    transport: Annotated[str, Option(help="`rclpy`, `dds`, or `auto`: rclpy where a ROS 2 is sourced.")] = "auto",
) -> None:
    """Play a simulated robot on a ROS 2 network, with the topics and actions of a profile, until Ctrl-C."""
    # Another process opens the scene again (`ros_bridge.robot.twin`), from another folder perhaps.
    place = None if scene is None else scene.resolve()
    values = settings({"robot_settings": robot_option})
    file_settings = {name: _whole_path(value) for name, value in values.get("robot_settings", {}).items()}
    options = OpenOptions.build(
        robot=robot, seed=seed, scene=place, picture_size=picture_size, robot_settings=file_settings
    )
    kind = robot.partition(":")[0]
    opening, argument = registry.find("robots", robot)
    if not isinstance(opening, Opening) or kind == "ros":
        raise BadInput(f"The robot '{kind}' has no scene that could be served: choose mujoco or franka:FAMILY.")
    name = profile or {"mujoco": "fetch"}.get(kind, kind)

    def ready(opened: Robot, over: str) -> None:
        names = f"with the names of the profile {name}"
        tell(f"The {opened.spec.name} is on the ROS 2 network over {over} {names}; Ctrl-C ends it.")

    registry.load("services", "ros")(
        name,
        lambda options: opening(options, argument),
        options,
        camera=camera,
        camera_rate=camera_rate,
        rehearsal=rehearsal,
        speed=speed,
        transport=transport,
        ready=ready,
    )
    tell("The robot has left the network.")


def _whole_path(value: object) -> object:
    """Resolve a setting that names a file; return any other unchanged."""
    return str(Path(value).resolve()) if isinstance(value, str) and Path(value).is_file() else value


@options_from(OpenOptions)
def agent(
    transport: Annotated[
        str, Option(help="Of the instructions: `rclpy`, `dds`, or `auto`: rclpy where a ROS 2 is sourced.")
    ] = "auto",
    config: Config = None,
    **values: Any,
) -> None:
    """Carry out the instructions that programs of ROS 2 send to /homie/do, one at a time, until Ctrl-C."""
    options = build(OpenOptions, config, values)

    def ready(over: str) -> None:
        tell(f"The agent waits for instructions on /homie/do over {over}; /homie/stop stops it, Ctrl-C ends it.")

    registry.load("services", "agent")(options, transport=transport, ready=ready)
    tell("The agent has left the network.")


def mcp(
    task: Annotated[str, typer.Argument(help="What the agent is to do, if its own user does not say it.")] = "",
    transport: Annotated[
        Literal["stdio", "http"], Option(help="`stdio` for the agent that starts this command, `http` for others.")
    ] = "stdio",
    host: Annotated[str, Option(help="Where HTTP listens; any but this machine's own needs a token.")] = "127.0.0.1",
    port: Annotated[int, Option(help="The port of HTTP; 0 takes a free one.", min=0, max=65535)] = 8766,
    suite: Annotated[str, Option(help="Play the tasks of a suite, and write a run folder as `homie bench`.")] = "",
    tasks: Annotated[str | None, Option(help="Of the suite only these: ids or patterns, separated by commas.")] = None,
    trials: Annotated[int | None, Option(help="Trials per task (default: the suite's).", min=1)] = None,
    out: Annotated[Path | None, Option(help="Run folder of the suite; an unfinished one is resumed.")] = None,
    calls: Annotated[int | None, Option(help="Tool calls that a task may take (default: any).", min=1)] = None,
    robot_seconds: Annotated[
        float | None, Option(help="Seconds of the robot that a task may take (default: any).", min=0.0)
    ] = None,
    idle_seconds: Annotated[
        float, Option(help="Seconds without a call after which an agent has gone, and its task is lost.", min=0.1)
    ] = 600.0,
    robot: Annotated[str | None, Option(help="The robot, as of `homie run`.")] = None,
    robot_option: Annotated[
        list[str] | None, Option(help="A setting of the robot; may be repeated.", metavar="NAME=VALUE")
    ] = None,
    skills: Annotated[str | None, Option(help="Skill sets, separated by commas.")] = None,
    targets: Annotated[str | None, Option(help="`background` or `sensors`.")] = None,
    seed: Annotated[int, Option(help="The house or table; of a suite, from which its seeds are derived.", min=0)] = 0,
    scene: Annotated[Path | None, Option(help="A scene spec (JSON) instead of a generated one.")] = None,
    picture_size: Annotated[str | None, Option(help="Size of the pictures: 320 or 640x480.")] = None,
    arm_robot: Annotated[
        bool, Option("--arm-robot", help="Let an agent move a real robot; its user approves each motion.")
    ] = False,
    json: Annotated[
        bool, Option("--json", help="With HTTP, print one JSON object on stdout when it is ready.")
    ] = False,
) -> None:
    """Let an agent drive a robot by tool calls (Model Context Protocol), until it leaves or Ctrl-C."""
    if suite and (scene or task):
        raise BadInput("A suite has tasks and scenes of its own: leave out --scene and the task, or --suite.")
    if not suite and (tasks or trials or out or calls or robot_seconds):
        raise BadInput("--tasks, --trials, --out, --calls and --robot-seconds are of a suite: add --suite NAME.")
    values = {
        **settings({"robot_settings": robot_option}),
        "robot": robot,
        "skills": skills,
        "targets": targets,
        "seed": seed,
        "picture_size": picture_size,
        **({"tasks": tasks, "trials": trials, "out": out} if suite else {"scene": scene}),
    }

    def ready(url: str, token: str) -> None:
        if not url:
            tell("The robot is ready for the agent that has started this command.")
            return
        tell(f"The robot is at {url}; clients send the header `Authorization: Bearer {token}`. Ctrl-C ends it.")
        if json:
            print_json({"url": url, "token": token})

    serve = registry.load("services", "mcp")
    serve(
        suite,
        {name: value for name, value in values.items() if value is not None},
        task=task,
        transport=transport,
        host=host,
        port=port,
        armed=arm_robot,
        budget=(calls, robot_seconds, idle_seconds),
        ready=ready,
    )


serve_command = {
    "policy": policy,
    "robot": robot,
    "ros": ros,
    "agent": agent,
    "mcp": mcp,
    "emmoe-planner": emmoe_planner,
}

"""`homie serve`: serves the policy of a skill set to robots on other machines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from homie.cli.output import print_json, tell
from homie.cli.parameters import settings
from homie.kernel import registry
from homie.kernel.errors import BadInput, MissingCheckpoint
from homie.kernel.interfaces import SkillSet
from homie.runtime.assembly import load_skills

Option = typer.Option


def serve_command(
    what: Annotated[str, typer.Argument(help="What to serve: `policy`.")],
    name: Annotated[str, typer.Argument(help="The skill set: `nomad`, `octo`, `m3`, ...")],
    checkpoint: Annotated[Path | None, Option(help="The checkpoint, as after the colon of --skills.")] = None,
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
    """Serve until Ctrl-C."""
    serve = registry.load("services", what)
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
        tell(f"The policy of {skill_set.name} is at {url}; use it with --skills remote:{url}. Ctrl-C ends it.")
        if json:
            print_json({"url": url, "policy": name, "about": skill_set.describe()})

    serve(
        name,
        load,
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

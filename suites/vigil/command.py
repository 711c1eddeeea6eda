"""`homie vigil`: does a planner know when it is done, and does it say so?"""

from __future__ import annotations

from typing import Any

from homie.cli.output import print_json, say, tell
from homie.cli.parameters import Config, Json, build, options_from
from homie.cli.progress import bar
from suites.vigil.frozen import choose
from suites.vigil.options import VigilOptions
from suites.vigil.play_episodes import run
from suites.vigil.table import markdown


@options_from(VigilOptions)
def vigil_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Play the frozen episodes of homie-vigil: one picture a turn, native actions, a report at the end."""
    options = build(VigilOptions, config, values)
    with bar(len(choose(options.families, options.episodes)), "episodes") as advance:
        outcome = run(options, advance)
    if json:
        print_json({"folder": str(outcome.folder), "rows": [row.model_dump(mode="json") for row in outcome.rows]})
        return
    tell(f"run folder  {outcome.folder}")
    say(markdown(outcome.rows).rstrip())

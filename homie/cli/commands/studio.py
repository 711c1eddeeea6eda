"""`homie studio` and `homie teleop`: drive and record a robot, in a browser or from the terminal."""

from __future__ import annotations

from typing import Any

from homie.cli.output import print_json, progress_console, say, tell
from homie.cli.parameters import Config, Json, build, options_from
from homie.runtime.display import ProgressDisplay
from homie.studio.options import StudioOptions, TeleopOptions


@options_from(StudioOptions)
def studio_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Watch, drive and record a robot in a browser, until Ctrl-C."""
    options = build(StudioOptions, config, values)
    from homie.studio.serving import serve_studio  # needs the packages of the studio, which help does not

    display = ProgressDisplay(progress_console())

    def address(page: str) -> None:
        if json:
            print_json({"page": page})
        else:
            say(f"Open this page (the link works once):\n  {page}")

    try:
        serve_studio(options, address=address, tell=tell, listeners=(display,))
    finally:
        display.close()


@options_from(TeleopOptions)
def teleop_command(config: Config = None, **values: Any) -> None:
    """Drive a robot from this terminal, by keys and by lines, until Ctrl-D; with --record it is recorded."""
    options = build(TeleopOptions, config, values)
    from homie.studio.teleop_terminal import run_terminal

    display = ProgressDisplay(progress_console())
    try:
        run_terminal(options, tell, (display,))
    finally:
        display.close()

"""`homie teleop`: drive a robot from the terminal, and record it."""

from __future__ import annotations

from typing import Any

from homie.cli.output import progress_console, tell
from homie.cli.parameters import Config, build, options_from
from homie.runtime.display import ProgressDisplay
from homie.studio.teleop.options import TeleopOptions
from homie.studio.teleop.terminal import run_terminal


@options_from(TeleopOptions)
def teleop_command(config: Config = None, **values: Any) -> None:
    """Drive a robot from this terminal, by keys and by lines, until Ctrl-D; with --record it is recorded."""
    options = build(TeleopOptions, config, values)
    display = ProgressDisplay(progress_console())
    try:
        run_terminal(options, tell, (display,))
    finally:
        display.close()

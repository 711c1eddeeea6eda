"""The commands that this package adds to `homie`, as its entry points `homie.commands` name them."""

from __future__ import annotations

from homie.cli.plugged import PluggedCommand

QUESTIONS = PluggedCommand(
    help="Make questions about pictures, ask a model, judge its answers. Without a robot.",
    chapter="Measure",
    target="suites.questions.command:questions_command",
    examples={
        "questions make": ("homie questions make questions --seed 1",),
        "questions ask": ("homie questions ask questions --planner chat:MODEL",),
        "questions judge": ("homie questions judge runs/asked --questions questions --judge world",),
        "questions audit": ("homie questions audit questions",),
    },
)
VIGIL = PluggedCommand(
    help="Measure whether a planner knows when it is done: episodes that end by its own report.",
    chapter="Measure",
    target="suites.vigil.command:vigil_command",
    examples={"vigil": ("homie vigil --planner expert --families PG --episodes 2",)},
)

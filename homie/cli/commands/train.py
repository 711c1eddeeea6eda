"""`homie train`: planners from data sets of `homie data`, skills from recordings."""

from __future__ import annotations

from typing import Any

from homie.cli.output import print_json, tell
from homie.cli.parameters import Config, Json, build, options_from
from homie.cli.progress import Advance, bar
from homie.kernel.support.progress import StepOver
from homie.kernel.support.text import format_count
from homie.train.hyperparameters import DetectorOptions, DpoOptions, SftOptions, SkillOptions, TrainOptions


@options_from(SftOptions)
def sft_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Fine-tune a model on conversations."""
    _train(build(SftOptions, config, values), json)


@options_from(DpoOptions)
def dpo_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Align a model with pairs of answers."""
    _train(build(DpoOptions, config, values), json)


@options_from(SkillOptions)
def skill_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Train a network of a skill set on recorded subtasks (behaviour cloning)."""
    from homie.train.skill import train_skill

    options = build(SkillOptions, config, values)
    with bar(None, "steps") as advance:
        file = train_skill(options, _shown(advance))
    if json:
        print_json({"folder": str(options.out), **file.model_dump(mode="json")})
        return
    losses = [file.losses[step] for step in sorted(file.losses)]
    tell(
        f"{options.out / file.file}  ({format_count(file.lessons, 'lesson')}, {format_count(len(losses), 'step')}, "
        f"loss {losses[0]:.3f} to {losses[-1]:.3f})"
    )


@options_from(DetectorOptions)
def detector_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Train the detector `learned` on labelled pictures, and measure it."""
    from homie.train.detector import train_detector

    options = build(DetectorOptions, config, values)
    with bar(None, "steps") as advance:
        file = train_detector(options, _shown(advance))
    if json:
        print_json({"folder": str(options.out), **file.model_dump(mode="json")})
        return
    tell(
        f"{options.out / file.file}  ({format_count(options.steps, 'step')}, mAP50 {file.scores.large:.3f} of boxes "
        f"from 16 x 16 pixels, {file.scores.every:.3f} of all)"
    )


train_command = {"sft": sft_command, "dpo": dpo_command, "skill": skill_command, "detector": detector_command}


def _shown(advance: Advance) -> StepOver:
    def over(step: int, steps: int, loss: float, *, speed: float = 0.0) -> None:
        rate = f", {speed:.0f} tokens/s" if speed else ""
        advance(f"loss {loss:.3f}{rate}", done=step, total=steps)

    return over


def _train(options: TrainOptions, json: bool) -> None:
    from homie.train.planner import train

    with bar(None, "steps") as advance:
        file = train(options, _shown(advance))
    if json:
        print_json({"folder": str(options.out), **file.model_dump(mode="json")})
        return
    losses = [file.losses[step] for step in sorted(file.losses)]
    fall = f", loss {losses[0]:.3f} to {losses[-1]:.3f}" if losses else ""
    tell(f"{options.out}  ({format_count(file.lines, 'line')}, {format_count(file.steps, 'step')}{fall})")

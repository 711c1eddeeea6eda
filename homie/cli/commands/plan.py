"""`homie plan`: one decision of a planner, from pictures in files, without a robot."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import PIL.ImageOps

from homie.cli.output import print_json, say
from homie.cli.parameters import Config, Json, build, options_from
from homie.kernel import registry
from homie.kernel.actions import Ability, action_table, listed_actions
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import SkillSet
from homie.kernel.options import PlanOptions
from homie.kernel.types import (
    VIEWS,
    CameraFrame,
    Decision,
    Detection,
    Image,
    Intrinsics,
    Observation,
    PlannerInput,
    Pose,
    Pose2,
    Proprioception,
)
from homie.runtime.assembly import load_detector, load_planner, skill_names

log = logging.getLogger("homie.cli")


@options_from(PlanOptions, positional="task")
def plan_command(
    config: Config = None,
    json: Json = False,
    **given: Any,
) -> None:
    """Ask a planner for one decision."""
    options = build(PlanOptions, config, given)
    situation = first_round(options)
    planner = load_planner(options.planner, options.planner_settings)
    # A model that is shown pictures can be told not to look (`--set images=false`); the others have no such setting.
    looks = planner.Settings is not None and "images" in planner.Settings.model_fields
    if options.image and not looks and options.detector is None:
        log.warning(
            "The planner %s does not look at pictures itself, and nothing says what is in them: give --detector.",
            options.planner,
        )
    planner.reset(options.task, seed=options.seed)
    decision = planner.decide(situation)
    if json:
        print_json({**asdict(decision), "planner": planner.describe()})
    else:
        say(report(decision))


def first_round(options: PlanOptions) -> PlannerInput:
    """What a planner would be told in the first round, as far as options can say it. Raises BadInput.

    The pictures are the views in the order of `VIEWS`; there may be fewer of them than views. A detector looks at them,
    if there is one.
    """
    views = {view: read_picture(path) for view, path in zip(VIEWS, options.image, strict=False)}
    names = [":".join(part for part in pair if part) for pair in skill_names(options.skills)]
    sets: list[type[SkillSet]] = [registry.find("skills", name)[0] for name in names]
    return PlannerInput(
        task=options.task,
        round=1,
        views=views,
        detections=_detected(views, options),
        inventory=(options.inventory,) if options.inventory else (),
        history=(),
        feedback=None,
        actions=listed_actions((), [action for one in sets for action in one.actions]),
        models=tuple(one.name for one in sets),
        abilities={one.name: Ability(one.actions, one.meant_for, one.about) for one in sets},
        arguments=action_table(one.arguments for one in sets),
    )


def _detected(views: Mapping[str, Image], options: PlanOptions) -> tuple[Detection, ...]:
    """What the detector of the options finds in pictures of which nothing is known but their colours."""
    if options.detector is None:
        return ()
    if options.detector.partition(":")[0] == "simulated":
        raise BadInput("The detector 'simulated' reads the simulator, not pictures: choose another --detector.")
    detector = load_detector(options.detector, options.detector_settings)
    frames = {
        view: CameraFrame(view, picture, None, _pinhole(picture), Pose(np.zeros(3), np.eye(3)))
        for view, picture in views.items()
    }
    body = Proprioception(Pose2(0.0, 0.0, 0.0))
    return detector.detect(Observation(0.0, body, frames))


def _pinhole(picture: Image) -> Intrinsics:
    """A camera of 60 degrees, as most are: only detectors that measure would use it, and they need depth."""
    height, width = picture.shape[:2]
    focal = width / (2 * math.tan(math.radians(30.0)))
    return Intrinsics(focal, focal, width / 2, height / 2, width, height)


def read_picture(path: Path) -> Image:
    """A picture (H, W, 3) from a file, turned as its camera was held. Raises BadInput."""
    try:
        with PIL.Image.open(path) as picture:
            return np.array(PIL.ImageOps.exif_transpose(picture).convert("RGB"), dtype=np.uint8)
    except PIL.UnidentifiedImageError as error:
        raise BadInput(f"{path} is no picture: give a PNG or JPEG file.") from error
    except (OSError, ValueError, PIL.Image.DecompressionBombError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadInput(f"Cannot read the picture {path}: {reason}.") from error


def report(decision: Decision) -> str:
    """A decision for people, one line a part."""
    lines = [
        ("problem", decision.problem),
        ("analysis", decision.analysis),
        *(("subtask", str(one)) for one in decision.subtasks),
        ("model", decision.model),
        ("read by", ", ".join(rule for one in decision.answers[-1:] for rule in one.leniencies)),
    ]
    return "\n".join(f"{name:<10}{text}" for name, text in lines if text)

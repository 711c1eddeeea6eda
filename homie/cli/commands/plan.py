"""`homie plan`: one decision of a planner, from pictures in files, without a robot."""

from __future__ import annotations

import inspect
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import PIL.ImageOps

from homie.cli.output import print_json, say
from homie.cli.parameters import Config, Json, build, options_from
from homie.kernel.actions import Ability, action_table, listed_actions
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import SkillSet
from homie.kernel.interfaces.planner import call_planner
from homie.kernel.options import PlanOptions
from homie.kernel.registry import DETECTOR, SKILL_SET, make_part, named_part
from homie.kernel.support.files import reason_of
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
from homie.runtime.assembly import load_planner, skill_names

log = logging.getLogger("homie.cli")


@options_from(PlanOptions)
def plan_command(
    config: Config = None,
    json: Json = False,
    **values: Any,
) -> None:
    """Ask a planner for one decision."""
    options = build(PlanOptions, config, values)
    situation = first_round(options)
    planner = load_planner(options.planner, options.planner_settings)
    # Planners that look at pictures have a setting to turn that off (`--set images=false`); the others have none.
    uses_pictures = planner.Settings is not None and "images" in planner.Settings.model_fields
    if options.image and not uses_pictures and options.detector is None:
        log.warning(
            "The planner %s does not look at pictures itself and needs a detector to do so: give --detector.",
            options.planner,
        )
    planner.reset(options.task, seed=options.seed)
    decision = call_planner(planner, situation)
    if json:
        print_json({**asdict(decision), "planner": planner.describe()})
    else:
        say(report(decision))


def first_round(options: PlanOptions) -> PlannerInput:
    """Build the planner input of a first round from the options.

    The pictures are the views in the order of `VIEWS`; there may be fewer pictures than views. If a detector was
    chosen, it is run on them. Raises BadInput.
    """
    views = {view: read_picture(path) for view, path in zip(VIEWS, options.image, strict=False)}
    names = [":".join(part for part in pair if part) for pair in skill_names(options.skills)]
    sets = [_skill_set(name) for name in names]
    table = action_table(skill_set.own_actions for skill_set in sets)
    return PlannerInput(
        task=options.task,
        round=1,
        views=views,
        detections=detecting(options)(views),
        inventory=(options.inventory,) if options.inventory else (),
        history=(),
        feedback=None,
        actions=listed_actions((), [action for skill_set in sets for action in skill_set.actions]),
        models=tuple(skill_set.name for skill_set in sets),
        abilities={
            skill_set.name: Ability(skill_set.actions, skill_set.meant_for, skill_set.about) for skill_set in sets
        },
        arguments={name: action.arguments for name, action in table.items()},
    )


def _skill_set(name: str) -> SkillSet | type[SkillSet]:
    """Return what declares the abilities of a skill set: its class, or the set itself if the name is of something
    else."""
    part = named_part(SKILL_SET, name)
    if inspect.isclass(part.make) and issubclass(part.make, SkillSet):
        return part.make
    return part.build()


def detecting(options: PlanOptions) -> Callable[[Mapping[str, Image]], tuple[Detection, ...]]:
    """Return a function that runs the chosen detector on pictures by view, without depth. Raises BadInput."""
    if options.detector is None:
        return lambda views: ()
    if options.detector.partition(":")[0] == "simulated":
        raise BadInput("The detector 'simulated' reads the simulator, not pictures: choose another --detector.")
    detector = make_part(DETECTOR, options.detector, options.detector_settings)

    def detect(views: Mapping[str, Image]) -> tuple[Detection, ...]:
        frames = {
            view: CameraFrame(view, picture, None, _pinhole(picture), Pose(np.zeros(3), np.eye(3)))
            for view, picture in views.items()
        }
        body = Proprioception(Pose2(0.0, 0.0, 0.0))
        return detector.detect(Observation(0.0, body, frames))

    return detect


def _pinhole(picture: Image) -> Intrinsics:
    """Return a pinhole camera with a horizontal field of view of 60 degrees, as most cameras have. Only detectors that
    measure would use it, and they need depth."""
    height, width = picture.shape[:2]
    focal = width / (2 * math.tan(math.radians(30.0)))
    return Intrinsics(focal, focal, width / 2, height / 2, width, height)


def read_picture(path: Path) -> Image:
    """Read a picture (H, W, 3) uint8 from a file, rotated by its EXIF orientation. Raises BadInput."""
    try:
        with PIL.Image.open(path) as picture:
            return np.array(PIL.ImageOps.exif_transpose(picture).convert("RGB"), dtype=np.uint8)
    except PIL.UnidentifiedImageError as error:
        raise BadInput(f"{path} is not a picture: give a PNG or JPEG file.") from error
    except (OSError, ValueError, PIL.Image.DecompressionBombError) as error:
        raise BadInput(f"Cannot read the picture {path}: {reason_of(error)}.") from error


def report(decision: Decision) -> str:
    """Format a decision as text, one line per part."""
    lines = [
        ("problem", decision.problem),
        ("analysis", decision.analysis),
        *(("subtask", str(item)) for item in decision.subtasks),
        ("model", decision.model),
        ("read by", ", ".join(rule for item in decision.answers[-1:] for rule in item.leniencies)),
    ]
    return "\n".join(f"{name:<10}{text}" for name, text in lines if text)

"""Objects at a pixel of a picture, and the subtasks that they allow."""

from __future__ import annotations

from dataclasses import dataclass

from homie.kernel.actions import action_of
from homie.kernel.errors import BadInput
from homie.kernel.types import END, Detection, Observation
from homie.runtime.assembly import Parts


@dataclass(frozen=True, slots=True)
class Thing:
    """An object and the subtasks that it allows.

    Attributes:
        name: as planners see it, or as requested.
        subtasks: each as (action, target, destination).
        box: bounding box x0, y0, x1, y1 as fractions of the picture's width and height; None if requested by name.
    """

    name: str
    subtasks: tuple[tuple[str, str, str], ...]
    box: tuple[float, float, float, float] | None = None


def find_thing(parts: Parts, inventory: tuple[str, ...], words: str) -> list[Thing]:
    """Return the object that the words name, as a list of one; an empty list if no subtask is possible with it."""
    subtasks = _subtasks(parts, inventory, words, parts.robot.observe())
    return [Thing(words, subtasks)] if subtasks else []


def things_at(parts: Parts, inventory: tuple[str, ...], camera: str, pixel: tuple[float, float] | None) -> list[Thing]:
    """Return the detected objects of a picture, smallest first, by the names that planners see.

    Args:
        parts: the robot and its executor.
        inventory: the held object.
        camera: one of the planner's views.
        pixel: only objects that cover this point, as fractions of width and height from the upper left corner; None
            for all.

    Returns:
        Objects with at least one possible subtask.

    Raises:
        BadInput: There is no such camera.
    """
    executor = parts.executor
    if camera not in parts.robot.views:
        raise BadInput(f"There is no view '{camera}': the robot shows {', '.join(parts.robot.views)}.")
    sight = executor.senses.look_around()
    height, width = sight.observation.frames[camera].rgb.shape[:2]
    candidates = [detection for detection in executor.locator.arranged(sight.detections) if detection.view == camera]
    if pixel is not None:
        position = (min(int(pixel[0] * width), width - 1), min(int(pixel[1] * height), height - 1))
        candidates = [detection for detection in candidates if _covers(detection, position)]
    candidates.sort(key=_area)
    things: dict[str, Thing] = {}
    for detection in candidates:
        x0, y0, x1, y1 = detection.box
        subtasks = _subtasks(parts, inventory, detection.called, sight.observation)
        if subtasks:
            box = (x0 / width, y0 / height, x1 / width, y1 / height)
            things.setdefault(detection.called, Thing(detection.called, subtasks, box))
    return list(things.values())


def _covers(detection: Detection, position: tuple[int, int]) -> bool:
    x, y = position
    x0, y0, x1, y1 = detection.box
    if not (x0 <= x < x1 and y0 <= y < y1):
        return False
    return detection.mask is None or bool(detection.mask[y, x])


def _area(detection: Detection) -> float:
    """Return the area in pixels; infinite for a room, which ranks behind every object in it."""
    x0, y0, x1, y1 = detection.box
    pixels = (x1 - x0) * (y1 - y0) if detection.mask is None else int(detection.mask.sum())
    return float("inf") if detection.is_room else float(pixels)


def _subtasks(
    parts: Parts, inventory: tuple[str, ...], words: str, observation: Observation
) -> tuple[tuple[str, str, str], ...]:
    """Return the subtasks that the action table allows for the entity that the words name."""
    executor, locator = parts.executor, parts.executor.locator
    options: list[tuple[str, str, str]] = []
    for name in executor.actions:
        action = action_of(name, executor.skills.table)
        if name == END.action or not action.arguments:
            continue
        if (action.hand == "empty" and inventory) or (action.hand == "full" and not inventory):
            continue
        entity = locator.resolve(words, action, observation)
        if entity is None or not locator.fits(entity, action):
            continue
        if "destination" in action.arguments:
            if inventory and words != inventory[-1]:
                options.append((name, inventory[-1], words))
        else:
            options.append((name, words, ""))
    return tuple(options)

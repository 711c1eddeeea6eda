"""The simulated detector: the output of a very good detector, from the simulator's instance segmentation.

This is a simulated sensor. Its names and outlines come from the renderer and are never wrong, which no network
achieves. It reports only what is visible in the pictures, and nothing that is too small to be recognised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from homie.kernel.interfaces import Detector, kind_of
from homie.kernel.types import FLOOR, CameraFrame, Detection, Mask, Observation, mask_bounds
from homie.kernel.world.furniture import kinds
from perception.colours import colour_of, lit_colour
from perception.names import vocabulary

COLOURED = frozenset(use.name for use in kinds(lambda use: use.told_by_colour))
"""Kinds that people distinguish by colour."""

PERSON = "person"
"""Part and name of people, whose entities have their own names."""

PARTS = frozenset({FLOOR, "door", "drawer", "handle", "button", PERSON})
"""Parts with separate detections; any other part counts as the entity that it belongs to."""

SIGNS: Mapping[str, str] = {"dirt": "dirty", "filling": "filled", "stream": "on"}
"""Parts that exist in one state only -> that state."""

LAMP = "lamp"
"""The part that glows while an appliance is on."""

GLOWING = 36
"""Difference between the brightest and the darkest channel (0..255) of a lamp's median colour from which it glows: in
three houses at least 57 for lamps, stoves, microwaves and televisions that were on, at most 16 if they were off."""

REFERENCE_PIXELS = 256 * 256
"""Size of the picture to which the minimum numbers of visible pixels refer."""

_IGNORED = ("robot", "wall", "ceiling")


class SimulatedSettings(BaseModel):
    """Settings of the simulated detector. Parts such as handles may be smaller: they are seen on a known entity."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    min_pixels: int = Field(
        25, ge=1, description="Pixels of a thing that must be visible in a picture of 256 x 256; scaled with its size."
    )
    min_part_pixels: int = Field(16, ge=1, description="The same for doors, handles and other parts.")
    instances: bool = Field(
        True, description="Tell two things of a kind apart, as no network can; false leaves that to the memory."
    )


class SimulatedDetector(Detector):
    """Named boxes with masks from `CameraFrame.instances`. A simulated sensor, see the module's docstring.

    A room is reported as its floor (`Detection.is_room`, with `name` and `instance` of the room). Frames without an
    instance segmentation, as on hardware, give no detections.
    """

    name = "simulated"
    Settings: ClassVar[type[BaseModel] | None] = SimulatedSettings

    def __init__(self, argument: str = "", settings: SimulatedSettings | None = None) -> None:
        super().__init__(argument)
        self._settings = settings or SimulatedSettings.model_validate({})

    def describe(self) -> Mapping[str, object]:
        return self._settings.model_dump(mode="json")

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        detections: list[Detection] = []
        for view, frame in observation.frames.items():
            if frame.instances is not None:
                seen = self._cached_detections(view, frame)
                detections += sorted(seen, key=lambda d: (d.box[0] - d.box[2]) * (d.box[3] - d.box[1]))
        colours = _colours(detections, observation)
        named = (replace(d, name=f"{colours[d.instance]} {d.name}") if d.instance in colours else d for d in detections)
        return tuple(d if self._settings.instances else replace(d, instance="") for d in named)

    def _cached_detections(self, view: str, frame: CameraFrame) -> list[Detection]:
        """Return the detections in a frame, cached in it: a simulator may return the same frame again."""
        key = (SimulatedDetector, self._settings.min_pixels, self._settings.min_part_pixels, view)
        if key not in frame.memo:
            frame.memo[key] = list(self._detect_in_frame(view, frame))
        seen: list[Detection] = frame.memo[key]
        return seen

    def _detect_in_frame(self, view: str, frame: CameraFrame) -> Iterator[Detection]:
        assert frame.instances is not None
        table, things = _reported_pairs(frame.instance_names)
        seen = table[frame.instances]
        scale = seen.size / REFERENCE_PIXELS
        states = _states(frame, scale * self._settings.min_part_pixels)
        counts = np.bincount(seen.ravel(), minlength=len(things))
        for index in np.flatnonzero(counts):
            entity, part = things[index]
            min_pixels = self._settings.min_part_pixels if part not in ("", PERSON) else self._settings.min_pixels
            if not entity or counts[index] < scale * min_pixels:
                continue
            mask: Mask = seen == index
            words = PERSON if part == PERSON else kind_of(entity)
            part_name = "" if part == PERSON else part
            shows = states.get(entity, ())
            yield Detection(words, view, mask_bounds(mask), instance=entity, part=part_name, mask=mask, states=shows)


def _states(frame: CameraFrame, min_pixels: float) -> dict[str, tuple[str, ...]]:
    """Return the states of entities visible in a frame, from parts of at least `min_pixels` pixels."""
    assert frame.instances is not None
    counts = np.bincount(frame.instances.ravel() + 1, minlength=len(frame.instance_names) + 1)[1:]
    states: dict[str, tuple[str, ...]] = {}
    for index in np.flatnonzero(counts >= min_pixels):
        entity, _, part = frame.instance_names[index].partition("/")
        word = SIGNS.get(part, "")
        if part == LAMP:
            colour = np.median(frame.rgb[frame.instances == index], axis=0)
            word = "on" if np.ptp(colour) > GLOWING else "off"
        if word:
            states[entity] = (*states.get(entity, ()), word)
    return states


def _colours(detections: Sequence[Detection], observation: Observation) -> dict[str, str]:
    """Return the colour of each entity of a coloured kind, from the picture that shows most of it. Its door or drawer
    counts, because people name a cabinet by the colour of its front."""
    masks_by_entity: dict[tuple[str, str], list[Mask]] = {}
    for detection in detections:
        assert detection.mask is not None
        if detection.part in ("", "door", "drawer") and kind_of(detection.instance) in COLOURED:
            masks_by_entity.setdefault((detection.instance, detection.view), []).append(detection.mask)
    largest: dict[str, tuple[int, str]] = {}
    for (entity, view), masks in masks_by_entity.items():
        size = sum(map(np.count_nonzero, masks))  # parts of an entity do not overlap in a picture
        if size > largest.get(entity, (0, ""))[0]:
            largest[entity] = size, view
    named = {
        entity: _colour(observation.frames[view], masks_by_entity[entity, view])
        for entity, (_, view) in largest.items()
    }
    return {entity: colour for entity, colour in named.items() if colour}


def _colour(frame: CameraFrame, masks: Sequence[Mask]) -> str:
    """Return the colour of the pixels in some masks of a frame, cached in the frame like the masks."""
    key = (colour_of, *map(id, masks))
    if key not in frame.memo:
        frame.memo[key] = colour_of(lit_colour(frame.rgb[np.logical_or.reduce(masks)]))
    colour: str = frame.memo[key]
    return colour


@lru_cache(maxsize=8)
def _reported_pairs(names: tuple[str, ...]) -> tuple[NDArray[np.int32], tuple[tuple[str, str], ...]]:
    """Return a table from instance index (-1 is last) to the index of the reported pair of entity and part, and the
    pairs. The pair of empty strings, index 0, is for instances that are not reported."""
    things: list[tuple[str, str]] = [("", "")]
    table = np.zeros(len(names) + 1, dtype=np.int32)
    for index, qualified_name in enumerate(names):
        entity, _, part = qualified_name.partition("/")
        if entity == "floor":
            entity = part
        if not entity or entity.startswith(_IGNORED):
            continue
        if is_room(entity):
            part = FLOOR
        pair = (entity, part if part in PARTS else "")
        if pair not in things:
            things.append(pair)
        table[index] = things.index(pair)
    return table, tuple(things)


def is_room(entity: str) -> bool:
    """Whether a name consists of words for rooms."""
    return vocabulary().rooms.issuperset(kind_of(entity).split())

"""Questions from one picture: relations between objects, references to an object, and where to grasp."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np

from homie.envs.mujoco.blueprints.materials import COLOURS
from homie.kernel.world.snapshot import ObjectState
from suites.published.robobench.geometry import Box
from suites.questions.making.numbered_marks import draw_boxes, draw_points
from suites.questions.making.picture_contents import Sight
from suites.questions.making.question_unit import Candidate, Keep, Unit
from suites.questions.making.uses_of_objects import USES

INSTRUCTION, PERCEPTION, AFFORDANCE = "instruction_comprehension", "perception_reasoning", "affordance_reasoning"
MARKS = 4
"""Number of marked objects, one of which is the answer."""
ASIDE = 0.08
"""Minimum horizontal distance, as a share of the picture's width, to call an object left or right of another."""
NEARER = 0.25
"""Minimum difference of distance, m, between the nearest object and the next."""
ALIKE = 0.25
"""Distance of two colours (RGB, each 0..1) below which they are too similar for a question."""
LARGE = 0.4
"""Maximum box as a share of the picture: a larger one contains too much else to refer to its object."""
EDGE = 0.01
"""Margin at the edge as a share of the picture; an object within it may be cut off."""
COUNTS = (1, 2, 3, 4)
"""Numbers of objects for counting questions: few enough to see at a glance."""


def looks(sight: Sight, source: str, keep: Keep, lot: random.Random) -> Iterator[Unit]:
    """All questions that this picture allows."""
    plain = keep(sight.picture)
    yield from _referred_objects(sight, source, keep, lot)
    yield from _kind_and_colour(sight, source, keep, lot)
    yield from _left_or_right(sight, source, plain, lot)
    yield from _nearest(sight, source, keep, lot)
    yield from _count(sight, source, plain)
    yield from _places(sight, source, plain, lot)
    yield from _handles(sight, source, keep, lot)
    yield from _opening(sight, source, keep, lot)


def _loose(sight: Sight) -> list[str]:
    return [name for name in sight.things if isinstance(sight.world.things[name], ObjectState)]


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _is_whole(box: Box) -> bool:
    """Whether an object lies within the picture, so that a person can mark its box."""
    return min(box[0], box[1]) > EDGE and max(box[2], box[3]) < 1 - EDGE


def _numbers(count: int) -> tuple[str, ...]:
    return tuple(f"mark {number}" for number in range(1, count + 1))


def _with_marks(
    sight: Sight, target: str, others: Sequence[str], keep: Keep, lot: random.Random, text: str
) -> Candidate:
    """Ask which mark is on the target, which gets a random number."""
    things = [target, *others]
    lot.shuffle(things)
    picture = keep(draw_boxes(sight.picture, [sight.spot(name).box for name in things]))
    choices = _numbers(len(things))
    return Candidate(text, "choice", (picture,), choices[things.index(target)], choices)


def _apart(sight: Sight, target: str, others: Sequence[str]) -> list[str]:
    """Others that are clearly apart from the target: neither's middle is inside the other's box."""

    def inside(first: str, second: str) -> bool:
        (x, y), box = sight.spot(first).middle, sight.spot(second).box
        return box[0] <= x <= box[2] and box[1] <= y <= box[3]

    return [name for name in others if not inside(target, name) and not inside(name, target)]


def _referred_objects(sight: Sight, source: str, keep: Keep, lot: random.Random) -> Iterator[Unit]:
    """Ask which object an instruction refers to, by its name or by a person's wish."""
    things = [name for name in sight.things if _area(sight.spot(name).box) <= LARGE]
    for target in lot.sample(things, min(3, len(things))):
        others = _apart(sight, target, [name for name in things if name != target])
        if len(others) < MARKS - 1:
            continue
        others = lot.sample(others, MARKS - 1)
        text = f"The instruction is: go to the {sight.called(target)}. Which mark is on what is meant?"
        candidate = _with_marks(sight, target, others, keep, lot, text)
        yield Unit(INSTRUCTION, "explicit_goal", source, (candidate,))
    kinds = {name: sight.world.things[name].kind for name in sight.pixels if name in sight.world.things}
    for use in USES:
        fits = [name for name in things if kinds[name] in use.serves]
        doubts = [name for name, kind in kinds.items() if kind in use.serves | use.perhaps]
        if len(fits) != 1 or doubts != fits:
            continue
        others = _apart(sight, fits[0], [name for name in things if name != fits[0]])
        if len(others) >= MARKS - 1:
            text = f'Somebody says to the robot: "{use.wish}" Which mark is on what serves this best?'
            candidate = _with_marks(sight, fits[0], lot.sample(others, MARKS - 1), keep, lot, text)
            yield Unit(INSTRUCTION, "implicit_demand", source, (candidate,))


def _kind_and_colour(sight: Sight, source: str, keep: Keep, lot: random.Random) -> Iterator[Unit]:
    """Ask for the kind of a marked object, and for its colour."""
    fitting = [name for name in sight.things if _area(sight.spot(name).box) <= LARGE]
    for name in lot.sample(fitting, min(2, len(fitting))):
        place, thing = sight.spot(name), sight.world.things[name]
        picture = keep(draw_boxes(sight.picture, [place.box]))
        kind = thing.kind.replace("_", " ")
        around = tuple(
            sight.world.things[other].kind.replace("_", " ") for other in sight.pixels if other in sight.world.things
        )
        asked = Candidate("What is the thing at mark 1?", "choice", (picture,), kind, drawn=3, avoid=around)
        yield Unit(PERCEPTION, "kind", source, (asked,))
        if thing.colour in COLOURS and looks_like(place.colour) == thing.colour:
            alike = tuple(
                colour for colour in COLOURS if colour != thing.colour and _apart_by(colour, thing.colour) < ALIKE
            )
            asked = Candidate(
                "Which colour has most of the thing at mark 1?",
                "choice",
                (picture,),
                thing.colour,
                drawn=3,
                avoid=alike,
            )
            yield Unit(PERCEPTION, "colour", source, (asked,))


def looks_like(colour: tuple[float, float, float]) -> str:
    """The named colour that is nearest to a colour of a picture, up to brightness.

    Args:
        colour: RGB, 0..255.
    """
    seen = np.asarray(colour) / 255

    def off(name: str) -> float:
        reference = np.asarray(COLOURS[name])
        light = float(seen @ reference / (reference @ reference))  # estimated illumination
        return float(np.linalg.norm(seen - min(max(light, 0.5), 1.15) * reference))

    return min(COLOURS, key=off)


def _apart_by(first: str, second: str) -> float:
    return float(np.linalg.norm(np.subtract(COLOURS[first], COLOURS[second])))


def _left_or_right(sight: Sight, source: str, plain: str, lot: random.Random) -> Iterator[Unit]:
    """Ask on which side of another an object is: by pixels and by projected poses."""
    things = _loose(sight)
    if len(things) < 2:
        return
    first, second = lot.sample(things, 2)
    by_pixels = sight.spot(first).middle[0] - sight.spot(second).middle[0]
    ends = [sight.project(np.asarray(sight.world.things[name].position)) for name in (first, second)]
    if ends[0] is None or ends[1] is None or min(abs(by_pixels), abs(ends[0][0] - ends[1][0])) < ASIDE:
        return
    if (by_pixels > 0) == (ends[0][0] > ends[1][0]):
        side = "to the right" if by_pixels > 0 else "to the left"
        text = f"In the picture, where is the {sight.called(first)}, seen from the {sight.called(second)}?"
        asked = Candidate(text, "choice", (plain,), side, ("to the left", "to the right"))
        yield Unit(PERCEPTION, "spatial_relation", source, (asked,))


def _nearest(sight: Sight, source: str, keep: Keep, lot: random.Random) -> Iterator[Unit]:
    """Ask which object is nearest to the camera: by depth and by poses."""
    small = _loose(sight)
    if len(small) < 3:
        return
    chosen = lot.sample(small, 3)
    depths = sorted((sight.spot(name).depth, name) for name in chosen)
    poses = sorted((sight.distance(name), name) for name in chosen)
    if depths[0][1] != poses[0][1] or min(depths[1][0] - depths[0][0], poses[1][0] - poses[0][0]) < NEARER:
        return
    target = depths[0][1]
    text = "Which of the marked things is nearest to the camera?"
    candidate = _with_marks(sight, target, [name for name in chosen if name != target], keep, lot, text)
    yield Unit(PERCEPTION, "nearest", source, (candidate,))


def _count(sight: Sight, source: str, plain: str) -> Iterator[Unit]:
    """Ask for the number of small objects, if all that have pixels in the picture can be seen."""
    small = [name for name in sight.pixels if isinstance(sight.world.things.get(name), ObjectState)]
    if len(small) in COUNTS and all(sight.seen(name) for name in small):
        where = "on the table" if not sight.world.rooms else "in the picture"
        text = (
            f"How many loose things, such as food, dishes or blocks, are {where}? Furniture, fittings, plants and the "
            "robot do not count."
        )
        yield Unit(PERCEPTION, "count", source, (Candidate(text, "number", (plain,), str(len(small))),))


def _places(sight: Sight, source: str, plain: str, lot: random.Random) -> Iterator[Unit]:
    """Ask where to grasp an object, as a point; where it is, as a box."""
    small = _loose(sight)
    for name in lot.sample(small, min(2, len(small))):
        place, words = sight.spot(name), sight.called(name)
        x, y = place.middle
        text = f"At which point should the robot take hold of the {words}?"
        asked = Candidate(text, "point", (plain,), f"({x:.4f}, {y:.4f})", region=place.box)
        yield Unit(AFFORDANCE, "grasp_point", source, (asked,))
    whole = [name for name in sight.things if _is_whole(sight.spot(name).box)]
    for name in lot.sample(whole, min(1, len(whole))):
        corners = ", ".join(f"{side:.4f}" for side in sight.spot(name).box)
        text = f"Where is the {sight.called(name)}? Give the box around what can be seen of it."
        yield Unit(AFFORDANCE, "box", source, (Candidate(text, "box", (plain,), f"[{corners}]"),))


def _handles(sight: Sight, source: str, keep: Keep, lot: random.Random) -> Iterator[Unit]:
    """Ask where to pull to open a piece of furniture: at its handle."""
    for name in sight.things:
        handle = sight.mask(f"{name}/handle")
        if handle.sum() < 40:  # a handle is thin: 40 pixels of 384 x 384 are 4 by 10
            continue
        rows, columns = np.nonzero(sight.mask(name) & ~handle)
        height, width = handle.shape
        places = [((column + 0.5) / width, (row + 0.5) / height) for row, column in zip(rows, columns, strict=True)]
        right = sight.spot(f"{name}/handle").middle
        points = [right]
        for point in lot.sample(places, min(60, len(places))):
            if len(points) < MARKS and all(np.hypot(point[0] - x, point[1] - y) > 0.15 for x, y in points):
                points.append((float(point[0]), float(point[1])))
        if len(points) < MARKS:
            continue
        lot.shuffle(points)
        choices = _numbers(MARKS)
        text = f"The robot wants to open the {sight.called(name)}, or close it. At which mark should it take hold?"
        picture = keep(draw_points(sight.picture, points))
        asked = Candidate(text, "choice", (picture,), choices[points.index(right)], choices)
        yield Unit(AFFORDANCE, "handle", source, (asked,))


def _opening(sight: Sight, source: str, keep: Keep, lot: random.Random) -> Iterator[Unit]:
    """Ask which object has a door or a drawer: the state has a joint, the picture a handle."""
    jointed = {joint.receptacle for joint in sight.world.joints.values()}
    doors = [name for name in sight.things if name in jointed and sight.mask(f"{name}/handle").sum() >= 40]
    others = [name for name in sight.things if name not in jointed and _area(sight.spot(name).box) <= LARGE]
    for target in doors[:1]:
        rest = _apart(sight, target, others)
        if len(rest) >= MARKS - 1:
            text = "Which of the marked things can the robot open, as it has a door or a drawer?"
            candidate = _with_marks(sight, target, lot.sample(rest, MARKS - 1), keep, lot, text)
            yield Unit(AFFORDANCE, "can_be_opened", source, (candidate,))

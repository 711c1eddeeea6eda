"""Visits of worlds: ideal skills place the robot at several viewpoints, and its views become questions."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from homie.kernel.interfaces import Filmable, Rearrangeable
from homie.kernel.options import OpenOptions
from homie.kernel.registry import NO_OBJECTS
from homie.kernel.types import VIEWS
from homie.kernel.world import thresholds
from homie.kernel.world.snapshot import WorldSnapshot
from homie.runtime.assembly import choose
from homie.runtime.open_session import Session
from suites.questions.making.chore_questions import PERCEPTION, PLANNING, Chore, Stage, chores
from suites.questions.making.path_questions import opening_paths
from suites.questions.making.picture_contents import Sight
from suites.questions.making.picture_questions import looks
from suites.questions.making.plan_questions import plan_questions
from suites.questions.making.question_unit import Candidate, Keep, Refusal, Unit, contrast

STOPS = 5
"""Number of viewpoints in a house, each beside another object."""
TURNS = ("straight ahead", "to the left", "backwards", "to the right")
"""Directions of the four views, in their order, counter-clockwise."""
CLEAR = math.radians(35)
"""Maximum angle from the middle of a view at which an object is in that view and no other."""
RICH = 3
"""Minimum number of objects in a picture that shows more than a wall."""
ROBOTS = ("a wheeled robot with one arm", "an arm that is fixed to a table")


def visit_house(seed: int, size: int, keep: Keep) -> Iterator[Unit | Refusal]:
    """Visit a generated house with a Fetch."""
    source, lot = f"house-{seed}", random.Random(f"house {seed}")
    rooms = lot.choice((2, 3))
    yield from plan_questions(seed, rooms, size, source, keep)
    yield from opening_paths(seed, rooms, size, source, keep)
    options = OpenOptions.build(seed=seed, rooms=rooms, objects=30, skills="ideal", picture_size=f"{size}x{size}")
    with Session(options, choose(options, NO_OBJECTS)) as session:
        robot = session.robot
        assert isinstance(robot, Filmable)
        chore = _chore(session, source, lot)
        if chore is not None:
            yield from chores(chore, keep)
        session.reset()
        world = session.world_state()
        places: dict[str, str] = {}
        for name in lot.sample(sorted(world.objects), len(world.objects)):
            places.setdefault(world.objects[name].at, name)
        for name in list(places.values())[:STOPS]:
            if session.call("Go to", name).feedback.ok:
                frames = session.observe(*VIEWS).frames
                now = session.world_state()
                sights = [Sight(frames[view], now) for view in VIEWS]
                yield from looks(sights[0], source, keep, lot)
                yield from _turning(sights, now, source, keep, lot)
                if len(sights[0].things) >= RICH:
                    film = keep(robot.film(size, size))
                    yield _cameras(session, source, film, keep)
                    yield Unit(PERCEPTION, "robot_type", source, (_robot(film, ROBOTS[0]),))


def _cameras(session: Session, source: str, film: str, keep: Keep) -> Unit:
    """Ask which camera took a picture."""
    hand = robot_hand(session)
    frames = session.observe("front", hand).frames
    return contrast(
        PERCEPTION,
        "camera",
        source,
        "Which camera has taken this picture?",
        [
            ("the one on the robot's head", (keep(frames["front"].rgb),)),
            ("the one at the robot's hand", (keep(frames[hand].rgb),)),
            ("one outside of the robot, which shows it", (film,)),
        ],
    )


def visit_table(seed: int, size: int, keep: Keep) -> Iterator[Unit]:
    """Visit a table with a Panda, set up by a task family."""
    source, lot = f"table-{seed}", random.Random(f"table {seed}")
    family = lot.choice(("pick", "stack", "sort"))
    options = OpenOptions.build(robot=f"franka:{family}", skills="arm", seed=seed, picture_size=f"{size}x{size}")
    with Session(options, choose(options, NO_OBJECTS)) as session:
        sight = Sight(session.observe("front").frames["front"], session.world_state())
        yield from looks(sight, source, keep, lot)
        robot = session.robot
        assert isinstance(robot, Filmable)
        yield Unit(PERCEPTION, "robot_type", source, (_robot(keep(robot.film(size, size)), ROBOTS[1]),))


def robot_hand(session: Session) -> str:
    """The name of the camera at the robot's hand."""
    return session.robot.hand


def _robot(picture: str, truth: str) -> Candidate:
    return Candidate("Which robot is in the picture?", "choice", (picture,), truth, ROBOTS)


def _turning(sights: list[Sight], world: WorldSnapshot, source: str, keep: Keep, lot: random.Random) -> Iterator[Unit]:
    """Ask which way to turn to an object that is in one of the four views: by pixels, and by the poses of both."""
    robot = world.robot
    if robot.x is None or robot.y is None or robot.yaw is None:
        return
    options: dict[str, list[str]] = {}
    for index, sight in enumerate(sights):
        for name in sight.things:
            exclusive = not any(other.pixels[name] for other in sights if other is not sight)
            kind = world.things[name].kind
            rivals = [other for view in sights for other in view.pixels if other in world.things]
            position = world.things[name].position
            if not exclusive or position is None or any(world.things[o].kind == kind and o != name for o in rivals):
                continue
            bearing = math.atan2(position[1] - robot.y, position[0] - robot.x) - robot.yaw - index * math.pi / 2
            if abs(math.remainder(bearing, math.tau)) <= CLEAR:
                options.setdefault(TURNS[index], []).append(name)
    pictures = tuple(keep(sight.picture) for sight in sights) if options else ()
    for turn, names in options.items():
        name = lot.choice(names)
        text = (
            "The pictures show what the robot sees straight ahead, to its left, behind it and to its right, in this "
            f"order. It has to go to the {sights[0].called(name)}. Which way has it to turn first?"
        )
        yield Unit(PLANNING, "navigation", source, (Candidate(text, "choice", pictures, turn, TURNS),))


# ------------------------------------------------------------ a chore in stages


def _chore(session: Session, source: str, lot: random.Random) -> Chore | None:
    """Play a chore and record its stages; None if it fails before the container is open."""
    world = session.world_state()
    kinds = [thing.kind for thing in world.things.values()]
    shut = {joint.receptacle for joint in world.joints.values() if thresholds.is_closed(joint.fraction)}
    containers = sorted(name for name in shut if kinds.count(world.fixed[name].kind) == 1)
    items = sorted(
        name
        for name, item in world.objects.items()
        if item.relation == "on" and item.at in world.fixed and kinds.count(item.kind) == 1
    )
    if not containers or not items:
        return None
    container, item = lot.choice(containers), lot.choice(items)
    stages: dict[str, Stage] = {}

    def step(action: str, target: str, stage: str = "", destination: str = "") -> bool:
        if not session.call(action, target, destination).feedback.ok:
            return False
        if stage:
            stages[stage] = _stage(session)
        return True

    def drop() -> bool:
        robot = session.robot
        assert isinstance(robot, Rearrangeable)
        if robot.drop():
            return False
        stages["dropped"] = _stage(session)
        return True

    played = (
        step("Go to", container, "closed")
        and step("Open", container, "open")
        and step("Go to", item, "before")
        and step("Pick", item, "picked")
        and step("Go to", container, "brought")
        and step("Put", item, "inside", container)
        and step("Close", container, "shut")
        and step("Open", container)
        and step("Pick", item)
        and drop()
    )
    if not played and "open" not in stages:
        return None
    words = (world.objects[item].kind.replace("_", " "), world.fixed[container].kind.replace("_", " "))
    return Chore(item, container, *words, stages, source)


def _stage(session: Session) -> Stage:
    hand = robot_hand(session)
    frames = session.observe("front", hand).frames
    world = session.world_state()
    return Stage(Sight(frames["front"], world), Sight(frames[hand], world))

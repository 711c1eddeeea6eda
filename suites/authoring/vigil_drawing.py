"""Samples candidate episodes of each family in one house. Playing them shows whether they are valid."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.types import Pose2
from suites.published.vigil_episode import Family, Status
from suites.vigil.frozen import FrozenEpisode, Goal, Setup, Target

TILT = 0.35
"""Downward tilt of the head at the start, rad: the floor from 0.9 m on and all of a fridge at 2 m are in view."""
NEAR_WALLS = 0.5
"""Least distance (m) of the start from the walls of a room."""
STANDS = 200
"""Draws of a free pose."""
LOW = ("fridge", "cabinet", "drawer")
"""Furniture that opens over the floor."""
TALL = 0.12
"""Least height (m) of an obstacle: doors are some centimetres above the floor."""

STRATA: dict[Family, tuple[str, ...]] = {
    Family.PG: ("large", "medium", "small"),
    Family.DA: ("approach",),
    Family.VS: ("same room", "other room"),
    Family.SV: ("open", "closed", "on", "off"),
    Family.AI: ("open", "closed", "on", "off", "held"),
    Family.SI: ("open", "closed", "on", "off", "held"),
    Family.SM: ("reveal_pick", "put_into", "rearrange", "open_pick_place"),
    Family.CR: ("obstacle",),
}
"""Strata of each family, to be filled evenly."""
WORDS = {"open": "Open", "closed": "Close", "on": "Turn on", "off": "Turn off", "held": "Pick up"}


@dataclass
class Draws:
    """Random draws in a house. Unique kinds are referred to by their names alone, other furniture with its room."""

    seed: int
    home: MujocoHome
    lot: random.Random
    targets: dict[str, Target] = field(init=False)

    def __post_init__(self) -> None:
        world = self.home.world
        kinds = Counter([*(t.kind for t in world.objects.values()), *(t.kind for t in world.receptacles.values())])
        rooms = Counter(room.kind for room in world.rooms.values())
        pairs = Counter((piece.kind, world.rooms[piece.room].kind) for piece in world.receptacles.values())
        self.targets = {name: Target(kind=t.kind) for name, t in world.objects.items() if kinds[t.kind] == 1}
        for name, piece in world.receptacles.items():
            room = world.rooms[piece.room].kind
            if kinds[piece.kind] == 1:
                self.targets[name] = Target(kind=piece.kind)
            elif pairs[piece.kind, room] == 1 and rooms[room] == 1:
                self.targets[name] = Target(kind=piece.kind, room=room)

    # ------------------------------------------------------------ things

    def loose(self) -> list[str]:
        """Return the unambiguous objects that lie in the open."""
        world = self.home.world
        return [name for name in self.targets if name in world.objects and world.container_of(name) is None]

    def furniture(self) -> list[str]:
        return [name for name in self.targets if name in self.home.world.receptacles]

    def opening(self) -> list[str]:
        """Return the furniture with doors or drawers."""
        return [name for name in self.furniture() if self.home.world.receptacles[name].articulations]

    def switched(self) -> list[str]:
        return [name for name in self.furniture() if self.home.world.receptacles[name].appliance is not None]

    def pick(self, names: list[str]) -> str | None:
        return self.lot.choice(sorted(names)) if names else None

    def changes(self, state: str, name: str) -> Setup:
        """Return the setup in which a state still has to be brought about."""
        if state in ("open", "closed"):
            return Setup(doors={name: True}) if state == "closed" else Setup()
        return Setup(power={name: state == "off"}) if state in ("on", "off") else Setup()

    def having(self, state: str) -> list[str]:
        """Return what can be brought into a state."""
        if state == "held":
            return self.loose()
        return self.opening() if state in ("open", "closed") else self.switched()

    # ------------------------------------------------------------ start poses

    def anywhere(self, room: str | None = None) -> tuple[float, float, float, float] | None:
        """Sample a free pose in a room, or in any, with any heading."""
        rooms = self.home.world.rooms
        for _ in range(STANDS):
            x0, y0, x1, y1 = rooms[room or self.lot.choice(sorted(rooms))].rect
            if min(x1 - x0, y1 - y0) <= 2 * NEAR_WALLS:
                continue
            pose = Pose2(
                self.lot.uniform(x0 + NEAR_WALLS, x1 - NEAR_WALLS),
                self.lot.uniform(y0 + NEAR_WALLS, y1 - NEAR_WALLS),
                self.lot.uniform(-math.pi, math.pi),
            )
            if self._is_free(pose):
                return _start(pose)
        return None

    def facing(self, name: str, least: float, most: float, aside: float) -> tuple[float, float, float, float] | None:
        """Sample a free pose so far (m) from an object in its room, facing it within `aside` radians."""
        world = self.home.world
        if name in world.objects:
            centre = world.object_box(world.objects[name]).center
        else:
            centre = world.receptacle_box(world.receptacles[name]).center
        room = world.room_of(centre)
        for _ in range(STANDS):
            angle, away = self.lot.uniform(-math.pi, math.pi), self.lot.uniform(least, most)
            x, y = centre[0] + away * math.cos(angle), centre[1] + away * math.sin(angle)
            pose = Pose2(x, y, angle + math.pi + self.lot.uniform(-aside, aside))
            if world.room_of(np.array([x, y, 0.0])) == room and self._is_free(pose):
                return _start(pose)
        return None

    def _is_free(self, pose: Pose2) -> bool:
        with self.home.native.rehearsal():
            free = self.home.native.stand(pose, TILT)
            turned = all(self.home.native.turn(math.pi / 2) > 1.5 for _ in range(4)) if free else False
        return free and turned


def _start(pose: Pose2) -> tuple[float, float, float, float]:
    return round(pose.x, 3), round(pose.y, 3), round(math.remainder(pose.yaw, math.tau), 3), TILT


def draw(draws: Draws, family: Family, stratum: str) -> FrozenEpisode | None:
    """Draw a candidate, without its number; None where the house does not suit."""
    return DRAWN[family](draws, family, stratum)


def _episode(
    draws: Draws,
    family: Family,
    stratum: str,
    start: tuple[float, float, float, float] | None,
    instruction: str,
    goal: Goal,
    setup: Setup | None = None,
    label: Status | None = None,
) -> FrozenEpisode | None:
    if start is None:
        return None
    return FrozenEpisode(
        id=f"{family.name}-new",
        house=draws.seed,
        start=start,
        instruction=instruction,
        goal=goal,
        setup=setup or Setup(),
        label=label,
        stratum=stratum,
    )


def _grounding(draws: Draws, family: Family, stratum: str) -> FrozenEpisode | None:
    sorts = {"large": draws.furniture(), "medium": [*draws.furniture(), *draws.loose()], "small": draws.loose()}
    name = draws.pick(sorts[stratum])
    if name is None:
        return None
    target = draws.targets[name]
    start = draws.facing(name, 0.8, 1.9, 0.5)
    return _episode(draws, family, stratum, start, f"Point at {target.words}.", Goal(state="grounded", target=target))


def _approach(draws: Draws, family: Family, stratum: str) -> FrozenEpisode | None:
    name = draws.pick([*draws.furniture(), *draws.loose()])
    if name is None:
        return None
    target = draws.targets[name]
    text = f"Go to {target.words}: come closer than 1.5 metres."
    return _episode(draws, family, stratum, draws.facing(name, 2.5, 6.0, 0.4), text, Goal(state="near", target=target))


def _search(draws: Draws, family: Family, stratum: str) -> FrozenEpisode | None:
    name = draws.pick([*draws.loose(), *draws.furniture()])
    if name is None:
        return None
    text = f"Find {draws.targets[name].words}: have it in view."
    return _episode(
        draws, family, stratum, _away(draws, name, stratum), text, Goal(state="seen", target=draws.targets[name])
    )


def _away(draws: Draws, name: str, stratum: str) -> tuple[float, float, float, float] | None:
    """Sample a pose in the room of an object, or in another."""
    world = draws.home.world
    box = world.object_box(world.objects[name]) if name in world.objects else None
    room = world.receptacles[name].room if box is None else world.room_of(box.center)
    if stratum == "same room":
        return draws.anywhere(room)
    others = [other for other in sorted(world.rooms) if other != room]
    return draws.anywhere(draws.lot.choice(others)) if others else None


def _verification(draws: Draws, family: Family, stratum: str) -> FrozenEpisode | None:
    name = draws.pick(draws.having(stratum))
    if name is None:
        return None
    target, label = draws.targets[name], Status(stratum)
    doors = stratum in ("open", "closed")
    text = f"Is {target.words} {'open or closed' if doors else 'on or off'}? Report which."
    setup = Setup(doors={name: stratum == "open"}) if doors else Setup(power={name: stratum == "on"})
    goal = Goal(state=stratum, target=target)  # type: ignore[arg-type]  # a stratum of this family is a state
    return _episode(draws, family, stratum, draws.facing(name, 1.2, 3.5, 0.3), text, goal, setup, label)


def _interaction(draws: Draws, family: Family, stratum: str) -> FrozenEpisode | None:
    name = draws.pick(draws.having(stratum))
    if name is None:
        return None
    target = draws.targets[name]
    if family is Family.AI:
        start = draws.facing(name, 1.7, 2.6 if stratum == "held" else 5.0, 0.4)
    else:
        start = _away(draws, name, draws.lot.choice(("same room", "other room")))
    goal = Goal(state=stratum, target=target)  # type: ignore[arg-type]
    return _episode(
        draws, family, stratum, start, f"{WORDS[stratum]} {target.words}.", goal, draws.changes(stratum, name)
    )


def _sequence(draws: Draws, family: Family, stratum: str) -> FrozenEpisode | None:
    world = draws.home.world
    if stratum == "reveal_pick":
        inside = [
            name
            for name in draws.targets
            if name in world.objects and (piece := world.container_of(name)) is not None and piece.name in draws.targets
        ]
        name = draws.pick(inside)
        if name is None:
            return None
        container = world.container_of(name)
        assert container is not None
        target, where = draws.targets[name], draws.targets[container.name]
        text = f"Take {target.words} out of {where.words}, and keep it in your hand."
        return _episode(draws, family, stratum, draws.anywhere(), text, Goal(state="held", target=target))
    name = draws.pick(draws.loose())
    shut = stratum == "open_pick_place"
    places = draws.opening() if stratum != "rearrange" else _open_places(draws)
    place = draws.pick([other for other in places if name is None or not world.within(name, other)])
    if name is None or place is None:
        return None
    target, where = draws.targets[name], draws.targets[place]
    word = "on" if stratum == "rearrange" else "into"
    note = {"put_into": ", which is open", "open_pick_place": ", which is closed", "rearrange": ""}[stratum]
    goal = Goal(state="placed", target=target, destination=where)
    setup = Setup() if shut or stratum == "rearrange" else Setup(doors={place: True})
    text = f"Put {target.words} {word} {where.words}{note}."
    return _episode(draws, family, stratum, draws.anywhere(), text, goal, setup)


def _open_places(draws: Draws) -> list[str]:
    return [
        name
        for name in draws.furniture()
        if (piece := draws.home.world.receptacles[name]).surfaces and not piece.articulations
    ]


def _constraint(draws: Draws, family: Family, stratum: str) -> FrozenEpisode | None:
    world, lot = draws.home.world, draws.lot
    name = draws.pick([name for name in draws.opening() if world.receptacles[name].kind in LOW])
    tall = [other for other in draws.loose() if 2 * world.objects[other].half[2] >= TALL]
    obstacle = draws.pick(tall)
    if name is None or obstacle is None:
        return None
    piece = world.receptacles[name]
    box = world.receptacle_box(piece)
    ahead = np.array([math.cos(piece.front), math.sin(piece.front)])
    side = np.array([-ahead[1], ahead[0]])
    out = float(np.max(np.abs((box.corners() - box.center[:2]) @ ahead)))
    wide = float(np.max(np.abs((box.corners() - box.center[:2]) @ side)))
    point = box.center[:2] + (out + lot.uniform(0.1, 0.28)) * ahead + lot.uniform(-wide, wide) * side
    where = (round(float(point[0]), 3), round(float(point[1]), 3), round(lot.uniform(-3.1, 3.1), 2))
    target, thing = draws.targets[name], draws.targets[obstacle]
    text = f"Open {target.words}. {thing.words.capitalize()} on the floor is in the way: move it away first."
    return _episode(
        draws,
        family,
        stratum,
        draws.facing(name, 2.0, 4.5, 0.4),
        text,
        Goal(state="open", target=target),
        Setup(floor={obstacle: where}),
    )


Drawing = Callable[[Draws, Family, str], FrozenEpisode | None]
DRAWN: dict[Family, Drawing] = {
    Family.PG: _grounding,
    Family.DA: _approach,
    Family.VS: _search,
    Family.SV: _verification,
    Family.AI: _interaction,
    Family.SI: _interaction,
    Family.SM: _sequence,
    Family.CR: _constraint,
}

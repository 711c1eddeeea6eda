"""What the rule planner remembers of an episode: only what it was told in its inputs, never world state."""

from __future__ import annotations

from collections import Counter

from homie.kernel.types import Detection, PlannerInput, in_sight
from perception.words.names import canonical
from planners.common_sense import is_container, is_furniture, is_room, is_surface, means, same_head

CLOSE = 0.4
"""Share of a picture's width from which furniture was seen closely."""
IN_THIS_ROOM = 0.15
"""Share of a picture's width from which furniture is taken to stand in the room from which it is seen."""


class Memory:
    """Names in sight and where they were seen, places tried, containers opened.

    `at` is the last place or thing that the robot has gone to. `by_sight` tells whether names have to be seen
    before they are accepted. It is None until that is known: a name that was never in sight is refused (True), or is
    accepted before the robot has moved at all (False; later the robot may have seen more in passing than its planner).
    `left` is how many rounds there are after this one. `open` are the containers that were opened, `stuck` those that
    would not open.
    """

    def __init__(self) -> None:
        self.at = ""
        self.left = 0
        self.by_sight: bool | None = None
        self.in_sight: tuple[Detection, ...] = ()
        self.inventory: tuple[str, ...] = ()
        self.open: list[str] = []
        self.stuck: set[str] = set()
        self.visited: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._refused_from: set[tuple[str, str]] = set()
        self._seen: dict[str, None] = {}
        self._closely: set[str] = set()
        self._rooms_with: dict[str, dict[str, None]] = {}
        self._stood_on: dict[tuple[str, str], None] = {}

    def take_in(self, given: PlannerInput) -> None:
        """Remember what is in sight from here: things, by a door or drawer where no more of them is seen, and rooms."""
        self.in_sight = in_sight(given.detections)
        self.inventory = given.inventory
        self.left = given.rounds - given.round
        for detection in self.in_sight:
            name = canonical(detection.name)
            self._seen[name] = None
            share = (detection.box[2] - detection.box[0]) / given.views[detection.view].shape[1]
            if not detection.is_room and share >= CLOSE:
                self._closely.add(name)
            if not detection.is_room and share >= IN_THIS_ROOM and is_room(self.at):
                self._rooms_with.setdefault(name, {})[self.at] = None
        for place in self.receptacles():
            in_view = any(canonical(one.name) == place for one in self.in_sight)
            for name in self.things_on(place) if in_view else ():
                self._stood_on[name, place] = None

    @property
    def held(self) -> str:
        """What is in the hand, "" for nothing."""
        return self.inventory[-1] if self.inventory else ""

    def seen(self, words: str) -> list[str]:
        """Names seen so far that the words can mean, those in sight first."""
        now = [canonical(detection.name) for detection in self.in_sight]
        return [name for name in dict.fromkeys([*now, *self._seen]) if name and means(words, name)]

    def refuse(self, words: str) -> None:
        """From here these words were said to mean nothing (F2)."""
        self.refused[canonical(words)] += 1
        self._refused_from.add((canonical(words), self.at))

    def refused_here(self, place: str) -> bool:
        """Whether there is no use in asking for a place from here."""
        return self.refused[place] >= 2 or (place, self.at) in self._refused_from

    def worth_going(self, words: str) -> str:
        """A name in memory that the words can mean and that was not refused from here, "" if there is none."""
        names = (name for name in self.seen(words) if self.refused[name] < 3)
        return next((name for name in names if (name, self.at) not in self._refused_from), "")

    def seen_closely(self, name: str) -> bool:
        """Whether all but small things on it would have been seen."""
        return name in self._closely

    def each(self, name: str) -> list[str]:
        """Words for each piece of furniture of a name: with the room where it was seen in several."""
        rooms = self._rooms_with.get(name, {})
        several = len(rooms) > 1 and not any(room in name for room in rooms)  # a kitchen counter is in the kitchen
        return [f"{room} {name}" for room in rooms] if several else [name]

    def shut(self, container: str) -> None:
        """It is known to be closed."""
        if container in self.open:
            self.open.remove(container)

    def hinted(self, words: str) -> bool:
        """Whether something has been seen that the words may mean if more were known of it than its name."""
        return any(same_head(words, name) for name in self._seen)

    def places_with(self, words: str) -> list[str]:
        """Furniture on which something that the words can mean has been seen."""
        return list(dict.fromkeys(place for name, place in self._stood_on if means(words, name)))

    def cleared(self, words: str, place: str) -> None:
        """Nothing that the words can mean ("": nothing at all) is left on a place."""
        self._stood_on = {(n, p): None for n, p in self._stood_on if p != place or (words and not means(words, n))}

    def known_on(self, place: str) -> list[str]:
        """Names of what has been seen on a place, whether it is in sight now or not."""
        return [name for name, where in self._stood_on if means(place, where)]

    def forget(self, name: str) -> None:
        """It is not there any more."""
        self._seen.pop(canonical(name), None)

    def receptacles(self) -> list[str]:
        """Furniture seen so far on or in which things may be, surfaces before containers."""
        names = list(self._seen)
        surfaces = [name for name in names if is_surface(name) and not is_container(name)]
        return surfaces + [name for name in names if is_container(name)]

    def surfaces_in_sight(self) -> list[str]:
        """Surfaces in sight from here, the largest in the pictures first, as near as boxes can tell."""
        found = [one for one in self.in_sight if is_surface(one.name) and not is_container(one.name)]
        found.sort(key=lambda one: (one.box[2] - one.box[0]) * (one.box[3] - one.box[1]), reverse=True)
        return list(dict.fromkeys(canonical(one.name) for one in found))

    def all_on(self, place: str) -> list[str]:
        """Names of loose things that stand on a place in sight, one for each of them."""
        names = set(self.things_on(place))
        supports = [one for one in self.in_sight if means(place, one.name)]
        return [
            canonical(thing.name)
            for thing in self.in_sight
            if canonical(thing.name) in names and any(_stands_on(thing, support) for support in supports)
        ]

    def place_of(self, name: str) -> str:
        """The furniture on or in which a thing was seen, in sight now before earlier; "" if that was not seen."""
        for place in self.receptacles():
            if any(means(name, one) for one in self.things_on(place)):
                return place
        return next((place for one, place in reversed(self._stood_on) if means(name, one)), "")

    def things_on(self, place: str) -> list[str]:
        """Names of loose things that stand on a place in the same picture: their foot is within its box. In a room
        it is all that is in sight from there."""
        supports = [one for one in self.in_sight if means(place, one.name)]
        found: list[str] = []
        for thing in self.in_sight:
            name = canonical(thing.name)
            if is_furniture(name) or name in found:
                continue
            if is_room(place) or any(_stands_on(thing, support) for support in supports):
                found.append(name)
        return found


def _stands_on(thing: Detection, support: Detection) -> bool:
    middle, foot = (thing.box[0] + thing.box[2]) / 2, thing.box[3]
    x0, y0, x1, y1 = support.box
    margin = 0.25 * (thing.box[3] - thing.box[1])
    return thing.view == support.view and x0 <= middle <= x1 and y0 - margin <= foot <= y1

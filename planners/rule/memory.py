"""What the rule planner remembers of an episode. It comes from the planner inputs only, never from world state."""

from __future__ import annotations

from collections import Counter

from homie.kernel.actions import ACTIONS
from homie.kernel.interfaces import kind_of
from homie.kernel.knowledge import Knowledge, Remembered
from homie.kernel.types import Detection, PlannerInput, in_sight
from perception.colours import COLOUR_WORDS
from perception.names import canonical, vocabulary
from planners.common_sense import ROOMS, could_be, is_container, is_furniture, is_room, is_surface, means, same_head
from planners.rule.search_order import promise

CLOSE = 0.4
"""Least share of the picture's width that furniture takes up if it was seen closely."""
IN_THIS_ROOM = 0.15
"""Least share of the picture's width that furniture takes up if it is assumed to be in the robot's current room."""
WITHIN_REACH = 0.25
"""Least share of the picture's width that a container takes up if it is nearer than 2 m (EMMOE, D1): one of 0.9 m is
1.8 m away then, in a view of 90 degrees, and few are wider."""
AHEAD = "front"
"""The view that shows what the robot has gone to."""
FOOT_MARGIN = 0.25
"""Share of an object's height by which its lower edge may be outside of its support's box: boxes are not exact."""
NESTED = 3
"""How deep things may lie in or on each other: the plum in the bowl on the table."""
REFUSALS = 3
"""Refusals (F2) of a name after which the robot no longer goes to it."""
PLACE_REFUSALS = 2
"""Refusals (F2) of a place after which the robot no longer asks for it, from wherever it is."""


class Memory:
    """Names in sight and where they were seen, places visited, containers opened.

    at: the last place or object that the robot has gone to. by_sight: whether names have to be seen before they are
    accepted; None until that is known. It is True where the planner sees so (the sensors setting), and otherwise
    becomes True when a name that was never in sight is refused, and False when such a name is accepted before the robot
    has moved (later the robot may have seen more in passing than its planner).
    known: all that Go to can find, where the planner sees; None where it is not. absent: what nothing in the home is
    called, as Go to would have found it wherever it is.
    remembered: what the planner sees was seen, in every setting. room: where the robot is, start: where it was at
    first, "" where nobody says.
    actions: what the robot can be told; an arm on a table has no Go to.
    left: number of rounds after this one. open: containers that were opened. looked_into: those that were at some time.
    stuck: containers that did not open.
    meant: for words that fit several pieces of furniture, the name of the piece that they stand for from now on.
    """

    def __init__(self) -> None:
        self.at = ""
        self.actions: tuple[str, ...] = ACTIONS
        self.left = 0
        self.by_sight: bool | None = None
        self.known: Knowledge | None = None
        self.absent: set[str] = set()
        self._finds_all = False
        self.remembered: tuple[Remembered, ...] = ()
        self.room = self.start = ""
        self.round = 0
        self.in_sight: tuple[Detection, ...] = ()
        self.inventory: tuple[str, ...] = ()
        self.open: list[str] = []
        self.looked_into: set[str] = set()
        self.stuck: set[str] = set()
        self.meant: dict[str, str] = {}
        self.visited: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._refused_from: set[tuple[str, str]] = set()
        self._seen: dict[str, None] = {}
        self._closely: set[str] = set()
        self._near: set[str] = set()
        self._rooms_with: dict[str, dict[str, None]] = {}
        self._stood_on: dict[tuple[str, str], None] = {}
        self._states: dict[str, str] = {}
        self._states_before: dict[str, str] = {}

    def take_in(self, inputs: PlannerInput) -> None:
        """Remember what is in sight: objects, furniture (also if only its door or drawer is seen) and rooms."""
        self.in_sight = in_sight(inputs.detections)
        self.actions = inputs.actions
        self.inventory = inputs.inventory
        self.left, self.round = inputs.rounds - inputs.round, inputs.round
        self.remembered, self.room = inputs.knowledge.remembered, inputs.knowledge.room
        self.start = self.start or self.room
        self._finds_all = inputs.knowledge.setting == "background"
        self._states_before = self._states
        self._states = {canonical(remembered.name): remembered.state for remembered in inputs.knowledge.remembered}
        if inputs.knowledge.setting == "sensors":
            self.by_sight, self.known = True, inputs.knowledge
            names = (
                *inputs.knowledge.rooms,
                *(kind_of(remembered.name) for remembered in inputs.knowledge.remembered),
            )
            self._seen |= dict.fromkeys(canonical(name) for name in names if canonical(name) not in self._seen)
        self._near.clear()
        for detection in self.in_sight:
            name = canonical(detection.name)
            self._seen[name] = None
            share = (detection.box[2] - detection.box[0]) / inputs.views[detection.view].shape[1]
            if share >= WITHIN_REACH:
                self._near.update((name, canonical(detection.called)))
            if not detection.is_room and share >= CLOSE:
                self._closely.update((name, canonical(detection.called)))
            if not detection.is_room and share >= IN_THIS_ROOM and is_room(self.at):
                self._rooms_with.setdefault(name, {})[self.at] = None
        for place in self.receptacles():
            in_view = any(canonical(visible.name) == place for visible in self.in_sight)
            for name in self.things_on(place) if in_view else ():
                self._stood_on[name, place] = None

    @property
    def held(self) -> str:
        """The name of the held object, "" for none."""
        return self.inventory[-1] if self.inventory else ""

    def seen(self, words: str) -> list[str]:
        """Names seen so far that match the words, those in sight first. A number means one piece only."""
        visible_names = [canonical(detection.name) for detection in self.in_sight]
        numbered_names = [canonical(remembered.name) for remembered in self.known.remembered] if self.known else []
        return [
            name
            for name in dict.fromkeys([*visible_names, *self._seen, *numbered_names])
            if name and means(words, name)
        ]

    # ------------------------------------------------------------ knowledge of things and places

    def things_like(self, words: str) -> list[Remembered]:
        """Loose things that were seen and match the words ("" for all), each by a name of its own."""
        loose_things = (thing for thing in self.remembered if not is_furniture(kind_of(thing.name)))
        return [
            thing
            for thing in loose_things
            if not words or means(words, thing.name) or means(words, kind_of(thing.name))
        ]

    def named(self, words: str, room: str = "") -> list[Remembered]:
        """All that was seen, furniture too, that words mean, in a room if one is given: by its very name before what
        may be called so too."""
        candidates = [thing for thing in self.remembered if not room or canonical(thing.room) == canonical(room)]
        exact = [
            thing for thing in candidates if canonical(words) in (canonical(thing.name), canonical(kind_of(thing.name)))
        ]
        return exact or [t for t in candidates if means(words, t.name) or means(words, kind_of(t.name))]

    def things_at(self, place: str, words: str = "") -> list[Remembered]:
        """Matching things at a place: furniture, a vessel or a room."""
        return [thing for thing in self.things_like(words) if self.is_at(thing, place)]

    def is_at(self, thing: Remembered, place: str) -> bool:
        """Whether a seen thing is at a place, directly or in or on something there."""
        if is_room(place):
            return canonical(thing.room) == canonical(place)
        holder, room = _holder(thing), self.room_in(place)
        place_name = canonical(place).removeprefix(f"{room} ")
        for _ in range(NESTED):
            if not holder:
                return False
            if means(place, holder) or holder == self.piece(place):
                return True
            if canonical(thing.room) in (room, "" if room else self.room) and (
                means(place_name, holder) or same_head(place_name, kind_of(holder))
            ):
                return True
            holder = next((_holder(other) for other in self.remembered if canonical(other.name) == holder), "")
        return False

    def room_in(self, place: str) -> str:
        """The room that a name begins with: `kitchen` for `kitchen table`, "" if there is none."""
        return next((name for name in ROOMS if canonical(place).startswith(f"{name} ")), "")

    def seen_now(self, words: str) -> list[Remembered]:
        """Loose things that match the words and are in sight."""
        return [thing for thing in self.things_like(words) if thing.seen == self.round]

    def alike(self, place: str) -> list[str]:
        """Furniture that was seen and that the words for a piece in a room may mean although it is called otherwise:
        the only `white cabinet` of the kitchen for the `kitchen cupboard`."""
        room = self.room_in(place)
        place_name = canonical(place).removeprefix(f"{room} ")
        pieces = [thing for thing in self.remembered if is_furniture(kind_of(thing.name))]
        return [
            thing.name
            for thing in pieces
            if same_head(place_name, kind_of(thing.name)) and (not room or canonical(thing.room) == room)
        ]

    def state_of(self, place: str) -> str:
        """Whether a container is `open`, `ajar` or `closed`, as it was last seen; "" if that is unknown."""
        states = [thing for thing in self.remembered if thing.state and means(place, kind_of(thing.name))]
        name_ahead = self.before_robot(place)
        exact = [thing for thing in states if canonical(thing.name) in (name_ahead, self.piece(place))]
        visible_things = [thing for thing in states if thing.room == self.room and thing.seen == self.round]
        return next((thing.state for thing in (*exact, *visible_things, *states)), "")

    def container_ahead(self) -> str:
        """The widest container in the view ahead, "" for none."""
        containers = [seen for seen in self.in_sight if seen.view == AHEAD and is_container(seen.name)]
        widest = max(containers, key=lambda seen: seen.box[2] - seen.box[0], default=None)
        return "" if widest is None else canonical(widest.called)

    # ------------------------------------------------------------ names

    def refuse(self, words: str) -> None:
        """Record that these words were refused (F2) at the current place."""
        self.refused[canonical(words)] += 1
        self._refused_from.add((canonical(words), self.at))

    def miss(self, words: str) -> None:
        """Record that Go to does not know these words: where it finds everything, that is not there."""
        if self._finds_all and is_plain(words) and not self.seen(words):
            self.absent.add(canonical(words))

    def refused_here(self, place: str) -> bool:
        """Whether a place was refused from here, or often enough elsewhere."""
        return self.refused[place] >= PLACE_REFUSALS or (place, self.at) in self._refused_from

    def worth_going(self, words: str) -> str:
        """A remembered name that matches the words and was not refused from here, "" if there is none."""
        names = (name for name in self.seen(words) if self.refused[name] < REFUSALS)
        return next((name for name in names if (name, self.at) not in self._refused_from), "")

    def promise(self, words: str, place: str) -> float:
        """How much a look at a piece of furniture promises for the search for something: see `promise`."""
        known = None
        if self.known is not None:
            known = sum(_holder(remembered) == place for remembered in self.known.remembered)
        return promise(words, place, known, closely=place in self._closely or self._passed(place))

    def _passed(self, place: str) -> bool:
        """Whether the robot was at another piece of that name in the same room, as at the next of a row of counters."""
        pieces = self.known.remembered if self.known is not None else ()
        rooms = {canonical(remembered.name): remembered.room for remembered in pieces}
        visited_pieces = [piece for piece in self.each(kind_of(place)) if self.visited[piece]]
        return any(rooms.get(piece) == rooms.get(place) for piece in visited_pieces)

    def is_in(self, name: str, container: str) -> bool:
        """Whether a thing is known to be in a container."""
        things = self.known.remembered if self.known is not None else ()
        return any(canonical(remembered.name) == name and _holder(remembered) == container for remembered in things)

    def each(self, name: str) -> list[str]:
        """Words for each piece of furniture with a name: its number where the planner sees what is known, else the
        room if such pieces were seen in several rooms.

        Names of the knowledge replace earlier ones: from nearby a gray table may be the white one.
        """
        if self.known is not None:
            names = (canonical(remembered.name) for remembered in self.known.remembered)
            return [piece for piece in names if kind_of(piece) == name]
        rooms = self._rooms_with.get(name, {})
        is_ambiguous = len(rooms) > 1 and not any(room in name for room in rooms)  # a kitchen counter is in the kitchen
        return [f"{room} {name}" for room in rooms] if is_ambiguous else [name]

    def pieces(self, words: str) -> list[str]:
        """Remembered furniture that the words can mean, each by its own name: `kitchen counter 1`. If there is none,
        furniture that they may describe: a `drawer 3` without a detected colour may be the `beige drawer`."""
        candidates = [name for name in self._states if means(words, name) or means(words, kind_of(name))]
        return candidates or [name for name in self._states if could_be(words, kind_of(name))]

    def before_robot(self, words: str) -> str:
        """The piece of furniture that the robot is at, of those that the words can mean: the widest one ahead, "" if
        none is in sight."""
        pieces = self.pieces(words)
        detections = [
            seen
            for seen in self.in_sight
            if seen.view == AHEAD and (canonical(seen.called) in pieces or means(words, seen.name))
        ]
        widest = max(detections, key=lambda seen: seen.box[2] - seen.box[0], default=None)
        return "" if widest is None else canonical(widest.called)

    def is_near(self, words: str) -> bool:
        """Whether furniture that the words can mean is in sight, so large that it is within the arm's reach (D1).

        Only where the planner sees what is known (the sensors setting), since searches take most rounds there.
        """
        return self.known is not None and any(means(words, name) for name in self._near)

    def is_open(self, piece: str) -> bool:
        """Whether a container stands open because the robot has opened it."""
        return any(piece in (words, self.piece(words)) for words in self.open)

    def has_appeared(self, name: str) -> bool:
        """Whether a thing is remembered that was not before the last subtask: what the opened container shows."""
        return name in self._states and name not in self._states_before

    def piece(self, words: str) -> str:
        """The piece of furniture that words stand for, the words themselves where that is open."""
        return self.meant.get(words, words)

    def opened(self, words: str) -> None:
        """Record that a container was opened; of several with that name it stands for the one that was."""
        self.open.append(words)
        pieces = self.pieces(words)
        if len(pieces) == 1:
            self.meant[words] = pieces[0]
        elif pieces:
            now_open = [name for name in pieces if self._states[name] == "open" != self._states_before.get(name)]
            piece = now_open[0] if len(now_open) == 1 else self.before_robot(words)
            self.meant |= {words: piece} if piece else {}
        self.looked_into.add(canonical(self.piece(words)))

    def replace(self, words: str, piece: str) -> None:
        """Let words stand for another piece from now on. The one that they stood for stays open, by its own name."""
        if words in self.meant:
            self.open = [self.meant[words] if name == words else name for name in self.open]
            self.meant[words] = piece

    def shut(self, container: str) -> None:
        """Record that a container is closed."""
        self.open = [name for name in self.open if container not in (name, self.piece(name))]

    def hinted(self, words: str) -> bool:
        """Whether something was seen that the words could describe: a `table` may be the `brown table`."""
        return any(could_be(words, name) for name in self._seen)

    def rooms(self) -> list[str]:
        """Rooms and ways to rooms that the robot can be sent to, most useful first.

        Everything that homes have if knowledge is not given: it may have passed their doors without noticing.
        """
        if self.known is None:
            return [*ROOMS]
        unexplored = [doorway.name for doorway in self.known.doorways if not doorway.explored and not doorway.beyond]
        return [*(room for room in ROOMS if room in self.known.rooms), *unexplored]

    def places_with(self, words: str) -> list[str]:
        """Furniture on which something that matches the words has been seen."""
        return list(dict.fromkeys(place for name, place in self._stood_on if means(words, name)))

    def cleared(self, words: str, place: str) -> None:
        """Record that nothing that matches the words ("" for anything) is left at a place."""
        self._stood_on = {(n, p): None for n, p in self._stood_on if p != place or (words and not means(words, n))}

    def known_on(self, place: str) -> list[str]:
        """Names of objects that have been seen at a place, in sight now or not."""
        return [name for name, surface in self._stood_on if means(place, surface)]

    def forget(self, name: str) -> None:
        """Remove a name from memory."""
        self._seen.pop(canonical(name), None)

    def receptacles(self) -> list[str]:
        """Furniture seen so far that can hold objects, surfaces before containers."""
        names = list(self._seen)
        surfaces = [name for name in names if is_surface(name) and not is_container(name)]
        return surfaces + [name for name in names if is_container(name)]

    def surfaces_in_sight(self) -> list[str]:
        """Surfaces in sight, those with the largest boxes first, which are probably the nearest."""
        surfaces = [visible for visible in self.in_sight if is_surface(visible.name) and not is_container(visible.name)]
        surfaces.sort(
            key=lambda visible: (visible.box[2] - visible.box[0]) * (visible.box[3] - visible.box[1]), reverse=True
        )
        return list(dict.fromkeys(canonical(visible.name) for visible in surfaces))

    def all_on(self, place: str) -> list[str]:
        """Names of movable objects at a place in sight, one entry per object."""
        names = set(self.things_on(place))
        supports = [visible for visible in self.in_sight if means(place, visible.name)]
        return [
            canonical(item.name)
            for item in self.in_sight
            if canonical(item.name) in names and any(_stands_on(item, support) for support in supports)
        ]

    def place_of(self, name: str) -> str:
        """The furniture on or in which an object was seen, preferably in the current views; "" if unknown."""
        for place in self.receptacles():
            if any(means(name, other) for other in self.things_on(place)):
                return place
        return next((place for other, place in reversed(self._stood_on) if means(name, other)), "")

    def things_on(self, place: str) -> list[str]:
        """Names of movable objects at a place: those whose lower edge is within the place's box in the same picture.
        For a room it is all objects in sight."""
        supports = [visible for visible in self.in_sight if means(place, visible.name)]
        names: list[str] = []
        for item in self.in_sight:
            name = canonical(item.name)
            if is_furniture(name) or name in names:
                continue
            if is_room(place) or any(_stands_on(item, support) for support in supports):
                names.append(name)
        just_seen = (canonical(kind_of(thing.name)) for thing in self.things_at(place) if thing.seen == self.round)
        return list(dict.fromkeys((*names, *just_seen)))


def is_plain(words: str) -> bool:
    """Whether words name a kind of loose things. What a detector may call otherwise, by its colour, room or number, may
    be there although the words were refused, and so may something of a class such as `fruit`."""
    spoken = canonical(words).split()
    has_description = kind_of(words) != words or any(word in COLOUR_WORDS for word in spoken) or is_furniture(words)
    in_room = any(room in canonical(words) for room in ROOMS)
    return not (has_description or in_room or vocabulary().classes.get(canonical(words)))


def _holder(known: Remembered) -> str:
    """What a thing is on or in, "" if that is not known: `kitchen counter 2` for `on kitchen counter 2`."""
    return canonical(known.place.partition(" ")[2].removeprefix("the "))


def _stands_on(item: Detection, support: Detection) -> bool:
    middle, foot = (item.box[0] + item.box[2]) / 2, item.box[3]
    x0, y0, x1, y1 = support.box
    margin = FOOT_MARGIN * (item.box[3] - item.box[1])
    return item.view == support.view and x0 <= middle <= x1 and y0 - margin <= foot <= y1

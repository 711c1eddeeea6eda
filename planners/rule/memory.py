"""Memory of the rule planner in an episode, built from planner inputs only, never from world state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from homie.kernel.actions import ACTIONS
from homie.kernel.interfaces import kind_of
from homie.kernel.knowledge import Knowledge, RememberedThing
from homie.kernel.types import Detection, PlannerInput, in_sight
from perception.colours import COLOUR_WORDS
from perception.names import canonical, vocabulary
from planners.common_sense import ROOMS, is_container, is_furniture, is_room, is_surface, may_describe, means, same_head
from planners.rule.search_order import promise

CLOSE = 0.4
"""Minimum width of furniture, as a fraction of the picture's, to count as seen closely."""
IN_THIS_ROOM = 0.15
"""Minimum width of furniture, as a fraction of the picture's, to count as in the robot's current room."""
WITHIN_REACH = 0.25
"""Minimum width of a container, as a fraction of the picture's, to count as nearer than 2 m (EMMOE, D1): a container
of 0.9 m is then 1.8 m away, with a field of view of 90 degrees, and few are wider."""
AHEAD = "front"
"""The view that shows the object to which the robot has gone."""
FOOT_MARGIN = 0.25
"""Tolerance for an object's lower edge outside of its support's box, as a fraction of its height: boxes are inexact."""
NESTED = 3
"""Maximum nesting depth of objects in or on each other: the plum in the bowl on the table."""
REFUSALS = 3
"""Refusals (F2) of a name after which the robot no longer goes to it."""
PLACE_REFUSALS = 2
"""Refusals (F2) of a place after which the robot no longer goes to it, from anywhere."""


class Memory:
    """Detected names and their places, visited places, opened containers.

    Attributes:
        at: the last place or object that the robot has gone to.
        by_sight: whether Go to accepts only names that have been seen; None until known. It is True in the sensors
            setting; otherwise it becomes True when a name that was never in sight is refused, and False when such a
            name is accepted before the robot has moved (later the robot may have seen more than its planner).
        known: in the sensors setting all knowledge that Go to uses, else None.
        absent: names that nothing in the home has, as Go to would have found it anywhere.
        remembered: objects seen so far, in every setting.
        room, start: current and initial room of the robot, "" if unknown.
        actions: available actions; an arm on a table has no Go to.
        left: number of rounds after this one.
        open: containers that the robot has opened and not closed.
        looked_into: containers that it has opened at some time.
        stuck: containers that did not open, each with the pieces of its name that were open before.
        meant: for words that match several pieces of furniture, the piece to which they refer from now on.
    """

    def __init__(self) -> None:
        self.at = ""
        self.actions: tuple[str, ...] = ACTIONS
        self.left = 0
        self.by_sight: bool | None = None
        self.known: Knowledge | None = None
        self.absent: set[str] = set()
        self._goto_finds_all = False
        self.remembered: tuple[RememberedThing, ...] = ()
        self.room = self.start = ""
        self.round = 0
        self.in_sight: tuple[Detection, ...] = ()
        self.inventory: tuple[str, ...] = ()
        self.open: list[str] = []
        self.looked_into: set[str] = set()
        self.stuck: dict[str, frozenset[str]] = {}
        self.meant: dict[str, str] = {}
        self.visited: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._refused_from: set[tuple[str, str]] = set()
        self._seen_names: dict[str, None] = {}
        self._seen_closely: set[str] = set()
        self._near_names: set[str] = set()
        self._rooms_with: dict[str, dict[str, None]] = {}
        self._seen_at: dict[tuple[str, str], None] = {}
        self._states: dict[str, str] = {}
        self._states_before: dict[str, str] = {}

    def take_in(self, inputs: PlannerInput) -> None:
        """Record the objects, furniture (also if only its door or drawer is seen) and rooms in sight."""
        self.in_sight = in_sight(inputs.detections)
        self.actions = inputs.actions
        self.inventory = inputs.inventory
        self.left, self.round = inputs.rounds - inputs.round, inputs.round
        self.remembered, self.room = inputs.knowledge.remembered, inputs.knowledge.room
        self.start = self.start or self.room
        self._goto_finds_all = inputs.knowledge.setting == "background"
        self._states_before = self._states
        self._states = {canonical(remembered.name): remembered.state for remembered in inputs.knowledge.remembered}
        if inputs.knowledge.setting == "sensors":
            self.by_sight, self.known = True, inputs.knowledge
            names = (
                *inputs.knowledge.rooms,
                *(kind_of(remembered.name) for remembered in inputs.knowledge.remembered),
            )
            self._seen_names |= dict.fromkeys(
                canonical(name) for name in names if canonical(name) not in self._seen_names
            )
        self._near_names.clear()
        for detection in self.in_sight:
            name = canonical(detection.name)
            self._seen_names[name] = None
            share = (detection.box[2] - detection.box[0]) / inputs.views[detection.view].shape[1]
            if share >= WITHIN_REACH:
                self._near_names.update((name, canonical(detection.called)))
            if not detection.is_room and share >= CLOSE:
                self._seen_closely.update((name, canonical(detection.called)))
            if not detection.is_room and share >= IN_THIS_ROOM and is_room(self.at):
                self._rooms_with.setdefault(name, {})[self.at] = None
        for place in self.receptacles():
            in_view = any(canonical(visible.name) == place for visible in self.in_sight)
            for name in self.things_on(place) if in_view else ():
                self._seen_at[name, place] = None

    @property
    def held(self) -> str:
        """The name of the held object, "" for none."""
        return self.inventory[-1] if self.inventory else ""

    def seen(self, words: str) -> list[str]:
        """Return names seen so far that match the words, those in sight first. A number means one piece only.

        In the sensors setting without loose objects that Go to would refuse (F2): a detection that has not been
        confirmed by others, or an object that is no longer where it was.
        """
        visible_names = [canonical(detection.name) for detection in self.in_sight]
        numbered_names = [canonical(remembered.name) for remembered in self.known.remembered] if self.known else []
        return [
            name
            for name in dict.fromkeys([*visible_names, *self._seen_names, *numbered_names])
            if name and means(words, name) and self._is_known(name)
        ]

    def _is_known(self, name: str) -> bool:
        """Return whether Go to may know a name: that of a loose object only if the knowledge of the setting has it."""
        if self.known is None or is_furniture(name) or is_room(name):
            return True
        return name == canonical(self.held) or any(name in (known, kind_of(known)) for known in self._states)

    # ------------------------------------------------------------ knowledge of objects and places

    def things_like(self, words: str) -> list[RememberedThing]:
        """Return movable objects seen so far that match the words ("" for all), each with its own name."""
        loose_things = (thing for thing in self.remembered if not is_furniture(kind_of(thing.name)))
        return [
            thing
            for thing in loose_things
            if not words or means(words, thing.name) or means(words, kind_of(thing.name))
        ]

    def find_named(self, words: str, room: str = "") -> list[RememberedThing]:
        """Return objects and furniture seen so far that match the words, in a room if given; if some have exactly this
        name, only those."""
        candidates = [thing for thing in self.remembered if not room or canonical(thing.room) == canonical(room)]
        exact = [
            thing for thing in candidates if canonical(words) in (canonical(thing.name), canonical(kind_of(thing.name)))
        ]
        return exact or [t for t in candidates if means(words, t.name) or means(words, kind_of(t.name))]

    def things_at(self, place: str, words: str = "") -> list[RememberedThing]:
        """Return matching objects at a place: furniture, a vessel or a room."""
        return [thing for thing in self.things_like(words) if self.is_at(thing, place)]

    def is_at(self, thing: RememberedThing, place: str) -> bool:
        """Return whether an object is at a place, directly or in or on another object there."""
        if is_room(place):
            return canonical(thing.room) == canonical(place)
        holder, room = _support_of(thing), self.room_in(place)
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
            holder = next((_support_of(other) for other in self.remembered if canonical(other.name) == holder), "")
        return False

    def room_in(self, place: str) -> str:
        """Return the room with which a name begins: `kitchen` for `kitchen table`, "" for none."""
        return next((name for name in ROOMS if canonical(place).startswith(f"{name} ")), "")

    def find_in_sight(self, words: str) -> list[RememberedThing]:
        """Return movable objects in sight that match the words."""
        return [thing for thing in self.things_like(words) if thing.seen == self.round]

    def alike(self, place: str) -> list[str]:
        """Return furniture to which the words for a piece in a room may refer although it has another name: the only
        `white cabinet` of the kitchen for the `kitchen cupboard`."""
        room = self.room_in(place)
        place_name = canonical(place).removeprefix(f"{room} ")
        pieces = [thing for thing in self.remembered if is_furniture(kind_of(thing.name))]
        return [
            thing.name
            for thing in pieces
            if same_head(place_name, kind_of(thing.name)) and (not room or canonical(thing.room) == room)
        ]

    def state_of(self, place: str) -> str:
        """Return the last seen state of a container, `open`, `ajar` or `closed`; "" if unknown."""
        states = [thing for thing in self.remembered if thing.state and means(place, kind_of(thing.name))]
        name_ahead = self.before_robot(place)
        exact = [thing for thing in states if canonical(thing.name) in (name_ahead, self.piece(place))]
        visible_things = [thing for thing in states if thing.room == self.room and thing.seen == self.round]
        return next((thing.state for thing in (*exact, *visible_things, *states)), "")

    def container_ahead(self) -> str:
        """Return the widest container in the front view, "" for none."""
        containers = [seen for seen in self.in_sight if seen.view == AHEAD and is_container(seen.name)]
        widest = max(containers, key=lambda seen: seen.box[2] - seen.box[0], default=None)
        return "" if widest is None else canonical(widest.called)

    # ------------------------------------------------------------ names

    def refuse(self, words: str) -> None:
        """Record that these words were refused (F2) at the current place."""
        self.refused[canonical(words)] += 1
        self._refused_from.add((canonical(words), self.at))

    def miss(self, words: str) -> None:
        """Record that Go to does not know these words: if it finds every object, there is no such object."""
        if self._goto_finds_all and is_plain(words) and not self.seen(words):
            self.absent.add(canonical(words))

    def refused_here(self, place: str) -> bool:
        """Return whether a place was refused from here, or often enough elsewhere."""
        return self.refused[place] >= PLACE_REFUSALS or (place, self.at) in self._refused_from

    def worth_going(self, words: str) -> str:
        """Return a remembered name that matches the words and was not refused from here, "" if there is none."""
        names = (name for name in self.seen(words) if self.refused[name] < REFUSALS)
        return next((name for name in names if (name, self.at) not in self._refused_from), "")

    def promise(self, words: str, place: str) -> float:
        """Return the priority of a piece of furniture in the search for an object: see `search_order.promise`."""
        known = None
        if self.known is not None:
            known = sum(_support_of(remembered) == place for remembered in self.known.remembered)
        return promise(words, place, known, closely=place in self._seen_closely or self._visited_similar(place))

    def _visited_similar(self, place: str) -> bool:
        """Return whether the robot was at another piece of that kind in the same room, such as the next counter."""
        pieces = self.known.remembered if self.known is not None else ()
        rooms = {canonical(remembered.name): remembered.room for remembered in pieces}
        visited_pieces = [piece for piece in self.each(kind_of(place)) if self.visited[piece]]
        return any(rooms.get(piece) == rooms.get(place) for piece in visited_pieces)

    def is_in(self, name: str, container: str) -> bool:
        """Return whether an object is known to be in a container."""
        things = self.known.remembered if self.known is not None else ()
        return any(canonical(remembered.name) == name and _support_of(remembered) == container for remembered in things)

    def each(self, name: str) -> list[str]:
        """Return a phrase for each piece of furniture of a kind: numbered names in the sensors setting, otherwise with
        the room if such pieces were seen in several rooms.

        Names of the knowledge replace earlier ones: from nearby a gray table may turn out to be the white one.
        """
        if self.known is not None:
            names = (canonical(remembered.name) for remembered in self.known.remembered)
            return [piece for piece in names if kind_of(piece) == name]
        rooms = self._rooms_with.get(name, {})
        is_ambiguous = len(rooms) > 1 and not any(room in name for room in rooms)  # not for a `kitchen counter`
        return [f"{room} {name}" for room in rooms] if is_ambiguous else [name]

    def pieces(self, words: str) -> list[str]:
        """Return the names of remembered furniture that the words can mean: `kitchen counter 1`. If there is none,
        those of furniture that they may describe: a `drawer 3` without a detected colour may be the `beige drawer`."""
        candidates = [name for name in self._states if means(words, name) or means(words, kind_of(name))]
        return candidates or [name for name in self._states if may_describe(words, kind_of(name))]

    def before_robot(self, words: str) -> str:
        """Return the piece of furniture in front of the robot that the words can mean: the widest in the front view, ""
        if none is in sight."""
        pieces = self.pieces(words)
        detections = [
            seen
            for seen in self.in_sight
            if seen.view == AHEAD and (canonical(seen.called) in pieces or means(words, seen.name))
        ]
        widest = max(detections, key=lambda seen: seen.box[2] - seen.box[0], default=None)
        return "" if widest is None else canonical(widest.called)

    def is_near(self, words: str) -> bool:
        """Return whether furniture that the words can mean is in sight and large enough to be in reach of the arm (D1).

        Only in the sensors setting, where searches take most rounds.
        """
        return self.known is not None and any(means(words, name) for name in self._near_names)

    def is_open(self, piece: str) -> bool:
        """Return whether the robot has opened a container and not closed it."""
        return any(piece in (words, self.piece(words)) for words in self.open)

    def has_appeared(self, name: str) -> bool:
        """Return whether an object was seen for the first time after the last subtask, as in an opened container."""
        return name in self._states and name not in self._states_before

    def piece(self, words: str) -> str:
        """Return the piece of furniture to which words refer, or the words themselves if that is undecided."""
        return self.meant.get(words, words)

    def record_opened(self, words: str) -> None:
        """Record that a container was opened; of several with that name the words now refer to this one."""
        self.open.append(words)
        pieces = self.pieces(words)
        if len(pieces) == 1:
            self.meant[words] = pieces[0]
        elif pieces:
            now_open = [name for name in pieces if self._states[name] == "open" != self._states_before.get(name)]
            piece = now_open[0] if len(now_open) == 1 else self.before_robot(words)
            self.meant |= {words: piece} if piece else {}
        self.looked_into.add(canonical(self.piece(words)))

    def ajar(self, words: str) -> frozenset[str]:
        """Return the pieces that the words can mean whose door or drawer is not shut, as far as is known."""
        return frozenset(piece for piece in self.pieces(words) if self._states[piece] in ("ajar", "open"))

    def to_close(self, requested_open: Collection[str]) -> list[str]:
        """Return the containers that the robot has opened, or moved in attempts that failed, and not closed, except
        those that have to be open."""
        opened = [words for words in self.open if words not in requested_open]
        stuck = [words for words in self.stuck if words not in requested_open]
        moved = (piece for words in stuck for piece in sorted(self.ajar(words) - self.stuck[words]))
        return [*opened, *dict.fromkeys(piece for piece in moved if not self.is_open(piece))]

    def replace(self, words: str, piece: str) -> None:
        """Let words refer to another piece from now on. The previous one stays recorded as open, by its own name."""
        if words in self.meant:
            self.open = [self.meant[words] if name == words else name for name in self.open]
            self.meant[words] = piece

    def record_closed(self, container: str) -> None:
        """Record that a container is closed."""
        self.open = [name for name in self.open if container not in (name, self.piece(name))]

    def has_similar(self, words: str) -> bool:
        """Return whether an object was seen that the words could describe: a `table` may be the `brown table`."""
        return any(may_describe(words, name) and self._is_known(name) for name in self._seen_names)

    def rooms(self) -> list[str]:
        """Return rooms, and doorways to unknown rooms, to which the robot can go, most useful first.

        Without knowledge these are all rooms that homes have: the robot may have passed their doors without noticing.
        """
        if self.known is None:
            return [*ROOMS]
        unexplored = [doorway.name for doorway in self.known.doorways if not doorway.explored and not doorway.beyond]
        return [*(room for room in ROOMS if room in self.known.rooms), *unexplored]

    def places_with(self, words: str) -> list[str]:
        """Return furniture on which a matching object was seen."""
        return list(dict.fromkeys(place for name, place in self._seen_at if means(words, name)))

    def record_cleared(self, words: str, place: str) -> None:
        """Record that no matching object ("" for any) is left at a place."""
        self._seen_at = {(n, p): None for n, p in self._seen_at if p != place or (words and not means(words, n))}

    def names_on(self, place: str) -> list[str]:
        """Return names of objects that were seen at a place, now or earlier."""
        return [name for name, surface in self._seen_at if means(place, surface)]

    def forget(self, name: str) -> None:
        """Remove a name from memory."""
        self._seen_names.pop(canonical(name), None)

    def receptacles(self) -> list[str]:
        """Return furniture seen so far that can hold objects, surfaces before containers."""
        names = list(self._seen_names)
        surfaces = [name for name in names if is_surface(name) and not is_container(name)]
        return surfaces + [name for name in names if is_container(name)]

    def surfaces_in_sight(self) -> list[str]:
        """Return surfaces in sight, those with the largest boxes first, which are probably the nearest."""
        surfaces = [visible for visible in self.in_sight if is_surface(visible.name) and not is_container(visible.name)]
        surfaces.sort(
            key=lambda visible: (visible.box[2] - visible.box[0]) * (visible.box[3] - visible.box[1]), reverse=True
        )
        return list(dict.fromkeys(canonical(visible.name) for visible in surfaces))

    def all_on(self, place: str) -> list[str]:
        """Return names of movable objects at a place in sight, one entry per object."""
        names = set(self.things_on(place))
        supports = [visible for visible in self.in_sight if means(place, visible.name)]
        return [
            canonical(item.name)
            for item in self.in_sight
            if canonical(item.name) in names and any(_stands_on(item, support) for support in supports)
        ]

    def place_of(self, name: str) -> str:
        """Return the furniture on or in which an object was seen, preferably in the current views; "" if unknown."""
        for place in self.receptacles():
            if any(means(name, other) for other in self.things_on(place)):
                return place
        return next((place for other, place in reversed(self._seen_at) if means(name, other)), "")

    def things_on(self, place: str) -> list[str]:
        """Return names of movable objects at a place: those whose lower edge is within the place's box in the same
        picture; for a room all objects in sight."""
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
    """Return whether words are a plain kind of movable objects. With a colour, room, number or a class such as `fruit`
    there may be a matching object, under another name of the detector, although the words were refused."""
    spoken = canonical(words).split()
    has_description = kind_of(words) != words or any(word in COLOUR_WORDS for word in spoken) or is_furniture(words)
    in_room = any(room in canonical(words) for room in ROOMS)
    return not (has_description or in_room or vocabulary().classes.get(canonical(words)))


def _support_of(known: RememberedThing) -> str:
    """Return the support or container of an object, "" if unknown: `kitchen counter 2` for `on kitchen counter 2`."""
    return canonical(known.place.partition(" ")[2].removeprefix("the "))


def _stands_on(item: Detection, support: Detection) -> bool:
    middle, foot = (item.box[0] + item.box[2]) / 2, item.box[3]
    x0, y0, x1, y1 = support.box
    margin = FOOT_MARGIN * (item.box[3] - item.box[1])
    return item.view == support.view and x0 <= middle <= x1 and y0 - margin <= foot <= y1

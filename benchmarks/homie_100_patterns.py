"""What the tasks of homie-100 have in common: patterns that look for a house in which an errand makes sense.

A pattern gets a house and returns a draft (goal, key paths, the expert's subtasks, words for the text), or None where
the house does not have what it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Any

from homie.bench.authoring import END, Carry, House, Route, orders

FRUIT = ("apple", "banana", "lemon", "orange", "peach", "pear", "plum", "strawberry")
TINS = ("master_chef_can", "potted_meat_can", "tomato_soup_can", "tuna_fish_can")
BOXES = ("cracker_box", "gelatin_box", "pudding_box", "sugar_box")
CLASSES: dict[str, tuple[str, ...]] = {"fruit": FRUIT, "can": TINS, "box": BOXES, "food": FRUIT + TINS + BOXES}
ANY_WILL_DO = ("drawer", "kitchen_counter", "chair")
"""Kinds of furniture of which a text does not say which one."""
BY_COLOUR = ("table", "cabinet")
"""Kinds of which a text says which one by its colour."""
MOST_PATHS = 60
LONGEST = 19
"""Subtasks of an expert, End included: a round in reserve of EMMOE's 20."""

Goal = dict[str, Any]


@dataclass(frozen=True)
class Draft:
    """A task without its text."""

    goal: Goal
    keypaths: list[list[str]]
    expert: list[str]
    slots: dict[str, str] = field(default_factory=dict)


Pattern = Callable[[House], Draft | None]


def place(house: House, name: str) -> tuple[str, str]:
    """A place as goals and as key paths name it."""
    piece = house.furniture.get(name)
    if piece is not None and piece.kind in ANY_WILL_DO:
        return piece.kind, piece.kind.replace("_", " ")
    return name, house.word(name)


def said(house: House, name: str) -> str | None:
    """A place as a text calls it."""
    piece = house.furniture.get(name)
    if piece is not None and piece.kind in ANY_WILL_DO:
        return piece.kind.replace("_", " ")
    return house.spoken(name)


def arrives(house: House, thing: str, to: str) -> Goal:
    """The goal that an object is there."""
    inside = house.container(to) is not None or to in house.objects
    return {"in" if inside else "at": [thing, place(house, to)[0]]}


def block(house: House, thing: str, to: str) -> list[str]:
    """The key path nodes of one object."""
    word = house.word(thing)
    return [f"[Pick, {word}]", f"[Put, {word}, {place(house, to)[1]}]"]


def one(house: House, kind: str) -> str | None:
    """The only object of a kind, if there is only one."""
    found = [name for name, thing in house.objects.items() if thing.kind == kind]
    return found[0] if len(found) == 1 else None


def not_one(house: House, kind: str) -> bool:
    """Whether a text that just says `the sofa` would be ambiguous."""
    return kind not in (*ANY_WILL_DO, *BY_COLOUR) and len(house.of_kind(kind)) != 1


def targets(house: House, kind: str, count: int) -> list[str]:
    """Furniture of a kind with room for so many objects more, the emptiest first; a bowl is a target, too."""
    if kind in house.objects:
        return [kind] if house.container(kind) is None else []
    room = {"nightstand": 1, "chair": 1, "microwave": 1, "sink": 2, "drawer": 2, "stove": 3}
    found = []
    if not_one(house, kind):
        return []
    for name in house.of_kind(kind):
        there = len(house.things_at(name))
        area = max(4 * plan.half_x * plan.half_y for plan in house.surfaces[name])
        most = room.get(kind, 4 if area > 0.3 else 3)
        if there + count <= most and said(house, name) and (kind != "kitchen_counter" or area > 0.2):
            found.append((there, name))
    return [name for _, name in sorted(found)]


def done(house: House, carries: list[Carry], *, close: bool, then: str = "", first: str = "") -> tuple[list[str], bool]:
    """The expert's subtasks; False if they are too many."""
    route = Route(house)
    if first:
        route.open(first)
    for thing, to in carries:
        route.carry(thing, to)
    if close:
        route.close_all()
    if then:
        route.visit(then)
    return [*route.subtasks, END], len(route.subtasks) < LONGEST


def draft(
    house: House,
    carries: list[Carry],
    *,
    close: bool = False,
    then: str = "",
    first: str = "",
    goals: list[Goal] | None = None,
    paths: list[list[str]] | None = None,
    **slots: str,
) -> Draft | None:
    """The task of carrying these objects. close: everything that was opened is to be shut again. then: a room."""
    expert, fits = done(house, carries, close=close, then=then, first=first)
    if not fits:
        return None
    containers = dict.fromkeys(c for thing, to in carries for c in (house.container(to), house.container(thing)) if c)
    into = list(dict.fromkeys(to for _, to in carries))
    goals = list(goals or (arrives(house, thing, to) for thing, to in carries))
    if close:
        goals += [{"closed": word} for word in dict.fromkeys(place(house, c)[0] for c in containers)]
    if then:
        goals.append({"robot_in": then})
    if paths is None:
        before = [f"[Open, {place(house, into[0])[1]}]"] if len(into) == 1 and house.container(into[0]) else []
        after = [f"[Go to, {house.word(then)}]"] if then else []
        uses = {c: [n for n, carry in enumerate(carries) if c in map(house.container, carry)] for c in containers}
        closing = {f"[Close, {place(house, c)[1]}]": numbers for c, numbers in uses.items()} if close else {}
        paths = orders([block(house, *carry) for carry in carries], before, after, closing=closing)
    if len(paths) > MOST_PATHS:
        return None
    words = {"to": said(house, into[0]) or "", **slots} if into else slots
    return Draft(goals[0] if len(goals) == 1 else {"all": goals}, paths, expert, words)


# ---------------------------------------------------------------- patterns


def errands(plan: str, *, inside: str = "", within: str = "", close: bool = False, then: str = "") -> Pattern:
    """`apple>fridge tuna_fish_can>drawer`: objects and where to. inside: those that begin in a closed container, of the
    kind `within` if given; all the others stand free."""
    pairs = [tuple(part.split(">")) for part in plan.split()]
    hidden = inside.split()

    def look(house: House) -> Draft | None:
        rooms = [name for name, kind in house.rooms.items() if kind == then]
        if then and not rooms:
            return None
        carries: list[Carry] = []
        kinds = [to for _, to in pairs]
        chosen: dict[str, str] = {}
        for kind, to in pairs:
            thing = one(house, kind)
            found = targets(house, to, kinds.count(to))
            if thing is None or not found or house.objects[thing].receptacle in house.of_kind(to):
                return None
            shut = house.container(thing)
            if (shut is not None) != (kind in hidden):
                return None
            if shut is not None and within and house.furniture[shut].kind != within:
                return None
            carries.append((thing, chosen.setdefault(to, found[0])))
        return draft(house, carries, close=close, then=rooms[0] if then else "")

    return look


def choose(count: int, of: str, to: str, *, close: bool = False) -> Pattern:
    """Any so many different kinds of a class; the expert takes those that stand free."""

    def look(house: House) -> Draft | None:
        found = targets(house, to, count)
        if not found:
            return None
        target = found[0]
        there = place(house, target)[0]
        names = [name for name, thing in house.objects.items() if thing.kind in CLASSES[of]]
        if len({house.objects[name].kind for name in names}) < len(names) or len(names) < count + 1:
            return None
        if any(house.objects[name].receptacle == target for name in names):
            return None
        free = [name for name in names if house.container(name) is None][:count]
        if len(free) < count:
            return None
        before, after = [], []
        if house.container(target):
            before, after = [f"[Open, {place(house, target)[1]}]"], [f"[Close, {place(house, target)[1]}]"] * close
        options = [p for chosen in combinations(names, count) for p in permutations(chosen)]
        puts = [[f"[Put, {house.word(n)}, {place(house, target)[1]}]" for n in option] for option in options]
        paths = [[*before, *nodes, *after, END] for nodes in puts]
        relation = "in" if house.container(target) else "at"
        goal = {"count": {"of": list(CLASSES[of]), relation: there, "at_least": count}}
        return draft(house, [(name, target) for name in free], close=close, goals=[goal], paths=paths)

    return look


def clear(source: str, to: str, count: int, *, only: str = "", but: str = "", close: bool = False) -> Pattern:
    """All that is on a piece of furniture, or all of a class, or all but one kind, goes somewhere else."""

    def look(house: House) -> Draft | None:
        if not_one(house, source):
            return None
        if source in ANY_WILL_DO and sum(len(house.things_at(name)) >= count for name in house.of_kind(source)) != 1:
            return None
        for where in house.of_kind(source):
            there = house.things_at(where)
            kinds = {name: house.objects[name].kind for name in there}
            move = [n for n in there if (not only or kinds[n] in CLASSES[only]) and kinds[n] != but]
            stays = len(there) - len(move)
            target = next((name for name in targets(house, to, count) if name != where), None)
            if len(move) != count or said(house, where) is None or target is None:
                continue
            if any(house.word(n) == n and "_" in n and n[-1].isdigit() for n in move):
                continue
            if bool(only or but) != bool(stays) or (but and but not in kinds.values()):
                continue
            goals = [arrives(house, name, target) for name in move]
            goals += [{"at": [name, where]} for name in there if name not in move]
            result = draft(
                house,
                [(name, target) for name in move],
                close=close,
                goals=goals,
                **{"from": said(house, where) or ""},
            )
            if result is not None:
                return result
        return None

    return look


def gather(of: str, room: str, to: str, count: int, *, close: bool = False) -> Pattern:
    """All of a class that are in a room, wherever in it, go to one place."""

    def look(house: House) -> Draft | None:
        rooms = [name for name, kind in house.rooms.items() if kind == room]
        found = targets(house, to, count)
        if not rooms or not found:
            return None
        things = [n for n in house.things_at(rooms[0]) if house.objects[n].kind in CLASSES[of]]
        if len(things) != count or any(house.objects[n].receptacle == found[0] for n in things):
            return None
        if len({house.objects[n].kind for n in house.objects}) < len(house.objects):
            return None
        return draft(house, [(name, found[0]) for name in things], close=close)

    return look


def swap(first: str, second: str, *, inside: str = "") -> Pattern:
    """Two objects change places. inside: the kind of the container that the first is in."""

    def look(house: House) -> Draft | None:
        a, b = one(house, first), one(house, second)
        if a is None or b is None:
            return None
        one_place, other = house.objects[a].receptacle, house.objects[b].receptacle
        shut = house.container(a)
        if house.container(b) or one_place == other or not said(house, one_place) or not said(house, other):
            return None
        if "shelf" in (house.furniture[one_place].kind, house.furniture[other].kind):
            return None
        if (house.furniture[shut].kind if shut else "") != inside:
            return None
        return draft(house, [(a, other), (b, one_place)], close=bool(inside))

    return look


def whether(of: str, container: str, there: bool, yes: str, no: str, also: str) -> Pattern:
    """If something of a class is in the container it goes to `yes`, else the object `no` goes in; `also` in any case.

    The container is to be shut in the end. `there` says which branch the house shall have.
    """
    extra, _, destination = also.partition(">")

    def look(house: House) -> Draft | None:
        boxes = house.of_kind(container)
        kinds = CLASSES.get(of, (of,))
        side, supply = one(house, extra), one(house, no)
        if len(boxes) != 1 or side is None or supply is None or house.container(side):
            return None
        held = [n for n in house.things_at(boxes[0]) if house.objects[n].kind in kinds]
        ends = targets(house, yes, 1)
        others = targets(house, destination, 1)
        if bool(held) != there or len(held) > 1 or house.container(supply) not in (None, boxes[0]):
            return None
        if not ends or not others or house.objects[side].receptacle in house.of_kind(destination):
            return None
        main: Carry = (held[0], ends[0]) if held else (supply, boxes[0])
        return draft(house, [main, (side, others[0])], first=boxes[0], close=True)

    return look


def replenish(of: str, where: str, have: int, total: int) -> Pattern:
    """So many of a class are there; bring more until there are `total`."""

    def look(house: House) -> Draft | None:
        for target in targets(house, where, total - have):
            mine = [n for n in house.things_at(target) if house.objects[n].kind in CLASSES[of]]
            more = [n for n, t in house.objects.items() if t.kind in CLASSES[of] and n not in mine]
            free = [n for n in more if house.container(n) is None][: total - have]
            if len(mine) != have or len(free) < total - have:
                continue
            inside = house.container(target)
            word = place(house, target)[1]
            before, after = ([f"[Open, {word}]"], [f"[Close, {word}]"]) if inside else ([], [])
            options = permutations(more, total - have)
            puts = [[f"[Put, {house.word(n)}, {word}]" for n in option] for option in options]
            paths = [[*before, *nodes, *after, END] for nodes in puts]
            goal = {"count": {"of": list(CLASSES[of]), "in" if inside else "at": target, "exactly": total}}
            result = draft(house, [(n, target) for n in free], close=bool(inside), goals=[goal], paths=paths)
            if result is not None:
                return result
        return None

    return look


def stand_by(room: str, fetch: str = "") -> Pattern:
    """Go to a room and stay there, with an object in the hand if `fetch` is given."""

    def look(house: House) -> Draft | None:
        rooms = [name for name, kind in house.rooms.items() if kind == room]
        thing = one(house, fetch) if fetch else None
        if not rooms or (fetch and (thing is None or house.container(thing))):
            return None
        route, nodes = Route(house), []
        goals: list[Goal] = [{"robot_in": rooms[0]}]
        if thing is not None:
            route.pick(thing)
            nodes.append(f"[Pick, {house.word(thing)}]")
            goals.append({"held": thing})
        route.visit(rooms[0])
        goal = goals[0] if len(goals) == 1 else {"all": goals}
        return Draft(goal, [[*nodes, f"[Go to, {room}]", END]], [*route.subtasks, END])

    return look

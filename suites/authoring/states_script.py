"""Steps of an expert in a house with states, one errand after the other."""

from __future__ import annotations

from dataclasses import dataclass, field

from homie.bench.authoring.house import House


class UnsuitedHouse(Exception):
    """The house lacks what a task or script names, or has more than one of it."""


@dataclass(slots=True)
class Script:
    """The steps of an expert so far.

    Attributes:
        opened: Containers that it has opened.
        held: The object in its hand.
    """

    house: House
    steps: list[str] = field(default_factory=list)
    opened: set[str] = field(default_factory=set)
    held: str = ""

    # ------------------------------------------------------------ state of the house

    def single(self, *kinds: str, **states: bool) -> str:
        """Return an object of one of these kinds, the only one of its kind, in these states. Raises UnsuitedHouse."""
        for kind in kinds:
            names = [name for name, item in self.house.state.things.items() if item.kind == kind]
            if len(names) == 1 and self.is_so(names[0], **states):
                return names[0]
        raise UnsuitedHouse(f"no single {kinds[0]}")

    def person(self, *, sits: bool = False, walks: bool = False) -> str:
        """Return the person who walks, or who holds out a hand, standing or sitting. Raises UnsuitedHouse."""
        for name, person in self.house.state.people.items():
            idle = person.gesture == "hand_out" and (person.posture == "sitting") is sits
            if (person.followed is not None) if walks else idle:
                return name
        raise UnsuitedHouse("no such person")

    def is_so(self, name: str, **states: bool) -> bool:
        """Return whether an object is in these states at the start."""
        having = self.house.state.things[name].states
        return all(having.get(state) is value for state, value in states.items())

    def word(self, name: str) -> str:
        """Return the name of an object in a step."""
        return self.house.word(name)

    # ------------------------------------------------------------ steps

    def do(self, action: str, *names: str) -> None:
        """Append one step."""
        self.steps.append(f"[{', '.join((action, *map(self.word, names)))}]")

    def visit(self, name: str) -> None:
        """Go to an object, a place or a person."""
        self.do("Go to", name)

    def reveal(self, name: str) -> None:
        """Go to an object, and open the container that it is shut in."""
        container = self.shut_in(name)
        if container is None:
            self.visit(name)
            return
        if self.held:
            raise UnsuitedHouse(f"{name} is shut in, and the hand is full")
        self.visit(container)
        self.open(container)

    def shut_in(self, name: str) -> str | None:
        """Return the container that an object is shut in, None where it is free."""
        container = self.house.container(name)
        free = container in (None, name, *self.opened) or self.house.stands_open(str(container))
        return None if free else container

    def open(self, container: str) -> None:
        """Open the container at which the robot stands."""
        if not self.house.stands_open(container):
            self.do("Open", container)
        self.opened.add(container)

    def fetch(self, name: str) -> None:
        """Take an object into the hand."""
        self.reveal(name)
        self.do("Pick", name)
        self.held = name

    def bring(self, place: str) -> None:
        """Put the held object somewhere; a container has been opened before."""
        self.visit(place)
        self.do("Put", self.held, place)
        self.held = ""

    def give(self, person: str) -> None:
        """Hand the held object to a person."""
        self.visit(person)
        self.do("Hand over", self.held, person)
        self.held = ""

    def show(self, person: str) -> None:
        """Show the held object to a person."""
        self.visit(person)
        self.do("Show", self.held, person)

    def turn(self, name: str, *, on: bool) -> None:
        """Turn an appliance on or off, beside which the robot stands."""
        self.do("Turn on" if on else "Turn off", name)

    def into(self, name: str, container: str) -> None:
        """Put an object into a container, closed at the start and at the end. Raises UnsuitedHouse for one that is in
        use."""
        if self.house.things_at(container) or self.house.stands_open(container):
            raise UnsuitedHouse(f"the {container} is not empty and shut")
        self._shut_into(name, container)

    def _shut_into(self, name: str, container: str) -> None:
        self.visit(container)
        self.open(container)
        self.fetch(name)
        self.bring(container)
        self.do("Close", container)

    # ------------------------------------------------------------ tasks

    def slice(self, name: str) -> None:
        """Slice an object with the knife, which stays in the hand."""
        self._with_tool("knife", "Slice", name)

    def wipe(self, name: str) -> None:
        """Wipe an object with the sponge, which stays in the hand."""
        self._with_tool("sponge", "Wipe", name)

    def _with_tool(self, tool: str, verb: str, name: str) -> None:
        if self.shut_in(name):
            self.reveal(name)
        if not self.held:
            self.fetch(self.single(tool))
        self.visit(name)
        self.do(verb, name)

    def under_water(self, name: str, verb: str) -> None:
        """Wash or fill an object in a basin, and turn the water off again."""
        basin = self.single("sink", "washbasin", on=False)
        self.fetch(name)
        self.bring(basin)
        self.turn(basin, on=True)
        self.do(verb, name)
        self.turn(basin, on=False)

    def heat(self, name: str) -> None:
        """Heat an object in the microwave, which is on and closed then."""
        oven = self.single("microwave")
        self.into(name, oven)
        if self.is_so(oven, on=False):
            self.turn(oven, on=True)
        self.do("Heat", name)

    def cool(self, name: str) -> None:
        """Cool an object in the fridge."""
        fridge = self.single("fridge")
        container = self.house.container(name)
        if container == fridge:
            raise UnsuitedHouse(f"{name} is in the fridge already")
        self._shut_into(name, fridge)
        self.do("Cool", name)

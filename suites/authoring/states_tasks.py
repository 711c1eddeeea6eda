"""The 60 tasks of homie-states without people: a name, and a pattern that binds text and expert to a suitable house."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from suites.authoring.states_script import Script, UnsuitedHouse

Goal: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """A task in one house: its text, and the condition at its end."""

    text: str
    goal: Goal


Pattern: TypeAlias = Callable[[Script], Draft]
"""Lets the expert do a task, and returns its draft. Raises UnsuitedHouse."""


def every(*goals: Goal) -> Goal:
    """Combine goals: all have to hold."""
    return goals[0] if len(goals) == 1 else {"all": list(goals)}


def power(kind: str, text: str, *, on: bool) -> Pattern:
    """Turn one appliance on or off."""

    def pattern(script: Script) -> Draft:
        name = script.single(kind, on=not on)
        script.visit(name)
        script.turn(name, on=on)
        return Draft(text, {"turned_on" if on else "turned_off": name})

    return pattern


def switched(first: str, second: str, text: str) -> Pattern:
    """Turn one appliance on, another one off."""

    def pattern(script: Script) -> Draft:
        bright, dark = script.single(first, on=False), script.single(second, on=True)
        for name, on in ((bright, True), (dark, False)):
            script.visit(name)
            script.turn(name, on=on)
        return Draft(text, every({"turned_on": bright}, {"turned_off": dark}))

    return pattern


def sliced(text: str, *kinds: str) -> Pattern:
    """Slice objects."""

    def pattern(script: Script) -> Draft:
        names = [script.single(kind) for kind in kinds]
        for name in names:
            script.slice(name)
        return Draft(text, every(*({"is": [name, "sliced"]} for name in names)))

    return pattern


def wiped(kind: str, text: str) -> Pattern:
    """Wipe a piece of furniture or a dish that is dirty."""

    def pattern(script: Script) -> Draft:
        name = script.single(kind, clean=False)
        script.wipe(name)
        return Draft(text, {"is": [name, "clean"]})

    return pattern


def washed(kind: str, text: str, place: str = "") -> Pattern:
    """Wash a dish, and put it somewhere."""

    def pattern(script: Script) -> Draft:
        name = script.single(kind, clean=False)
        script.under_water(name, "Wash")
        goals: list[Goal] = [{"is": [name, "clean"]}]
        if place:
            there = script.single(place)
            script.do("Pick", name)
            script.held = name
            script.bring(there)
            goals.append({"at": [name, there]})
        return Draft(text, every(*goals))

    return pattern


def filled(kind: str, text: str, place: str = "") -> Pattern:
    """Fill a vessel, and turn the water off again."""

    def pattern(script: Script) -> Draft:
        name = script.single(kind)
        script.under_water(name, "Fill")
        goals: list[Goal] = [{"is": [name, "filled"]}, {"turned_off": script.single("sink")}]
        if place:
            there = script.single(place)
            script.do("Pick", name)
            script.held = name
            script.bring(there)
            goals[1] = {"at": [name, there]}
        return Draft(text, every(*goals))

    return pattern


def heated(kind: str, text: str, *, served: bool = False, cut: bool = False) -> Pattern:
    """Heat an object; slice it first, serve it on a table afterwards."""

    def pattern(script: Script) -> Draft:
        name, oven = script.single(kind), script.single("microwave")
        goals: list[Goal] = [{"is": [name, "heated"]}]
        table = script.single("table", "desk") if served else ""
        if cut:
            script.slice(name)
            script.bring(free_top(script))
            goals.append({"is": [name, "sliced"]})
        script.heat(name)
        if served:
            script.turn(oven, on=False)
            script.do("Open", oven)
            script.do("Pick", name)
            script.held = name
            script.bring(table)
            goals += [{"at": [name, table]}, {"turned_off": oven}]
        return Draft(text.format(table=table), every(*goals))

    return pattern


def cooled(kind: str, text: str, *, cut: bool = False) -> Pattern:
    """Cool an object; slice it first."""

    def pattern(script: Script) -> Draft:
        name = script.single(kind)
        goals: list[Goal] = [{"is": [name, "cooled"]}, {"closed": script.single("fridge")}]
        if cut:
            script.slice(name)
            script.bring(free_top(script))
            goals.append({"is": [name, "sliced"]})
        script.cool(name)
        return Draft(text, every(*goals))

    return pattern


def poured(source: str, target: str, text: str) -> Pattern:
    """Fill one vessel, and pour its content into another."""

    def pattern(script: Script) -> Draft:
        first, second = script.single(source), script.single(target)
        script.under_water(first, "Fill")
        script.do("Pick", first)
        script.held = first
        script.reveal(second)
        script.do("Pour", first, second)
        return Draft(text, every({"is": [second, "filled"]}, {"is_not": [first, "filled"]}))

    return pattern


def free_top(script: Script) -> str:
    """Return furniture with room to lay down a tool."""
    for kind in ("table", "desk", "tv_stand", "nightstand"):
        for name in script.house.of_kind(kind):
            if len(script.house.things_at(name)) < 3:
                return name
    raise UnsuitedHouse("no free top")


TASKS: Mapping[str, Pattern] = {
    "lamp-on": power("lamp", "turn on the lamp", on=True),
    "lamp-light": power("lamp", "I want to read at the desk, make some light there", on=True),
    "lamp-off": power("lamp", "turn off the lamp", on=False),
    "lamp-night": power("lamp", "it is late: put out the light of the lamp", on=False),
    "tv-on": power("tv", "turn the television on", on=True),
    "tv-news": power("tv", "the news begin in a minute, switch on the tv", on=True),
    "tv-off": power("tv", "turn the television off", on=False),
    "tv-quiet": power("tv", "nobody is watching the tv, switch it off", on=False),
    "stove-on": power("stove", "turn on the stove", on=True),
    "stove-off": power("stove", "turn off the stove", on=False),
    "stove-safe": power("stove", "somebody has left the stove on, make the kitchen safe", on=False),
    "microwave-off": power("microwave", "turn off the microwave", on=False),
    "sink-on": power("sink", "let the water run in the kitchen sink", on=True),
    "sink-flowers": power("sink", "I want to water the flowers, turn on the tap of the sink", on=True),
    "lamp-for-tv": switched("lamp", "tv", "turn off the tv and turn on the lamp instead"),
    "tv-for-lamp": switched("tv", "lamp", "the lamp blinds me: turn it off and switch the tv on"),
    "bread-sliced": sliced("slice the bread", "bread"),
    "bread-toast": sliced("cut the loaf so that I can make toast of it", "bread"),
    "tomato-sliced": sliced("slice the tomato with the knife", "tomato"),
    "potato-sliced": sliced("cut the potato into slices", "potato"),
    "apple-sliced": sliced("cut up the apple for me", "apple"),
    "lemon-sliced": sliced("I need slices of lemon for the tea", "lemon"),
    "orange-sliced": sliced("slice the orange", "orange"),
    "pear-sliced": sliced("cut the pear", "pear"),
    "salad": sliced("slice the tomato and the potato for a salad", "tomato", "potato"),
    "sandwich": sliced("slice bread and tomato, I make a sandwich", "bread", "tomato"),
    "fruit-salad": sliced("cut apple and orange for a fruit salad", "apple", "orange"),
    "desk-wiped": wiped("desk", "wipe the desk with the sponge"),
    "desk-mud": wiped("desk", "there is mud on the desk, clean it up"),
    "mug-wiped": wiped("mug", "wipe the mug clean with the sponge"),
    "bowl-wiped": wiped("bowl", "the bowl is dirty, give it a wipe"),
    "plate-wiped": wiped("plate", "wipe the plate"),
    "mug-washed": washed("mug", "wash the mug under the tap"),
    "bowl-washed": washed("bowl", "rinse the bowl"),
    "plate-washed": washed("plate", "wash the plate in the sink"),
    "mug-to-desk": washed("mug", "wash the mug and put it on the desk", "desk"),
    "plate-to-desk": washed("plate", "I want to eat at the desk: put a clean plate there", "desk"),
    "bowl-to-desk": washed("bowl", "put the bowl on the desk, washed please", "desk"),
    "mug-filled": filled("mug", "fill the mug with water, and do not leave the tap running"),
    "bowl-filled": filled("bowl", "fill the bowl with water and turn the sink off again"),
    "mug-of-water": filled("mug", "bring a mug of water to the desk", "desk"),
    "bowl-for-dog": filled(
        "bowl", "fill the bowl for the dog, it drinks beside the tv stand: put it on there", "tv_stand"
    ),
    "mug-into-bowl": poured("mug", "bowl", "fill the bowl with water by means of the mug"),
    "bowl-into-mug": poured("bowl", "mug", "pour water from the bowl into the mug, it is to be filled first"),
    "potato-hot": heated("potato", "heat the potato in the microwave"),
    "bread-warm": heated("bread", "warm up the bread"),
    "tomato-hot": heated("tomato", "I like my tomato hot"),
    "apple-baked": heated("apple", "make me a hot apple"),
    "mug-hot": heated("mug", "heat the mug in the microwave"),
    "potato-served": heated("potato", "serve a hot potato on the {table}, with the microwave off", served=True),
    "bread-served": heated("bread", "bring warm bread to the {table} and turn the microwave off", served=True),
    "potato-sliced-hot": heated("potato", "slice the potato, then heat it", cut=True),
    "tomato-sliced-hot": heated("tomato", "heat the tomato, in slices", cut=True),
    "tomato-cold": cooled("tomato", "cool the tomato in the fridge"),
    "apple-cold": cooled("apple", "I want a cold apple"),
    "mug-cold": cooled("mug", "chill the mug and keep the fridge shut"),
    "potato-cold": cooled("potato", "cool the potato down"),
    "bread-cold": cooled("bread", "put the bread in the fridge until it is cold"),
    "apple-sliced-cold": cooled("apple", "slices of cold apple, please", cut=True),
    "tomato-sliced-cold": cooled("tomato", "slice the tomato and chill it", cut=True),
}
"""Patterns by the ids of the tasks."""

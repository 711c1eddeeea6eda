"""The twelve tasks of homie-states about people: hand over, show, follow, and chores done for somebody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from suites.authoring.states_script import Script
from suites.authoring.states_tasks import Draft, Goal, Pattern, every, free_top


@dataclass(frozen=True, slots=True)
class Meeting:
    """A task in a house with so many people."""

    people: int
    pattern: Pattern


def given(kind: str, text: str, *, washed: bool = False, cut: bool = False, sits: bool = False) -> Pattern:
    """Hand an object to a person; wash or slice it first."""

    def pattern(script: Script) -> Draft:
        name, person = script.single(kind), script.person(sits=sits)
        goals: list[Goal] = [{"given": [name, person]}]
        if washed:
            script.single(kind, clean=False)
            script.under_water(name, "Wash")
            script.do("Pick", name)
            script.held = name
            goals.append({"is": [name, "clean"]})
        elif cut:
            script.slice(name)
            script.bring(free_top(script))
            script.fetch(name)
            goals.append({"is": [name, "sliced"]})
        else:
            script.fetch(name)
        script.give(person)
        return Draft(text, every(*goals))

    return pattern


def shown(kind: str, text: str, *, then: str = "") -> Pattern:
    """Show an object to a person; then give it to them, or put it somewhere."""

    def pattern(script: Script) -> Draft:
        name, person = script.single(kind), script.person()
        goals: list[Goal] = [{"shown": [name, person]}]
        script.fetch(name)
        script.show(person)
        if then == "given":
            script.give(person)
            goals.append({"given": [name, person]})
        elif then:
            place = script.single(then)
            script.bring(place)
            goals.append({"at": [name, place]})
        return Draft(text, every(*goals))

    return pattern


def followed(text: str, *, gift: str = "") -> Pattern:
    """Follow the person who walks; then give something to the other one."""

    def pattern(script: Script) -> Draft:
        guide = script.person(walks=True)
        goals: list[Goal] = [{"followed": guide}]
        script.visit(guide)
        script.do("Follow", guide)
        if gift:
            name, other = script.single(gift), script.person()
            script.fetch(name)
            script.give(other)
            goals.append({"given": [name, other]})
        return Draft(text, every(*goals))

    return pattern


def both(first: str, second: str, text: str) -> Pattern:
    """Give an object to the person who stands, another one to the person who sits."""

    def pattern(script: Script) -> Draft:
        goals: list[Goal] = []
        for kind, sits in ((first, False), (second, True)):
            name, person = script.single(kind), script.person(sits=sits)
            script.fetch(name)
            script.give(person)
            goals.append({"given": [name, person]})
        return Draft(text, every(*goals))

    return pattern


MEETINGS: Mapping[str, Meeting] = {
    "mug-handed": Meeting(1, given("mug", "hand the mug to the person")),
    "apple-handed": Meeting(1, given("apple", "somebody here is hungry, give them the apple")),
    "potato-to-sitter": Meeting(3, given("potato", "give the potato to the person who is sitting", sits=True)),
    "clean-mug-handed": Meeting(1, given("mug", "wash the mug and hand it to the person", washed=True)),
    "tomato-cut-handed": Meeting(1, given("tomato", "cut the tomato and give it to the person", cut=True)),
    "bowl-shown": Meeting(1, shown("bowl", "show the bowl to the person")),
    "knife-shown": Meeting(
        1, shown("knife", "the person is looking for the knife: show it, then lay it on the desk", then="desk")
    ),
    "mug-shown-handed": Meeting(
        1, shown("mug", "show the person the mug, it may be theirs, then hand it over", then="given")
    ),
    "walker-followed": Meeting(2, followed("follow the person who walks away")),
    "guide-followed": Meeting(2, followed("one of the two people wants to lead you somewhere: go with them")),
    "apple-after-walk": Meeting(
        2,
        followed("follow the person who walks, then give the apple to the one who holds out a hand", gift="apple"),
    ),
    "fruit-for-two": Meeting(
        3,
        both("apple", "potato", "an apple for the person who stands with a hand out, the potato for the one who sits"),
    ),
}
"""Tasks by their ids."""

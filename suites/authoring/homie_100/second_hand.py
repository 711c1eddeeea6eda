"""Plans of a second hand for an errand: wrong ones that a hurried planner might follow, and another right one. They are
derived from the steps alone, without goals and key paths."""

from __future__ import annotations

from suites.authoring.homie_100.draft import Plan, explicit, subtasks_of
from suites.authoring.homie_100.houses import GeneratedHouse
from suites.authoring.homie_100.script import Step
from suites.authoring.homie_100.words import CLASSES

SET_DOWN = ("kitchen_counter", "table", "desk", "sofa", "bed", "tv_stand", "stove")
"""Furniture where an object may be set down on the way."""


def wrong_plans(house: GeneratedHouse, steps: list[Step]) -> list[Plan]:
    """Return wrong plans: one short, left open, the wrong object, the wrong place, both branches, wrong order, not
    stayed."""
    carries = [step for step in steps if step.kind == "carry"]
    plans: list[Plan] = []

    def add(why: str, changed: list[Step], *, unseen: bool = False) -> None:
        plans.append(Plan(why, subtasks_of(house, changed), unseen))

    for forbidden in (step for step in steps if step.kind == "never"):
        at = next((n for n, step in enumerate(steps) if step.kind in ("close", "close all")), len(steps))
        add("does both branches", [*steps[:at], Step("carry", forbidden.item, forbidden.where), *steps[at:]])
    if carries and len(carries) > 1:
        add(f"leaves {carries[-1].item} out", [step for step in steps if step != carries[-1]])
    for stay in [step for step in steps if step.kind == "stay"][:1]:
        to = carries[0].where if carries else "sofa"
        add(f"moves {stay.item} too", [*carries, Step("carry", stay.item, to), *_rest(steps)])
    for step in carries[:1]:
        other = _other_of_a_kind(house, step, {carry.item for carry in carries})
        if other:
            add(f"takes {other} instead of {step.item}", [
                Step("carry", other, step.where) if planned == step else planned for planned in steps
            ])  # fmt: skip
        place = _elsewhere(house, step, steps, same_kind=True)
        if place:
            add(f"takes {step.item} to {place} instead", [
                Step("carry", step.item, place) if planned == step else planned for planned in steps
            ])  # fmt: skip
    if len(carries) == 1 and not any(step.kind == "never" for step in steps):
        for why, step in _slips(house, carries[0], steps):
            add(why, [step if planned == carries[0] else planned for planned in steps])
    closes = [step for step in explicit(house, steps) if step.kind == "close"]
    if closes:
        shut = [step for step in explicit(house, steps) if step != closes[-1]]
        add(f"leaves {closes[-1].where} open", shut)
    if not carries and steps[0].kind == "open":
        other = next(name for name in house.furniture if house.container(name) and name != steps[0].where)
        add(f"opens {other} instead", [Step("open", where=other)])
    if steps[-1].kind == "visit":
        other = next(room for room in house.rooms if room != steps[-1].where)
        add(f"goes to the {house.rooms[other]} in the end", [*steps[:-1], Step("visit", where=other)])
    if steps and steps[-1].kind == "visit" and any(step.kind == "take" for step in steps):
        add("comes with an empty hand", [step for step in steps if step.kind != "take"])
    bars = [n for n, step in enumerate(steps) if step.kind == "bar"]
    if bars and steps[bars[0] + 1].kind not in ("visit", "take") and steps[-1].kind != "visit":
        first, later = steps[: bars[0]], steps[bars[0] + 1 :]
        closing = [step for step in first if step.kind in ("close", "close all")]
        kept = [step for step in (*later, *first) if step not in closing and step.kind != "bar"]
        add("does the last thing first", [*kept, *closing], unseen=True)
    return plans


def right_plans(house: GeneratedHouse, steps: list[Step]) -> list[Plan]:
    """Return the same in another order; where there is no other, with an object set down on the way."""
    turned = _turned(steps)
    if subtasks_of(house, turned) != subtasks_of(house, steps):
        return [Plan("in another order", subtasks_of(house, turned))]
    at = next((n for n, step in enumerate(steps) if step.kind in ("carry", "take")), None)
    if at is not None:
        first = steps[at]
        rest = _elsewhere(house, first, steps)
        if rest:
            return [Plan(f"sets {first.item} down on the way", subtasks_of(
                house, [*steps[:at], Step("carry", first.item, rest), *steps[at:]]
            ))]  # fmt: skip
    start = house.state.robot.room
    other = next((room for room in house.rooms if room != start and all(s.where != room for s in steps)), "")
    return [Plan("goes another way round", subtasks_of(house, [Step("visit", where=other), *steps]))]


def _slips(house: GeneratedHouse, step: Step, steps: list[Step]) -> list[tuple[str, Step]]:
    """Return mistakes with the only carried object: it goes elsewhere, or a similar one goes instead."""
    slips = []
    place = _elsewhere(house, step, steps)
    if place and house.furniture[place].kind != house.furniture[step.where].kind:
        slips.append((f"takes {step.item} to {place} instead", Step("carry", step.item, place)))
    kind = house.objects[step.item].kind
    like = [
        name
        for kinds in CLASSES.values()
        for name in house.objects
        if kind in kinds and house.objects[name].kind in kinds and name != step.item
        and house.container(name) is None and house.objects[name].at != step.where
    ]  # fmt: skip
    if like:
        slips.append((f"takes {like[0]} instead of {step.item}", Step("carry", like[0], step.where)))
    return slips


def _rest(steps: list[Step]) -> list[Step]:
    return [step for step in steps if step.kind in ("close", "close all", "visit", "take")]


def _turned(steps: list[Step]) -> list[Step]:
    """Reverse the carries, and then the closes, of each part between two bars; visits and takes come last."""
    parts: list[list[Step]] = [[]]
    for step in steps:
        if step.kind == "bar":
            parts.append([])
        else:
            parts[-1].append(step)
    turned: list[Step] = []
    for part in parts:
        turned += [step for step in part if step.kind == "open"]
        turned += [step for step in reversed(part) if step.kind == "carry"]
        turned += [step for step in reversed(part) if step.kind in ("close", "close all")]
        turned += [step for step in part if step.kind in ("take", "visit")]
    return turned


def _other_of_a_kind(house: GeneratedHouse, step: Step, carried: set[str]) -> str:
    """Return another free object of the kind."""
    kind = house.objects[step.item].kind
    return next(
        (
            name
            for name, item in house.objects.items()
            if item.kind == kind and name not in carried and item.at != step.where
        ),
        "",
    )


def _elsewhere(house: GeneratedHouse, step: Step, steps: list[Step], *, same_kind: bool = False) -> str:
    """Return a free surface that no step names; "" for none.

    Args:
        same_kind: Whether it has to be of the kind of the place where the object goes.
    """
    named = {other.where for other in steps} | {house.objects[step.item].at}
    kinds: tuple[str, ...] = (
        (house.furniture[step.where].kind,) if same_kind and step.where in house.furniture else SET_DOWN
    )
    if same_kind and not step.exact and (kinds == SET_DOWN or kinds[0] in ("drawer", "kitchen_counter", "chair")):
        kinds = tuple(kind for kind in SET_DOWN if kind != "kitchen_counter")
    free = [name for kind in kinds for name in house.of_kind(kind) if name not in named]
    return next((name for name in free if house.container(name) is None), "")

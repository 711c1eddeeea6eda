"""Errands that leave a choice: some objects of a class, as many as are missing."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations
from typing import Any

from homie.bench.authoring import END
from suites.authoring.homie_100.draft import MOST_PATHS, Draft, Plan, subtasks_of
from suites.authoring.homie_100.entry import Pattern, slots
from suites.authoring.homie_100.houses import GeneratedHouse
from suites.authoring.homie_100.script import Binder, Step
from suites.authoring.homie_100.words import CLASSES, is_inside, of_class, place
from suites.authoring.states_script import UnsuitedHouse

LONGEST = 19


def choose(count: int, of: str, to: str, *, close: bool = False) -> Pattern:
    """Any `count` different objects of a class; the expert takes some that stand free."""

    def look(house: GeneratedHouse) -> Draft:
        binder = Binder(house)
        where = binder.place(to, count)
        options = of_class(house, of)
        _check_distinct(house, options)
        if any(house.objects[name].at == where for name in options):
            raise UnsuitedHouse("some are there already")
        bounds = {"at_least": count}
        return _draft(house, binder, options, where, count, close, bounds)

    return look


def replenish(of: str, to: str, have: int, total: int) -> Pattern:
    """`have` objects of a class (or of a kind) are there; bring more until there are `total`."""

    def look(house: GeneratedHouse) -> Draft:
        binder = Binder(house)
        pieces = [name for name in house.of_kind(to) if _count_at(house, of, name) == have]
        if len(pieces) != 1 or binder.place(to, total - have, set(house.of_kind(to)) - set(pieces)) != pieces[0]:
            raise UnsuitedHouse(to)
        where = pieces[0]
        options = [name for name in of_class(house, of) if house.objects[name].at != where]
        if of in CLASSES:
            _check_distinct(house, of_class(house, of))
        return _draft(
            house, binder, options, where, total - have, house.container(where) is not None, {"exactly": total}, of
        )

    return look


def keep(kind: str, at: str, have: int, stay: int, to: str) -> Pattern:
    """`have` objects of a kind are somewhere; all but `stay` of them go to another place, no matter which."""

    def look(house: GeneratedHouse) -> Draft:
        binder = Binder(house)
        pieces = [name for name in house.of_kind(at) if _count_at(house, kind, name) == have]
        if len(pieces) != 1 or len(of_class(house, kind)) != have:
            raise UnsuitedHouse(at)
        source, extra = pieces[0], have - stay
        binder.places[at] = source
        where = binder.place(to, extra)
        names, word = of_class(house, kind), place(house, where)[1]
        chosen = permutations(names, extra)
        paths = [[*(f"[Put, {house.word(name)}, {word}]" for name in order), END] for order in chosen]
        goals = [
            {"count": {"of": kind, "at": source, "exactly": stay}},
            {"count": {"of": kind, "at": where, "exactly": extra}},
        ]

        def plan(moved: list[str]) -> list[str]:
            return subtasks_of(house, [Step("carry", name, where) for name in moved])

        return replace(
            Draft({"all": goals}, paths, plan(names[:extra])),
            slots=slots(house, binder),
            right=[Plan("takes others", plan(names[::-1][:extra]))],
            wrong=[
                Plan("one is missing", plan(names[: extra - 1])),
                Plan("takes as many as are to stay", plan(names[:stay])),
            ],
        )

    return look


def _count_at(house: GeneratedHouse, of: str, where: str) -> int:
    return sum(house.objects[name].at == where for name in of_class(house, of))


def _check_distinct(house: GeneratedHouse, names: list[str]) -> None:
    if len({house.objects[name].kind for name in names}) < len(names):
        raise UnsuitedHouse("two of a kind")


def _draft(
    house: GeneratedHouse,
    binder: Binder,
    options: list[str],
    where: str,
    count: int,
    close: bool,
    bounds: dict[str, int],
    of: str = "",
) -> Draft:
    free = [name for name in options if house.container(name) is None]
    if len(free) < count or (house.container(where) is None and close):
        raise UnsuitedHouse("too few")
    word = place(house, where)[1]
    shut = [f"[Close, {word}]"] if close else []
    chosen = [order for some in combinations(options, count) for order in permutations(some)]
    paths = [[*(f"[Put, {house.word(name)}, {word}]" for name in order), *shut, END] for order in chosen]
    if len(paths) > MOST_PATHS:
        paths = []
    kinds = sorted(
        {house.objects[name].kind for name in of_class(house, of)} if of else {house.objects[n].kind for n in options}
    )
    counted = {"count": {"of": kinds, "in" if is_inside(house, where) else "at": place(house, where)[0], **bounds}}
    goals: list[dict[str, Any]] = [counted, *([{"closed": place(house, where)[0]}] if close else [])]
    end = [Step("close", where=where)] if close else []

    def plan(names: list[str], last: list[Step] = end) -> list[str]:
        return subtasks_of(house, [*(Step("carry", name, where) for name in names), *last])

    expert = plan(free[:count])
    if len(expert) > LONGEST or not paths:
        raise UnsuitedHouse("too long")
    wrong = [Plan("something else", plan([*_others(house, options, where), *free[: count - 1]]))]
    if count > 1:
        wrong.append(Plan("one is missing", plan(free[: count - 1])))
    if "exactly" in bounds and len(free) > count:
        wrong.append(Plan("one too many", plan(free[: count + 1])))
    if close:
        wrong.append(Plan(f"leaves {where} open", plan(free[:count], [])))
    never = _one_too_many(house, options, word, count) if "exactly" in bounds and len(options) > count else []
    return replace(
        Draft(goals[0] if len(goals) == 1 else {"all": goals}, paths, expert, never),
        slots=slots(house, binder),
        right=[Plan("takes others", plan(free[::-1][:count]))],
        wrong=wrong,
    )


def _one_too_many(house: GeneratedHouse, options: list[str], word: str, count: int) -> list[list[str]]:
    """Return plans with one object too many: in every order, or by the kind where all are of one."""
    kinds = {house.objects[name].kind for name in options}
    if len(kinds) == 1:
        return [[f"[Put, {kinds.pop().replace('_', ' ')}, {word}]"] * (count + 1)]
    return [[f"[Put, {house.word(name)}, {word}]" for name in order] for order in permutations(options, count + 1)]


def _others(house: GeneratedHouse, options: list[str], where: str) -> list[str]:
    """Return a free object that is none of the options."""
    return [
        name
        for name, item in house.objects.items()
        if name not in options and house.container(name) is None and item.at != where
        and not any(item.kind in kinds and house.objects[options[0]].kind in kinds for kinds in CLASSES.values())
    ][:1]  # fmt: skip

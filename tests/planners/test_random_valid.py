"""The random planner: always valid by form, the same by the same seed, blind to the task."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from homie.kernel.types import END, HELD, Choice, Detection, PlannerInput, Subtask
from homie.testing import check_planner
from planners.random_valid import RandomPlanner

SEEN = ("apple", "mug", "table", "fridge", "chair")


def situation(held: str = "", number: int = 1, names: tuple[str, ...] = SEEN) -> PlannerInput:
    detections = tuple(Detection(name, "front", (0, 0, 9, 9)) for name in names)
    detections += (Detection("kitchen", "front", (0, 0, 9, 9), part="floor"),)
    return PlannerInput(
        "say nothing", number, {}, detections, (held,) if held else (), (), None, ("Go to", "Pick", "Put", "Open"), ()
    )


def draws(held: str = "", seed: int = 3, many: int = 400) -> list[str]:
    planner = RandomPlanner()
    planner.reset("any", seed=seed)
    return [str(planner.decide(situation(held)).subtasks[0]) for _ in range(many)]


def test_it_draws_everything_that_is_possible_and_nothing_else():
    go = {f"[Go to, {name}]" for name in (*SEEN, "kitchen")}
    assert set(draws()) == go | {"[Pick, apple]", "[Pick, mug]", "[Open, fridge]"}
    assert set(draws("mug")) == go | {"[Put, mug, table]", "[Put, mug, fridge]", "[Open, fridge]"}


def test_actions_are_drawn_alike_however_many_targets_they_have():
    actions = Counter(line.strip("[]").split(",")[0] for line in draws(many=3000))
    assert max(actions.values()) < 1.2 * min(actions.values())


def test_of_numbered_actions_it_draws_what_the_hand_allows():
    lines = {
        "pick up the mug": Subtask("Pick", "mug"),
        "put down the object in hand on the table": Subtask("Put", HELD, "table"),
        "show the object in hand to anna": Subtask("Show", HELD, "anna"),
        "follow anna": Subtask("Follow", "anna"),
        "end the task": END,
    }
    choices = tuple(Choice(name, subtask) for name, subtask in lines.items())

    def drawn(held: str) -> set[str]:
        planner = RandomPlanner()
        planner.reset("any", seed=0)
        given = replace(situation(held), choices=choices)
        return {planner.decide(given).subtasks[0].action for _ in range(100)}

    assert drawn("") == {"Pick", "Follow"}
    assert drawn("mug") == {"Put", "Show", "Follow"}


def test_the_seed_decides():
    assert draws(seed=1) == draws(seed=1) != draws(seed=2)


def test_it_remembers_rooms_and_ends_in_the_last_round():
    planner = RandomPlanner()
    planner.reset("any", seed=0)
    planner.decide(situation())
    blind = PlannerInput("any", 2, {}, (), (), (), None, ("Go to",), ())
    assert str(planner.decide(blind).subtasks[0]) == "[Go to, kitchen]"
    assert planner.decide(situation(number=20)).subtasks == (END,)


def test_it_keeps_the_contract():
    check_planner(RandomPlanner(), deterministic=True)

"""How the rule planner searches where it is told what Go to can find: no round is spent on what is not known."""

from __future__ import annotations

import numpy as np

from homie.kernel.types import Detection, ErrorCode, Feedback, PlannerInput
from homie.kernel.vocabulary.knowledge import Doorway, Knowledge, Remembered
from planners.rule import RulePlanner

PLACES = ("living room", "table 1", "table 2", "drawer 1", "drawer 2", "drawer 3", "pudding box", "bowl")


class House:
    """A robot that knows what it has seen, in a home where the sugar box is shut in the third drawer."""

    def __init__(self, things_on_tables: int = 0, hidden: str = "sugar box") -> None:
        self.things_on_tables, self.hidden = things_on_tables, hidden
        self.opened: list[str] = []
        self.inventory: tuple[str, ...] = ()
        self.unknown: list[str] = []

    def knowledge(self) -> Knowledge:
        things = tuple(Remembered(name, "living room") for name in PLACES[1:])
        if "drawer 3" in self.opened and not self.inventory:
            things += (Remembered(self.hidden, "living room", "in drawer 3"),)
        tables = [f"on table {k}" for k in (1, 2)] * self.things_on_tables
        things += tuple(Remembered(f"apple {k}", "living room", place) for k, place in enumerate(tables, 1))
        return Knowledge("sensors", "living room", ("living room",), (Doorway("doorway", "living room"),), things)

    def do(self, action: str, target: str) -> Feedback:
        known = {"living room", "doorway", *(thing.name for thing in self.knowledge().remembered)}
        if target not in known and f"{target} 1" not in known and action == "Go to":
            self.unknown.append(target)
            return Feedback("fail", ErrorCode.F2, f"No {target} is known")
        if action == "Open":
            self.opened.append(target)
        if action in ("Pick", "Put"):
            self.inventory = (target,) if action == "Pick" else ()
        return Feedback("success")

    def play(self, task: str) -> list[str]:
        planner = RulePlanner()
        planner.reset(task, seed=0)
        feedback, subtasks = None, []
        picture = np.zeros((8, 8, 3), dtype=np.uint8)
        table = Detection("table", "front", (0, 0, 2, 2))
        for number in range(1, 21):
            inputs = PlannerInput(
                task,
                number,
                {"front": picture},
                (table,),
                self.inventory,
                (),
                feedback,
                ("Go to", "Pick", "Put", "Open", "Close", "End"),
                ("text",),
                knowledge=self.knowledge(),
            )
            (subtask,) = planner.decide(inputs).subtasks
            subtasks.append(str(subtask))
            if subtask.action == "End":
                break
            feedback = self.do(subtask.action, subtask.target)
        return subtasks


def test_every_drawer_is_opened_and_no_round_is_lost_on_a_name_that_is_not_known() -> None:
    """A sugar box is no pudding box, a room that was not seen is not asked for, and each drawer has its number."""
    house = House()
    subtasks = house.play("put the sugar box in the bowl")
    assert house.unknown == []
    assert house.opened == ["drawer 1", "drawer 2", "drawer 3"]
    assert "[Put, sugar box, bowl]" in subtasks
    assert subtasks.count("[Go to, living room]") == 1
    assert [subtask for subtask in subtasks if "Close" in subtask] == [f"[Close, drawer {k}]" for k in (1, 2, 3)]
    assert subtasks[subtasks.index("[Open, drawer 1]") + 1] == "[Close, drawer 1]"


def test_a_table_with_many_known_things_is_visited_after_drawers_were_opened() -> None:
    for count, first in ((2, "[Go to, table 1]"), (3, "[Go to, drawer 1]")):
        subtasks = House(things_on_tables=count, hidden="lemon").play("put the lemon in the bowl")
        assert subtasks[1] == first


def test_what_is_seen_across_a_room_is_looked_for_behind_doors_before_tables_are_visited() -> None:
    assert House(things_on_tables=2).play("put the sugar box in the bowl")[1] == "[Go to, drawer 1]"


def test_what_a_drawer_shows_beside_the_robot_is_picked_without_going_to_it() -> None:
    subtasks = House().play("put the sugar box in the bowl")
    assert subtasks[subtasks.index("[Open, drawer 3]") + 1] == "[Pick, sugar box]"

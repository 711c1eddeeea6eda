"""How the rule planner searches if it knows what Go to can find: no round is spent on what is not known."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from homie.kernel.knowledge import Doorway, Knowledge, RememberedThing
from homie.kernel.types import Detection, ErrorCode, Feedback, PlannerInput
from planners.rule import RulePlanner

PLACES = ("living room", "table 1", "table 2", "drawer 1", "drawer 2", "drawer 3", "pudding box", "bowl")


class House:
    """A robot that knows what it has seen, in a home where the sugar box is shut in the third drawer."""

    def __init__(
        self,
        things_on_tables: int = 0,
        hidden: str = "sugar box",
        *,
        full: str = "",
        nearest: str = "table 1",
        awkward: bool = False,
        in_the_way: str = "",
    ) -> None:
        """full: the piece that has no room, as long as what is in the way is there, if anything is.
        awkward: what is in a drawer is out of reach until the robot goes to it."""
        self.things_on_tables, self.hidden, self.full, self.nearest = things_on_tables, hidden, full, nearest
        self.at, self.awkward, self.in_the_way = nearest, awkward, in_the_way
        self.opened: list[str] = []
        self.inventory: tuple[str, ...] = ()
        self.unknown: list[str] = []
        self.analysis = ""

    def knowledge(self) -> Knowledge:
        things = tuple(RememberedThing(name, "living room", state=self._state(name)) for name in PLACES[1:])
        if "drawer 3" in self.opened and not self.inventory:
            things += (RememberedThing(self.hidden, "living room", "in drawer 3"),)
        tables = [f"on table {k}" for k in (1, 2)] * self.things_on_tables
        things += tuple(RememberedThing(f"apple {k}", "living room", place) for k, place in enumerate(tables, 1))
        return Knowledge("sensors", "living room", ("living room",), (Doorway("doorway", "living room"),), things)

    def _state(self, name: str) -> Literal["", "open", "closed"]:
        return "" if "drawer" not in name else "open" if name in self.opened else "closed"

    def do(self, action: str, target: str) -> Feedback:
        places = {"living room", "doorway", *(thing.name for thing in self.knowledge().remembered)}
        if target not in places and f"{target} 1" not in places and action == "Go to":
            self.unknown.append(target)
            return Feedback("fail", ErrorCode.F2, f"No {target} is known")
        if action == "Go to":
            self.at = target if target in places else self.nearest
        if action == "Open":
            self.opened.append(self.at)
        if action == "Pick" and self.awkward and self.at != target:
            return Feedback("fail", ErrorCode.E1, "no place to stand", lasting=True)
        if action == "Put" and self.full and self.at == self.full:
            names = (self.in_the_way,) if self.in_the_way else ()
            return Feedback("fail", ErrorCode.E1, "no free spot", about=names, lasting=True)
        if action == "Pick" and target == self.in_the_way:
            self.full = ""
        if action in ("Pick", "Put"):
            self.inventory = (target,) if action == "Pick" else ()
        return Feedback("success")

    def detections(self) -> tuple[Detection, ...]:
        kind, _, which = self.at.partition(" ")
        return (Detection(kind, "front", (0, 0, 2, 2), number=int(which) if which.isdecimal() else 0),)

    def play(self, task: str) -> list[str]:
        planner = RulePlanner()
        planner.reset(task, seed=0)
        feedback, subtasks = None, []
        picture = np.zeros((8, 8, 3), dtype=np.uint8)
        for number in range(1, 21):
            inputs = PlannerInput(
                task,
                number,
                {"front": picture},
                self.detections(),
                self.inventory,
                (),
                feedback,
                ("Go to", "Pick", "Put", "Open", "Close", "End"),
                ("text",),
                knowledge=self.knowledge(),
            )
            decision = planner.decide(inputs)
            self.analysis, (subtask,) = decision.analysis, decision.subtasks
            subtasks.append(str(subtask))
            if subtask.action == "End":
                break
            feedback = self.do(subtask.action, subtask.target)
        return subtasks


def test_every_drawer_is_opened_and_no_round_is_lost_on_a_name_that_is_not_known() -> None:
    """A sugar box is not a pudding box, a room that was not seen is not asked for, and each drawer has its number."""
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


def test_what_a_drawer_shows_next_to_the_robot_is_picked_without_going_to_it() -> None:
    subtasks = House().play("put the sugar box in the bowl")
    assert subtasks[subtasks.index("[Open, drawer 3]") + 1] == "[Pick, sugar box]"


def test_where_there_is_no_room_on_a_table_the_other_one_of_that_name_is_tried() -> None:
    subtasks = House(full="table 1").play("put the pudding box on the table")
    assert subtasks[2:] == [
        *("[Go to, table]", "[Put, pudding box, table]"),
        *("[Go to, table 2]", "[Put, pudding box, table 2]", "[End]"),
    ]


def test_of_several_drawers_the_opened_one_is_filled_and_closed_again() -> None:
    """A drawer that is nearer to the thing is not the one that was opened before it was picked up."""
    subtasks = House(nearest="drawer 2").play("put the pudding box in the drawer")
    assert subtasks[0] == "[Open, drawer]"
    assert subtasks[-4:] == [
        *("[Go to, drawer 2]", "[Put, pudding box, drawer 2]"),
        *("[Close, drawer 2]", "[End]"),
    ]


def test_what_cannot_be_taken_out_of_a_drawer_at_once_is_looked_at_from_nearby() -> None:
    subtasks = House(awkward=True).play("put the sugar box in the bowl")
    assert subtasks[subtasks.index("[Pick, sugar box]") :][:3] == [
        *("[Pick, sugar box]", "[Go to, sugar box]", "[Pick, sugar box]"),
    ]
    assert "[Put, sugar box, bowl]" in subtasks


def test_what_keeps_a_thing_from_being_put_down_is_moved_away_with_the_hand_free() -> None:
    subtasks = House(things_on_tables=1, full="bowl", in_the_way="apple 1").play("put the pudding box in the bowl")
    assert subtasks[3:] == [
        *("[Put, pudding box, bowl]", "[Go to, table]", "[Put, pudding box, table]"),
        *("[Go to, apple 1]", "[Pick, apple 1]", "[Go to, table]", "[Put, apple 1, table]"),
        *("[Go to, pudding box]", "[Pick, pudding box]", "[Go to, bowl]", "[Put, pudding box, bowl]", "[End]"),
    ]


class FalseReports(House):
    """A detector that reports a sugar box on a table, where Go to finds none, and then again and again."""

    is_believed = True

    def knowledge(self) -> Knowledge:
        knowledge = super().knowledge()
        reported = RememberedThing("sugar box", "living room", "on table 1")
        return replace(knowledge, remembered=(*knowledge.remembered, *[reported] * self.is_believed))

    def detections(self) -> tuple[Detection, ...]:
        return (*super().detections(), Detection("sugar box", "front", (0, 0, 1, 1)))

    def do(self, action: str, target: str) -> Feedback:
        if self.is_believed:
            self.is_believed = False
            return Feedback("fail", ErrorCode.E1, "it is no longer where it was seen", lasting=True)
        return super().do(action, target)


def test_no_round_is_lost_on_false_reports_and_the_object_is_taken_where_it_is() -> None:
    house = FalseReports()
    subtasks = house.play("put the sugar box in the bowl")
    assert house.unknown == []
    assert subtasks.count("[Go to, sugar box]") == 1
    assert subtasks[subtasks.index("[Open, drawer 3]") + 1] == "[Pick, sugar box]"
    assert "[Put, sugar box, bowl]" in subtasks


def test_with_a_full_hand_no_drawer_is_visited_before_tables() -> None:
    subtasks = House().play("put the pudding box in the cup")
    visits = [subtask for subtask in subtasks[2:] if "Go to" in subtask and ("drawer" in subtask or "table" in subtask)]
    assert visits[:2] == ["[Go to, table 1]", "[Go to, table 2]"]


class Jamming(House):
    """Its first drawer moves a little and then sticks."""

    def do(self, action: str, target: str) -> Feedback:
        if action == "Close":
            self.opened.remove(self.at)
        feedback = super().do(action, target)
        if action == "Open" and self.at == "drawer 1":
            return Feedback("fail", ErrorCode.E1, "it has not moved far enough", lasting=True)
        return feedback


def test_a_drawer_that_did_not_open_but_moved_is_closed_again() -> None:
    subtasks = Jamming().play("put the sugar box in the bowl")
    assert subtasks.count("[Open, drawer 1]") == 1
    assert subtasks[-3:] == ["[Go to, drawer 1]", "[Close, drawer 1]", "[End]"]
    assert Jamming().play("open the drawer 1")[-1] == "[End]"
    assert "[Close, drawer 1]" not in Jamming().play("open the drawer 1")


class OneDrawerAtFirst(House):
    """The other drawers are seen after the first one was opened, which keeps its name."""

    def knowledge(self) -> Knowledge:
        knowledge = super().knowledge()
        first = [
            replace(thing, name="drawer", state=self._state("drawer"))
            for thing in knowledge.remembered
            if thing.name == "drawer 1"
        ]
        later = [t for t in knowledge.remembered if "drawer" not in t.name or (self.opened and t.name != "drawer 1")]
        return replace(knowledge, remembered=(*first, *later))


def test_the_drawer_that_was_opened_when_it_was_the_only_one_known_keeps_its_name() -> None:
    subtasks = OneDrawerAtFirst(nearest="drawer").play("put the pudding box in the drawer")
    assert subtasks[0] == "[Open, drawer]"
    assert subtasks[-3:] == ["[Put, pudding box, drawer]", "[Close, drawer]", "[End]"]


class NoColours(House):
    """Its detector names drawers without their colours; Go to knows which of them is beige."""

    def do(self, action: str, target: str) -> Feedback:
        if target == "beige drawer":
            self.at = "drawer 2"
            target = self.at
        return super().do(action, target)


def test_a_drawer_that_is_described_keeps_the_name_of_the_one_that_was_opened() -> None:
    """The nearest drawer at the end would be another one."""
    subtasks = NoColours().play("put the pudding box in the beige drawer")
    assert subtasks[:2] == ["[Go to, beige drawer]", "[Open, beige drawer]"]
    assert subtasks[-4:] == [
        *("[Go to, drawer 2]", "[Put, pudding box, drawer 2]"),
        *("[Close, drawer 2]", "[End]"),
    ]


def test_a_drawer_that_moved_and_cannot_be_closed_with_a_full_hand_is_reported() -> None:
    house = Jamming()
    assert "[Close, drawer 1]" not in house.play("bring me the sugar box")
    assert "The drawer 1 is still open because I have only one hand." in house.analysis


class SeenLater(NoColours):
    """Its drawers are seen from the middle of the room."""

    is_seen = False

    def knowledge(self) -> Knowledge:
        knowledge = super().knowledge()
        known = [thing for thing in knowledge.remembered if self.is_seen or "drawer" not in thing.name]
        return replace(knowledge, remembered=tuple(known))

    def do(self, action: str, target: str) -> Feedback:
        self.is_seen = self.is_seen or target == "living room"
        return super().do(action, target)


def test_no_round_is_lost_on_drawers_that_go_to_tells_apart() -> None:
    subtasks = SeenLater().play("put the pudding box in the beige drawer")
    assert subtasks[:3] == ["[Go to, living room]", "[Go to, beige drawer]", "[Open, beige drawer]"]


class OutOfReach(House):
    """A home that is known; no hand gets at the pudding box, and another one is seen in the kitchen."""

    def knowledge(self) -> Knowledge:
        there = (RememberedThing("pudding box 2", "kitchen"),) if self.at in ("kitchen", "pudding box 2") else ()
        knowledge = super().knowledge()
        return replace(knowledge, setting="background", remembered=(*knowledge.remembered, *there))

    def do(self, action: str, target: str) -> Feedback:
        if action == "Pick" and target == "pudding box":
            return Feedback("fail", ErrorCode.E1, "no place to stand", lasting=True)
        if target == "kitchen":
            self.at = target
            return Feedback("success")
        return super().do(action, target)


def test_where_no_hand_gets_at_a_thing_another_one_of_its_kind_is_looked_for() -> None:
    subtasks = OutOfReach().play("put the pudding box in the bowl")
    assert subtasks == [
        *("[Go to, pudding box]", "[Pick, pudding box]", "[Go to, kitchen]"),
        *("[Go to, pudding box 2]", "[Pick, pudding box 2]", "[Go to, bowl]", "[Put, pudding box 2, bowl]", "[End]"),
    ]


class ShutDrawers(House):
    """Nothing is put into a drawer that is shut."""

    def do(self, action: str, target: str) -> Feedback:
        if action == "Put" and "drawer" in self.at and self.at not in self.opened:
            return Feedback("fail", ErrorCode.L3, "it is closed", about=(self.at,))
        return super().do(action, "table 1" if target == "table" else target)


def test_a_drawer_that_is_opened_in_place_of_a_full_one_is_filled_and_both_are_closed() -> None:
    subtasks = ShutDrawers(nearest="drawer 1", full="drawer 1").play("put the pudding box in the drawer")
    assert subtasks.count("[Put, pudding box, drawer 1]") == 1, "it is full"
    last = subtasks[subtasks.index("[Open, drawer 2]") :]
    assert "[Put, pudding box, drawer 2]" in last
    assert {subtask for subtask in last if "Close" in subtask} == {"[Close, drawer 1]", "[Close, drawer 2]"}


class NarrowKitchen(House):
    """The open drawer leaves no way to the bowl."""

    def knowledge(self) -> Knowledge:
        knowledge = super().knowledge()
        on_table = () if self.inventory or "drawer 3" in self.opened else (RememberedThing(self.hidden, "living room"),)
        return replace(knowledge, remembered=(*knowledge.remembered, *on_table))

    def do(self, action: str, target: str) -> Feedback:
        if (action, target) == ("Go to", "bowl") and self.opened:
            return Feedback("fail", ErrorCode.E1, "no free floor", lasting=True)
        if action == "Close":
            self.opened.remove(self.at)
        return super().do(action, "table 1" if target == "table" else target)


def test_what_was_opened_and_leaves_no_way_to_the_destination_is_closed() -> None:
    subtasks = NarrowKitchen(nearest="drawer 3").play("take the sugar box out of the drawer and put it in the bowl")
    assert subtasks[-9:] == [
        *("[Go to, table]", "[Put, sugar box, table]", "[Go to, drawer 3]", "[Close, drawer 3]"),
        *("[Go to, sugar box]", "[Pick, sugar box]", "[Go to, bowl]", "[Put, sugar box, bowl]", "[End]"),
    ]

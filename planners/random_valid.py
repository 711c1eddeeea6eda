"""The random planner: samples well-formed subtasks whatever the task, as a lower bound for comparisons."""

from __future__ import annotations

import random

from homie.kernel.interfaces import Planner
from homie.kernel.pose_action import MOVE, NUMBERS
from homie.kernel.types import END, HELD, Decision, PlannerInput, Subtask, in_sight
from perception.names import canonical
from planners.common_sense import is_container, is_furniture, is_room, is_surface


class RandomPlanner(Planner):
    """Samples an action that is possible with the current state of the hand, then its target among the names in sight.

    Go to: any name, or a room seen before. Pick: with an empty hand, anything but furniture. Put: the held object, on
    or into furniture. Open, Close: furniture with a door or a drawer by its name. Move: seven numbers, uniform in their
    ranges. From numbered actions it samples an action, then one of its numbers. In the last round it ends the task, if
    possible. It uses neither the task nor feedback, only the seed of the episode.
    """

    name = "random"

    def __init__(self, argument: str = "") -> None:
        super().__init__(argument)
        self._random = random.Random()
        self._rooms: dict[str, None] = {}

    def reset(self, task: str, *, seed: int) -> None:
        self._random = random.Random(seed)
        self._rooms = {}

    def decide(self, planner_input: PlannerInput) -> Decision:
        endings = [choice.subtask for choice in planner_input.choices if choice.subtask.action == END.action]
        if planner_input.round >= planner_input.rounds and (endings or not planner_input.choices):
            return Decision((self._random.choice(endings or [END]),), "This is the last round.")
        choices = self._numbered(planner_input) if planner_input.choices else self._choices(planner_input)
        if not choices:
            return Decision((END,), "There is nothing in sight to do anything with.")
        action = self._random.choice(list(choices))
        return Decision((self._random.choice(choices[action]),), "Drawn at random.")

    def _numbered(self, planner_input: PlannerInput) -> dict[str, list[Subtask]]:
        """Return the numbered actions that are possible with the current state of the hand, by action."""
        hand_is_full = bool(planner_input.inventory)
        possible: dict[str, list[Subtask]] = {}
        for choice in planner_input.choices:
            action, target = choice.subtask.action, choice.subtask.target
            useless = action == "Pick" if hand_is_full else target == HELD
            if action != END.action and not useless:
                possible.setdefault(action, []).append(choice.subtask)
        return possible

    def _choices(self, planner_input: PlannerInput) -> dict[str, list[Subtask]]:
        """Return the possible subtasks, by action."""
        visible_names = list(
            dict.fromkeys(canonical(detection.name) for detection in in_sight(planner_input.detections))
        )
        self._rooms.update(dict.fromkeys(name for name in visible_names if is_room(name)))
        doors = [name for name in visible_names if is_container(name)]
        places = [name for name in visible_names if is_container(name) or is_surface(name)]
        objects = [name for name in visible_names if not is_furniture(name)]
        held_name = planner_input.inventory[-1] if planner_input.inventory else ""
        possible = {
            "Go to": [Subtask("Go to", name) for name in dict.fromkeys([*visible_names, *self._rooms])],
            "Pick": [] if held_name else [Subtask("Pick", name) for name in objects],
            "Put": [Subtask("Put", held_name, place) for place in places] if held_name else [],
            "Open": [Subtask("Open", name) for name in doors],
            "Close": [Subtask("Close", name) for name in doors],
            MOVE: self._poses() if MOVE in planner_input.actions else [],
        }
        return {
            action: subtasks for action, subtasks in possible.items() if subtasks and action in planner_input.actions
        }

    def _poses(self) -> list[Subtask]:
        """Return one sampled Move."""
        return [Subtask(MOVE, str([self._random.randint(0, last) for last in NUMBERS.values()]))]

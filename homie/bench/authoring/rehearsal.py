"""Symbolic simulation of subtasks in a house, without physics: the result of a plan if every skill succeeds.

The rules are those of the error checks (one hand, closed containers), except distances. Used for testing what a suite
says about plans without playing them: see docs/suites.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from homie.bench.authoring.house import House
from homie.bench.score.trajectory import Step, Trajectory
from homie.bench.suite.suite import Task, read_subtask
from homie.kernel.types import Subtask
from homie.kernel.world import thresholds
from homie.kernel.world.snapshot import Relation, RobotState, WorldSnapshot


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Result of a plan: its steps, ready to be scored, and the final state of the house."""

    steps: tuple[Step, ...]
    state: WorldSnapshot

    @property
    def failed(self) -> tuple[str, ...]:
        """Impossible steps, each with the reason."""
        return tuple(f"[{step.text}]: {step.message}" for step in self.steps if not step.success)

    def trial(self, task: Task) -> Trajectory:
        """Return the plan as a trial of a task, to be scored by a profile."""
        return Trajectory(
            task_id=task.id,
            trial=0,
            task=task.text,
            keypaths=task.keypaths,
            expert_length=task.expert_length,
            steps=self.steps,
            length=len(self.steps),
            last_message_has_end=True,
            never=task.never,
        )


def rehearse(house: House, plan: Iterable[str]) -> Rehearsal:
    """Simulate a plan from the initial state. Raises ValueError for an invalid subtask."""
    stage = _Stage(house)
    steps = tuple(stage.play(read_subtask(text)) for text in plan)
    return Rehearsal(steps, stage.state)


class _Stage:
    """State of the house during a plan. `state` is the current state; `_near` is the last target of Go to."""

    def __init__(self, house: House) -> None:
        self._house = house
        self.state = house.state
        self._near = ""
        self._word = ""

    def play(self, subtask: Subtask) -> Step:
        target = self._resolve(subtask.target)
        destination = self._resolve(subtask.destination)
        objects = (self._word, self.state.held) if subtask.action == "Put" else (subtask.target, target)
        problem = self._problem(subtask, target, destination)
        if not problem:
            self._apply(subtask, target, destination)
        return Step(
            text=str(subtask).strip("[]"),
            success=not problem,
            message=problem or "None",
            action=subtask.action,
            objects=tuple(dict.fromkeys(name for name in objects if name)),
            places=tuple(dict.fromkeys(name for name in (subtask.destination, destination) if name)),
        )

    def _problem(self, subtask: Subtask, target: str, destination: str) -> str:
        held = self.state.held
        match subtask.action:
            case "End":
                return ""
            case "Put" if held is None:
                return "the hand is empty"
            case "Put" if not destination or destination in self._house.rooms:
                return f"nothing can be put on '{subtask.destination}'"
            case "Put":
                return self._container_problem(destination)
            case _ if not target:
                return f"there is no '{subtask.target}'"
            case "Pick" | "Open" | "Close" if held is not None:
                return "the hand is full"
            case "Pick" if target not in self.state.objects:
                return f"'{target}' cannot be picked"
            case "Pick":
                return self._container_problem(self.state.objects[target].at)
            case "Open" | "Close" if self._house.container(target) != target:
                return f"'{target}' neither opens nor closes"
        return ""

    def _apply(self, subtask: Subtask, target: str, destination: str) -> None:
        match subtask.action:
            case "Go to":
                self._near = target
                self._change(robot=RobotState(room=self._room(target)))
            case "Pick":
                self._word = subtask.target
                self._change(held=target)
                self._set_place(target, "held", "robot")
            case "Put":
                assert self.state.held is not None
                self._set_place(self.state.held, "in" if self._is_inside(destination) else "on", destination)
                self._change(held=None)
            case "Open" | "Close":
                update = {"fraction": 1.0 if subtask.action == "Open" else 0.0}
                joints = {name: joint for name, joint in self.state.joints.items() if joint.receptacle == target}
                changed = {name: joint.model_copy(update=update) for name, joint in joints.items()}
                self._change(joints={**self.state.joints, **changed})

    def _change(self, **update: object) -> None:
        self.state = self.state.model_copy(update=update)

    def _set_place(self, name: str, relation: Relation, at: str) -> None:
        """Set the place of an object. Its exact pose is unknown without physics."""
        room = self.state.robot.room if relation == "held" else self._room(at)
        unknown_pose = {"surface": "", "position": None, "quaternion": None}
        update = {"relation": relation, "at": at, "room": room, **unknown_pose}
        self._change(objects={**self.state.objects, name: self.state.objects[name].model_copy(update=update)})

    def _container_problem(self, place: str) -> str:
        """Return a problem if a place is or is in a closed container; "" if not."""
        while place in self.state.objects:
            place = self.state.objects[place].at
        is_closed = any(
            joint.receptacle == place and thresholds.is_closed(joint.fraction) for joint in self.state.joints.values()
        )
        return f"the {place} is closed" if is_closed else ""

    def _is_inside(self, place: str) -> bool:
        return self.state.things[place].receives == "in"

    def _room(self, name: str) -> str | None:
        if name in self.state.objects:
            return self.state.objects[name].room
        return self._house.room(name)

    def _resolve(self, words: str) -> str:
        """Return the entity with this name; else by kind: one at the robot's position, else in this room, else any."""
        house = self._house
        if words in house.rooms or words in house.furniture or words in house.objects:
            return words
        matches = [name for name in (*house.objects, *house.furniture) if house.spoken(name) == words]
        if matches:
            return matches[0]
        kind = words.replace(" ", "_")
        things = [
            name for group in (house.objects, house.furniture) for name, item in group.items() if item.kind == kind
        ]
        rooms = [name for name, room in house.rooms.items() if room == words]
        return min((*rooms, *things), key=self._distance_rank, default="")

    def _distance_rank(self, name: str) -> int:
        is_near = self._near in (name, self.state.objects[name].at if name in self.state.objects else name)
        return 0 if is_near else 1 if self._room(name) == self.state.robot.room else 2

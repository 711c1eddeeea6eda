"""The contracts. Homie's folders meet here and nowhere else.

```
             PlannerInput            Goal                  Command
Robot ----> Detector ----> Planner ------> Skill ----------------> Robot
  Observation  |  Detection    | Decision    ^  act(observation)
               v               v             |
            Locator ------> Executor --------+
             Goal           (Checks, Feedback)
```
"""

from __future__ import annotations

import math
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal, Protocol, final, runtime_checkable

import numpy as np
from pydantic import BaseModel

from homie.kernel import domain
from homie.kernel.actions import ACTION_TABLE, Action
from homie.kernel.body import RobotSpec, stands_still
from homie.kernel.errors import BadInput, CommandRefused, RobotFault
from homie.kernel.knowledge import Knowledge
from homie.kernel.safety import OverLimit, SafetyGate
from homie.kernel.types import (
    VIEWS,
    Array,
    Attempt,
    Check,
    Command,
    Decision,
    Detection,
    Goal,
    Image,
    NamedThing,
    Observation,
    Outcome,
    PlannerInput,
    Pose,
    Proprioception,
    SentCommand,
    Subtask,
)
from homie.kernel.world import WorldSnapshot


class NamedByUsers:
    """What users choose by a name, made as `cls(argument, settings)`: of NAME:ARGUMENT and of the settings beside it.

    A class whose constructor takes fewer gets fewer: no settings where it has no `Settings`, no argument where none is
    given.
    """

    word: ClassVar[str] = "part"
    """What users call one of its kind."""
    name: str = ""
    Settings: ClassVar[type[BaseModel] | None] = None
    """The model of its settings, or None if it has none."""
    extra: ClassVar[str] = ""
    """The extra of Homie that brings the packages it needs (`homie.kernel.packages.requirements`), "" if none."""

    def __init__(self, argument: str = "", settings: BaseModel | None = None) -> None:
        """Raises BadInput for an argument, which a part may take that has a constructor of its own."""
        if argument:
            raise BadInput(f"The {self.word} '{self.name}' takes no argument (got '{argument}').")


class Planner(NamedByUsers, ABC):
    """A brain: from what the robot knows to the next decision. It never sees world state.

    One instance serves one episode at a time; `reset` is called before each. `decide` may raise
    `homie.kernel.errors.PlannerError` (the episode ends as infrastructure) but never invents a decision.

    Its argument is that of `--planner NAME:ARGUMENT`, its settings those of `--set NAME=VALUE`.
    """

    word = "planner"
    keys: ClassVar[tuple[str, ...]] = ()
    """Names of environment variables that may hold its API keys."""
    looks_at_hand: bool = False
    """Whether it wants the picture of the robot's `hand` camera (`PlannerInput.hand`)."""

    @abstractmethod
    def reset(self, task: str, *, seed: int) -> None:
        """Forget everything and prepare for a task."""

    @abstractmethod
    def decide(self, given: PlannerInput) -> Decision:
        """The next decision. Its action may be wrong: checking is the executor's work."""

    def describe(self) -> Mapping[str, object]:
        """What decides its answers (hashes of its files and prompts, model, settings), JSON-ready, without secrets.

        The run folder keeps it for every episode (`provenance`), and a bench that goes on compares it: so it
        says the same of equal planners, before an episode and after it.
        """
        return {}

    @classmethod
    def share(cls, argument: str, settings: BaseModel | None, log: Path) -> SharedPart | None:
        """What planners of this class share when several processes make one each, None for nothing.

        Args:
            argument: the argument of those planners.
            settings: their settings, checked.
            log: the file for what a shared process writes.
        """
        return None

    def texts(self) -> Mapping[str, str]:
        """The texts whose SHA-256 its description names (prompt templates, examples, a plan file), by that, in hex."""
        return {}


class SharedPart(Protocol):
    """What planners in several processes share, such as a process that has loaded their model. Who has it closes it."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables by which they find it."""

    def ensure(self) -> None:
        """Start it, or start it again where it has died. Raises InfrastructureError."""

    def close(self) -> None:
        """End it. Idempotent."""


class Kinematics(Protocol):
    """Forward and inverse kinematics of a robot's chain. `q` is (n,), the joints of `RobotSpec.chain`: torso, then arm.

    Poses are of the gripper in the base frame; its x points out along the fingers, y is the direction in which they
    close.
    """

    def forward(self, q: Array) -> Pose:
        """The gripper pose in the base frame."""

    def link_points(self, q: Array) -> Array:
        """Centres (n, 3), in the base frame, of spheres that fill the arm and the hand."""

    @property
    def point_radii(self) -> Array:
        """Radii (n,) of the spheres of `link_points`, m."""

    def self_distance(self, q: Array, held: Array | None = None) -> float:
        """Metres between the arm and the robot's own body, negative inside.

        held: spheres (n, 4) in the hand that keep out of the body too: centre in the gripper frame and radius, m.
        """

    def solve(self, position: Array, rotation: Array | None, q0: Array, *, locked_torso: bool = False) -> IkSolution:
        """Joints that bring the gripper to a pose in the base frame (rotation None: position only)."""


class IkSolution(Protocol):
    """Result of `Kinematics.solve`: `q` (n,), whether both errors (m, rad) are within tolerance."""

    @property
    def q(self) -> Array: ...
    @property
    def ok(self) -> bool: ...
    @property
    def position_error(self) -> float: ...
    @property
    def rotation_error(self) -> float: ...


class Robot(ABC):
    """A body that observes and obeys: a simulator or hardware. Used as a context manager.

    `reset`, `act` and `stop` are final, so that no robot can forget its safety gate:

    ```
    act(command) --> measured --> effector pose to joints --> SafetyGate --> _send --> SentCommand
    stop()       --> _halt --> measured, until nothing moves
    reset(seed)  --> _restart
    ```

    It is made as `cls(argument)` from `--robot NAME:ARGUMENT`; with `Settings`, as `cls(argument, settings)`.

    A robot brings `measured`, `observe`, `_send`, `_halt`, `_restart` and `close`, and says what its body is in `spec`.
    Stop order everywhere: stop, hold or park, disconnect, then flush data; `close` does the first three.
    """

    Settings: ClassVar[type[BaseModel] | None] = None
    """The model of its settings (`--robot-option NAME=VALUE`), or None if it has none."""
    spec: RobotSpec
    kinematics: Kinematics
    over_limit: OverLimit = "clamp"
    """What the safety gate does with values over a limit."""
    stop_seconds: float = 3.0
    """Seconds in which it must have come to rest after a stop, by its own measurements."""
    views: tuple[str, ...] = VIEWS
    """The cameras whose pictures the planner gets."""
    hand: str = ""
    """The camera at the hand, "" where there is none."""
    eye: str = "head"
    """The camera whose picture a video shows beside the third-person view."""
    waits: bool = False
    """Whether its time stands still between two calls of `act`, as in a simulation. One that does not is stopped while
    a policy makes a decision."""
    actions: tuple[str, ...] = ()
    """What a planner may tell it, where some skill has it, End included; empty for the household actions of EMMOE."""
    inventory_by: Literal["feedback", "hand"] = "feedback"
    """Where the inventory comes from: the feedback of Pick and Put (EMMOE, appendix D), or what the locator finds in
    the hand, for actions of its own that close and open it."""
    picture_size: tuple[int, int] | None = None
    """Width and height of its pictures in pixels, if it has taken them from the option `picture_size`."""

    def __init_subclass__(cls, **arguments: object) -> None:
        super().__init_subclass__(**arguments)
        hooks = {"act": "_send", "stop": "_halt", "reset": "_restart", "gate": "over_limit"}
        for name, hook in hooks.items():
            if name in cls.__dict__:
                raise BadInput(
                    f"The robot {cls.__name__} overrides '{name}', which keeps every command within its limits: "
                    f"write '{hook}' instead (docs/robots.md)."
                )

    @cached_property
    def gate(self) -> SafetyGate:
        """What every command passes."""
        return SafetyGate(self.spec, self.over_limit)

    @final
    def reset(self, *, seed: int) -> None:
        """Bring robot (and simulated world) to the start of an episode."""
        self.gate.reset()
        self._restart(seed=seed)
        self.gate.reset()

    @final
    def act(self, command: Command) -> SentCommand:
        """Send one command for one control period.

        Returns:
            The command as it was asked for and as the safety gate has sent it.

        Raises:
            CommandRefused: It is malformed, or over a limit of a robot that refuses; nothing was sent.
            RobotFault: The robot cannot go on safely, and has stopped.
        """
        body = self.measured()
        sent = self.gate.check(self._resolved(command, body), body)
        self._send(sent.sent)
        return replace(sent, requested=command)

    @final
    def stop(self) -> None:
        """Stop all motion now and hold; returns once nothing is measured to move.

        Raises:
            RobotFault: It still moves after `stop_seconds`.
        """
        self.gate.reset()
        self._halt()
        before = None
        for _ in range(math.ceil(self.stop_seconds / self.spec.period)):
            body = self.measured()
            if stands_still(body, before, self.spec.period):
                return
            before = body
            self._wait()
        raise RobotFault(
            f"The {self.spec.name} still moves {self.stop_seconds:g} s after it was told to stop: use its own stop."
        )

    @abstractmethod
    def measured(self) -> Proprioception:
        """What it feels now, without pictures."""

    @abstractmethod
    def observe(self, cameras: Collection[str] = ()) -> Observation:
        """What it feels, and RGB-D frames of the named cameras: its `views`, its `eye`, a `wrist` where it has one."""

    @abstractmethod
    def _send(self, command: Command) -> None:
        """Send a command that the safety gate has passed, and return after one control period. Raises RobotFault.

        It has targets of every base, and of the other groups that are told something.
        """

    @abstractmethod
    def _halt(self) -> None:
        """Tell everything to stop moving and to hold; no need to wait until it has."""

    def _wait(self) -> None:
        """Let one control period pass, nothing new being sent."""
        time.sleep(self.spec.period)

    @abstractmethod
    def _restart(self, *, seed: int) -> None:
        """Bring robot (and simulated world) to the start of an episode."""

    @abstractmethod
    def close(self) -> None:
        """Stop, hold or park, disconnect. Idempotent."""

    def _resolved(self, command: Command, body: Proprioception) -> Command:
        """A command with its effector pose, if any, as joint targets. Raises CommandRefused for one that is not finite,
        and for a robot without an arm."""
        pose, chain = command.effector, self.spec.chain
        if pose is None:
            return command
        if not chain.groups:
            raise CommandRefused(f"Command refused: {self.spec.name} has no arm, so no effector to bring to a pose.")
        if not (np.isfinite(pose.position).all() and np.isfinite(pose.rotation).all()):
            raise CommandRefused("Command refused: effector holds a value that is not finite.")
        if twice := [group.name for group in chain.groups if command.get(group.name) is not None]:
            raise CommandRefused(f"Command refused: effector and {twice[0]} are told at once.")
        solution = self.kinematics.solve(pose.position, pose.rotation, chain.measured(body))
        return Command({**command.targets, **chain.targets(solution.q)})

    def describe(self) -> Mapping[str, object]:
        """What decides its behaviour besides its code (firmware, an address), JSON-ready; as for planners."""
        return {}

    def background(self) -> Locator:
        """The locator that knows a simulator's world. Raises BadInput for a robot that does not know its own."""
        raise BadInput("Background targets need a simulator that knows its world: use --targets sensors.")

    def __enter__(self) -> Robot:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class Skill(ABC):
    """A low-level policy bound to some actions. Stateful between `start` and the end of the attempt.

    `act` is called once per control period with a fresh observation; it returns the next command, and `outcome` says
    whether it goes on. The observation of `start` has the pictures of `cameras`, that of an `act` those of `looks`: a
    policy that decides at 4 Hz wants none in between. A skill never sees world state; what it may know is in the goal.
    """

    name: str = ""
    actions: tuple[str, ...] = ()
    cameras: tuple[str, ...] = ()
    max_seconds: float = 60.0
    deliberates: bool = False
    """Whether an `act` for which it `looks` may take longer than a control period: networks do."""

    @abstractmethod
    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        """Begin an attempt."""

    def revise(self, goal: Goal) -> None:
        """Take a better goal while running: the locator has seen more. Ignoring it is allowed."""

    def looks(self) -> tuple[str, ...]:
        """The cameras whose pictures the next `act` wants."""
        return self.cameras

    @abstractmethod
    def act(self, observation: Observation) -> Command:
        """The next command."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome:
        """RUNNING until the attempt is over."""

    @property
    def reason(self) -> str:
        """Why the attempt ended as it did, in words for the record."""
        return ""

    @property
    def about(self) -> tuple[str, ...]:
        """The names of what kept it from its goal, as a planner may say them: what has to be moved away first."""
        return ()

    @property
    def hopeless(self) -> bool:
        """Whether another attempt would end like the last, with the world as it is: then none is made."""
        return False

    @property
    def complaint(self) -> str:
        """What a planner is told when the last attempt has failed, a sentence; "" for that of the table of messages,
        which knows reasons of skills (`error_detection.reasons`)."""
        return ""


class SkillSet(NamedByUsers, ABC):
    """The skills of one low-level model, as `--skills` names it; to a planner its `name` is a model to choose.

    It is made once for all episodes of a process: networks are loaded then. What is of one episode is in the skills,
    which `skills` makes anew for each. Its argument is that of `--skills NAME:ARGUMENT`, its settings those of
    `--skill-option NAME.SETTING=VALUE`. The argument of a learned model is its checkpoint. Without one the constructor
    raises MissingCheckpoint, and `classical` may stand in for its `actions`.
    """

    word = "skill set"
    actions: ClassVar[tuple[str, ...]] = ()
    """What the set can do, known without a checkpoint."""
    meant_for: ClassVar[tuple[str, ...]] = ()
    """Those of its actions that a planner should choose it for, where other sets have them too (EMMOE, table E2)."""
    about: ClassVar[str] = ""
    """What it is good at, for planners: the rest of a sentence that begins with its name, such as `goes to rooms`."""
    own_actions: ClassVar[tuple[Action, ...]] = ()
    """What is to know of actions that only it has (`Action(name="Wait", arguments=())`). One that is not here takes a
    target and asks for nothing."""

    @abstractmethod
    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        """New skills for a robot, which know of no earlier episode. Raises BadInput for a robot that they cannot
        move."""

    def describe(self) -> Mapping[str, object]:
        """What decides its actions (hashes of its files, settings), JSON-ready, without secrets; as for planners."""
        return {}

    def close(self) -> None:
        """Let go of what it holds. Idempotent."""


class Detector(NamedByUsers, ABC):
    """From pictures to named boxes.

    It is made once for all episodes of a process; `reset` begins an episode. Its argument is that of
    `--detector NAME:ARGUMENT`, its settings those of `--detector-option NAME=VALUE`. The argument of a network is its
    file or the name of its weights.
    """

    word = "detector"

    def describe(self) -> Mapping[str, object]:
        """What decides its boxes (the hash of its weights, settings), JSON-ready, without secrets; as for planners."""
        return {}

    def reset(self) -> None:
        """Forget the episode, such as what was followed from picture to picture."""

    @abstractmethod
    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        """Detections in every frame of the observation, larger boxes first within a view."""


class WorldModel(ABC):
    """What is known of the world in one setting: questions, which change nothing.

    Error detection asks it what exists, what is closed, what opens, how far away things are, and what a skill has
    changed. Every answer comes from the same knowledge: world state in the background setting, in the sensors setting
    only what was observed.
    """

    @abstractmethod
    def resolve(self, words: str, action: Action, observation: Observation) -> str | None:
        """The entity that a planner's words mean, or None.

        Where they are ambiguous it is one that the action can be done to, and the nearest of those. An entity's own
        name means itself.
        """

    def objection(self, words: str, action: Action) -> str:
        """Why words mean nothing to an action, a sentence; "" where all there is to say is that it is not there."""
        return ""

    def called(self, entity: str) -> str:
        """What a planner is told that an entity is called, "" where there is no better name than that of the entity.

        What has no name yet gets one, for the rest of the episode.
        """
        return ""

    @abstractmethod
    def opens(self, entity: str) -> bool:
        """Whether it has a door or a drawer."""

    @abstractmethod
    def closed_container(self, entity: str) -> str | None:
        """The closed container that hides or is the entity, or None if it is freely accessible."""

    @abstractmethod
    def pickable(self, entity: str) -> bool:
        """Whether it is a loose object."""

    @abstractmethod
    def is_spot(self, entity: str) -> bool:
        """Whether it is a place to go to only (a room), not a thing."""

    def has_place(self, entity: str) -> bool:
        """Whether a place on or in it is known where something can be put."""
        return not self.is_spot(entity)

    @abstractmethod
    def distance(self, entity: str, observation: Observation) -> float:
        """Metres between the robot base and the nearest part of the entity that matters for reaching it."""

    @abstractmethod
    def held(self, observation: Observation) -> str | None:
        """The entity in the hand as far as it is known, or None if the hand is empty."""

    def names_held(self, words: str, inventory: Sequence[str], observation: Observation) -> bool:
        """Whether the words can mean what is in the hand. inventory: what it is called so far.

        It is so where they share their words with one of its names (`red apple`, `apple`), or mean something of its
        kind: which of several apples is meant is not asked.
        """
        held = self.held(observation)
        names = [*inventory[-1:], *([held] if held else [])]
        if any(_alike(words, name) for name in names):
            return True
        meant = self.resolve(words, LOOSE, observation)
        known = held or (self.resolve(names[0], LOOSE, observation) if names else None)
        return meant is not None and known is not None and kind_of(meant) == kind_of(known)

    # What a skill has come to (`Action.result`). None where it cannot be told.

    def arrived(self, entity: str, observation: Observation) -> bool | None:
        """Whether the robot is where Go to ends: in the room, or within reach of the thing."""
        metres = self.distance(entity, observation)
        return metres <= domain.AT_SPOT if self.is_spot(entity) else domain.within_reach(metres)

    def holds(self, entity: str, observation: Observation) -> bool | None:
        """Whether the hand holds the entity."""
        return self.held(observation) == entity

    def placed(self, thing: str | None, entity: str, observation: Observation) -> bool | None:
        """Whether a thing has been put on or into the entity. thing: what the hand held before."""
        return None

    def state(self, entity: str, state: str, observation: Observation) -> bool | None:
        """Whether the entity is in a state, such as `open` or `closed`, or that of an action of one's own."""
        return None


class Locator(WorldModel):
    """A world model that learns from what is observed, tells planners of it, and makes goals for skills.

    It is the goal adapter of one setting: `background` reads world state, `sensors` only what was observed. Made as
    `cls(robot)`.
    """

    name: str = ""
    cameras: tuple[str, ...] = ()
    """The cameras it looks through before and after a skill runs; empty if it needs no pictures."""

    @abstractmethod
    def reset(self, *, seed: int) -> None:
        """Forget the episode."""

    @abstractmethod
    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        """Take in a new observation (remember what was seen where).

        Of one moment there may be several, each with pictures of other cameras (`homie.kernel.senses.Senses`).
        """

    def aim(self, entity: str, action: Action, observation: Observation) -> None:
        """A subtask begins that is done to the entity: what the hand takes next is most likely that."""

    # What a planner is told.

    def arranged(self, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """The detections as a planner gets them: by the names that `resolve` understands, with their numbers; what a
        listing numbers comes in its order."""
        return tuple(detections)

    def knowledge(self, round_number: int) -> Knowledge:
        """What a planner can be told of the home in a round, after `update` with what is seen in it."""
        return Knowledge()

    def listing(self) -> tuple[str, ...]:
        """What a planner is told of the things in sight besides names and pictures, by line; () for nothing."""
        return ()

    # What a skill needs.

    @abstractmethod
    def goal(self, entity: str, action: Action, observation: Observation) -> Goal:
        """The goal for a resolved entity, but for its text. Changes nothing.

        Args:
            entity: what the action is done to, of a Put the destination.
            action: which parts of the world are told depends on what it does to them.
            observation: where the robot is now.

        Raises:
            TargetLost: the entity has been forgotten since it was resolved.
        """

    def seen(self, entity: str, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """Which of the detections show the entity, for skills that go by pixels."""
        return tuple(one for one in detections if one.instance == entity)

    def due(self, observation: Observation) -> tuple[str, ...] | None:
        """While a skill runs: the cameras to look through before its goal is made anew, None for no new goal yet.

        Asked once per control period.
        """
        return None


LOOSE = ACTION_TABLE["Pick"]
"""The action whose target is meant by the name of what is in the hand."""


def kind_of(entity: str) -> str:
    """What a person calls an entity: `tomato soup can` for `tomato_soup_can_2`."""
    return re.sub(r"[_ ]\d+$", "", entity).replace("_", " ")


def _alike(words: str, name: str) -> bool:
    """Whether all words of one name are among those of the other, but for numbers and articles."""
    first, second = (
        {word for word in re.split(r"[\W_\d]+", text.lower()) if word not in ("", "the", "a", "an")}
        for text in (words, name)
    )
    return bool(first and second) and (first <= second or second <= first)


def background(robot: Robot) -> Locator:
    """The setting in which targets are located from world state (EMMOE, section 4.3)."""
    return robot.background()


@runtime_checkable
class Filmable(Protocol):
    """A simulator that can be filmed."""

    def film(self, width: int, height: int) -> Image:
        """A third-person picture, (height, width, 3)."""

    def look(self, camera: str) -> Image:
        """The colours that one of the robot's cameras sees, without its other channels."""


@runtime_checkable
class Performer(Protocol):
    """A robot that carries out whole actions by itself: a world by rules, a simulator whose actions are calls.

    The skill set `own` asks it.
    """

    def perform(self, subtask: Subtask, entity: str) -> str:
        """Carry out an action.

        Args:
            subtask: The action, as listed, and the planner's words.
            entity: The name of what the words mean; of a Put, its destination.

        Returns:
            Why it cannot be done, as a sentence for the planner; "" where it is done.
        """


@runtime_checkable
class Privileged(Protocol):
    """A planner that knows the world it plans for: it shows that tasks can be done, and is none to compare others with.
    Or a skill set whose actions the robot carries out by itself (`Performer`).

    A planner or a skill set without this never gets the robot.
    """

    def enter(self, robot: Robot) -> None:
        """Take the robot, and with it the world, of the episodes to come. Raises BadInput for one that it does not
        know."""


@runtime_checkable
class FilmableFromAnywhere(Protocol):
    """A simulator with a camera that can be anywhere."""

    def film_from(
        self, position: tuple[float, float, float], lookat: tuple[float, float, float], width: int, height: int
    ) -> Image:
        """A picture (height, width, 3) from a point towards another, both (x, y, z) in the world, metres."""


@runtime_checkable
class WorldState(Protocol):
    """Privileged knowledge. Only simulators have it; only the background locator, scoring and records may ask."""

    def snapshot(self) -> WorldSnapshot:
        """The world as it is now: of all that a `WorldSnapshot` can tell, what this one knows."""


class NameMatcher(Protocol):
    """From words to the things that they may mean equally well; empty if they mean none of them."""

    def __call__(self, query: str, candidates: Sequence[NamedThing], /) -> Sequence[NamedThing]: ...


class ErrorCheck(Protocol):
    """One layer of error detection, run before the skill. See `error_detection/`."""

    def __call__(self, question: CheckQuestion) -> Check:
        """What the layer found; a Check without code where it has nothing against the subtask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckQuestion:
    """All that a check may look at.

    action: what is known of the subtask's action. entity: what it is done to (of a Put the destination), None where the
    words mean nothing. world: what is known; it answers questions. actions, models: what may be chosen. skilled:
    whether some skill runs the action under the model that the planner chose.
    """

    decision: Decision
    subtask: Subtask
    action: Action
    entity: str | None
    inventory: tuple[str, ...]
    observation: Observation
    world: WorldModel
    actions: tuple[str, ...]
    models: tuple[str, ...]
    skilled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """An attempt of a skill, for the execution check to judge.

    action: what is known of it. entity: what it was done to, "" for an action that takes no target. held: what the
    hand held before. observation: of after the attempt; the world model has taken in what it shows. complaint: what the
    skill itself has to tell the planner.
    """

    subtask: Subtask
    action: Action
    entity: str
    held: str | None
    attempt: Attempt
    observation: Observation
    world: WorldModel
    complaint: str = ""


class ExecutionCheck(Protocol):
    """The fourth layer of error detection, which looks at what a skill has done. See `error_detection.execution`."""

    def judged(self, trial: Trial) -> Attempt:
        """The attempt with the outcome that its effect shows."""

    def check(self, trial: Trial) -> Check:
        """What a judged attempt comes to: no code for success, E1 for what may be tried again, E2 for a loss."""

"""Homie's robots as embodiments of inspect-robots, and suites as its tasks, so that its policies and agents can use
them.

    inspect-robots run --task homie-table-pick --policy random --embodiment homie-table

An action is the absolute target of every joint (`homie.ActionVector`) for some control periods; the safety gate limits
the speed. Found by entry points. Needs the extra `inspect-robots`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from inspect_robots.embodiment import (
    AUTO_RESET,
    PRIVILEGED_SUCCESS,
    RENDERABLE,
    RESETTABLE,
    SEEDABLE,
    EmbodimentBase,
    EmbodimentInfo,
)
from inspect_robots.scene import Scene, Target
from inspect_robots.scorer import success_at_end
from inspect_robots.spaces import ActionSemantics, Box, CameraSpec, ObservationSpace, StateField, StateSpec
from inspect_robots.task import Task
from inspect_robots.types import Action, Observation, StepResult

from homie.bench.suite.suite import find_suite
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import WorldState
from homie.kernel.robot.action_vector import ActionVector
from homie.kernel.robot.body import RobotSpec
from homie.kernel.scenes import scene_options
from homie.kernel.support.version import __version__
from homie.kernel.world.conditions import Condition
from homie.runtime.open_session import Session, open_session

POSITIONS = "joint_pos"
"""Name of the state in observations that has the same layout as actions."""
DOCS = """Numbers are joint targets in rad, of torsos and grippers in m; {base}they are absolute. A gripper's number is
its opening: 0 is closed. Observations have the same numbers as `joint_pos`. One step lasts {seconds:g} s."""
BASE = "those of a base are velocities in m/s and rad/s, positive ahead and to the left; all others are joints, and "


class HomieEmbodiment(EmbodimentBase):
    """A simulated robot of Homie, controlled by joint targets."""

    def __init__(self, robot: str, *, cameras: tuple[str, ...] = (), periods: int = 5, **options: Any) -> None:
        """
        Args:
            robot: `franka:FAMILY` or `mujoco`.
            cameras: Cameras in the observations; none for the planner's views.
            periods: Number of control periods for which an action is repeated.
            options: Options of `homie.open`.

        Raises:
            BadInput: An invalid value.
        """
        if periods < 1:
            raise BadInput(f"periods is 1 or more (got {periods}).")
        self._options: dict[str, Any] = {"robot": robot, **options}
        self._periods = periods
        self._open_options: dict[str, Any] = {}
        self._session = self._open(self._options, 0)
        self._goal: Condition | None = None
        body = self._session.robot
        self._cameras = cameras or body.views
        self._vector = ActionVector(body.spec)
        self.info = self._embodiment_info()

    def reset(self, scene: Scene, *, seed: int | None = None) -> Observation:
        """Start in the scene of a suite's task, else in that of the seed. Raises BadInput."""
        options, start = dict(self._options), scene.init_seed if scene.init_seed is not None else seed or 0
        self._goal = None
        if (suite := scene.metadata.get("suite")) is not None:
            (suite_task,) = find_suite(str(suite)).select(str(scene.metadata["task"]))[:1]
            kind = str(options["robot"]).partition(":")[0]
            options |= scene_options(kind, suite_task.scene.settings)
            if suite_task.scene.spec is not None:
                options["scene"] = suite_task.scene.spec
            self._goal, start = suite_task.goal, suite_task.scene.seed
        if options == self._open_options:
            self._session.reset(start)
        else:
            self._session.close()
            self._session = self._open(options, start)
        return self._observation(scene.instruction)

    def step(self, action: Action) -> StepResult:
        """Send the same command for some control periods. Raises BadInput for a wrong number of values or non-finite
        ones."""
        command = self._vector.command(np.asarray(action.data, dtype=np.float64))
        for _ in range(self._periods):
            self._session.robot.act(command)
        success = self._success()
        return StepResult(
            observation=self._observation(None),
            reward=float(bool(success)),
            terminated=bool(success),
            termination_reason="success" if success else None,
            info={"success": success} if success is not None else {},
        )

    def close(self) -> None:
        self._session.close()

    def _open(self, options: Mapping[str, Any], seed: int) -> Session:
        self._open_options = dict(options)
        return open_session(None, False, {**options, "seed": seed})

    def _success(self) -> bool | None:
        """Return whether the task is done, from the state of the simulator; None if unknown."""
        if not isinstance(self._session.robot, WorldState):
            return None
        world = self._session.world_state()
        return world.success if self._goal is None else self._goal.holds(world)

    def _observation(self, instruction: str | None) -> Observation:
        seen = self._session.observe(*self._cameras)
        return Observation(
            images={name: frame.rgb.copy() for name, frame in seen.frames.items()},
            state={POSITIONS: self._vector.measured(seen.body)},
            instruction=instruction,
            image_times=dict.fromkeys(seen.frames, seen.stamp),
            state_time=seen.stamp,
        )

    def _embodiment_info(self) -> EmbodimentInfo:
        spec, frames = self._session.robot.spec, self._session.observe(*self._cameras).frames
        cameras = tuple(CameraSpec(name, *frame.rgb.shape[:2]) for name, frame in frames.items())
        simulated = frozenset({SEEDABLE, RESETTABLE, AUTO_RESET, PRIVILEGED_SUCCESS, RENDERABLE})
        return embodiment_info(spec, self._vector, cameras, self._periods, simulated)


def embodiment_info(
    spec: RobotSpec,
    vector: ActionVector,
    cameras: tuple[CameraSpec, ...],
    periods: int,
    capabilities: frozenset[str] = frozenset(),
) -> EmbodimentInfo:
    """Describe a robot in the form of inspect-robots.

    Args:
        spec: Specification of the robot.
        vector: Layout of an action.
        cameras: Cameras in the observations.
        periods: Number of control periods for which an action is repeated.
        capabilities: Capabilities as the package defines them; those of a simulation, or none.
    """
    limits = np.clip(vector.limits, -math.pi, math.pi)  # continuous joints: one turn
    seconds = spec.period * periods
    steps = [
        None if group.kind == "base" else float(speed * seconds) for group in vector.groups for speed in group.speeds
    ]
    has_base = any(group.kind == "base" for group in vector.groups)
    semantics = ActionSemantics(
        "joint_pos", gripper="continuous", frame="base", dim_labels=vector.names, max_step=tuple(steps)
    )
    return EmbodimentInfo(
        name=f"homie-{spec.name}",
        action_space=Box((len(vector),), limits[:, 0], limits[:, 1], semantics),
        observation_space=ObservationSpace(
            cameras=cameras, state=StateSpec((StateField(POSITIONS, (len(vector),), "rad, m"),))
        ),
        control_hz=1.0 / seconds,
        is_simulated=bool(capabilities),
        capabilities=capabilities,
        docs=DOCS.format(base=BASE if has_base else "", seconds=seconds),
        environment_id=f"homie {__version__}",
    )


def table(family: str = "pick", **options: Any) -> HomieEmbodiment:
    """The Panda on a table: 7 joints and a gripper. See `HomieEmbodiment`."""
    return HomieEmbodiment(f"franka:{family}", **options)


def home(**options: Any) -> HomieEmbodiment:
    """A Fetch in a house: base, torso, arm, head and gripper. See `HomieEmbodiment`."""
    return HomieEmbodiment("mujoco", **options)


def suite(name: str = "homie-100", tasks: str | None = None, max_steps: int = 500) -> Task:
    """Return a suite of Homie as a task for the embodiment of its robot. Raises BadInput.

    Args:
        name: Suite as given to `homie bench`.
        tasks: Ids or patterns of the tasks, separated by commas (default: all). Tasks without a goal are left out.
        max_steps: Number of steps after which an episode ends.
    """
    homie_suite = find_suite(name)
    scenes = [
        Scene(
            id=task.id,
            instruction=task.text,
            target=Target("homie-goal", {"suite": name, "task": task.id}),
            init_seed=task.scene.seed,
            metadata={"suite": name, "task": task.id},
        )
        for task in homie_suite.select(tasks, None)
        if task.goal is not None
    ]
    return Task(name=f"homie-{homie_suite.name}", scenes=scenes, scorer=success_at_end(), max_steps=max_steps)


def table_pick(tasks: str | None = None, max_steps: int = 500) -> Task:
    """Return the suite table-pick for `homie-table`."""
    return suite("table-pick", tasks, max_steps)

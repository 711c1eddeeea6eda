"""A policy and the skills that act by it: two halves, so that the policy can run here or on another machine.

         robot half: PolicySkill                              robot-free half: Policy
    Observation, Goal --(adapter)--> named arrays --step--> network, queues, sampler --> named arrays --> Command

A *policy* is a network with its inference loop as its authors run it: context queue, normalisation, previous action,
token decoding, ensembling. It knows no robot, no goal and no command of Homie; its inputs and outputs are named arrays.
The golden vectors test it, and `homie serve policy` serves it.

A *policy skill* is the thin remainder, which needs the robot: when to look, frames and units, goal adapter, stop rules,
limits, commands. It knows no network and never imports torch.

A *policy set* ties the two together. `skills` builds the skills around a policy made from a checkpoint; the set
`remote` (`skills.remote_policies`) builds the same skills around a policy whose `reset` and `step` go over a wire. So a
set is served without code of its own, if it keeps to four rules:

1. A skill takes the facts that it needs of the loaded model (rate, window, statistics, whether there is a map) from
   `policy.facts`, never from the checkpoint or the settings: only facts are transferred.
2. A skill calls `step` only when a decision is due, and passes only new data (one frame, not the window): in between
   nothing is sent. `required_cameras` tells the renderer the same.
3. Values are arrays, texts, numbers and booleans (`Value`); images are sent as uint8 in the camera's or the network's
   size, never as floats.
4. A policy that cannot continue raises `PolicyFailed` with a reason in words, from `reset` for a goal that it cannot
   take, from `step` for its inputs. The attempt then fails with that reason, and nothing else fails.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from homie.kernel.interfaces import Kinematics, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from homie.kernel.support.checksums import fingerprint
from homie.kernel.types import Command, Failure, FailureReason, Goal, Observation, Outcome, Subtask
from skills.attempts import AttemptSkill

Value: TypeAlias = NDArray[Any] | str | bool | int | float
"""Values that cross between the halves. Arrays are numeric or boolean; complex numbers and objects are not
supported."""
Named: TypeAlias = Mapping[str, Value]


class PolicyFailed(Exception):
    """A policy cannot continue this attempt.

    Attributes:
        failure: The reason of the attempt's failure, a `Failure` where planners get advice.
    """

    def __init__(self, reason: FailureReason | str, **details: Any) -> None:
        """Create the error of a policy that cannot continue.

        Args:
            reason: A reason, or a text for the record alone.
            details: The arguments of the reason (`homie.kernel.types.Failure`).
        """
        self.failure = reason if isinstance(reason, str) else Failure(reason, **details)
        super().__init__(self.failure)

    @property
    def name(self) -> str:
        """The name of the reason; "" for a text."""
        return self.failure.reason.name if isinstance(self.failure, Failure) else ""


def cannot_go_on(reason: str) -> PolicyFailed:
    """Return the failure of a policy for a reason of its own."""
    return PolicyFailed(FailureReason.MODEL_CANNOT_GO_ON, why=reason)


def input_numbers(model: str, inputs: Named, name: str, length: int, kind: type[np.floating]) -> NDArray[Any]:
    """Return an input of a policy as finite numbers (length,) of a type. Raises PolicyFailed, naming the model."""
    values = np.asarray(inputs[name], kind).ravel()
    if len(values) != length:
        raise cannot_go_on(f"{model} takes {length} numbers as {name} (got {len(values)})")
    if not np.isfinite(values).all():
        raise cannot_go_on(f"{model} was given {name} that is not finite")
    return values


class Policy(Protocol):
    """A network and its inference loop, without robot. An instance serves one attempt at a time; networks may be
    shared.

    Not thread-safe: calls of policies that share a network must not overlap.
    """

    @property
    def facts(self) -> Named:
        """Facts of the loaded model that skills need. Constant; small."""

    def reset(self, goal: Named) -> None:
        """Discard the state of the last attempt and begin one. Raises PolicyFailed for a goal that it cannot take."""

    def step(self, inputs: Named) -> Named:
        """Compute one decision. Raises PolicyFailed, and nothing else for arrays of the documented names, shapes and
        types."""


class PolicySkill(AttemptSkill):
    """The robot half: converts observations to the policy's inputs, and its outputs to commands.

    Subclasses implement `begin` and `steer`, and call `finish` by their stop rule. PolicyFailed ends the attempt as
    FAILED. The command of a period in which the attempt ends stops the base and holds the limbs.
    """

    deliberates = True

    def __init__(self, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> None:
        self.policy = policy
        self.spec = spec
        self.kinematics = kinematics
        self._renew()

    @abstractmethod
    def begin(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        """Build the goal for the policy and reset it. May raise PolicyFailed."""

    @abstractmethod
    def steer(self, observation: Observation) -> Command:
        """Return the next command. May raise PolicyFailed, may call `finish`."""

    def finish(self, outcome: Outcome, reason: str = "") -> None:
        """End the attempt with an outcome."""
        self._outcome, self._reason = outcome, reason

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self._renew()
        try:
            self.begin(subtask, goal, observation)
        except PolicyFailed as failure:
            self.finish(Outcome.FAILED, failure.failure)

    def act(self, observation: Observation) -> Command:
        try:
            command = self.steer(observation)
        except PolicyFailed as failure:
            self.finish(Outcome.FAILED, failure.failure)
        return command if self._outcome is Outcome.RUNNING else Command()


class PolicySet(SkillSet):
    """A skill set whose skills act by one policy, local or remote."""

    path: Path
    sha256: str
    """The checkpoint and its checksum."""

    def describe_checkpoint(self, settings: BaseModel, *files: str, **extra: object) -> dict[str, object]:
        """Return the record of a set with a checkpoint: its path, its checksum and its settings.

        Args:
            settings: The settings of the set.
            files: Names of settings that are files, whose checksums are added.
            extra: Entries placed before the settings.
        """
        description = settings.model_dump(mode="json")
        for name in files:
            if (path := getattr(settings, name)) is not None:
                description[f"{name}_sha256"] = fingerprint(path)
        return {"checkpoint": str(self.path), "sha256": self.sha256, **extra, **description}

    @abstractmethod
    def policy(self) -> Policy:
        """Return a new policy with its own state around the loaded networks."""

    @classmethod
    @abstractmethod
    def around(cls, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        """Return the skills that act by a policy, wherever it runs. Raises BadInput for a robot that they cannot
        move."""

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        return self.around(self.policy(), spec, kinematics)

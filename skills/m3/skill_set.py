"""The skill set `m3`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from homie.kernel.interfaces import Kinematics, Skill
from homie.kernel.robot.body import RobotSpec
from homie.kernel.support.packages import missing_part
from skills.m3.files import find_files
from skills.m3.manipulate import Close, Open, Pick, Place
from skills.m3.navigate import Navigate
from skills.m3.skill import M3Skill
from skills.policies.policy import Policy, PolicySet

if TYPE_CHECKING:
    from skills.m3.policy import M3Policy

SKILLS: tuple[type[M3Skill], ...] = (Navigate, Pick, Place, Open, Close)


def usable_skills(networks: Iterable[str]) -> list[type[M3Skill]]:
    """Return the skills for which the networks suffice."""
    available = set(networks)
    return [skill for skill in SKILLS if available & set(skill.networks)]


class M3(PolicySet):
    """The skills whose checkpoints a folder or a YAML file has, or the Go to that ships; see `skills.m3.files`."""

    name = "m3"
    actions: ClassVar[tuple[str, ...]] = ("Go to", "Pick", "Put", "Open", "Close")
    about = "has a learned policy for each of its actions"
    extra = "policies"

    def __init__(self, argument: str = "") -> None:
        self.files = find_files(argument)
        self.actions = tuple(action for skill in usable_skills(self.files) for action in skill.actions)  # type: ignore[misc]
        try:
            from skills.m3.checkpoint import load_networks
        except ModuleNotFoundError as error:
            raise missing_part("M3", error.name, self.extra) from error
        self._networks, self._hashes = load_networks(self.files)

    def policy(self) -> M3Policy:
        from skills.m3.policy import M3Policy

        return M3Policy(self._networks)

    @classmethod
    def around(cls, policy: Policy, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        return [skill(policy, spec, kinematics) for skill in usable_skills(str(policy.facts["skills"]).split())]

    def describe(self) -> dict[str, object]:
        return {name: {"checkpoint": str(path), "sha256": self._hashes[name]} for name, path in self.files.items()}

"""The skill set `remote`: the robot side of the skills runs locally, the policy on a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from homie.kernel import registry
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.interfaces import Kinematics, Skill, SkillSet
from homie.kernel.robot.body import RobotSpec
from homie.kernel.support.packages import missing_part
from skills.policies.policy import PolicySet
from skills.policy_access import TOKEN_VARIABLE, read_token

if TYPE_CHECKING:
    from skills.policy_client import RemotePolicy


RECONNECT = 120.0
"""Default of `reconnect_seconds`. A restarted server first imports torch and loads its networks: 16 s for NoMaD and 21
s for the large Octo on two busy cores, more with T5 or from a network drive; and somebody has to notice and restart
it."""


class RemoteSettings(BaseModel):
    """Settings of the set `remote`. Times are seconds on the wall clock."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    connect_seconds: float = Field(default=5.0, gt=0, description="How long the first connection may take.")
    reply_seconds: float = Field(
        default=20.0, gt=0, description="How long a decision may take; then the attempt fails."
    )
    reconnect_seconds: float = Field(
        default=RECONNECT, ge=0, description="How long a lost server is tried, when an attempt begins."
    )
    token_env: str = Field(default=TOKEN_VARIABLE, description="The environment variable that holds the token.")


class Remote(SkillSet):
    """The skill set whose policy runs on a server. To a planner it has the name of that policy.

    Args:
        argument: `ws://HOST:PORT`, or `wss://` behind a proxy that terminates TLS.
        settings: timeouts and the variable with the token.

    Raises:
        BadInput: the address or the token is wrong.
        InfrastructureError: no server of this version answers.
    """

    name = "remote"
    Settings = RemoteSettings
    extra = "remote"

    def __init__(self, argument: str = "", settings: RemoteSettings | None = None) -> None:
        settings = settings or RemoteSettings()
        self._policy = _connect(argument, settings)
        policy_name = self._policy.welcome.policy
        try:
            skill_set = registry.load("skills", policy_name)
        except BadInput as error:
            self.close()
            raise BadInput(
                f"The policy server serves '{policy_name}', a skill set that is not installed here."
            ) from error
        if not (isinstance(skill_set, type) and issubclass(skill_set, PolicySet)):
            self.close()
            raise InfrastructureError(f"The policy server serves '{policy_name}', which has no policy here.")
        self._skill_set: type[PolicySet] = skill_set
        self.name = skill_set.name
        self.actions = skill_set.actions  # type: ignore[misc]
        self.meant_for = skill_set.meant_for  # type: ignore[misc]
        self.about = skill_set.about  # type: ignore[misc]

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        return self._skill_set.around(self._policy, spec, kinematics)

    def describe(self) -> dict[str, object]:
        welcome = self._policy.welcome
        return {"server": self._policy.url, "homie": welcome.homie, "policy": welcome.policy, **welcome.about}

    def close(self) -> None:
        self._policy.close()


def _connect(url: str, settings: RemoteSettings) -> RemotePolicy:
    try:
        from skills.policy_client import RemotePolicy
    except ModuleNotFoundError as error:
        raise missing_part("A remote policy", error.name, "remote") from error
    return RemotePolicy(
        url,
        token=read_token(settings.token_env),
        connect_seconds=settings.connect_seconds,
        reply_seconds=settings.reply_seconds,
        reconnect_seconds=settings.reconnect_seconds,
    )

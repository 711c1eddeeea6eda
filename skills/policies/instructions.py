"""Goal adapter of text-conditioned policies: a subtask in the wording of the policy's training data."""

from __future__ import annotations

from dataclasses import replace
from string import Formatter
from typing import Annotated, TypeAlias

from pydantic import BaseModel, Field, field_validator

from homie.kernel.interfaces import kind_of
from homie.kernel.types import FailureReason, Subtask
from skills.policies.policy import Named, PolicyFailed, cannot_go_on

PickText: TypeAlias = Annotated[str, Field(description="How Pick is said to the policy.")]
PutText: TypeAlias = Annotated[str, Field(description="How Put is said to the policy.")]
OpenText: TypeAlias = Annotated[str, Field(description="How Open is said to the policy.")]
CloseText: TypeAlias = Annotated[str, Field(description="How Close is said to the policy.")]
PLACES = ("target", "destination", "task")


class Templates(BaseModel):
    """Settings: how a subtask of each action is said; `{target}` and `{destination}` are the planner's words, `{task}`
    is the instruction."""

    pick: PickText = "pick {target}"
    put: PutText = "put {target} in {destination}"
    open: OpenText = "open {target}"
    close: CloseText = "close {target}"

    @field_validator("pick", "put", "open", "close")
    @classmethod
    def _check_placeholders(cls, text: str) -> str:
        for _, place, form, conversion in Formatter().parse(text):
            if place is not None and (place not in PLACES or form or conversion):
                raise ValueError(f"a template may hold {{target}}, {{destination}} and {{task}} (got {{{place}}})")
        return text

    def facts(self) -> dict[str, str]:
        """Return the templates as skills find them in `policy.facts`."""
        return {f"say {action}": text for action, text in self._by_action().items()}

    def say(self, subtask: Subtask, task: str) -> str:
        """Return the text for a subtask of a task, "" for an action that the policy has no template for."""
        template = self._by_action().get(subtask.action, "")
        return template.format(target=subtask.target, destination=subtask.destination, task=task)

    def _by_action(self) -> dict[str, str]:
        return {"Pick": self.pick, "Put": self.put, "Open": self.open, "Close": self.close}


class SentenceTemplates(Templates):
    """The same with articles, as Bridge and LIBERO say it."""

    pick: PickText = "pick up the {target}"
    put: PutText = "put the {target} in the {destination}"
    open: OpenText = "open the {target}"
    close: CloseText = "close the {target}"


def instruction(facts: Named, subtask: Subtask, entity: str = "", task: str = "") -> str:
    """Return the text for a subtask. Raises PolicyFailed if the policy has no template for the action, or its template
    needs the task and there is none.

    Args:
        task: The instruction that the subtask is a part of.
        entity: The listed name of its target or, for Put, of its destination, used in place of the planner's word.
    """
    if entity:
        subtask = replace(subtask, **{"destination" if subtask.action == "Put" else "target": kind_of(entity)})
    template = facts.get(f"say {subtask.action}")
    if not isinstance(template, str):
        raise PolicyFailed(FailureReason.NO_TEXT, action=subtask.action)
    if "{task}" in template and not task:
        raise cannot_go_on("it wants the whole task, and nobody has said one")
    return template.format(target=subtask.target, destination=subtask.destination, task=task)

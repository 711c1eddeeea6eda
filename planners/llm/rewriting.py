"""Paraphrases of instructions and analyses by any language model, as EMMOE did with GPT-4o (appendix F.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Planner
from homie.kernel.interfaces.prompts import Message, Rewriter
from planners.llm.messages import Request
from planners.llm.model_planner import ModelPlanner

SYSTEM = (
    "Rewrite the following text with the same meaning but in a different description while do not change object's "
    "name: "
)
"""Verbatim from EMMOE, appendix F.1."""
AGAIN = "Again, in other words."
TRIES = 3
"""Maximum consecutive unusable answers before giving up: a model that has dropped a name twice rarely keeps it
later."""
LONGER = 3
"""Maximum length of a paraphrase, in lengths of the text."""


class ModelRewriter(Rewriter):
    """Asks the model of a model planner for paraphrases. Raises BadInput for a planner without a model.

    A version that lacks a name, is too long or is not new is asked for again.
    """

    def __init__(self, planner: Planner) -> None:
        if not isinstance(planner, ModelPlanner):
            name = type(planner).__name__
            raise BadInput(f"{name} has no language model to rewrite texts with: give another, such as chat:MODEL.")
        self._planner = planner

    def rewrite(self, text: str, names: Sequence[str], versions: int) -> tuple[str, ...]:
        required_names = [name for name in names if name and _contains_name(text, name)]
        messages = [Message("system", (SYSTEM,)), Message("user", (text,))]
        rewrites: list[str] = []
        refusal_count = 0
        while len(rewrites) < versions and refusal_count < TRIES:
            reply = self._planner.model.complete(Request(tuple(messages)))
            version = " ".join(reply.text.strip().strip('"').split())
            new = version.casefold() not in {existing.casefold() for existing in (text, *rewrites)}
            short = 0 < len(version) <= LONGER * len(text)
            if (
                reply.finish == "stop"
                and new
                and short
                and all(_contains_name(version, name) for name in required_names)
            ):
                rewrites.append(version)
                refusal_count = 0
            else:
                refusal_count += 1
            messages += [
                Message("assistant", (version or "(empty)",)),
                Message("user", (_retry_message(required_names),)),
            ]
        return tuple(rewrites)

    def describe(self) -> Mapping[str, object]:
        return {"system": SYSTEM, "model": self._planner.model.describe()}


def _contains_name(text: str, name: str) -> bool:
    """Return whether a text contains the name of an object, written with blanks or with underscores."""
    normalised = text.replace("_", " ").lower()
    return re.search(rf"\b{re.escape(name.replace('_', ' ').lower())}\b", normalised) is not None


def _retry_message(names: Sequence[str]) -> str:
    return f"{AGAIN} Keep these names as they are: {', '.join(names)}." if names else AGAIN

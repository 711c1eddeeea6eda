"""Store of a judge's replies: each is written to disk before the next is requested, and none is requested twice."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable

from pydantic import BaseModel, ConfigDict

from homie.kernel.interfaces.prompts import PlainQuestion, Respondent
from homie.kernel.types import Image
from homie.runtime.runstore.json_lines import RecordFile
from suites.published.robobench.instructions import Profile, instruction
from suites.published.robobench.judging import Request


class ReplyRecord(BaseModel):
    """One reply, word for word.

    Attributes:
        id: `STAGE/ID` of the question.
        prompt: SHA-256 of the prompt.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    prompt: str
    reply: str
    seconds: float
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0

    @property
    def question(self) -> str:
        """The id of the question whose answer was judged."""
        return self.id.partition("/")[2]


class Replies:
    """A `Judge` that sends requests without a stored reply to a respondent.

    Args:
        file: stores the replies.
        respondent: model or script that replies.
        profile: profile that defines the format of a reply.
        picture: reads a picture that a request names.
        advance: Called with `STAGE/ID` of each available reply.
    """

    def __init__(
        self,
        file: RecordFile[ReplyRecord],
        respondent: Respondent,
        profile: Profile,
        picture: Callable[[str], Image],
        advance: Callable[[str], object],
    ) -> None:
        self._kept = {(reply.id, reply.prompt): reply for reply in file.records}
        self._file, self._respondent, self._profile, self._picture = file, respondent, profile, picture
        self._advance = advance

    def __call__(self, request: Request) -> str:
        """The reply. Raises PlannerError if the respondent does not reply, BadInput for an invalid picture."""
        text, name = instruction(request, self._profile), f"{request.stage}/{request.record.id}"
        key = name, hashlib.sha256(text.encode()).hexdigest()
        if key not in self._kept:
            pictures = tuple(self._picture(path) for path in request.images)
            began = time.perf_counter()
            reply = self._respondent.answer(PlainQuestion(name, text, pictures))
            self._kept[key] = ReplyRecord(
                id=name,
                prompt=key[1],
                reply=reply.text,
                seconds=round(time.perf_counter() - began, 3),
                input_tokens=reply.input_tokens,
                output_tokens=reply.output_tokens,
                cost=reply.cost,
            )
            self._file.add(self._kept[key])
        self._advance(name)
        return self._kept[key].reply

    @property
    def all(self) -> tuple[ReplyRecord, ...]:
        """All replies, including those of an earlier run."""
        return tuple(self._kept.values())

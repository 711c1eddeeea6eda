"""How an attempt stands: what the skills that come with Homie keep for the executor and the record."""

from __future__ import annotations

from homie.kernel.interfaces import Skill
from homie.kernel.types import Outcome


class AttemptSkill(Skill):
    """A skill that keeps how its attempt stands. Subclasses call `_renew` when one begins, then set what has come."""

    _outcome: Outcome
    _reason: str
    _retryable: bool
    _about: tuple[str, ...]

    def _renew(self, outcome: Outcome = Outcome.RUNNING) -> None:
        """A new attempt: nothing is known of it but how it begins."""
        self._outcome, self._reason, self._retryable, self._about = outcome, "", True, ()

    @property
    def outcome(self) -> Outcome:
        return self._outcome

    @property
    def reason(self) -> str:
        return self._reason

    @property
    def about(self) -> tuple[str, ...]:
        return self._about

    @property
    def retryable(self) -> bool:
        return self._retryable

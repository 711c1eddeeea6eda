"""State of an attempt, which Homie's own skills keep for the executor and the record."""

from __future__ import annotations

from homie.kernel.interfaces import Skill
from homie.kernel.types import Outcome


class AttemptSkill(Skill):
    """A skill that stores the state of its attempt. Subclasses call `_renew` at the start, and then set the results."""

    _outcome: Outcome
    _reason: str
    _retryable: bool
    _about: tuple[str, ...]

    def _renew(self, outcome: Outcome = Outcome.RUNNING) -> None:
        """Reset the state for a new attempt."""
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

"""The input of Vigil's scoring: the steps of an episode with the truth after each step, which the agent never sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum

from homie.kernel.errors import BadInput


class Family(Enum):
    """The families of tasks (paper, appendix D), each with its budget of steps per episode and its title."""

    PG = 5, "pixel grounding"
    DA = 12, "distance approach"
    VS = 20, "view search"
    SV = 5, "state verification"
    AI = 25, "approach and interact"
    SI = 35, "search and interact"
    SM = 30, "sequential manipulation"
    CR = 40, "constraint resolution"

    def __init__(self, budget: int, title: str) -> None:
        self.budget = budget
        self.title = title


class Status(StrEnum):
    """The statuses of a report. Any other word counts as `invalid` (appendix C.3)."""

    SUCCESS = "success"
    FAIL = "fail"
    ON = "on"
    OFF = "off"
    OPEN = "open"
    CLOSED = "closed"
    UNSAFE = "unsafe"
    INVALID = "invalid"


LABELS = (Status.ON, Status.OFF, Status.OPEN, Status.CLOSED)
"""The answers to a question about a state."""
NEGATIVE = (Status.FAIL, Status.UNSAFE, Status.INVALID)
"""The reports that state that the goal does not hold."""


class Kind(StrEnum):
    """The kind of a step: an action, a malformed one (it uses up a step too), or the report that ends the episode."""

    ACT = "act"
    INVALID = "invalid"
    REPORT = "report"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step.

    Attributes:
        kind: See `Kind`.
        skill: Navigate, look, interact_pixel or report.
        call: The arguments of interact_pixel.
        status: Status of the report, as the agent wrote it.
        goal: Whether the goal holds after this step; in state verification, whether the target is in view.
        progress: Share of the task done after this step, 0..1.
        too_far, path_blocked: Whether the action failed for that reason.
    """

    kind: Kind
    skill: str
    goal: bool
    progress: float = 0.0
    call: Mapping[str, str | int | float] = field(default_factory=dict)
    status: str | None = None
    too_far: bool = False
    path_blocked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """The record of one episode.

    Attributes:
        family: Family of the task.
        budget: Maximum number of steps.
        invalid_limit: Number of invalid actions allowed; one more ends the episode.
        steps: Steps in order, the report last.
        expected_label: The hidden state, in state verification only.

    Raises:
        BadInput: the parts do not fit together.
    """

    family: Family
    budget: int
    invalid_limit: int
    steps: Sequence[Step]
    expected_label: Status | None = None

    def __post_init__(self) -> None:
        if (self.family is Family.SV) != (self.expected_label is not None):
            raise BadInput("an episode of Vigil has an expected label if, and only if, its family is SV")
        if self.expected_label is not None and self.expected_label not in LABELS:
            raise BadInput(f"the expected label {self.expected_label.value!r} is not one of {', '.join(LABELS)}")
        if not 0 < len(self.steps) <= self.budget:
            raise BadInput(f"an episode with a budget of {self.budget} steps cannot have {len(self.steps)}")
        if any(step.kind is Kind.REPORT for step in self.steps[:-1]):
            raise BadInput("a report ends an episode of Vigil: only the last step can be one")
        if self.invalid_limit < 0:
            raise BadInput("the limit of invalid actions is at least 0")


def read_status(text: str | None) -> Status:
    """The status of a report. Words are compared exactly; any other word is `invalid`.

    Example:
        >>> read_status("success"), read_status("SUCCESSFUL")
        (<Status.SUCCESS: 'success'>, <Status.INVALID: 'invalid'>)
    """
    return Status(text) if text in set(Status) else Status.INVALID

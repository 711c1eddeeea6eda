"""Exact wording of EMMOE's own data, as its conversion code writes it (paper, appendix F)."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from homie.data.episode import Step
from homie.kernel.types import Subtask, model_key

OFFICIAL_NAMES = MappingProxyType({"nomad": "NoMaD", "pixnav": "PixNav", "rt1x": "RT-1-X", "octo": "octo"})
"""Names of HomieBot's models in the paper (table E2), by the names of Homie's skill sets."""
OFFICIAL_MODELS = tuple(OFFICIAL_NAMES)
NOW = "Now, please output Analysis, Subtask and Model, according to the instruction above."


def model_name(written: str) -> str:
    """Return the name of Homie's skill set for a model as EMMOE writes it; any other name is returned unchanged."""
    key = model_key(written)
    return key if key in OFFICIAL_NAMES else written


def official_name(model: str) -> str:
    """Return a model's name as EMMOE writes it; `None` for no model."""
    return OFFICIAL_NAMES.get(model_key(model), model) or "None"


def instruction(step: Step, earlier: Sequence[Step]) -> str:
    """Return the prompt before a step.

    The printed samples have one line feed before `Historical Execution` and two after the last line of a history.

    Args:
        earlier: Steps before it.
    """
    history = (
        "".join(f"({step.number}){format_decision(step)} ({step.feedback.status})\n" for step in earlier) or " None"
    )
    current = step.input
    feedback = "None" if current.feedback is None else current.feedback.message
    return (
        f"Task: {current.task}\nInventory: {' '.join(current.inventory) or 'None'}\nHistorical Execution:{history}\n"
        f"Feedback: {feedback}\n{NOW}"
    )


def format_decision(step: Step) -> str:
    """Format a step as in the history: `[Go to, blue_sofa] (PixNav)`."""
    return f"{step.subtask} ({official_name(step.model)})" if step.model else str(step.subtask)


def answer(subtask: Subtask, model: str, analysis: str | None = None) -> str:
    """Return the target answer of the model; without an analysis, as in the pairs for DPO."""
    lines = [f"Analysis: {analysis}"] if analysis is not None else []
    return "\n".join([*lines, f"Subtask: {subtask}", f"Model: {official_name(model)}"])

"""The words of EMMOE's own data, to the letter: what its conversion code writes (paper, appendix F)."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from homie.data.episode import Step
from homie.kernel.types import Subtask, model_key

OFFICIAL_NAMES = MappingProxyType({"nomad": "NoMaD", "pixnav": "PixNav", "rt1x": "RT-1-X", "octo": "octo"})
"""How the paper writes the models of HomieBot (table E2), by the names of Homie's skill sets."""
OFFICIAL_MODELS = tuple(OFFICIAL_NAMES)
NOW = "Now, please output Analysis, Subtask and Model, according to the instruction above."


def model_name(written: str) -> str:
    """The name of Homie's skill set for a model as EMMOE writes it; any other as it is."""
    key = model_key(written)
    return key if key in OFFICIAL_NAMES else written


def official_name(model: str) -> str:
    """How EMMOE writes a model, `None` for none."""
    return OFFICIAL_NAMES.get(model_key(model), model) or "None"


def instruction(step: Step, earlier: Sequence[Step]) -> str:
    """What the model is asked before a step;

    The printed samples have one line feed before `Historical Execution`, and two after the last line of a history.

    Args:
        earlier: The steps before it.
    """
    history = "".join(f"({step.number}){decided(step)} ({step.feedback.status})\n" for step in earlier) or " None"
    known = step.input
    feedback = "None" if known.feedback is None else known.feedback.message
    return (
        f"Task: {known.task}\nInventory: {' '.join(known.inventory) or 'None'}\nHistorical Execution:{history}\n"
        f"Feedback: {feedback}\n{NOW}"
    )


def decided(step: Step) -> str:
    """A step as the history has it: `[Go to, blue_sofa] (PixNav)`."""
    return f"{step.subtask} ({official_name(step.model)})" if step.model else str(step.subtask)


def answer(subtask: Subtask, model: str, analysis: str | None = None) -> str:
    """What the model should say; without analysis as in the pairs of DPO."""
    lines = [f"Analysis: {analysis}"] if analysis is not None else []
    return "\n".join([*lines, f"Subtask: {subtask}", f"Model: {official_name(model)}"])

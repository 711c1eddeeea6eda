"""Expert labels for the situations that a planner reached, so that a model learns to recover from its own mistakes.

episode --labelled--> the same situations, the expert's answers
"""

from __future__ import annotations

from dataclasses import replace

from homie.data.episode import Episode, SkippedEpisode
from homie.kernel.types import END, Feedback, Subtask
from homie.kernel.types.script_progress import add_places, next_step, same_name


def label_steps(episode: Episode, *, corrections: bool = False) -> Episode:
    """Return the episode with the expert's next subtask as the label of every step.

    Args:
        episode: Episode of any planner.
        corrections: Keep only steps at which the planner did something else.

    Raises:
        SkippedEpisode: The task has no expert.
    """
    if not episode.expert:
        raise SkippedEpisode("its task has no expert to label by")
    places: dict[str, str] = {}
    steps = []
    for step in episode.steps:
        add_places(places, step.input.knowledge.remembered)
        label = next_step(episode.expert, step.history, places)
        differs = label is not None and not _equal(label, step.subtask)
        usable = label is not None and (differs or not corrections)
        result = Feedback("success" if usable else "fail")
        chosen = label or step.subtask
        models = step.input.models
        model = "" if chosen == END else step.model or (models[0] if len(models) == 1 else "")
        labelled_step = replace(step, subtask=chosen, model=model, feedback=result)
        steps.append(
            replace(labelled_step, analysis="", report="", answer="", replaced=step.subtask if differs else None)
        )
    return replace(episode, steps=tuple(steps), labelled=True)


def _equal(subtask: Subtask, other: Subtask) -> bool:
    if subtask.action != other.action:
        return False
    same = same_name(subtask.target, other.target) and same_name(subtask.destination, other.destination)
    return same or subtask.action == END.action

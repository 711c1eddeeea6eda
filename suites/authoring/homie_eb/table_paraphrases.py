"""The five wordings of an errand on the table, after the subsets of EB-Manipulation."""

from __future__ import annotations

import random
from collections.abc import Mapping

from homie.envs.mujoco.table.table_scene import TableScene
from suites.authoring.homie_eb.table_errands import TaskTemplate
from suites.authoring.homie_eb.table_references import (
    Reference,
    UnsuitedScene,
    by_knowledge,
    by_look,
    by_place,
    named,
    the_only,
)

REFERENCES: Mapping[str, Reference] = {
    "base": named,
    "common-sense": by_knowledge,
    "spatial": by_place,
    "visual-appearance": by_look,
}
"""The subsets that differ in how they refer to objects."""
AROUND = (
    "We have been at this table all morning, and it is time to tidy up. {task} {z} may stay where it is.",
    "My niece has painted {z} herself, so please do not scratch it. {task} She will be here at five.",
    "I wanted to begin with {z}, but there is no hurry about that. {task} Thank you for being so patient with us.",
    "The children have played here, and I am still looking for the lid of something. {task} As for {z}: not today.",
    "Somebody will take a photograph of the table in a minute. {task} Mind {z} on your way, it looks good there.",
    "Yesterday it was all about {z}, and that is settled now. {task} After that you may rest.",
)
"""Text around the errand in a long instruction: an object that is there and does not matter."""


def paraphrase(scene: TableScene, errand: TaskTemplate, subset: str) -> str:
    """Word an errand as in a subset. Raises UnsuitedScene where the words are ambiguous."""
    refer = REFERENCES[subset]
    return _capital(errand.text.format(**{slot: the_only(scene, item, refer) for slot, item in errand.about.items()}))


def at_length(scene: TableScene, errand: TaskTemplate, rng: random.Random) -> str:
    """Word an errand inside an instruction with irrelevant sentences. Raises UnsuitedScene."""
    idle = [item for item in scene.things if item not in errand.about.values()]
    if not idle:
        raise UnsuitedScene("there is nothing else to speak of")
    aside = the_only(scene, rng.choice(idle), named)
    text = rng.choice(AROUND).format(task=paraphrase(scene, errand, "base"), z=aside)
    return ". ".join(_capital(sentence) for sentence in text.split(". "))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

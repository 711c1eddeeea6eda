"""The six wordings of an errand, after the subsets of EmbodiedBench."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from homie.bench.authoring.house import House
from suites.authoring.homie_eb.house_errands import TaskTemplate
from suites.authoring.homie_eb.house_references import Reference, by_look, by_place, by_use, named
from suites.authoring.states_script import UnsuitedHouse

REFERENCES: Mapping[str, Reference] = {
    "base": named,
    "common-sense": by_use,
    "spatial": by_place,
    "visual-appearance": by_look,
}
"""The subsets that differ in how they refer to objects."""
AROUND = (
    "We have guests tonight, and I still have to iron. {z} may stay where it is. {task} There is nothing else to do.",
    "My sister has called about {z}, which she says is hers; never mind that. {task} She may come to look at {w}.",
    "I would do it myself, but the bus leaves in ten minutes. {task} Do not bother with {z}, and leave {w} alone, too.",
    "Thank you for looking after {z}. Today it is something else. {task} As for {w}: it is where it should be.",
    "The neighbours borrowed {z}, and that is settled. {task} I may think about {w}, but that is for tomorrow.",
    "I could not decide between {z} and {w}, and I want neither of them. {task} Please be careful on the way.",
)
"""Text around the errand in a long instruction: objects that are there and do not matter."""


def paraphrase(house: House, errand: TaskTemplate, subset: str) -> str:
    """Word an errand as in a subset. Raises UnsuitedHouse."""
    refer = REFERENCES[subset]
    return _capital(errand.text.format(**{slot: refer(house, name) for slot, name in errand.about.items()}))


def at_length(house: House, errand: TaskTemplate, rng: random.Random) -> str:
    """Word an errand inside an instruction with irrelevant sentences. Raises UnsuitedHouse."""
    idle = [name for name in sorted(house.objects) if name not in errand.uses and house.spoken(name)]
    if len(idle) < 2:
        raise UnsuitedHouse("there is nothing else to speak of")
    z, w = (named(house, name) for name in rng.sample(idle, 2))
    text = rng.choice(AROUND).format(task=paraphrase(house, errand, "base"), z=z, w=w)
    return ". ".join(_capital(sentence) for sentence in text.split(". "))


def in_a_row(house: House, errands: Sequence[TaskTemplate]) -> str:
    """Word several errands, one after the other."""
    texts = [paraphrase(house, errand, "base") for errand in errands]
    return " ".join(
        f"{word}: {_small(text)}" for word, text in zip(("First", "Then", "In the end"), texts, strict=True)
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    return text if text.startswith("I ") else text[:1].lower() + text[1:]

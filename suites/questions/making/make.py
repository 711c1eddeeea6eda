"""Makes a folder of questions: visits worlds until every dimension has enough, then balances and writes them.

Deterministic by seed: worlds, draws and order depend on nothing else.
"""

from __future__ import annotations

import hashlib
import io
import random
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from string import ascii_uppercase

import PIL.Image
from pydantic import BaseModel, ConfigDict

from homie.kernel.errors import BadInput
from homie.kernel.support.files import to_json, write_atomically, writing
from homie.kernel.types import Image
from homie.runtime.orphans import worker_pool
from suites.questions.folder import PICTURES, write_questions
from suites.questions.making.question_unit import Candidate, Refusal, Unit
from suites.questions.making.world_visits import visit_house, visit_table
from suites.questions.options import MakeOptions
from suites.questions.question import Question

DIMENSIONS = (
    "instruction_comprehension",
    "perception_reasoning",
    "generalized_planning",
    "affordance_reasoning",
    "failure_analysis",
)
"""RoboBench's dimensions, in its order."""
TABLES = 2
"""Tables per house: they take a tenth of its time, and show other objects."""
MOST = 0.1
"""Maximum share of a template's questions with the same answer, if choices are drawn."""
WORLDS = 3000
"""Maximum number of worlds to visit; making fails after them."""


class SetSummary(BaseModel):
    """Summary of a set, stored as `made.json`.

    Attributes:
        refused: Number of candidate units that were not used, by reason.
    """

    model_config = ConfigDict(frozen=True)

    format: int = 1
    seed: int
    size: int
    worlds: int
    dimensions: dict[str, int]
    templates: dict[str, int]
    refused: dict[str, int]


def make(options: MakeOptions, progress: Callable[[str, int], object] = lambda name, done: None) -> SetSummary:
    """Make questions.

    Args:
        options: Number of questions, seed, and output folder.
        progress: Called with each world and the number of usable questions so far.

    Raises:
        BadInput: the folder is not empty, or cannot be written.
    """
    folder = options.out
    with writing(folder, "into the folder"):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadInput(f"{folder} is not empty: choose another folder for the questions.")
        (folder / PICTURES).mkdir()
        each = -(-options.number // len(DIMENSIONS))
        units, refused, worlds = _visited(options, each, progress)
        chosen = [unit for dimension in DIMENSIONS for unit in _chosen(units, dimension, each, options.seed)]
        questions = _questions(chosen, units, random.Random(f"{options.seed} choices"))
        summary = SetSummary(
            seed=options.seed,
            size=options.size,
            worlds=worlds,
            dimensions=dict(Counter(question.dimension for question in questions)),
            templates=dict(sorted(Counter(f"{q.dimension}/{q.template}" for q in questions).items())),
            refused={"to balance answers and templates": len(units) - len(chosen), **refused},
        )
        _remove_unused(folder, questions)
        write_atomically(folder / "made.json", to_json(summary.model_dump(mode="json")))
        write_questions(folder, questions)
    return summary


@dataclass(frozen=True, slots=True)
class _Album:
    """Stores each distinct picture once, under a name derived from its content."""

    folder: Path

    def keep(self, picture: Image) -> str:
        name = f"{PICTURES}/{hashlib.sha256(picture.tobytes()).hexdigest()[:20]}.png"
        if not (self.folder / name).exists():
            file = io.BytesIO()
            PIL.Image.fromarray(picture).save(file, "PNG")
            (self.folder / name).write_bytes(file.getvalue())
        return name


def _visited(
    options: MakeOptions, each: int, progress: Callable[[str, int], object]
) -> tuple[list[Unit], Counter[str], int]:
    """Visit as many worlds as needed; their units, the number of refusals by reason, and the number of worlds."""
    units: list[Unit] = []
    refused: Counter[str] = Counter()
    with worker_pool(options.workers) as pool:
        waiting: deque[Future[list[Unit | Refusal]]] = deque()
        for number in range(1, WORLDS + 1):
            while len(waiting) <= options.workers:
                index = number - 1 + len(waiting)
                waiting.append(pool.submit(_visit, index, options.seed, options.size, options.out))
            for visited in waiting.popleft().result():
                if isinstance(visited, Unit):
                    units.append(visited)
                else:
                    refused[visited.reason] += 1
            counts = {d: sum(len(u.candidates) for u in _chosen(units, d, each, options.seed)) for d in DIMENSIONS}
            progress(f"world {number}", sum(min(count, each) for count in counts.values()))
            if min(counts.values()) >= each:
                pool.shutdown(cancel_futures=True)
                return units, refused, number
    raise BadInput(f"After {WORLDS} worlds there are too few questions of {min(counts, key=lambda d: counts[d])}.")


def _visit(index: int, seed: int, size: int, folder: Path) -> list[Unit | Refusal]:
    """Visit a house or, in alternation, a table. Seeds of different sets lie far apart, so that they share no world."""
    world = seed * WORLDS + index
    visit = visit_table if index % (TABLES + 1) else visit_house
    return list(visit(world, size, _Album(folder).keep))


def _chosen(units: Sequence[Unit], dimension: str, number: int, seed: int) -> list[Unit]:
    """Choose a number of candidates of a dimension: templates in turn, and within a template answers in turn."""
    lot = random.Random(f"{seed} {dimension}")
    templates: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        if unit.dimension == dimension:
            templates[unit.template].append(unit)
    balanced = [_balanced(group, number, lot) for _, group in sorted(templates.items())]
    chosen: list[Unit] = []
    count = 0
    for row in zip_longest(*balanced):
        for unit in row:
            if unit is not None and count < number:
                chosen.append(unit)
                count += len(unit.candidates)
    return chosen


def _balanced(group: list[Unit], number: int, lot: random.Random) -> list[Unit]:
    """The units of a template, ordered so that every prefix has all answers about equally often."""
    lot.shuffle(group)
    first = group[0].candidates[0]
    if len(group[0].candidates) > 1 or first.kind in ("point", "box", "path"):
        return group
    by_answer: dict[str, list[Unit]] = defaultdict(list)
    for unit in group:
        by_answer[unit.candidates[0].truth].append(unit)
    if first.drawn:
        most = max(1, round(MOST * number / 4))
        rows = zip_longest(*(rest[:most] for _, rest in sorted(by_answer.items())))
        return [unit for row in rows for unit in row if unit and _wrong(unit.candidates[0], by_answer)]
    if len(by_answer) < max(len(first.choices), 2):
        return []
    pairs = zip(*(rest for _, rest in sorted(by_answer.items())), strict=False)
    return [unit for row in pairs for unit in row]


def _wrong(candidate: Candidate, words: Iterable[str]) -> list[str]:
    """The answers that may be drawn as wrong choices; empty if there are too few."""
    possible = sorted(set(words) - {candidate.truth, *candidate.avoid})
    return possible if len(possible) >= candidate.drawn else []


def _questions(units: Sequence[Unit], everything: Sequence[Unit], lot: random.Random) -> list[Question]:
    """The questions of units, with wrong choices drawn and the right ones at all positions equally often.

    Args:
        everything: All units. Wrong choices are drawn from the true answers of a template: each is right as often as
            others.
    """
    words: dict[tuple[str, str], set[str]] = defaultdict(set)
    for unit in everything:
        words[unit.name] |= {candidate.truth for candidate in unit.candidates}
    numbers: Counter[tuple[str, str]] = Counter()
    questions: list[Question] = []
    for unit in units:
        for candidate in unit.candidates:
            choices = candidate.choices
            if candidate.drawn:
                wrong = lot.sample(_wrong(candidate, words[unit.name]), candidate.drawn)
                place = numbers[unit.name] % (candidate.drawn + 1)
                choices = (*wrong[:place], candidate.truth, *wrong[place:])
            questions.append(_question(unit, candidate, choices, numbers[unit.name]))
            numbers[unit.name] += 1
    return questions


def _question(unit: Unit, candidate: Candidate, choices: tuple[str, ...], number: int) -> Question:
    truth = candidate.truth
    return Question(
        id=f"{unit.dimension}-{unit.template}-{number:04}",
        dimension=unit.dimension,
        template=unit.template,
        text=candidate.text,
        pictures=candidate.pictures,
        kind=candidate.kind,
        choices=choices,
        truth=ascii_uppercase[choices.index(truth)] if candidate.kind == "choice" else truth,
        region=candidate.region,
        task=candidate.task,
        source=unit.source,
    )


def _remove_unused(folder: Path, questions: Sequence[Question]) -> None:
    used = {name for question in questions for name in question.pictures}
    for path in (folder / PICTURES).iterdir():
        if f"{PICTURES}/{path.name}" not in used:
            path.unlink()

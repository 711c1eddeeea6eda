"""Which episodes are for training and which for testing: by task, by house, or so that neither is in both.

episodes --groups--> a seeded order of groups, the first of them for testing --> a `SplitFile`
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from homie.bench.splits import TaskSplit
from homie.data.episode import Episode, LeftOut
from homie.data.sources.source import Entry, Source
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading, to_json, write_atomically, writing

By: TypeAlias = Literal["task", "house", "both"]
Side: TypeAlias = TaskSplit
Key: TypeAlias = tuple[str, str]
"""What an episode may share with others: ("task", its id) or ("house", its house)."""


ROUNDING = 1e-9
"""Episodes: 0.29 of 100 are 28.999999999999996 to a computer."""


class SplitFile(BaseModel):
    """A split, as a file.

    Attributes:
        tasks, houses: The side of each, for those that the split goes by.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    kind: Literal["split"] = "split"
    by: By
    share: float
    seed: int
    tasks: dict[str, Side] = {}
    houses: dict[str, Side] = {}

    def side(self, task: str, house: str) -> Side:
        """The side of an episode. Raises LeftOut for a task or a house that it does not know."""
        for name, known, key in (("task", self.tasks, task), ("house", self.houses, house or task)):
            if known and key not in known:
                raise LeftOut(f"the split file does not have its {name} {key}: make the split anew")
        return self.tasks[task] if self.tasks else self.houses[house or task]


Split: TypeAlias = Literal["suite", "none"] | SplitFile
"""As tasks say, all for training, or by a file."""


def make_split(sources: Sequence[Source], by: By, share: float, seed: int) -> tuple[SplitFile, Counter[str]]:
    """A split, and how many episodes are on each side.

    Whole groups go to one side: the episodes of a task (`task`), of a house (`house`), or all that are connected by a
    task or a house (`both`). In an order that the seed decides, groups are taken for testing while no more than the
    share of the episodes is; with two groups or more, one at least.

    Raises:
        BadInput: there are fewer than two groups, so that one side would be empty, or a scene is damaged.
    """
    entries = [(source, entry) for source in sources for entry in source.entries()]
    keys = [_keys(source, entry, by) for source, entry in entries]
    groups = _connected(keys)
    sizes = Counter(groups[some[0]] for some in keys)
    if len(sizes) < 2:
        what = {"task": "task", "house": "house", "both": "group of connected tasks and houses"}[by]
        raise BadInput(f"All episodes are of one {what}: they cannot be split by it. Choose another --by.")
    order = sorted(sizes)
    random.Random(seed).shuffle(order)
    quota, taken = math.floor(share * len(entries) + ROUNDING), 0
    testing: set[Key] = set()
    for group in order:
        if taken + sizes[group] <= quota and len(testing) < len(order) - 1:
            testing.add(group)
            taken += sizes[group]
    if not testing:
        testing.add(min(order, key=lambda group: sizes[group]))
    sides: dict[Key, Side] = {key: "test" if group in testing else "train" for key, group in groups.items()}
    file = SplitFile(
        by=by,
        share=share,
        seed=seed,
        tasks={name: side for (kind, name), side in sorted(sides.items()) if kind == "task"},
        houses={name: side for (kind, name), side in sorted(sides.items()) if kind == "house"},
    )
    return file, Counter(sides[some[0]] for some in keys)


def read_split(text: str) -> Split:
    """What `--split` means: `suite`, `none`, or the file of a split. Raises BadInput."""
    if text == "suite" or text == "none":
        return "suite" if text == "suite" else "none"
    path = Path(text)
    with reading(path, "the split", advice="Give suite, none, or a file of `homie data split`."):
        return SplitFile.model_validate(load_json(path))


def side_of(split: Split, episode: Episode) -> Side:
    """The side of an episode; train where its suite does not say. Raises LeftOut where a split file does not know."""
    if isinstance(split, SplitFile):
        return split.side(episode.task, episode.house)
    match episode.split if split == "suite" else "train":
        case "test":
            return "test"
        case "validation":
            return "validation"
    return "train"


def write_split(path: Path, split: SplitFile) -> None:
    """A split as a file. Raises BadInput."""
    with writing(path):
        write_atomically(path, to_json(split.model_dump()))


def _keys(source: Source, entry: Entry, by: By) -> list[Key]:
    keys = [("task", entry.task)] if by != "house" else []
    # An episode of which nobody knows the house is in one of its own task.
    return keys if by == "task" else [*keys, ("house", source.house(entry) or entry.task)]


def _connected(keys: Iterable[Sequence[Key]]) -> Mapping[Key, Key]:
    """For each key a key that stands for all that are connected with it."""
    parent: dict[Key, Key] = {}

    def root(key: Key) -> Key:
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for some in keys:
        roots = sorted({root(key) for key in some})
        for other in roots[1:]:
            parent[other] = roots[0]
    return {key: root(key) for key in parent}

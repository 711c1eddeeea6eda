"""Split of episodes into training and testing: by task, by house, or with neither shared.

episodes --groups--> order shuffled by the seed, the first groups for testing --> a `SplitFile`
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
from homie.data.episode import Episode, SkippedEpisode
from homie.data.sources.source import Entry, Source
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading, to_json, write_atomically, writing

By: TypeAlias = Literal["task", "house", "both"]
Side: TypeAlias = TaskSplit
Key: TypeAlias = tuple[str, str]
"""Property that episodes may share: ("task", its id) or ("house", its house)."""


ROUNDING = 1e-9
"""Tolerance in episodes for floating point errors: 0.29 * 100 is 28.999999999999996."""


class SplitFile(BaseModel):
    """A split as stored in a file.

    Attributes:
        tasks, houses: Side of each task and house, if the split is by them.
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
        """Return the side of an episode. Raises SkippedEpisode for an unknown task or house."""
        for name, sides_by_key, key in (("task", self.tasks, task), ("house", self.houses, house or task)):
            if sides_by_key and key not in sides_by_key:
                raise SkippedEpisode(f"the split file does not have its {name} {key}: make the split anew")
        return self.tasks[task] if self.tasks else self.houses[house or task]


Split: TypeAlias = Literal["suite", "none"] | SplitFile
"""As in the tasks of the suite, all for training, or by a split file."""


def make_split(sources: Sequence[Source], by: By, share: float, seed: int) -> tuple[SplitFile, Counter[str]]:
    """Make a split. Returns it with the number of episodes on each side.

    Whole groups go to one side: the episodes of a task (`task`), of a house (`house`), or all that are connected by
    shared tasks or houses (`both`). In an order shuffled by the seed, groups are assigned to testing as long as the
    share is not exceeded, but at least one and never all.
    Raises:
        BadInput: There are fewer than two groups, so that one side would be empty, or a scene is damaged.
    """
    entries = [(source, entry) for source in sources for entry in source.entries()]
    keys = [_keys(source, entry, by) for source, entry in entries]
    groups = _connected_groups(keys)
    sizes = Counter(groups[episode_keys[0]] for episode_keys in keys)
    if len(sizes) < 2:
        what = {"task": "task", "house": "house", "both": "group of connected tasks and houses"}[by]
        raise BadInput(f"All episodes are of one {what}: they cannot be split by it. Choose another --by.")
    order = sorted(sizes)
    random.Random(seed).shuffle(order)
    quota, assigned = math.floor(share * len(entries) + ROUNDING), 0
    testing: set[Key] = set()
    for group in order:
        if assigned + sizes[group] <= quota and len(testing) < len(order) - 1:
            testing.add(group)
            assigned += sizes[group]
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
    return file, Counter(sides[episode_keys[0]] for episode_keys in keys)


def read_split(text: str) -> Split:
    """Parse `--split`: `suite`, `none`, or a split file. Raises BadInput."""
    if text == "suite" or text == "none":
        return "suite" if text == "suite" else "none"
    path = Path(text)
    with reading(path, "the split", advice="Give suite, none, or a file of `homie data split`."):
        return SplitFile.model_validate(load_json(path))


def side_of(split: Split, episode: Episode) -> Side:
    """Return the side of an episode; train if its suite gives none. Raises SkippedEpisode for one that the split file
    does not know."""
    if isinstance(split, SplitFile):
        return split.side(episode.task, episode.house)
    match episode.split if split == "suite" else "train":
        case "test":
            return "test"
        case "validation":
            return "validation"
    return "train"


def write_split(path: Path, split: SplitFile) -> None:
    """Write a split to a file. Raises BadInput."""
    with writing(path):
        write_atomically(path, to_json(split.model_dump()))


def _keys(source: Source, entry: Entry, by: By) -> list[Key]:
    keys = [("task", entry.task)] if by != "house" else []
    # An episode of an unknown house is assigned a house of its own task.
    return keys if by == "task" else [*keys, ("house", source.house(entry) or entry.task)]


def _connected_groups(keys: Iterable[Sequence[Key]]) -> Mapping[Key, Key]:
    """Return for each key a representative of the group of keys connected with it (union-find)."""
    parent: dict[Key, Key] = {}

    def root(key: Key) -> Key:
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for episode_keys in keys:
        roots = sorted({root(key) for key in episode_keys})
        for other in roots[1:]:
            parent[other] = roots[0]
    return {key: root(key) for key in parent}

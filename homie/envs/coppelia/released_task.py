"""Episodes of EB-Manipulation's data set: instruction, and the objects and sensors by which success is judged.

    data/base/eval/pick_cube_shape/variation0/episodes/episode0/{task_base.ttm, configs.pkl, waypoint_sets.ttm}

Source: EmbodiedBench and VLMbench (`amsolver/task_environment.py`, `amsolver/backend/conditions.py`). `configs.pkl` is
a pickle of their classes; only its values are read here, nothing in it is imported or executed.
"""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homie.kernel.errors import BadInput

MODEL, CONFIGS = "task_base.ttm", "configs.pkl"
LARGEST = 64 * 2**20
"""Maximum size of a `configs.pkl`, bytes."""
SUBSETS: Mapping[str, str] = {
    "base": "base",
    "common_sense": "common-sense",
    "complex": "complex-instruction",
    "spatial": "spatial",
    "visual": "visual-appearance",
}
"""Folders of the subsets below `data`, with Homie's names."""
FAMILIES = ("pick_cube", "stack_cubes", "place_into_shape_sorter", "wipe_table")
"""Prefixes of the task names."""


@dataclass(frozen=True, slots=True)
class Detected:
    """Condition that a proximity sensor detects, or does not detect, a shape; both by name."""

    shape: str
    sensor: str
    negated: bool


@dataclass(frozen=True, slots=True)
class ReleasedTask:
    """An episode.

    Attributes:
        name: Name of its task, such as `pick_cube_shape`.
        model: File with its objects.
        detected: Conditions that must hold at the same time.
        dirt: Spots of dirt that are removed when the sensor `wiper` detects them.
        most: Maximum number of spots that may remain.
    """

    name: str
    model: Path
    instruction: str
    detected: tuple[Detected, ...]
    dirt: tuple[str, ...]
    most: float
    wiper: str


def read_task(folder: Path) -> ReleasedTask:
    """Read an episode from its folder. Raises BadInput."""
    name = next((part.name for part in folder.resolve().parents if part.name.startswith(FAMILIES)), "")
    if not name or not (folder / MODEL).is_file():
        raise BadInput(
            f"{folder} is not an episode of EB-Manipulation: give a folder with {MODEL} and {CONFIGS} below that of a "
            "task, such as pick_cube_shape."
        )
    path = folder / CONFIGS
    content = _state(_unpickle(path))
    conditions = content.get("success_conditions")
    words = content.get("high_level_descriptions")
    if not isinstance(conditions, list) or not isinstance(words, list) or not words or not conditions:
        raise BadInput(f"{path} has no high_level_descriptions and success_conditions, as those of EB-Manipulation do.")
    detected: list[Detected] = []
    dirt: tuple[str, ...] = ()
    longest = 0.0
    for condition in conditions:
        values = _state(condition)
        kind = getattr(condition, "origin", "").rpartition(".")[2]
        try:
            if kind == "DetectedCondition":
                detected.append(Detected(str(values["_obj"]), str(values["_detector"]), bool(values["_negated"])))
            elif kind == "LengthCondition":
                dirt, longest = tuple(map(str, values["_container"])), float(values["num_bound"])
            else:
                raise BadInput(f"{path} has a {kind or 'condition'} that Homie cannot judge.")
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"{path} has a {kind} that is not as EB-Manipulation writes it ({error}).") from error
    attributes = content.get("task_attributes")
    wiper = attributes.get("sensor_name", "") if isinstance(attributes, dict) else ""
    return ReleasedTask(name, folder / MODEL, str(words[0]), tuple(detected), dirt, longest, str(wiper))


def episodes(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield subset and folder of each episode of the data set (`data`), in the order of the released code.

    Raises:
        BadInput: There are no episodes.
    """
    count = 0
    for subset in SUBSETS:
        places = (path.parent for path in (folder / subset / "eval").rglob(CONFIGS))
        for place in sorted(places, key=_order):
            count += 1
            yield subset, place
    if not count:
        raise BadInput(f"There are no episodes below {folder}: give the folder 'data' of EB-Manipulation's data set.")


def _order(place: Path) -> tuple[int, tuple[int, ...]]:
    family = next((n for n, name in enumerate(FAMILIES) if place.parents[2].name.startswith(name)), len(FAMILIES))
    numbers = [re.search(r"\d+$", part.name) for part in (place.parents[1], place)]
    return family, tuple(0 if number is None else int(number[0]) for number in numbers)


# ---------------------------------------------------------------- unpickling without the classes


class _Value:
    """Placeholder for an object of any class: it only stores the state."""

    origin = ""

    def __new__(cls, *_: object, **__: object) -> _Value:
        return object.__new__(cls)

    def __init__(self, *_: object, **__: object) -> None:
        self.state: object = None

    def __setstate__(self, state: object) -> None:
        self.state = state

    def __call__(self, *_: object, **__: object) -> _Value:
        return _Value()

    def __setitem__(self, key: object, value: object) -> None:
        """Ignore items."""

    def append(self, value: object) -> None:
        """Ignore items."""

    extend = append


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        return type(name, (_Value,), {"origin": f"{module}.{name}"})

    def persistent_load(self, pid: object) -> Any:
        return _Value()


def _unpickle(path: Path) -> object:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
    if len(data) > LARGEST:
        raise BadInput(f"{path} is too large: those of EB-Manipulation are below {LARGEST >> 20} MiB.")
    try:
        return _Reader(io.BytesIO(data)).load()
    except Exception as error:  # damaged pickles raise various exceptions
        raise BadInput(f"{path} is damaged: {' '.join(str(error).split()) or type(error).__name__}.") from error


def _state(value: object) -> Mapping[str, Any]:
    state = getattr(value, "state", None)
    return state if isinstance(state, dict) else {}

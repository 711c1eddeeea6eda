"""Episodes of EB-Manipulation's data set: what they ask, and by which objects and sensors success is judged.

    data/base/eval/pick_cube_shape/variation0/episodes/episode0/{task_base.ttm, configs.pkl, waypoint_sets.ttm}

Source: EmbodiedBench and VLMbench (`amsolver/task_environment.py`, `amsolver/backend/conditions.py`). `configs.pkl` is
a pickle of their classes; nothing in it is imported or run here, its values alone are read.
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
"""Bytes of a `configs.pkl`."""
SUBSETS: Mapping[str, str] = {
    "base": "base",
    "common_sense": "common-sense",
    "complex": "complex-instruction",
    "spatial": "spatial",
    "visual": "visual-appearance",
}
"""The folders of its subsets below `data`, and Homie's names of them."""
FAMILIES = ("pick_cube", "stack_cubes", "place_into_shape_sorter", "wipe_table")
"""How the names of its tasks begin."""


@dataclass(frozen=True, slots=True)
class Detected:
    """An object is, or is not, in what a proximity sensor sees; both by their names."""

    shape: str
    sensor: str
    negated: bool


@dataclass(frozen=True, slots=True)
class ReleasedTask:
    """An episode.

    Attributes:
        name: Of its task: `pick_cube_shape`.
        model: The file with its objects.
        detected: What has to be so at the same time.
        dirt: Spots that vanish where the sensor `wiper` sees them.
        most: Of them may be left.
    """

    name: str
    model: Path
    instruction: str
    detected: tuple[Detected, ...]
    dirt: tuple[str, ...]
    most: float
    wiper: str


def read_task(folder: Path) -> ReleasedTask:
    """An episode by its folder. Raises BadInput."""
    name = next((part.name for part in folder.resolve().parents if part.name.startswith(FAMILIES)), "")
    if not name or not (folder / MODEL).is_file():
        raise BadInput(
            f"{folder} is not an episode of EB-Manipulation: give a folder with {MODEL} and {CONFIGS} below that of a "
            "task, such as pick_cube_shape."
        )
    path = folder / CONFIGS
    content = _state(_unpickled(path))
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
    """The subsets of the data set (`data`) with the folders of their episodes, in the order of the released code.

    Raises:
        BadInput: There are none.
    """
    known = 0
    for subset in SUBSETS:
        places = (path.parent for path in (folder / subset / "eval").rglob(CONFIGS))
        for place in sorted(places, key=_order):
            known += 1
            yield subset, place
    if not known:
        raise BadInput(f"There are no episodes below {folder}: give the folder 'data' of EB-Manipulation's data set.")


def _order(place: Path) -> tuple[int, tuple[int, ...]]:
    family = next((n for n, name in enumerate(FAMILIES) if place.parents[2].name.startswith(name)), len(FAMILIES))
    numbers = [re.search(r"\d+$", part.name) for part in (place.parents[1], place)]
    return family, tuple(0 if number is None else int(number[0]) for number in numbers)


# ---------------------------------------------------------------- a pickle without its classes


class _Value:
    """Stands for an object of any class: it keeps its state, and does nothing."""

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
        """What is in it is not read."""

    def append(self, value: object) -> None:
        """What is in it is not read."""

    extend = append


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        return type(name, (_Value,), {"origin": f"{module}.{name}"})

    def persistent_load(self, pid: object) -> Any:
        return _Value()


def _unpickled(path: Path) -> object:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
    if len(data) > LARGEST:
        raise BadInput(f"{path} is too large: those of EB-Manipulation are below {LARGEST >> 20} MiB.")
    try:
        return _Reader(io.BytesIO(data)).load()
    except Exception as error:  # damaged pickles have no one exception
        raise BadInput(f"{path} is damaged: {' '.join(str(error).split()) or type(error).__name__}.") from error


def _state(value: object) -> Mapping[str, Any]:
    state = getattr(value, "state", None)
    return state if isinstance(state, dict) else {}

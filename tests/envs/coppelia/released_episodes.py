"""Writes episodes in the form of EB-Manipulation's data set: pickles of classes of its code."""

from __future__ import annotations

import collections
import pickle
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest


def classes(monkeypatch: pytest.MonkeyPatch) -> dict[str, type]:
    """Those of the released code by their names, as a pickle refers to them."""
    task_classes = {}
    for module, names in (
        ("amsolver.task_environment", ["TaskConfigs"]),
        ("amsolver.backend.conditions", ["DetectedCondition", "JointCondition"]),
        ("vlm.tasks.wipe_table", ["LengthCondition"]),
        ("amsolver.backend.unit_tasks", ["TargetSpace"]),
    ):
        parts = module.split(".")
        for length in range(1, len(parts) + 1):
            monkeypatch.setitem(sys.modules, ".".join(parts[:length]), place := types.ModuleType(module))
        for name in names:
            task_classes[name] = type(name, (), {"__module__": module})
            setattr(place, name, task_classes[name])
    return task_classes


def filled(kind: type, **values: Any) -> Any:
    value = kind()
    value.__dict__.update(values)
    return value


def write_episodes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four episodes of three tasks in a folder, whose classes are gone afterwards."""
    task_classes = classes(monkeypatch)
    space = filled(task_classes["TargetSpace"], poses=np.eye(4), order=collections.OrderedDict(a=[1]))
    detected = filled(task_classes["DetectedCondition"], _obj="red_cube", _detector="success0", _negated=False)
    length = filled(task_classes["LengthCondition"], _container=[f"spot{n}" for n in range(71, 75)], num_bound=2.0)
    for subset, task, conditions, attributes in (
        ("base", "pick_cube_shape", [detected], {"target_space": space}),
        ("base", "stack_cubes_color", [detected], {}),
        ("base", "wipe_table_direction", [length], {"sensor_name": "sponge_sensor0"}),
        ("visual", "pick_cube_shape", [detected], {}),
    ):
        place = folder / "data" / subset / "eval" / task / "variation0" / "episodes" / "episode0"
        place.mkdir(parents=True)
        (place / "task_base.ttm").touch()
        content = filled(
            task_classes["TaskConfigs"],
            high_level_descriptions=[f"Do the {task}."],
            success_conditions=conditions,
            graspable_objects=["red_cube"],
            task_attributes=attributes,
        )
        (place / "configs.pkl").write_bytes(pickle.dumps(content))
    for name in list(sys.modules):
        if name.startswith(("amsolver", "vlm")):
            monkeypatch.delitem(sys.modules, name)
    return folder / "data"

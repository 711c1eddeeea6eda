"""The way of a handle: from hinge geometry, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from homie.kernel.types import Articulation, Image
from suites.published.robobench.geometry import read_path
from suites.questions.making.path_questions import handle_at, opening_paths

UP = np.array([0.0, 0.0, 1.0])


def door(kind: str, axis: np.ndarray) -> Articulation:
    return Articulation(
        kind=kind,  # type: ignore[arg-type]
        axis_point=np.array([1.0, 0.0, 0.0]),
        axis=axis,
        handle=np.array([1.0, -0.5, 1.2]),
        handle_axis=UP,
        outward=np.array([1.0, 0.0, 0.0]),
        opening=0.0,
        range=2.0,
    )


@pytest.mark.parametrize(
    ("kind", "axis", "further", "place"),
    [
        ("hinge", UP, math.pi / 2, (1.5, 0.0, 1.2)),
        ("hinge", UP, math.pi, (1.0, 0.5, 1.2)),
        ("hinge", -UP, math.pi / 2, (0.5, 0.0, 1.2)),
        ("hinge", np.array([0.0, 1.0, 0.0]), math.pi / 2, (2.2, -0.5, 0.0)),  # a flap
        ("slide", np.array([1.0, 0.0, 0.0]), 0.3, (1.3, -0.5, 1.2)),
    ],
)
def test_a_handle_goes_where_its_joint_takes_it(
    kind: str, axis: np.ndarray, further: float, place: tuple[float, float, float]
) -> None:
    assert handle_at(door(kind, axis), further) == pytest.approx(np.array(place))


def test_a_house_has_ways_within_its_pictures() -> None:
    pictures: list[Image] = []

    def keep(picture: Image) -> str:
        pictures.append(picture)
        return f"{len(pictures)}.png"

    units = list(opening_paths(3, 2, 128, "house-3", keep))
    assert units and len(pictures) == len(units)
    for unit in units:
        (candidate,) = unit.candidates
        path = read_path(candidate.truth)
        assert path is not None and len(path) == 9 and "handle" in candidate.text
        assert all(0 < side < 1 for point in path for side in point)

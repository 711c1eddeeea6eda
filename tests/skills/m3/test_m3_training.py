"""Training of M3's navigation: the arm before the camera, and what is put into pictures without one."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from skills.m3.layout import ANGULAR, SIZE  # noqa: E402
from skills.m3.teacher import decisions, goals  # noqa: E402
from skills.m3.training import LEAST_PICTURES, Way, arm_before_camera, cover_pictures, mirror, turn_pictures  # noqa: E402


def drive(*, arm: bool, pictures: int = 40, wall: bool = False):
    """Depth pictures (n, 128, 128) of a drive: a floor from 0.94 m on, a wall that comes nearer."""
    images = torch.full((pictures, SIZE, SIZE), 0.094)
    images[:, : SIZE - 20] = torch.linspace(0.5, 0.1, pictures)[:, None, None]
    if wall:
        images[:] = 0.05
    if arm:
        images[3:, :60, :60] = 0.02  # it is raised before the base drives
    return images


def test_the_arm_is_what_stays_near_all_along_a_way() -> None:
    arm = arm_before_camera(drive(arm=True))
    assert arm is not None
    assert arm.pixels[:60, :60].all() and int(arm.pixels.sum()) == 3600
    torch.testing.assert_close(arm.distances, torch.full((3600,), 0.02))


def test_floor_and_walls_are_not_an_arm() -> None:
    assert arm_before_camera(drive(arm=False)) is None
    assert arm_before_camera(drive(arm=False, wall=True, pictures=LEAST_PICTURES - 1)) is None


def test_the_arm_of_some_ways_is_put_into_the_pictures_of_the_others() -> None:
    arm = arm_before_camera(drive(arm=True))
    assert arm is not None
    bare = drive(arm=False)
    hidden = cover_pictures(bare, [arm], np.random.default_rng(0))
    assert (hidden[:, arm.pixels] == 0.02).all() and (hidden[:, ~arm.pixels] == bare[:, ~arm.pixels]).all()
    assert (bare == drive(arm=False)).all(), "the recorded pictures stay as they are"


def test_without_a_known_arm_a_random_part_is_covered() -> None:
    bare = drive(arm=False)
    parts = [cover_pictures(bare, [], np.random.default_rng(seed)) != bare for seed in range(6)]
    assert all((part == part[0]).all() for part in parts) and any(part.any() for part in parts)


def wall_ahead(turn: float) -> torch.Tensor:
    """Depth pictures (1, 128, 128), 1 is 10 m, of a wall 3 m before a base that is turned to the left by `turn`."""
    slopes = (np.arange(128) + 0.5 - 64) / 64
    depths = 0.3 / (np.cos(turn) + np.sin(turn) * slopes)
    return torch.from_numpy(np.broadcast_to(depths, (1, 128, 128)).astype(np.float32))


@pytest.mark.parametrize("turn", [-0.3, -0.1, 0.05, 0.25])
def test_a_turned_picture_is_that_of_a_turned_base(turn: float) -> None:
    picture = turn_pictures(wall_ahead(0.0), torch.tensor([turn]))
    visible = picture > 0
    assert visible.float().mean() > 0.6
    assert torch.allclose(picture[visible], wall_ahead(turn)[visible], rtol=0.02)
    # What the recorded picture does not show is on the side to which the base is turned.
    missing_columns = ~visible[0].any(dim=0)
    assert missing_columns[0] == (turn > 0)
    assert missing_columns[-1] == (turn < 0)


def test_a_picture_that_is_not_turned_stays_as_it_is() -> None:
    pictures = torch.rand(3, 128, 128)
    assert torch.equal(turn_pictures(pictures, torch.zeros(3)), pictures)


def test_a_mirrored_way_turns_to_the_other_side_for_a_target_on_the_other_side() -> None:
    angles = np.linspace(0.0, 1.5, 40)
    bend = np.stack([np.sin(angles), 1.0 - np.cos(angles), angles], axis=1)
    way = Way(bend, torch.rand(40, SIZE, SIZE), np.array([1.0, 2.0, 0.7]))
    other = mirror(way)
    np.testing.assert_allclose(goals(other.poses, other.target), goals(bend, way.target) * (1.0, -1.0, 1.0))
    turns = decisions(other.poses, other.poses).reshape(40, -1, len(ANGULAR))
    np.testing.assert_allclose(turns[..., ::-1], decisions(bend, bend).reshape(40, -1, len(ANGULAR)), atol=1e-9)
    assert (other.pictures[..., 0] == way.pictures[..., -1]).all()

"""The occupancy map against the truth of a furnished room."""

from __future__ import annotations

import numpy as np
import pytest
from furnished import House

from homie.kernel.types import Array, Box, CameraFrame, Intrinsics, Mask, OccupancyGrid, Pose, Pose2
from perception.mapping import RESOLUTION, SURE, Keepout, OccupancyMapper
from perception.scan import Scan

TOUR = (Pose2(3.0, 3.0, 0.0), Pose2(1.5, 3.2, 1.0), Pose2(4.2, 3.4, 2.0), Pose2(3.2, 1.6, 3.0), Pose2(2.6, 4.2, 0.5))
RADIUS = 0.28


def _look(mapper: OccupancyMapper, house: House, base: Pose2, keepouts: tuple[Keepout, ...] = ()) -> None:
    scans = [scan for frame in house.observe(base).frames.values() if (scan := Scan.of(frame)) is not None]
    mapper.update(scans, [None] * len(scans), base, RADIUS, keepouts)


def _cells(grid: OccupancyGrid) -> Array:
    """Centres of all cells, (ny, nx, 2)."""
    y, x = np.mgrid[: grid.occupied.shape[0], : grid.occupied.shape[1]]
    return np.stack([x + 0.5, y + 0.5], axis=-1) * grid.resolution + grid.origin


def _over(box: Box, cells: Array, margin: float) -> Mask:
    axis = np.array([np.cos(box.yaw), np.sin(box.yaw)])
    delta = cells - box.center[:2]
    u, v = np.abs(delta @ axis), np.abs(delta @ np.array([-axis[1], axis[0]]))
    inside: Mask = (u < box.half[0] + margin) & (v < box.half[1] + margin)
    return inside


def test_furniture_is_occupied_and_the_floor_between_is_free(house: House) -> None:
    mapper = OccupancyMapper()
    for base in TOUR:
        _look(mapper, house, base)
    boxes = [house.world.receptacle_box(thing) for thing in house.world.receptacles.values()]
    grid = mapper.grid(boxes)
    cells = _cells(grid)
    room = Box(np.array([3.0, 3.0, 0.0]), np.array([2.9, 2.9, 1.0]))
    solid = np.any([_over(box, cells, 0.0) for box in boxes], axis=0) & _over(room, cells, 0.0)
    grown = np.any([_over(box, cells, 0.15) for box in boxes], axis=0)
    free = _over(room, cells, -0.1) & ~grown
    assert (grid.occupied & solid).sum() / solid.sum() > 0.97
    assert (grid.occupied & free).sum() / free.sum() < 0.003
    assert (grid.unknown & free).sum() / free.sum() < 0.05
    union = (solid | (grid.occupied & _over(room, cells, -0.1))).sum()
    assert (grid.occupied & solid).sum() / union > 0.8


def test_the_map_grows_where_the_robot_sees_beyond_it(house: House) -> None:
    """Seen from a corner of a house it shows what a map shows that was large enough from the start, with as much
    unknown floor around."""
    grids = []
    for mapper in (OccupancyMapper(), OccupancyMapper(size=2.0)):
        for base in TOUR:
            _look(mapper, house, base)
        grids.append(mapper.grid())
    large, grown = grids
    assert large.occupied.shape == grown.occupied.shape
    assert np.allclose(large.origin, grown.origin)
    for first, other in ((large.occupied, grown.occupied), (large.unknown, grown.unknown)):
        assert (first != other).mean() < 0.001  # a point on the edge between two cells may be in either


def test_what_was_taken_away_disappears_after_some_looks(house: House) -> None:
    mapper, base = OccupancyMapper(), Pose2(3.0, 3.0, 0.0)
    place = np.array([4.4, 3.0])
    house.move("sugar_box", (4.4, 3.0, 0.0875))
    for _ in range(int(SURE)):
        _look(mapper, house, base)
    there = mapper.grid()
    assert there.occupied[_row_column(there, place)]
    house.move("sugar_box", (3.0, 5.3, 1.0))
    for _ in range(int(SURE)):
        _look(mapper, house, base)
    cleared = mapper.grid()
    assert not cleared.occupied[_row_column(cleared, place)]


def test_what_a_look_goes_through_disappears_though_no_floor_is_seen_there() -> None:
    mapper, base, door = OccupancyMapper(), Pose2(0.0, 0.0, 0.0), np.array([1.52, 0.0])
    for _ in range(int(SURE)):
        mapper.update([_level_scan(1.52)], [None], base, RADIUS, ())
    there = mapper.grid()
    assert there.occupied[_row_column(there, door)]
    assert len(mapper.walls(door, 0.3))
    for _ in range(int(SURE)):
        mapper.update([_level_scan(2.52)], [None], base, RADIUS, ())
    cleared = mapper.grid()
    assert not cleared.occupied[_row_column(cleared, door)]
    assert not len(mapper.walls(door, 0.3))
    assert len(mapper.walls(np.array([2.52, 0.0]), 0.3))


def test_what_is_hidden_stays_known() -> None:
    mapper, base, wall = OccupancyMapper(), Pose2(0.0, 0.0, 0.0), np.array([2.52, 0.0])
    mapper.update([_level_scan(2.52)], [None], base, RADIUS, ())
    for _ in range(int(SURE)):
        mapper.update([_level_scan(1.52)], [None], base, RADIUS, ())
    grid = mapper.grid()
    assert grid.occupied[_row_column(grid, wall)]
    assert len(mapper.walls(wall, 0.3))


def test_between_the_edge_of_a_door_and_the_wall_behind_it_is_no_wall() -> None:
    mapper = OccupancyMapper()
    mapper.update([_level_scan(1.82, door=1.52)], [None], Pose2(0.0, 0.0, 0.0), RADIUS, ())
    walls = mapper.walls(np.array([1.67, 0.0]), 0.3)
    assert len(walls)
    assert not ((walls[:, 0] > 1.56) & (walls[:, 0] < 1.8)).any()


def _level_scan(metres: float, door: float | None = None) -> Scan:
    """What a camera 1.3 m above the origin, that looks level along x, sees of a wall so far away: no floor. door: m
    to a door before it that is as high as the camera."""
    size = 64
    depth = np.full((size, size), metres, dtype=np.float32)
    if door is not None:
        depth[size // 2 + 1 :] = door
    optical = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    pose = Pose(np.array([0.0, 0.0, 1.3]), optical)
    intrinsics = Intrinsics(fx=100.0, fy=100.0, cx=31.5, cy=31.5, width=size, height=size)
    scan = Scan.of(CameraFrame("head", np.zeros((size, size, 3), dtype=np.uint8), depth, intrinsics, pose))
    assert scan is not None
    return scan


def test_keepouts_and_the_robots_own_place_are_not_obstacles(house: House) -> None:
    mapper, base = OccupancyMapper(), Pose2(3.0, 3.0, 0.0)
    house.move("sugar_box", (4.4, 3.0, 0.0875))
    _look(mapper, house, base, (Keepout(np.array([4.4, 3.0, 0.1]), 0.2, 0.3),))
    grid = mapper.grid()
    assert not grid.occupied[_row_column(grid, np.array([4.4, 3.0]))]
    here = _row_column(grid, base.xy)
    assert not grid.unknown[here]
    assert not grid.occupied[here]


def test_own_pixels_are_left_out(house: House) -> None:
    base = Pose2(3.0, 3.0, 0.0)
    scans = [scan for frame in house.observe(base).frames.values() if (scan := Scan.of(frame)) is not None]
    everything = [np.ones(scan.valid.shape, dtype=bool) for scan in scans]
    mapper = OccupancyMapper()
    mapper.update(scans, everything, base, RADIUS, ())
    assert not mapper.grid().occupied.any()


def test_solids_fill_what_can_not_be_seen(house: House) -> None:
    mapper, base = OccupancyMapper(), Pose2(3.0, 3.0, 0.0)
    _look(mapper, house, base)
    fridge = house.world.receptacle_box(house.world.receptacles["fridge"])
    bare, filled = mapper.grid(), mapper.grid([fridge])
    middle = _row_column(bare, fridge.center[:2])
    assert not bare.occupied[middle]
    assert filled.occupied[middle]


def test_an_empty_map_is_an_error() -> None:
    with pytest.raises(ValueError, match="empty"):
        OccupancyMapper().grid()


def _row_column(grid: OccupancyGrid, point: Array) -> tuple[int, int]:
    column, row = np.floor((point - grid.origin) / RESOLUTION).astype(int)
    return int(row), int(column)

"""Navigation graphs of generated houses, measured without the code that makes them, and the moves on them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise

import numpy as np
import pytest
from homes import one_room
from hypothesis import given
from hypothesis import strategies as st

from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.actions import action_table
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Skill
from homie.kernel.robot import graph_moves
from homie.kernel.types import Array, Outcome, Pose2, Subtask, wrap_angles
from skills.discrete_actions.charting import LONGEST, Ground, chart
from skills.discrete_actions.graph import Graph, next_direction
from skills.discrete_actions.skill_set import IdealGraph, Moves
from skills.discrete_actions.survey import survey

HOUSES = (
    (60000, Variation()),
    (60017, Variation(opened=["fridge", "cabinet_1"])),
    (60015, Variation(people=3)),
    (7, Variation()),
)
FORWARD, LEFT, RIGHT, UP, DOWN = graph_moves.MOVES


@pytest.fixture(scope="module", params=HOUSES, ids=lambda house: str(house[0]))
def home_with_graph(request: pytest.FixtureRequest) -> Iterator[tuple[MujocoHome, Ground, Graph]]:
    seed, variation = request.param
    with closing(MujocoHome(generate(seed, 3, 16, variation), picture_size=(16, 16), shade=False)) as home:
        ground = survey(home)
        yield home, ground, chart(ground)


def obstacles(ground: Ground) -> Array:
    """The middles (n, 2) of all occupied cells."""
    rows, columns = np.nonzero(ground.grid.occupied)
    return ground.grid.origin + (np.stack([columns, rows], axis=1) + 0.5) * ground.grid.resolution


def clearance(points: Array, ground: Ground) -> float:
    """Metres from the nearest of some points to the nearest side of an occupied cell."""
    solid = obstacles(ground)
    return min(float(np.linalg.norm(solid - point, axis=1).min()) for point in points) - ground.grid.resolution / 2


def test_the_footprint_fits_on_every_point_and_along_every_edge(
    home_with_graph: tuple[MujocoHome, Ground, Graph],
) -> None:
    _, ground, graph = home_with_graph
    assert clearance(graph.points[1:], ground) >= ground.radius
    for a, b in graph.edges:
        length = float(np.linalg.norm(graph.points[b] - graph.points[a]))
        line = np.linspace(graph.points[a], graph.points[b], math.ceil(length / 0.03) + 1)
        assert length <= LONGEST
        assert clearance(line, ground) >= ground.radius, (a, b)


def test_all_of_it_is_connected(home_with_graph: tuple[MujocoHome, Ground, Graph]) -> None:
    _, _, graph = home_with_graph
    reached, waiting = {0}, [0]
    while waiting:
        more = set(graph.neighbours[waiting.pop()]) - reached
        reached |= more
        waiting += more
    assert len(reached) == len(graph.points)
    assert len(graph.points) <= 30


def test_everything_has_a_point_next_to_it_in_its_room(home_with_graph: tuple[MujocoHome, Ground, Graph]) -> None:
    home, ground, graph = home_with_graph
    things = home.snapshot().things
    assert len(set(things) - set(graph.beside)) <= 2, "what stands behind other things cannot be come to"
    for name, point in graph.beside.items():
        x, y = graph.points[point]
        x0, y0, x1, y1 = ground.rooms[things[name].room or ""]
        assert x0 <= x <= x1 and y0 <= y <= y1, name
        box = ground.goals[name].box
        assert box is not None and 0.3 <= box.distance(graph.points[point]) <= 1.5, name
    for x0, y0, x1, y1 in ground.rooms.values():
        assert np.any(np.all((graph.points >= (x0, y0)) & (graph.points <= (x1, y1)), axis=1))


def test_what_is_next_to_a_point_comes_into_the_picture_by_turning(
    home_with_graph: tuple[MujocoHome, Ground, Graph],
) -> None:
    """The picture is 100 degrees wide."""
    _, ground, graph = home_with_graph
    for name, point in graph.beside.items():
        dx, dy = ground.goals[name].position[:2] - graph.points[point]
        off = [abs(float(wrap_angles(math.atan2(dy, dx) - yaw))) for yaw in graph.directions(point)]
        assert min(off) < math.radians(50), name


def test_the_same_scene_has_the_same_graph() -> None:
    seed, variation = HOUSES[1]
    graphs = []
    for _ in range(2):
        with closing(MujocoHome(generate(seed, 3, 16, variation), picture_size=(16, 16), shade=False)) as home:
            graphs.append(chart(survey(home)))
    first, other = graphs
    assert np.array_equal(first.points, other.points)
    assert (first.edges, first.sights, first.beside) == (other.edges, other.sights, other.beside)


@given(
    st.lists(st.integers(0, 35), min_size=1, max_size=6, unique=True),
    st.floats(-math.pi, math.pi, allow_nan=False),
)
def test_turns_go_round_through_all_directions_and_back(tens: list[int], yaw: float) -> None:
    directions = [float(wrap_angles(math.radians(10 * ten + 3))) for ten in tens]
    for left in (True, False):
        heading, visited = yaw, []
        for _ in range(len(directions) + 1):
            next_heading = next_direction(directions, heading, left=left)
            if next_heading is None:
                break
            visited.append(next_heading)
            heading = next_heading
        assert set(visited) == set(directions) or (len(directions) == 1 and not visited)
        for before, after in pairwise(visited):
            assert next_direction(directions, after, left=not left) == before or len(directions) == 2


# ---------------------------------------------------------------- moves


@pytest.fixture(scope="module")
def home() -> Iterator[MujocoHome]:
    table = {"name": "table", "kind": "table", "colour": "brown", "x": 4.2, "y": 2.0, "yaw": 0.0}
    shelf = {"name": "shelf", "kind": "shelf", "colour": "brown", "x": 1.0, "y": 3.7, "yaw": -1.5707963}
    scene = one_room([table, shelf], robot=(1.0, 1.0, 0.0), size=(5.0, 4.0))
    with MujocoHome(scene, picture_size=(16, 16), shade=False) as robot:
        yield robot


def skill_of(home: MujocoHome, ideal: bool) -> tuple[Skill, Graph]:
    """A skill at the start of an episode, with the graph of the home then."""
    home.reset(seed=0)
    skills = IdealGraph("") if ideal else Moves("")
    skills.bind(home)
    (skill,) = skills.skills(home.spec, home.kinematics)
    return skill, chart(survey(home))


def make_move(home: MujocoHome, skill: Skill, name: str) -> str:
    """Make a move; its feedback message, "" where it has worked out."""
    locator = home.background()
    locator.reset(seed=0)
    observation = home.observe()
    skill.start(Subtask(name), locator.here(observation), observation)
    while skill.outcome is Outcome.RUNNING:
        home.act(skill.act(home.observe()))
    return "" if skill.outcome is Outcome.SUCCEEDED else skill.feedback_message


@pytest.mark.parametrize("ideal", [True, False])
def test_turn_to_a_point_and_move_to_it(home: MujocoHome, ideal: bool) -> None:
    skill, graph = skill_of(home, ideal)
    for _ in range(len(graph.directions(0)) + 1):
        base = home.measured().base
        if graph.pose_ahead(0, base.yaw) is not None:
            break
        assert make_move(home, skill, LEFT) == ""
    aim = graph.pose_ahead(0, home.measured().base.yaw)
    assert aim is not None
    assert make_move(home, skill, FORWARD) == ""
    there = home.measured().base
    assert math.dist(there.xy, aim.xy) < 0.05 and abs(wrap_angles(there.yaw - aim.yaw)) < 0.05
    assert graph.nearest(there.xy) == int(np.argmin(np.linalg.norm(graph.points - aim.xy, axis=1)))


@pytest.mark.parametrize("ideal", [True, False])
def test_nothing_ahead_is_reported_and_nothing_moves(home: MujocoHome, ideal: bool) -> None:
    skill, graph = skill_of(home, ideal)
    tries = 0
    while graph.pose_ahead(0, home.measured().base.yaw) is not None:
        tries += 1
        away = Pose2(1.0, 1.0, math.pi + 0.3 * tries)
        home.native.stand(away, home.native.tilt)
    before = home.measured().base
    assert (
        make_move(home, skill, FORWARD) == "Unable to move forward, no point of the floor is ahead: turn to one first"
    )
    assert math.dist(before.xy, home.measured().base.xy) < 0.01


@pytest.mark.parametrize("ideal", [True, False])
def test_looks_go_by_thirty_degrees_up_to_the_limits_of_the_head(home: MujocoHome, ideal: bool) -> None:
    skill, _ = skill_of(home, ideal)
    start = home.native.tilt
    assert make_move(home, skill, DOWN) == ""
    assert home.native.tilt == pytest.approx(start + math.pi / 6, abs=0.03)
    assert make_move(home, skill, UP) == "" and make_move(home, skill, UP) == ""
    assert home.native.tilt == pytest.approx(start - math.pi / 6, abs=0.03)
    looks = [make_move(home, skill, UP) for _ in range(4)]
    assert looks[-1] == "Unable to look up, the camera cannot be tilted any further"


def test_what_has_come_into_the_way_stops_a_move(home: MujocoHome) -> None:
    skill, graph = skill_of(home, True)
    locator = home.background()
    locator.reset(seed=0)
    while graph.pose_ahead(0, home.measured().base.yaw) is None:
        assert make_move(home, skill, LEFT) == ""
    observation, base = home.observe(), home.measured().base
    here = locator.here(observation)
    assert here.grid is not None
    column, row = np.floor((base.transform(np.array([0.5, 0.0, 0.0]))[:2] - here.grid.origin) / 0.05).astype(int)
    here.grid.occupied[row - 3 : row + 4, column - 3 : column + 4] = True
    skill.start(Subtask(FORWARD), here, observation)
    assert skill.feedback_message == "Unable to move forward, something is in the way"
    assert home.measured().base == base


def test_a_robot_off_its_point_goes_on_from_the_nearest(home: MujocoHome) -> None:
    skill, graph = skill_of(home, True)
    a, b = graph.edges[0]
    on = graph.pose(a, graph.direction(a, b))
    home.native.stand(Pose2(on.x + 0.1, on.y - 0.1, on.yaw), home.native.tilt)
    assert make_move(home, skill, FORWARD) == ""
    aim = graph.pose_ahead(a, on.yaw)
    assert aim is not None and math.dist(home.measured().base.xy, aim.xy) < 0.01


def test_moves_are_actions_without_arguments() -> None:
    table = action_table([IdealGraph.own_actions, Moves.own_actions])
    assert all(table[name].arguments == () for name in graph_moves.MOVES)
    with pytest.raises(BadInput, match="takes no argument"):
        IdealGraph("x")

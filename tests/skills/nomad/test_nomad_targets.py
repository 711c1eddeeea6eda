"""How NoMaD finds itself on a map and chooses the next node. The test says what the network's distances are."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from skills.nomad.targets import CLOSE, MapRoute, Picture  # noqa: E402
from skills.policies.policy import PolicyFailed  # noqa: E402


@dataclass
class GivenDistances:
    """Nodes differ by their only number; `distances` by node, all others are far. Conditions are nodes."""

    distances: dict[int, float]

    def towards(self, goals):
        nodes = goals.flatten().tolist()
        self.asked = [int(node) for node in nodes]
        return goals.reshape(-1, 1), torch.tensor([self.distances.get(int(node), 50.0) for node in nodes])


def way(count, goals, *, loop=False):
    return MapRoute(torch.arange(count, dtype=torch.float32).reshape(-1, 1, 1, 1), goals, loop)


def choose(target, **distances):
    """A choice and the nodes that were asked about. n7=2.0: node 7 is 2 steps away."""
    observed = GivenDistances({int(name[1:]): value for name, value in distances.items()})
    return target.choose(observed), observed.asked


def test_at_first_it_looks_on_the_whole_map_then_around_itself():
    target = way(30, [25])
    choice, candidates = choose(target, n10=5.0)
    assert candidates == list(range(30)) and (choice.node, choice.distance, choice.reached) == (10, 5.0, False)
    choice, candidates = choose(target, n11=5.0, n25=0.0)
    assert candidates == list(range(6, 16))  # four behind, five ahead, as upstream cuts its list
    assert choice.node == 11


def test_the_next_node_is_the_subgoal_once_the_closest_is_close():
    target = way(30, [25])
    choose(target, n10=CLOSE + 1)
    choice, _ = choose(target, n10=CLOSE)
    assert int(choice.condition) == 10
    choice, _ = choose(target, n10=CLOSE - 0.1)
    assert int(choice.condition) == 11 and choice.node == 10


@pytest.mark.parametrize(("distance", "subgoal"), [(2.9, 11), (3.0, 10), (3.1, 10)])
def test_close_is_three_steps_of_training_as_upstream_has_it(distance, subgoal):
    target = way(30, [25])
    choose(target, n10=9.0)
    assert int(choose(target, n10=distance)[0].condition) == subgoal
    assert choose(Picture(torch.zeros(1, 1, 1, 1)), n0=distance)[0].reached == (distance < 3.0)


def test_it_looks_no_further_than_the_goal_and_is_there_when_that_is_closest():
    target = way(30, [12])
    choose(target, n10=5.0)
    choice, candidates = choose(target, n12=5.0, n13=0.0)
    assert candidates == list(range(6, 13))
    assert choice.reached and choice.node == int(choice.condition) == 12


def test_the_first_goal_on_the_way_is_taken():
    target = way(30, [3, 12, 20])
    choose(target, n10=5.0)
    assert target.goal == 12


def test_a_goal_behind_is_out_of_reach_but_on_a_loop():
    with pytest.raises(PolicyFailed, match="before node 10"):
        choose(way(30, [3]), n10=5.0)
    target = way(30, [3], loop=True)
    choose(target, n28=5.0)
    choice, candidates = choose(target, n0=1.0)
    assert candidates == [24, 25, 26, 27, 28, 29, 0, 1, 2, 3]
    assert choice.node == 0 and int(choice.condition) == 1


@given(count=st.integers(1, 40), here=st.integers(0, 39), goal=st.integers(0, 39), loop=st.booleans())
def test_windows(count, here, goal, loop):
    here, goal = here % count, goal % count
    target = way(count, [goal], loop=loop)
    if not loop and goal < here:
        return
    choose(target, **{f"n{here}": 1.0})
    window = target.window()
    assert here in window and len(set(window)) == len(window) <= 10
    assert all(0 <= node < count for node in window)
    beyond = window[window.index(here) :]
    assert goal in beyond[-1:] or len(beyond) == 6


def test_a_picture_is_reached_when_it_is_close():
    target = Picture(torch.zeros(1, 1, 1, 1))
    assert not choose(target, n0=CLOSE)[0].reached
    assert choose(target, n0=CLOSE - 0.1)[0].reached

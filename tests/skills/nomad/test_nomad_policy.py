"""NoMaD's loop: the queue, what a decision is made of, what is kept between decisions."""

from __future__ import annotations

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from golden_policies import FOLDER, generator, load  # noqa: E402

from skills.nomad.network import FRAMES, UNUSED, NomadNetwork  # noqa: E402
from skills.nomad.policy import NomadPolicy  # noqa: E402
from skills.nomad.preprocessing import prepare  # noqa: E402
from skills.nomad.sampler import sample, waypoints  # noqa: E402
from skills.nomad.steering import SPACING  # noqa: E402
from skills.nomad.topomap import TopoMap  # noqa: E402
from skills.policies.policy import PolicyFailed  # noqa: E402

SEED = 101
PICTURES = generator().image("camera", (7, 60, 80, 3), SEED)
NODES = generator().image("node", (5, 60, 80, 3), SEED)
GOAL = {"picture": generator().image("goal", (60, 80, 3), SEED)}


@pytest.fixture(scope="module")
def network():
    model = NomadNetwork().eval()
    load(model, FOLDER / "nomad", SEED, UNUSED)
    return model.requires_grad_(False)


def decisions(policy, pictures=PICTURES):
    return [policy.step({"picture": picture}) for picture in pictures]


def assert_same(first, other):
    assert first.keys() == other.keys()
    for name, value in first.items():
        np.testing.assert_array_equal(value, other[name])


def test_nothing_happens_until_there_are_four_pictures(network):
    policy = NomadPolicy(network)
    policy.reset({})
    outputs = decisions(policy)
    assert [output["ready"] for output in outputs] == [False] * (FRAMES - 1) + [True] * 4
    policy.reset({})
    assert not policy.step({"picture": PICTURES[0]})["ready"]


def test_a_decision_is_that_of_the_whole_window(network):
    """Kept tokens, against everything from the last four pictures anew."""
    policy = NomadPolicy(network, seed=5)
    policy.reset(GOAL)
    output = decisions(policy)[-1]
    pictures, encoder = prepare(list(PICTURES[-FRAMES:])), network.vision_encoder
    condition = encoder.fuse(
        encoder.frame_tokens(pictures), encoder.goal_tokens(pictures[-1], prepare([GOAL["picture"]]))
    )
    rng = torch.Generator().manual_seed(5)

    def noise():
        return torch.randn((8, 8, 2), generator=rng)

    for _ in range(3):  # what the decisions before have drawn
        sample(lambda x, step: x, noise, noise())
    repeated = condition.expand(8, -1)
    x = sample(lambda x, step: network.noise_pred_net(x, step, repeated), noise, noise())
    np.testing.assert_allclose(output["waypoint"], SPACING * waypoints(x)[0, 2], atol=1e-4)
    assert output["distance"] == pytest.approx(float(network.dist_pred_net(condition)), abs=2e-5)
    assert output["node"] == -1


@pytest.mark.slow
def test_a_seed_fixes_every_waypoint(network):
    def play(seed, goal):
        policy = NomadPolicy(network, seed=seed)
        policy.reset(goal)
        return decisions(policy)[-1]

    assert_same(play(1, {}), play(1, {}))
    assert not np.allclose(play(1, {})["waypoint"], play(2, {})["waypoint"])
    assert not np.allclose(play(1, {})["waypoint"], play(1, GOAL)["waypoint"])


def test_attempts_are_not_alike_and_runs_are(network):
    def play():
        policy = NomadPolicy(network)
        points = []
        for _ in range(2):
            policy.reset({})
            points.append(decisions(policy)[-1]["waypoint"])
        return points

    first, again = play(), play()
    assert not np.allclose(first[0], first[1])
    np.testing.assert_array_equal(first, again)


def test_exploring_knows_no_distance(network):
    policy = NomadPolicy(network)
    policy.reset({})
    output = decisions(policy)[-1]
    assert (output["distance"], output["node"], output["reached"]) == (-1.0, -1, False)


def test_a_map_gives_its_closest_node(network):
    policy = NomadPolicy(network, TopoMap(tuple(NODES), {"kitchen": (2, 4)}, loop=True))
    assert json.loads(policy.facts["names"]) == {"kitchen": [2, 4]}
    policy.reset({"nodes": np.array([2, 4])})
    output = decisions(policy, PICTURES[:FRAMES])[-1]
    encoder, pictures = network.vision_encoder, prepare(list(PICTURES[:FRAMES]))
    tokens = encoder.goal_tokens(pictures[-1], prepare(list(NODES)))
    distances = network.dist_pred_net(encoder.fuse(encoder.frame_tokens(pictures), tokens))
    assert output["node"] == int(distances.argmin())
    assert output["distance"] == pytest.approx(float(distances.min()), abs=2e-5)
    assert output["reached"] == (output["node"] in (2, 4))


def test_nodes_that_are_not_there(network):
    with pytest.raises(PolicyFailed, match="no map"):
        NomadPolicy(network).reset({"nodes": np.array([0])})
    for nodes in ([7], [-1], []):
        with pytest.raises(PolicyFailed, match="no nodes"):
            NomadPolicy(network, TopoMap(tuple(NODES))).reset({"nodes": np.array(nodes, dtype=np.int64)})

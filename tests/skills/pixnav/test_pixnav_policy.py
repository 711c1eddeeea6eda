"""PixNav's loop: the official agent's actions, the early stop, the rule for collisions, the end of the window."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from golden_policies import FOLDER, generator, load  # noqa: E402

from skills.pixnav.network import WINDOW, PixNavNetwork  # noqa: E402
from skills.pixnav.policy import EARLY_STOP, PixNavPolicy  # noqa: E402
from skills.policies.policy import PolicyFailed  # noqa: E402

GOLDEN = FOLDER / "pixnav"
PICTURE = generator().image("camera", (1, 48, 64, 3), 1)[0]


def load_network(seed):
    network = PixNavNetwork().eval()
    load(network, GOLDEN, seed)
    return network.requires_grad_(False)


@pytest.fixture(scope="module")
def network():
    return load_network(207)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [207, 216])
def test_the_actions_of_the_official_agent(seed):
    source, policy = generator(), PixNavPolicy(load_network(seed))
    with np.load(GOLDEN / f"io_seed{seed}.npz") as file:
        io = dict(file)
    x, y = io["cam_goal_pixel_xy"]
    goal = source.image("camera_goal", (1, 480, 640, 3), seed)[0]
    policy.reset({"picture": goal, "pixel": np.array([(x + 0.5) / 640, (y + 0.5) / 480])})
    frames = source.image("camera", (34, 480, 640, 3), seed)
    outputs = [
        policy.step({"picture": frame, "collided": bool(collided)})
        for frame, collided in zip(frames, io["cam_collide"], strict=True)
    ]
    assert [output["action"] for output in outputs] == io["cam_returned_action"].tolist()
    assert [output["forced"] for output in outputs] == [False] * (EARLY_STOP - 1) + [True] * 2
    for name, official_name in (("values", "cam_action"), ("goal", "cam_goal")):
        np.testing.assert_allclose([output[name] for output in outputs], io[official_name], rtol=0, atol=1e-5)
    np.testing.assert_allclose([[output["distance"]] for output in outputs], io["cam_distance"], rtol=0, atol=1e-5)
    assert np.any(io["cam_collide"])  # or the rule was not tried


def test_an_attempt_leaves_nothing_behind(network):
    policy, goal = PixNavPolicy(network), {"picture": PICTURE, "pixel": np.array([0.5, 0.5])}
    policy.reset(goal)
    first = policy.step({"picture": PICTURE, "collided": False})["values"]
    assert not np.allclose(policy.step({"picture": PICTURE, "collided": False})["values"], first)
    policy.reset(goal)
    np.testing.assert_array_equal(policy.step({"picture": PICTURE, "collided": False})["values"], first)


@pytest.mark.slow
def test_the_window_ends(network):
    policy = PixNavPolicy(network)
    policy.reset({"picture": PICTURE, "pixel": np.array([0.0, 1.0])})
    outputs = [policy.step({"picture": PICTURE, "collided": True}) for _ in range(WINDOW)]
    assert all(output["action"] == 0 for output in outputs[EARLY_STOP - 1 :])
    with pytest.raises(PolicyFailed, match="64 pictures"):
        policy.step({"picture": PICTURE, "collided": False})


def test_what_it_can_not_begin_with(network):
    policy = PixNavPolicy(network)
    with pytest.raises(PolicyFailed, match="before an attempt"):
        policy.step({"picture": PICTURE, "collided": False})
    with pytest.raises(PolicyFailed, match="not in the picture"):
        policy.reset({"picture": PICTURE, "pixel": np.array([1.2, 0.5])})

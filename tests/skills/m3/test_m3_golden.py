"""The networks of M3 agree with the official ones, alone and as the policy runs them."""

from __future__ import annotations

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from golden_policies import FOLDER, generator, load, tensors  # noqa: E402

from skills.m3.layout import DEPTH_RANGE, MANIPULATION, NAVIGATION, Layout  # noqa: E402
from skills.m3.network import HIDDEN, Network  # noqa: E402
from skills.m3.policy import M3Policy  # noqa: E402

CLOSE = 1e-5
MASKS = np.array([[0, 0], [1, 1], [1, 0], [1, 1], [1, 1]], np.float32)
"""By step and environment; 0 on the first step of an episode."""
STEPS, ENVIRONMENTS = MASKS.shape
OFFICIAL = {
    "head_depth": "robot_head_depth",
    "arm_depth": "robot_arm_depth",
    "goal_at_gripper": "pick_goal_at_gripper",
    "goal_at_base": "pick_goal_at_base",
}
CASES = [("m3_nav", NAVIGATION, 501), ("m3_nav", NAVIGATION, 502)]
CASES += [("m3_manip", MANIPULATION, 601), ("m3_manip", MANIPULATION, 602)]


def network_of(kind: str, layout: Layout, seed: int) -> Network:
    network = Network(layout)
    load(torch.nn.ModuleDict({"actor_critic": network}), FOLDER / kind, seed)
    return network.eval()


def inputs(layout: Layout, seed: int) -> dict[str, np.ndarray]:
    """By our names: pictures (5, 2, 128, 128) in 0..1 and states (5, 2, n)."""
    source = generator()
    arrays = {}
    for name in layout.cameras:
        arrays[name] = source.depth(OFFICIAL[name], (STEPS, ENVIRONMENTS, 128, 128, 1), seed)[..., 0]
    for name, length in layout.states:
        official = "nav_goal_at_base" if layout is NAVIGATION else OFFICIAL.get(name, name)
        arrays[name] = source.noise(official, (STEPS, ENVIRONMENTS, length), seed)
    if "is_grasped" in arrays:
        arrays["is_grasped"] = (arrays["is_grasped"] > 0).astype(np.float32)
    return arrays


def first_previous(layout: Layout, seed: int) -> np.ndarray:
    """The previous action that the official run was started with, though its mask leaves nothing of it."""
    if layout.discrete:
        return np.full((ENVIRONMENTS, 1), 3)
    return np.tanh(generator().noise("initial_prev_action", (ENVIRONMENTS, layout.actions), seed))


@pytest.mark.parametrize(("kind", "layout", "seed"), CASES)
def test_every_key_of_the_manifest_is_in_the_network_and_no_other(kind, layout, seed):
    manifest = json.loads((FOLDER / kind / "manifest.json").read_text())
    shapes = {parameter["name"]: tuple(parameter["shape"]) for parameter in manifest["params"]}
    state = torch.nn.ModuleDict({"actor_critic": Network(layout)}).state_dict()
    assert {name: tuple(value.shape) for name, value in state.items()} == shapes
    assert sum(value.numel() for value in state.values()) == manifest["parameters"]


@pytest.mark.parametrize(("kind", "layout", "seed"), CASES)
def test_a_batch_of_two_environments_agrees_step_by_step(kind, layout, seed):
    network, arrays = network_of(kind, layout, seed), inputs(layout, seed)
    golden = np.load(FOLDER / kind / f"io_seed{seed}.npz")
    hidden = torch.from_numpy(generator().noise("initial_hidden", (ENVIRONMENTS, 1, HIDDEN), seed)[:, 0])
    previous = first_previous(layout, seed)
    for t in range(STEPS):
        np.testing.assert_allclose(golden["prev_action"][t], previous, atol=CLOSE)
        mask = torch.from_numpy(MASKS[t])[:, None]
        depth = torch.from_numpy(np.stack([arrays[name][t] for name in layout.cameras], 1))
        state = torch.from_numpy(np.concatenate([arrays[name][t] for name, _ in layout.states], 1))
        last_action = torch.from_numpy(previous)
        last_action = (
            torch.nn.functional.one_hot(last_action[:, 0], layout.actions).float() if layout.discrete else last_action
        )
        with torch.inference_mode():
            step = network(depth, state, last_action * mask, hidden * mask)
        hidden = step.hidden
        np.testing.assert_allclose(step.hidden, golden["features"][t], atol=CLOSE)
        np.testing.assert_allclose(step.hidden[:, None], golden["rnn_hidden"][t], atol=CLOSE)
        np.testing.assert_allclose(step.value, golden["value"][t], atol=CLOSE)
        if layout.discrete:
            np.testing.assert_allclose(step.actor, golden["linear_out"][t], atol=CLOSE)
            previous = step.actor.argmax(1, keepdim=True).numpy()
            np.testing.assert_array_equal(previous, golden["action"][t])
        else:
            np.testing.assert_allclose(step.actor, golden["action"][t], atol=CLOSE)
            previous = step.actor.numpy()


@pytest.mark.parametrize(("kind", "layout", "seed"), CASES)
@pytest.mark.parametrize("environment", range(ENVIRONMENTS))
def test_the_policy_gives_the_official_actions_and_forgets_at_a_reset(kind, layout, seed, environment):
    name = "navigate" if layout.discrete else "pick"
    policy, arrays = M3Policy({name: network_of(kind, layout, seed)}), inputs(layout, seed)
    golden = np.load(FOLDER / kind / f"io_seed{seed}.npz")
    for t in range(STEPS):
        if not MASKS[t, environment]:
            policy.reset({"skill": name})
        step_inputs = {part: arrays[part][t, environment] for part, _ in layout.states}
        step_inputs |= {camera: DEPTH_RANGE * arrays[camera][t, environment] for camera in layout.cameras}
        action = policy.step(step_inputs)["action"]
        expected = golden["action"][t, environment]
        if layout.discrete:
            assert action == expected[0]
        else:
            np.testing.assert_allclose(action, expected, atol=CLOSE)


def test_depth_counts_up_to_ten_metres_and_no_further():
    """What is farther looks like ten metres, which is the largest number of the network's input: 1."""
    arrays = inputs(MANIPULATION, 601)
    state = {part: arrays[part][0, 0] for part, _ in MANIPULATION.states}

    def action(metres):
        policy = M3Policy({"pick": network_of("m3_manip", MANIPULATION, 601)})
        policy.reset({"skill": "pick"})
        wall = {camera: np.full((128, 128), metres, np.float32) for camera in MANIPULATION.cameras}
        return policy.step({**state, **wall})["action"]

    for farther in (10.5, 25.0):
        np.testing.assert_array_equal(action(farther), action(10.0))
    assert np.abs(action(9.5) - action(10.0)).max() > CLOSE


@pytest.mark.parametrize("mistake", ["metres", "no previous action", "swapped cameras"])
def test_the_tolerance_sees_mistakes(mistake):
    """What the golden vectors are there to find is found."""
    policy, arrays = M3Policy({"pick": network_of("m3_manip", MANIPULATION, 601)}), inputs(MANIPULATION, 601)
    golden = np.load(FOLDER / "m3_manip/io_seed601.npz")
    policy.reset({"skill": "pick"})
    worst = 0.0
    for t in range(STEPS):
        step_inputs = {part: arrays[part][t, 0] for part, _ in MANIPULATION.states}
        cameras = MANIPULATION.cameras[::-1] if mistake == "swapped cameras" else MANIPULATION.cameras
        scale = DEPTH_RANGE / 10 if mistake == "metres" else DEPTH_RANGE
        pictures = [scale * arrays[camera][t, 0] for camera in cameras]
        action = policy.step({**step_inputs, **dict(zip(MANIPULATION.cameras, pictures, strict=True))})["action"]
        if mistake == "no previous action":
            policy._previous = torch.zeros_like(policy._previous)
        worst = max(worst, float(np.abs(action - golden["action"][t, 0]).max()))
    assert worst > 100 * CLOSE


def test_generated_weights_are_those_of_the_manifest():
    import zlib

    for kind in ("m3_nav", "m3_manip"):
        manifest = json.loads((FOLDER / kind / "manifest.json").read_text())
        for seed, expected in manifest["weights_crc32"].items():
            crc = 0
            for tensor in tensors(FOLDER / kind, int(seed)).values():
                crc = zlib.crc32(tensor.numpy().tobytes(), crc)
            assert f"{crc:08x}" == expected


def test_the_policy_chooses_the_most_likely_of_the_actions_that_are_allowed():
    layout = NAVIGATION
    policy, arrays = M3Policy({"navigate": network_of("m3_nav", layout, 501)}), inputs(layout, 501)
    first_inputs = {name: values[0, 0] for name, values in arrays.items()}

    def action(**more: object) -> object:
        policy.reset({"skill": "navigate"})
        return policy.step({**first_inputs, **more})["action"]

    allowed = np.ones(layout.actions, bool)
    ranking = []
    for _ in range(layout.actions):
        ranking.append(action(allowed=allowed))
        allowed[ranking[-1]] = False
    assert sorted(ranking) == list(range(layout.actions)) and ranking[0] == action()

"""NoMaD's networks, sampler and preprocessing against the official implementation, for generated weights."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from golden_policies import FOLDER, generator, load  # noqa: E402

from skills.nomad.network import FRAMES, UNUSED, NomadNetwork  # noqa: E402
from skills.nomad.preprocessing import prepare  # noqa: E402
from skills.nomad.sampler import BETAS, LENGTH, STEPS, denoise, waypoints  # noqa: E402

GOLDEN = FOLDER / "nomad"
SEEDS = (101, 102)


@pytest.fixture(scope="module", params=SEEDS)
def case(request):
    """The official outputs for a seed, its generator of inputs, and our network with its weights."""
    seed = request.param
    network = NomadNetwork().eval()
    load(network, GOLDEN, seed, UNUSED)
    with np.load(GOLDEN / f"io_seed{seed}.npz") as file:
        io = dict(file)
    with torch.inference_mode():
        yield SimpleNamespace(network=network, io=io, source=generator(), seed=seed)


def close(actual, expected, tolerance):
    np.testing.assert_allclose(np.asarray(actual), expected, rtol=0, atol=tolerance)


def condition(case, frames, goals):
    """frames: four pictures; goals: pictures, or None"""
    encoder, pictures = case.network.vision_encoder, prepare(frames)
    tokens = None if goals is None else encoder.goal_tokens(pictures[-1], prepare(goals))
    return encoder.fuse(encoder.frame_tokens(pictures), tokens)


@pytest.fixture
def conditions(case):
    """The condition of each row of the golden outputs."""
    frames = case.source.image("obs", (FRAMES, 96, 96, 3), case.seed)
    goals = case.source.image("goal", (3, 96, 96, 3), case.seed)
    rows = zip(case.io["goal_index"], case.io["goal_mask"], strict=True)
    return torch.cat([condition(case, frames, None if hidden else goals[index : index + 1]) for index, hidden in rows])


def test_every_tensor_of_the_file_is_known_and_none_is_invented():
    manifest = json.loads((GOLDEN / "manifest.json").read_text(encoding="utf-8"))
    reference_shapes = {parameter["name"]: tuple(parameter["shape"]) for parameter in manifest["params"]}
    own_shapes = {name: tuple(tensor.shape) for name, tensor in NomadNetwork().state_dict().items()}
    assert len(reference_shapes) == 645
    assert own_shapes == {name: shape for name, shape in reference_shapes.items() if name not in UNUSED}
    assert reference_shapes.keys() >= UNUSED and len(UNUSED) == 16


def test_what_is_seen_and_how_far_it_is(case, conditions):
    close(conditions, case.io["vision_encoding"], 3e-5)
    close(case.network.dist_pred_net(conditions), case.io["distance"][:, 0], 2e-5)


def test_goals_in_one_batch_are_goals_one_by_one(case, conditions):
    frames = case.source.image("obs", (FRAMES, 96, 96, 3), case.seed)
    together = condition(case, frames, case.source.image("goal", (3, 96, 96, 3), case.seed))
    close(together, conditions[:3], 2e-5)


def test_noise_in_a_path(case, conditions):
    x = torch.from_numpy(case.source.noise("eps_x", (3, 2, 8, 2), case.seed))
    for number, step in enumerate(case.io["eps_t"]):
        close(case.network.noise_pred_net(x[number], int(step), conditions[[0, 3]]), case.io["eps_out"][number], 2e-5)


@pytest.mark.parametrize(("row", "name"), [(0, "goal0"), (3, "explore")])
def test_sampled_paths(case, conditions, row, name):
    x = torch.from_numpy(case.source.noise("ddpm_init", (8, LENGTH, 2), case.seed))
    fresh = torch.from_numpy(case.source.noise("ddpm_step", (STEPS, 8, LENGTH, 2), case.seed))
    trace = [x]
    for step in case.io["ddpm_timesteps"]:
        noise = case.network.noise_pred_net(x, int(step), conditions[row].expand(8, -1))
        x = denoise(x, noise, int(step), fresh[step])
        trace.append(x)
    close(torch.stack(trace), case.io[f"sample_{name}_trace"], 1e-4)
    close(x, case.io[f"sample_{name}"], 1e-4)
    close(waypoints(x), case.io[f"waypoints_{name}"], 1e-3)


def test_the_schedule(case):
    close(BETAS, case.io["ddpm_betas"], 1e-6)
    assert list(case.io["ddpm_timesteps"]) == list(reversed(range(STEPS)))


def test_from_camera_pictures_on(case):
    frames = case.source.image("camera", (FRAMES, 120, 160, 3), case.seed)
    goals = case.source.image("camera_goal", (1, 240, 320, 3), case.seed)
    close(prepare(frames)[3], case.io["pipe_obs_frame3"], 1e-6)
    close(prepare(goals)[0], case.io["pipe_goal"], 1e-6)
    output = condition(case, frames, goals)
    close(output, case.io["pipe_vision_encoding"], 3e-5)
    close(case.network.dist_pred_net(output), case.io["pipe_distance"][:, 0], 2e-5)

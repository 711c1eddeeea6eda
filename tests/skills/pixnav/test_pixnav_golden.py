"""PixNav's network and preprocessing against the official implementation, for generated weights."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from golden_policies import FOLDER, generator, load  # noqa: E402

from skills.pixnav.network import WINDOW, Decoding, PixNavNetwork  # noqa: E402
from skills.pixnav.preprocessing import mask, resize_picture  # noqa: E402

GOLDEN = FOLDER / "pixnav"
SEEDS = (207, 216)
HEADS = ("action", "distance", "goal")


@pytest.fixture(scope="module", params=SEEDS)
def case(request):
    """The official outputs for a seed, its generator of inputs, and our network with its weights."""
    seed = request.param
    network = PixNavNetwork().eval()
    load(network, GOLDEN, seed)
    with np.load(GOLDEN / f"io_seed{seed}.npz") as file:
        io = dict(file)
    with torch.inference_mode():
        yield SimpleNamespace(network=network, io=io, source=generator(), seed=seed)


@pytest.fixture(scope="module")
def inputs(case):
    """Goal (4, 224, 224) and pictures (20, 3, 224, 224) of the net level."""
    goal = case.source.image("goal224", (1, 224, 224, 3), case.seed)[0]
    pictures = case.source.image("history224", (20, 224, 224, 3), case.seed)
    cy, cx = (int(v) for v in case.io["net_mask_center_yx"])
    marked = np.zeros((224, 224, 1), np.uint8)
    marked[cy - 3 : cy + 3, cx - 3 : cx + 3] = 255
    marked[cy - 3, cx - 3 : cx + 3] = 96
    marked[cy - 3 : cy + 3, cx + 2] = 160
    image = torch.from_numpy(np.concatenate((goal, marked), axis=-1))
    return image.permute(2, 0, 1) / 255.0, torch.from_numpy(pictures).permute(0, 3, 1, 2) / 255.0


def close(actual, expected, tolerance=1e-5):
    np.testing.assert_allclose(np.asarray(actual), expected, rtol=0, atol=tolerance)


def test_every_tensor_of_the_file_is_known_and_none_is_invented():
    manifest = json.loads((GOLDEN / "manifest.json").read_text(encoding="utf-8"))
    reference_shapes = {parameter["name"]: tuple(parameter["shape"]) for parameter in manifest["params"]}
    assert len(reference_shapes) == 323
    assert {name: tuple(tensor.shape) for name, tensor in PixNavNetwork().state_dict().items()} == reference_shapes


def test_picture_by_picture(case, inputs):
    goal, pictures = inputs
    decoding = Decoding(case.network, goal)
    steps = [decoding.extend(picture) for picture in pictures]
    for length in (1, 5, 20):
        for head, outputs in zip(HEADS, zip(*steps[:length], strict=True), strict=True):
            close(torch.stack(outputs), case.io[f"net_{head}_len{length}"])


@pytest.mark.slow
def test_the_padded_window_gives_the_same(case, inputs):
    goal, pictures = inputs
    window = torch.zeros(WINDOW, 3, 224, 224)
    window[:5] = pictures[:5]
    for head, outputs in zip(HEADS, case.network(goal, window), strict=True):
        close(outputs[:5], case.io[f"net_{head}_len5"])


def test_preprocessing_is_equal_to_the_pixel(case):
    frames = case.source.image("camera", (34, 480, 640, 3), case.seed)
    goal = case.source.image("camera_goal", (1, 480, 640, 3), case.seed)[0]
    assert np.array_equal(resize_picture(goal), case.io["cam_goal_image224"])
    assert np.array_equal(resize_picture(frames[0]), case.io["cam_frame0_224"])
    patch = case.io["cam_mask224_nonzero_patch"]
    y, x = (int(v) for v in case.io["cam_mask224_patch_origin_yx"])
    expected = np.zeros((224, 224), np.uint8)
    expected[y : y + patch.shape[0], x : x + patch.shape[1]] = patch
    assert np.array_equal(mask(tuple(int(v) for v in case.io["cam_goal_pixel_xy"])), expected)

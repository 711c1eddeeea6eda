"""Resizing agrees with what TensorFlow gave."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from golden_policies import generator

from skills.policies.resize import bilinear, lanczos3, lanczos_weights

GOLDEN = Path(__file__).parents[2] / "golden"
STORED = np.load(GOLDEN / "tf_resize/tf_resize.npz")


def case(entry: str):
    method, h, w, height, width = re.fullmatch(r"(\w+)_(\d+)x(\d+)_(\d+)x(\d+)", entry).groups()
    picture = generator().image(f"tf_resize_{h}x{w}", (int(h), int(w), 3), 7)
    return method, picture, int(height), int(width)


@pytest.mark.parametrize("entry", [name for name in STORED if name.startswith("bilinear")])
def test_bilinear_is_tensorflows(entry):
    _, picture, height, width = case(entry)
    resized = bilinear(picture, height, width)
    assert resized.shape == (1, 3, height, width)
    np.testing.assert_allclose(resized[0, :, ::7, ::5].permute(1, 2, 0).numpy(), STORED[entry], atol=1e-3)


@pytest.mark.parametrize("entry", [name for name in STORED if name.startswith("lanczos3")])
def test_lanczos3_is_tensorflows(entry):
    _, picture, height, width = case(entry)
    rows, columns = lanczos_weights(picture.shape[0], height), lanczos_weights(picture.shape[1], width)
    exact = np.einsum("yh,xw,hwc->yxc", rows, columns, picture.astype(np.float64), optimize=True)
    np.testing.assert_allclose(exact[::7, ::5], STORED[entry], atol=5e-3)  # its own are float32
    resized = lanczos3(picture, height, width)
    expected = np.clip(np.rint(STORED[entry]), 0, 255)
    assert resized.dtype == np.uint8
    assert np.abs(resized[::7, ::5].astype(int) - expected).max() <= 1  # exact halves may round either way
    assert (resized[::7, ::5] == expected).mean() > 0.999


def test_a_picture_of_the_right_size_stays_as_it_is():
    picture = generator().image("same", (20, 30, 3), 1)
    assert (bilinear(picture, 20, 30)[0].permute(1, 2, 0).numpy() == picture).all()
    assert (lanczos3(picture, 20, 30) == picture).all()
    np.testing.assert_allclose(lanczos_weights(20, 20), np.eye(20), atol=1e-15)


def test_rows_of_lanczos_weights_sum_to_one():
    for size, outputs in ((5, 17), (17, 5), (256, 128), (1, 3)):
        np.testing.assert_allclose(lanczos_weights(size, outputs).sum(axis=1), 1)

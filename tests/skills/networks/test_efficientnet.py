"""EfficientNet: the keys of published checkpoints, TensorFlow's padding, modulation by a text."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from skills.policies.efficientnet import B0, B3, EfficientNet, Film, SameConv2d

GOLDEN = Path(__file__).parents[2] / "golden/policies"


def group_norm(channels: int):
    return torch.nn.GroupNorm(channels // 16, channels)


def test_b0_with_group_norm_has_the_keys_and_shapes_of_nomad():
    manifest = json.loads((GOLDEN / "nomad/manifest.json").read_text(encoding="utf-8"))
    for encoder, channels in (("obs_encoder", 3), ("goal_encoder", 6)):
        prefix = f"vision_encoder.{encoder}."
        expected = {
            parameter["name"].removeprefix(prefix): tuple(parameter["shape"])
            for parameter in manifest["params"]
            if parameter["name"].startswith(prefix)
        }
        network = EfficientNet(B0, channels=channels, norm=group_norm, classes=1000)
        assert {name: tuple(value.shape) for name, value in network.state_dict().items()} == expected


def test_b3_has_26_blocks_and_a_film_after_each():
    network = EfficientNet(B3, text=512)
    assert (B3.blocks, len(network.films)) == (26, 26)
    assert not EfficientNet(B0).films and B0.blocks == 16


@settings(max_examples=60, deadline=None)
@given(
    size=st.integers(1, 40),
    kernel=st.sampled_from([1, 2, 3, 5]),
    stride=st.sampled_from([1, 2, 3]),
    seed=st.integers(0, 9),
)
def test_same_padding_puts_the_odd_pixel_at_the_end(size, kernel, stride, seed):
    torch.manual_seed(seed)
    conv = SameConv2d(1, 1, kernel, stride)
    picture = torch.randn(1, 1, size, size)
    outputs = math.ceil(size / stride)
    total = max((outputs - 1) * stride + kernel - size, 0)
    padded = torch.zeros(1, 1, size + total, size + total)
    padded[:, :, total // 2 : total // 2 + size, total // 2 : total // 2 + size] = picture
    expected = torch.nn.functional.conv2d(padded, conv.weight, conv.bias, stride)
    assert expected.shape[-2:] == (outputs, outputs)
    torch.testing.assert_close(conv(picture), expected)


def test_a_rectangular_picture_is_padded_along_each_side_for_itself():
    conv = SameConv2d(1, 1, 3, 2, bias=False)
    assert conv(torch.zeros(1, 1, 5, 8)).shape == (1, 1, 3, 4)


def test_film_scales_by_one_plus_mul_and_adds():
    film = Film(2, 3)
    x, text = torch.randn(1, 3, 4, 4), torch.randn(1, 2)
    mul, add = film.mul(text)[0, :, None, None], film.add(text)[0, :, None, None]
    torch.testing.assert_close(film(x, text)[0], x[0] * (1 + mul) + add)


@pytest.mark.parametrize(("size", "pixels", "side"), [(B0, 96, 3), (B3, 300, 10)])
def test_the_map_is_a_32nd_of_the_picture(size, pixels, side):
    network = EfficientNet(size).eval()
    with torch.inference_mode():
        assert network(torch.zeros(1, 3, pixels, pixels)).shape == (1, size.head, side, side)


def test_the_text_changes_the_map():
    network = EfficientNet(B0, text=4).eval()
    picture = torch.rand(1, 3, 64, 64)
    with torch.inference_mode():
        assert not torch.allclose(network(picture, torch.zeros(1, 4)), network(picture, torch.ones(1, 4)))

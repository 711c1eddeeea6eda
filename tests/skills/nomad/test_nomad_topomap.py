"""Topological maps as files, and what is wrong with them in words."""

from __future__ import annotations

import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as Pillow

from homie.kernel.errors import BadInput
from skills.nomad.topomap import TopoMap, load, save


def pictures(count, seed=0):
    return tuple(np.random.default_rng(seed).integers(0, 256, (count, 12, 16, 3), dtype=np.uint8))


def write(folder, count):
    folder.mkdir(exist_ok=True)
    for number, picture in enumerate(pictures(count)):
        Pillow.fromarray(picture).save(folder / f"{number}.png")
    return folder


def test_what_is_saved_is_loaded(tmp_path):
    chart = TopoMap(pictures(12), {"kitchen": (0, 11), "fridge_1": (5,)}, loop=True)
    save(chart, tmp_path / "map")
    again = load(tmp_path / "map")
    assert (again.names, again.loop) == (chart.names, True)
    assert all(np.array_equal(a, b) for a, b in zip(again.nodes, chart.nodes, strict=True))


def test_a_map_of_the_authors_has_only_pictures(tmp_path):
    chart = load(write(tmp_path / "map", 11))
    assert (len(chart.nodes), chart.names, chart.loop) == (11, {}, False)
    assert np.array_equal(chart.nodes[10], pictures(11)[10])  # by number, not by name


def test_a_folder_in_use_is_not_written_into(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match="not empty"):
        save(TopoMap(pictures(1)), tmp_path)


def test_no_map(tmp_path):
    with pytest.raises(BadInput, match="There is no topological map"):
        load(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="has no pictures"):
        load(tmp_path)


def test_a_missing_node_is_named(tmp_path):
    (write(tmp_path, 5) / "3.png").unlink()
    with pytest.raises(BadInput, match="no picture of node 3"):
        load(tmp_path)


def test_a_broken_picture_is_named(tmp_path):
    path = write(tmp_path, 3) / "1.png"
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(BadInput, match=r"1\.png cannot be read"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"names": {"kitchen": [3]}}, "'kitchen' has node 3; the nodes are 0 to 2"),
        ({"names": {"kitchen": [-1]}}, "'kitchen' has node -1"),
        ({"names": {"kitchen": []}}, "'kitchen' has no node"),
        ({"names": {"kitchen": "first"}}, "names.kitchen"),
        ({"nodes": {}}, "nodes"),
        ([], "the file"),
    ],
)
def test_wrong_names(tmp_path, content, message):
    (write(tmp_path, 3) / "names.json").write_text(json.dumps(content))
    with pytest.raises(BadInput) as excinfo:
        load(tmp_path)
    assert message in str(excinfo.value)


@settings(max_examples=30, deadline=None)
@given(noise=st.binary(max_size=60))
def test_no_bytes_for_names_do_more_than_bad_input(tmp_path_factory, noise):
    folder = write(tmp_path_factory.mktemp("map"), 1)
    (folder / "names.json").write_bytes(noise)
    with suppress(BadInput):
        load(folder)

"""Folders as users have them: unpacked archives, releases, the hub's cache, flax's steps, orbax."""

from __future__ import annotations

from pathlib import Path

import msgpack
import numpy as np
import pytest

from homie.kernel.errors import BadInput
from skills.checkpoints import read_checkpoint

ARRAY = msgpack.ExtType(1, msgpack.packb(((2,), "float32", np.ones(2, np.float32).tobytes())))


def tree(path: Path, **more: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgpack.packb({"params": {"a": ARRAY}, **more}))
    return path


def release(folder: Path) -> Path:
    (folder / "270000/default").mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    return tree(folder / "270000/default/checkpoint")


@pytest.mark.parametrize(
    "inside",
    [
        "checkpoint",
        "default/checkpoint",
        "checkpoint_900000",
        "300000/default/checkpoint",
        "b321733791_75882326_000900000/checkpoint",
        "octo-small-1.5/300000/default/checkpoint",
        "rt_1_x_jax/checkpoint_7",
    ],
)
def test_a_folder_with_one_checkpoint(tmp_path, inside):
    file = tree(tmp_path / "given" / inside)
    (tmp_path / "given/README.md").write_text("not this one")
    assert read_checkpoint(tmp_path / "given").path == file


def test_of_several_steps_the_highest_is_taken(tmp_path):
    for step in (900, 10000, 2000):
        tree(tmp_path / f"flax/checkpoint_{step}")
        tree(tmp_path / f"orbax/{step}/default/checkpoint")
    (tmp_path / "flax/checkpoint_99999.orbax-checkpoint-tmp").mkdir()
    for folder in ("flax", "orbax"):
        assert read_checkpoint(tmp_path / folder).step == 10000
    assert read_checkpoint(tmp_path / "orbax/900").step == 900


def test_of_several_releases_none_is_guessed(tmp_path):
    tree(tmp_path / "one/checkpoint")
    tree(tmp_path / "two/checkpoint")
    with pytest.raises(BadInput, match=r"several checkpoints, .*one/checkpoint, .*two/checkpoint: give one of them"):
        read_checkpoint(tmp_path)


def test_a_repository_in_the_cache_of_the_hub(tmp_path):
    """Files are links into `blobs` there, and what is beside the checkpoint in the snapshot belongs to it."""
    cache = tmp_path / "models--rail-berkeley--octo-small-1.5"
    checkpoint = release(tmp_path / "made")
    for name in ("old", "new"):
        snapshot = cache / "snapshots" / name
        (snapshot / "270000/default").mkdir(parents=True)
        (snapshot / "270000/default/checkpoint").symlink_to(checkpoint)
        (snapshot / "config.json").symlink_to(tmp_path / "made/config.json")
        if name == "old":
            assert read_checkpoint(cache).path == snapshot / "270000/default/checkpoint"  # the only one
    with pytest.raises(BadInput, match=r"holds 2 snapshots.*give .*snapshots/HASH"):
        read_checkpoint(cache)
    (cache / "refs").mkdir()
    (cache / "refs/main").write_text("new")
    read = read_checkpoint(cache)
    assert read.path == cache / "snapshots/new/270000/default/checkpoint"
    assert (read.step, read.extras) == (270000, {"config.json": {}})


@pytest.mark.parametrize("trace", ["_METADATA", "manifest.ocdbt", "default/ocdbt.process_0/manifest.ocdbt"])
def test_an_orbax_checkpoint_in_many_files_is_named(tmp_path, trace):
    (tmp_path / trace).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / trace).write_bytes(b"{}")
    with pytest.raises(BadInput, match=r"orbax checkpoint, whose arrays are in many files.*docs/policies\.md"):
        read_checkpoint(tmp_path)


def test_a_tree_that_only_names_its_arrays(tmp_path):
    path = tmp_path / "checkpoint"
    path.write_bytes(msgpack.packb({"params": {"a": "PLACEHOLDER://params.a"}}))
    with pytest.raises(BadInput, match=r"other files that orbax wrote beside it: docs/policies\.md"):
        read_checkpoint(tmp_path)


def test_a_folder_of_other_files_tells_what_it_holds(tmp_path):
    (tmp_path / "nomad.pth").write_bytes(b"x")
    with pytest.raises(BadInput, match=r"give the file itself; it holds nomad\.pth"):
        read_checkpoint(tmp_path)

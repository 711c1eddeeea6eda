"""Flax's msgpack files: read as flax reads them, and refused in a sentence when they are not what they should be."""

from __future__ import annotations

import json
from pathlib import Path

import msgpack
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from homie.kernel.errors import BadInput
from skills.checkpoints import read_checkpoint

WRITTEN_BY_FLAX = Path(__file__).parent / "flax_0_12.msgpack"
"""By flax.serialization 0.12.8 with arrays over 40 bytes in pieces: float32, float16, bfloat16, int32, a number."""


def array(shape: object = (2,), kind: str = "float32", data: object = bytes(8), code: int = 1) -> msgpack.ExtType:
    return msgpack.ExtType(code, msgpack.packb((shape, kind, data)))


def write(path: Path, tree: object) -> Path:
    path.write_bytes(msgpack.packb(tree))
    return path


def test_what_flax_wrote_is_read():
    read = read_checkpoint(WRITTEN_BY_FLAX)
    assert read.form == "flax msgpack"
    assert read.step == 900
    expected = {
        "params/Dense_0/kernel": torch.arange(24.0).reshape(2, 3, 4) / 8,
        "params/Dense_0/bias": torch.tensor([0.5, -2.0, 3.0], dtype=torch.bfloat16),
        "params/half": torch.tensor([1.5], dtype=torch.float16),
        "batch_stats/mean": torch.tensor([1, 2], dtype=torch.int32),
        "batch_stats/empty": torch.zeros(0, 3),
        "batch_stats/one": torch.tensor(2.5),
    }
    assert set(read.tensors) == set(expected)  # and nothing of the optimiser
    for name, tensor in expected.items():
        assert read.tensors[name].dtype == tensor.dtype
        assert torch.equal(read.tensors[name], tensor)


def test_a_tree_without_training_state_is_read_whole(tmp_path):
    tree = {"octo_transformer": {"a": array()}, "heads_action": {"b": {"c": array((1, 2))}}}
    read = read_checkpoint(write(tmp_path / "checkpoint", tree))
    assert {name: tuple(tensor.shape) for name, tensor in read.tensors.items()} == {
        "octo_transformer/a": (2,),
        "heads_action/b/c": (1, 2),
    }


def test_a_folder_with_the_file(tmp_path):
    write(tmp_path / "checkpoint", {"params": {"a": array()}})
    assert read_checkpoint(tmp_path).path == tmp_path / "checkpoint"


def octo_release(folder: Path, *steps: int) -> Path:
    for step in steps:
        (folder / f"{step}/default").mkdir(parents=True)
        write(folder / f"{step}/default/checkpoint", {"a": array()})
    (folder / "config.json").write_text(json.dumps({"model": {"repeat_task_tokens": True}}))
    (folder / "dataset_statistics.json").write_text(json.dumps({"bridge_dataset": {}}))
    return folder


@pytest.mark.parametrize("part", [".", "300000", "300000/default", "300000/default/checkpoint"])
def test_any_part_of_a_release_brings_its_statistics(tmp_path, part):
    read = read_checkpoint(octo_release(tmp_path, 300000) / part)
    assert read.step == 300000
    assert read.extras == {
        "config.json": {"model": {"repeat_task_tokens": True}},
        "dataset_statistics.json": {"bridge_dataset": {}},
    }


def test_the_last_step_of_a_release_is_taken(tmp_path):
    assert read_checkpoint(octo_release(tmp_path, 90000, 270000)).step == 270000


def test_a_release_with_damaged_statistics(tmp_path):
    (octo_release(tmp_path, 1) / "dataset_statistics.json").write_text("{")
    with pytest.raises(BadInput, match=r"dataset_statistics\.json: it is not valid JSON: "):
        read_checkpoint(tmp_path)


@pytest.mark.parametrize(
    ("leaf", "message"),
    [
        (array((3,)), "shape .3,. and type float32 has 8 bytes, not 12"),
        (array((2**62, 2**62)), "not"),
        (array((-2,)), "not .shape, type, bytes"),
        (array((True, 2)), "not .shape, type, bytes"),
        (array("ab"), "not .shape, type, bytes"),
        (array(data="text"), "not .shape, type, bytes"),
        (array(kind="object"), "type 'object'"),
        (array(kind="float128"), "type 'float128'"),
        (array(kind="S8"), "type 'S8'"),
        (array(code=2), "extension 2"),
        (array(code=77), "extension 77"),
        (msgpack.ExtType(1, b"\xc1"), "not a checkpoint"),
        (msgpack.ExtType(1, msgpack.packb({})), "not .shape, type, bytes"),
        (msgpack.ExtType(1, msgpack.packb(((2,), "float32", array()))), "not a checkpoint"),
        ("PLACEHOLDER://params.a", "in other files"),
        ("text", "'params/a' is a str"),
        ([array()], "'params/a' is a list"),
        (None, "'params/a' is a NoneType"),
        ({}, "holds no tensors"),
        ({"__msgpack_chunked_array__": True, "shape": {"0": 5}, "chunks": {"0": array(), "1": array()}}, "pieces"),
        ({"__msgpack_chunked_array__": True, "shape": {"0": 4}, "chunks": {"0": array(), "2": array()}}, "pieces"),
        ({"__msgpack_chunked_array__": True, "shape": {"0": -4}, "chunks": {"0": array(), "1": array()}}, "pieces"),
        ({"__msgpack_chunked_array__": True}, "pieces"),
    ],
)
def test_what_is_no_array_is_refused(tmp_path, leaf, message):
    with pytest.raises(BadInput, match=message):
        read_checkpoint(write(tmp_path / "checkpoint", {"params": {"a": leaf}}))


def test_one_name_for_two_arrays_is_refused(tmp_path):
    with pytest.raises(BadInput, match="'params/a/b' twice"):
        read_checkpoint(write(tmp_path / "checkpoint", {"params": {"a": {"b": array()}, "a/b": array()}}))


@pytest.mark.parametrize(
    "data",
    [
        b"\xdd\xff\xff\xff\xff" * 60,  # lists of 4 billion lists
        b"\xdf\xff\xff\xff\xff\xa1a",  # a branch with 4 billion entries
        b"\x81\xa1a" * 4000 + b"\xc0",  # too deep
        b"\x81\xa1a\xc9\xff\xff\xff\xff\x01",  # an array of 4 GiB that is not there
        b"\x81\xa1a\xc6\xff\xff\xff\xff",  # bytes that are not there
        b"\x81\xa1a\xc0\x00",  # more after the end
        b"\x81\x93\x01\x02\x03\xc0",  # a list as a name
    ],
)
def test_claims_that_the_file_does_not_keep(tmp_path, data):
    (tmp_path / "checkpoint").write_bytes(data)
    with pytest.raises(BadInput, match="not a checkpoint"):
        read_checkpoint(tmp_path)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(length=st.integers(0, WRITTEN_BY_FLAX.stat().st_size - 1))
def test_a_truncated_file_is_refused(tmp_path, length):
    path = tmp_path / "cut"
    path.write_bytes(WRITTEN_BY_FLAX.read_bytes()[:length])
    with pytest.raises(BadInput):
        read_checkpoint(path)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(tmp_path, data):
    damaged = bytearray(WRITTEN_BY_FLAX.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    path = tmp_path / "damaged"
    path.write_bytes(damaged)
    try:
        read = read_checkpoint(path)
    except BadInput:
        return
    assert all(isinstance(tensor, torch.Tensor) for tensor in read.tensors.values())


def test_trees_that_no_network_has(tmp_path):
    """Deeper than Python may recurse, and deeper than msgpack unpacks: both are reported in a sentence."""
    for depth, message in (
        (64, None),
        (65, "more than 64 branches deep"),
        (1000, "64 branches"),
        (5000, "not a checkpoint"),
    ):
        data = b"\x81\xa1a" * depth + msgpack.packb(array())
        path = tmp_path / f"deep{depth}"
        path.write_bytes(data)
        if message is None:
            assert list(read_checkpoint(path).tensors) == ["/".join("a" * depth)]
            continue
        with pytest.raises(BadInput, match=message):
            read_checkpoint(path)

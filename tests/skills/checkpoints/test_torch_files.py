"""Files of torch.save: read whole, never run, and refused in a sentence when they are not what they should be."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from malice import Runs, habitat, touches

from homie.kernel.errors import BadInput
from skills.checkpoints import read_checkpoint

STATE = {
    "actor_critic.net.a": torch.arange(6.0).reshape(2, 3),
    "actor_critic.actor.b": torch.tensor(3),
    "half": torch.ones(2, dtype=torch.float16),
}
FORMS = {"torch zip": True, "torch legacy": False}
form = pytest.mark.parametrize("form", FORMS)


def save(value: object, path: Path, form: str) -> Path:
    torch.save(value, path, _use_new_zipfile_serialization=FORMS[form])
    return path


def m3_file(path: Path, form: str, **more: object) -> Path:
    """As the authors write it: `config` is a class of habitat."""
    with habitat() as config:
        inside = config(
            {"TASK_CONFIG": config({"SEED": 100, "SENSORS": ["HEAD", ("ARM", None)]}), "LR": 2.5e-4, **more}
        )
        content = {"config": inside, "state_dict": STATE, "optim_state": {"lr": 1.0}, "num_steps_done": np.int64(9)}
        return save(content, path, form)


def have_same_tensors(first: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return list(first) == list(other) and all(
        first[name].dtype == other[name].dtype and torch.equal(first[name], other[name]) for name in first
    )


@form
def test_a_flat_state_dict_is_read_as_it_is(tmp_path, form):
    read = read_checkpoint(save(STATE, tmp_path / "a.pth", form))
    assert read.form == form
    assert have_same_tensors(dict(read.tensors), STATE)
    assert read.parameters == 9
    assert (read.step, read.config, read.extras) == (None, {}, {})


@form
def test_a_configuration_of_habitat_is_read_without_habitat(tmp_path, form):
    path = m3_file(tmp_path / "ckpt.10.pth", form, SCORE=np.float64(0.5), TABLE=np.arange(3))
    read = read_checkpoint(path)
    assert read.config == {
        "TASK_CONFIG": {"SEED": 100, "SENSORS": ["HEAD", ["ARM", None]]},
        "LR": 2.5e-4,
        "SCORE": 0.5,
        "TABLE": [0, 1, 2],
    }
    assert have_same_tensors(dict(read.tensors), STATE)
    assert read.step == 9


def test_the_hash_is_that_of_the_file(tmp_path):
    path = save(STATE, tmp_path / "a.pth", "torch zip")
    output = subprocess.run(["sha256sum", path], capture_output=True, text=True, check=True).stdout
    assert read_checkpoint(path).sha256 == output.split()[0]


@form
@pytest.mark.parametrize("place", ["whole", "entry", "in the configuration", "a value of the state dict"])
def test_code_in_a_pickle_is_not_run(tmp_path, form, place):
    marker = tmp_path / "it_ran"
    code = touches(marker)
    path = tmp_path / "evil.pth"
    if place == "in the configuration":
        m3_file(path, form, TRAP=code)
    else:
        content = {"whole": code, "entry": {"config": code, "state_dict": STATE}}
        save(content.get(place, {**STATE, "trap": code}), path, form)
    with pytest.raises(BadInput, match=r"posix\.system.*nothing in it was run"):
        read_checkpoint(path)
    assert not marker.exists()


def test_the_trap_is_one(tmp_path):
    """The files of the test above do run code where pickle reads them."""
    marker = tmp_path / "it_ran"
    path = save({"config": touches(marker)}, tmp_path / "evil.pth", "torch zip")
    torch.load(path, weights_only=False)
    assert marker.exists()


@pytest.mark.parametrize(
    ("trap", "named"),
    [
        (Runs(eval, "1"), "eval"),
        (Runs(getattr, "a", "upper"), "getattr"),
        (Runs(torch.hub.load, "a", "b"), "torch.hub.load"),
        (Runs(subprocess.Popen, ["true"]), "commands.Popen"),  # as Python 2 called it
        (Runs(pickle.loads, b"N."), "pickle.loads"),
        (Runs(np.load, "a.npy"), "numpy.load"),
        (Path("a"), "pathlib"),
    ],
)
def test_what_is_no_data_is_named(tmp_path, trap, named):
    with pytest.raises(BadInput) as excinfo:
        read_checkpoint(save({"a": trap}, tmp_path / "evil.pth", "torch zip"))
    assert f"wants to make a {named}" in str(excinfo.value)


def test_a_class_that_only_begins_like_habitat_is_refused(tmp_path):
    code = b"\x80\x02chabitat_evil\nConfig\n)\x81."
    path = tmp_path / "evil.pth"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", code)
        archive.writestr("archive/version", "3\n")
    with pytest.raises(BadInput, match=r"habitat_evil\.Config"):
        read_checkpoint(path)


def test_a_module_named_habitat_is_not_imported(tmp_path, monkeypatch):
    """The placeholder stands for a name; nothing of that name is looked for."""
    marker = tmp_path / "it_ran"
    (tmp_path / "habitat.py").write_text(f"open({str(marker)!r}, 'w')\n")
    path = m3_file(tmp_path / "ckpt.pth", "torch legacy")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert read_checkpoint(path).config["LR"] == 2.5e-4
    assert not marker.exists()
    assert "habitat" not in sys.modules


@form
def test_a_whole_module_is_refused_by_its_class(tmp_path, form):
    with pytest.raises(BadInput, match=r"torch\.nn\.modules\.linear\.Linear"):
        read_checkpoint(save(torch.nn.Linear(2, 2), tmp_path / "model.pth", form))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (torch.ones(3), "holds a Tensor, not a dictionary"),
        ([torch.ones(3)], "holds a list"),
        ({}, "holds no tensors"),
        ({"state_dict": {}}, "holds no tensors, but state_dict"),
        ({"epoch": 3, "model": [STATE]}, "is not a state dict.*epoch, model"),
        ({**STATE, "epoch": 3}, "is not a state dict.*: it holds epoch"),
        ({"a": torch.eye(3).to_sparse()}, "sparse"),
        ({"a": torch.empty(3, device="meta")}, "damaged|without values"),
        ({"a": torch.ones(1).expand(1000, 1000)}, "claims shape"),
    ],
)
def test_what_is_no_state_dict(tmp_path, content, message):
    with pytest.raises(BadInput, match=message):
        read_checkpoint(save(content, tmp_path / "a.pth", "torch zip"))


def test_files_that_are_something_else(tmp_path):
    files = {
        "empty": b"",
        "text.pth": b"hello, not a checkpoint\n" * 9,
        "html.pth": b"<!DOCTYPE html><html>Google Drive - Virus scan warning</html>",
        "pointer.pth": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        "pickle.pth": pickle.dumps({"a": 1}),
        "archive.tar": b"\x80" + b"\0" * 511,
        "png": b"\x89PNG\r\n\x1a\n" + bytes(64),
    }
    for name, data in files.items():
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(BadInput, match=name):
            read_checkpoint(path)
    with pytest.raises(BadInput, match="There is no checkpoint"):
        read_checkpoint(tmp_path / "nothing.pth")
    with pytest.raises(BadInput, match="holds no checkpoint in a layout that Homie knows"):
        read_checkpoint(tmp_path)


def test_entries_that_share_their_bytes_are_refused(tmp_path):
    """Many names for one record: small on the disk, each unpacked on its own."""
    honest, overlapping = tmp_path / "honest.pth", tmp_path / "overlapping.pth"
    torch.save({f"layer{number}": torch.zeros(1000) for number in range(8)}, honest)
    assert len(read_checkpoint(honest).tensors) == 8
    with zipfile.ZipFile(honest) as archive:
        records = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    with zipfile.ZipFile(overlapping, "w") as archive:
        for name, data in records.items():
            if "/data/" not in name or name.endswith("/data/0"):
                archive.writestr(name, data)
        first = next(entry for entry in archive.filelist if entry.filename.endswith("/data/0"))
        for number in range(1, 8):
            other = copy.copy(first)
            other.filename = f"{first.filename[:-1]}{number}"
            archive.filelist.append(other)
            archive.NameToInfo[other.filename] = other
        archive._didModify = True
    assert overlapping.stat().st_size < 3 * 4000
    with pytest.raises(BadInput, match=r"overlapping\.pth is a zip file whose entries claim [\d,]+ bytes, more than"):
        read_checkpoint(overlapping)


def test_weights_under_the_names_of_trainings(tmp_path):
    """Beside an optimiser, and with what DataParallel puts before every name."""
    state = {"encoder.weight": torch.arange(3.0), "head.bias": torch.ones(1)}
    parallel = {f"module.{name}": tensor for name, tensor in state.items()}
    for name, content in {
        "flat": state,
        "parallel": parallel,
        "nested": {"epoch": 7, "model_state_dict": state, "optimizer": {"lr": 0.1}},
        "both": {"state_dict": parallel, "num_steps_done": 3},
    }.items():
        torch.save(content, tmp_path / name)
        read = read_checkpoint(tmp_path / name)
        assert list(read.tensors) == list(state), name
        assert torch.equal(read.tensors["encoder.weight"], state["encoder.weight"])
    torch.save({"module.weight": torch.ones(1), "weight": torch.zeros(1)}, tmp_path / "mixed")
    assert list(read_checkpoint(tmp_path / "mixed").tensors) == ["module.weight", "weight"]


def test_zip_files_that_are_something_else(tmp_path):
    other, program, bomb = tmp_path / "other.zip", tmp_path / "program.pt", tmp_path / "bomb.pth"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("readme.txt", "no")
    with zipfile.ZipFile(program, "w") as archive:
        archive.writestr("program/data.pkl", b"\x80\x02N.")
        archive.writestr("program/constants.pkl", b"\x80\x02).")
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", bytes(2**24))
    for path, message in ((other, "not one that torch.save wrote"), (program, "TorchScript"), (bomb, "compressed")):
        with pytest.raises(BadInput, match=message):
            read_checkpoint(path)


@pytest.fixture(scope="module")
def intact_files(tmp_path_factory):
    """The bytes of a small file of each form, and a folder to write damaged ones to."""
    folder = tmp_path_factory.mktemp("files")
    data = {form: m3_file(folder / "m3.pth", form).read_bytes() for form in FORMS}
    return folder, data


@form
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_truncated_file_is_refused(intact_files, form, data):
    folder, files = intact_files
    length = data.draw(st.integers(0, len(files[form]) - 1))
    path = folder / "cut.pth"
    path.write_bytes(files[form][:length])
    with pytest.raises(BadInput):
        read_checkpoint(path)


@form
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(intact_files, form, data):
    folder, files = intact_files
    damaged = bytearray(files[form])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    path = folder / "damaged.pth"
    path.write_bytes(damaged)
    try:
        read = read_checkpoint(path)
    except BadInput:
        return
    assert all(isinstance(tensor, torch.Tensor) for tensor in read.tensors.values())

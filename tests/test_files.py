"""Files that survive what happens to them."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
import yaml
from pydantic import BaseModel

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.files import DISK, place_of, reading, slug, sync_folder, to_json, write_atomically, writing

FULL = """
import resource, sys
from pathlib import Path
from homie.kernel.support.files import write_atomically
write_atomically(Path("page.html"), b"the first")
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    write_atomically(Path("page.html"), b"x" * 1000)
except OSError as error:
    print(error.errno)
"""


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    completed = subprocess.run([sys.executable, "-c", FULL], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert completed.stdout.strip() == "27"  # EFBIG
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_bytes() == b"the first"


def test_a_file_is_on_the_disk_before_it_has_its_name_and_the_name_after_it(tmp_path, monkeypatch):
    path, synced, sync = tmp_path / "page.html", [], os.fsync

    def watched(descriptor):
        about = os.fstat(descriptor)
        synced.append("folder" if stat.S_ISDIR(about.st_mode) else about.st_size)
        synced.append(path.exists())
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    before = len(os.listdir("/dev/fd"))
    write_atomically(path, b"seven b")
    assert synced == [7, False, "folder", True] and path.read_bytes() == b"seven b"
    sync_folder(tmp_path)
    assert synced[4:] == ["folder", True] and len(os.listdir("/dev/fd")) == before
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "none" / "page.html", b"x")
    path.with_name(".page.html.tmp").write_bytes(b"left by a kill, and longer than what follows")
    write_atomically(path, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"] and path.read_bytes() == b"new"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "page.html"
    path.write_bytes(b"the first")
    path.chmod(mode)
    write_atomically(path, b"the second")
    assert path.read_bytes() == b"the second" and stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_mode_of_any_new_file(tmp_path):
    path, other = tmp_path / "page.html", tmp_path / "other.html"
    other.touch()
    leftover = tmp_path / ".page.html.tmp"
    leftover.touch(0o600)  # by a kill
    write_atomically(path, b"a page")
    assert path.stat().st_mode == other.stat().st_mode


def test_where_a_path_leads(tmp_path):
    (tmp_path / "page.html").symlink_to("other.html")
    assert place_of(tmp_path / "." / "page.html") == tmp_path.resolve() / "other.html"
    (tmp_path / "loop").symlink_to("loop")
    assert place_of(tmp_path / "loop") == tmp_path.resolve() / "loop"
    assert place_of(tmp_path / "a\0b") == tmp_path / "a\0b"


def test_pipes_and_devices_are_written_into_and_stay(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    descriptor = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        write_atomically(pipe, b"a page")
        assert os.read(descriptor, 100) == b"a page" and stat.S_ISFIFO(pipe.stat().st_mode)
    finally:
        os.close(descriptor)
    with (tmp_path / "page.html").open("wb") as file:
        write_atomically(Path(f"/dev/fd/{file.fileno()}"), b"a page")
    assert (tmp_path / "page.html").read_bytes() == b"a page"


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="this system has no /dev/shm")
def test_a_link_is_followed_and_stays(tmp_path):
    (tmp_path / "kept").mkdir()
    link = tmp_path / "page.html"
    link.symlink_to("kept/page.html")
    for text in (b"first", b"second"):
        write_atomically(link, text)
        assert link.is_symlink() and (tmp_path / "kept/page.html").read_bytes() == text
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["kept", "page.html", "page.html"]
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(OSError, match="symbolic links"):
        write_atomically(link, b"third")
    assert link.is_symlink()


def test_a_file_in_shared_memory_is_replaced_as_a_whole():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "page.html"
        path.write_bytes(b"the first")
        with path.open("rb") as earlier:
            write_atomically(path, b"a page")
            assert earlier.read() == b"the first", "who has it open reads what was there, not half of each"
        assert path.read_bytes() == b"a page"


@pytest.mark.parametrize("path", [".", "/", "..", ""])
def test_a_folder_without_a_name_cannot_be_written(path):
    with pytest.raises(IsADirectoryError, match="Is a directory"):
        write_atomically(Path(path), b"x")


def test_a_name_that_is_taken_by_a_folder_leaves_no_temporary_file(tmp_path):
    (tmp_path / "page.html").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_atomically(tmp_path / "page.html", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": 1.5, 2: None}, '{"a": 1.5, "2": null}'),
        ([float("nan"), float("inf"), -float("inf"), 0.0, np.float64(0.25)], "[null, null, null, 0.0, 0.25]"),
        ((True, "ä", ("x",), []), '[true, "ä", ["x"], []]'),
        ({"deep": [{"er": float("nan")}]}, '{"deep": [{"er": null}]}'),
    ],
)
def test_json_that_every_parser_reads(value, text):
    assert to_json(value, indent=None) == f"{text}\n".encode()


def test_json_is_indented_for_people_and_escapes_half_a_character():
    assert to_json({"a": [1]}) == b'{\n  "a": [\n    1\n  ]\n}\n'
    assert to_json("\ud800", indent=None) == b'"\\ud800"\n'


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Put the red_apple into the bowl!", "put-the-red-apple-into-the-bowl"),
        ("ÄPFEL 7", "äpfel-7"),
        ("!?", "task"),
        ("a" * 23 + " " + "b" * 24, "a" * 23 + "-" + "b" * 24),
        ("a" * 23 + " " + "b" * 25, "a" * 23),
        ("a" * 23 + " " + "b" * 25 + " c", "a" * 23),
        ("a" * 60 + " b", "a" * 48),
        ("a" * 47 + " b", "a" * 47),
    ],
)
def test_a_text_as_a_file_name(text, name):
    assert slug(text) == name


def test_a_file_name_may_be_shorter():
    assert slug("ab cd ef", 4) == "ab" and slug("ab cd ef", 5) == "ab-cd" and slug("abcdefg", 4) == "abcd"
    assert errno.ENOSPC in DISK and errno.ENOENT not in DISK


class Cup(BaseModel):
    """What a file in these tests is to hold."""

    size: int


def parse(path):
    text = path.read_text(encoding="utf-8")
    return Cup.model_validate(json.loads(text) if path.suffix == ".json" else yaml.safe_load(text))


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("none.json", None, "No such file or directory"),
        ("cup.json", b"\xff", "it is not text in UTF-8"),
        ("cup.json", b'{"size":\n}', "it is not valid JSON: Expecting value in line 2, column 1"),
        ("cup.json", b"[" * 100_000, "it is nested too deeply"),
        ("cup.json", b"{}", "size is missing"),
        ("cup.json", b"3", "the file must be a mapping of names to values (got 3)"),
        (
            "cup.json",
            b"1" * 5000,
            "Exceeds the limit (4300 digits) for integer string conversion",
        ),
        ("cup.yaml", b"size: [", "it is not valid YAML: expected the node content, but found '<stream end>' in line 1"),
        ("cup.yaml", b"size: \x07", "it is not valid YAML: unacceptable character #x0007"),
        ("cup.yaml", b"size: 2026-13-01", "month must be in 1..12"),
    ],
)
def test_whatever_is_wrong_with_a_file_is_one_sentence_of_one_form(tmp_path, name, data, reason):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(BadInput) as refusal, reading(path, "the cup", advice="Give another."):
        parse(path)
    sentence = str(refusal.value)
    assert sentence.startswith(f"Cannot read the cup {path}: {reason}") and sentence.endswith(". Give another.")
    assert "\n" not in sentence and ".." not in sentence.replace("1..12", "").removeprefix(f"{tmp_path}")
    with pytest.raises(BadInput, match=f"^Cannot read {path}: "), reading(path):
        parse(path)


def test_a_sound_file_and_a_mistake_of_the_program_pass(tmp_path):
    (tmp_path / "cup.yaml").write_text("size: 3")
    with reading(tmp_path / "cup.yaml"):
        assert parse(tmp_path / "cup.yaml") == Cup(size=3)
    with pytest.raises(KeyError), reading("cup.yaml"):
        raise KeyError("a bug")
    with pytest.raises(BadInput, match=r"^the sentence of somebody else$"), reading("cup.yaml"):
        raise BadInput("the sentence of somebody else")


def test_a_file_that_cannot_be_written_is_a_sentence_too(tmp_path):
    with pytest.raises(BadInput) as refusal, writing(tmp_path, "the page to"):
        tmp_path.write_bytes(b"")
    assert str(refusal.value) == f"Cannot write the page to {tmp_path}: Is a directory."
    with (
        pytest.raises(InfrastructureError, match=r"^Cannot write into out: disk on fire\. Make room\.$"),
        writing("out", "into", advice="Make room.", raises=InfrastructureError),
    ):
        raise OSError("disk on fire.")
    with pytest.raises(ValueError, match="a bug"), writing(Path("out")):
        raise ValueError("a bug")

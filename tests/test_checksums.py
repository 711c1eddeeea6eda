"""Files with their checksums: damaged or edited files are detected."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.kernel.support.checksums import BLOCK, WHOLE, FileMark, fingerprint, mark, seal, unseal

VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=6)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
@settings(max_examples=30)
def test_what_was_sealed_is_read_and_its_checksum_comes_last(value: dict[str, object]) -> None:
    data = seal({**value, "format": 2})
    loaded = json.loads(data)
    assert list(loaded)[-1] == "checksum" and len(loaded["checksum"]) == 64
    assert unseal(data) == {name: read for name, read in loaded.items() if name != "checksum"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is empty"),
        (b"{", r"it is not valid JSON: Expecting property name.* in line 1, column 2"),
        (b"\xff", r"it is not text in UTF-8"),
        (b"[1, 2]", "it holds no JSON object"),
        (b"3", "it holds no JSON object"),
        (b"[" * 100_000, r"it is nested too deeply .*"),
        (b'{"format": 2}', "its checksum is missing"),
        (b'{"format": 2, "checksum": "00"}', "its content is not what was written: the checksum differs"),
        (b'{"format": 1, "checksum": "00"}', "its content is not what was written: the checksum differs"),
        (seal({"format": 2, "seed": 7}).replace(b"7", b"8", 1), "the checksum differs"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^{message}$" if message.startswith("it ") else message):
        unseal(data)


def test_files_of_homie_0_1_have_no_checksum() -> None:
    assert unseal(b'{"format": 1, "seed": 7}') == {"format": 1, "seed": 7}
    assert unseal(b'{"seed": 7}') == {"seed": 7}


def test_the_mark_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    path.write_bytes(b"abc")
    digest = hashlib.sha256(b"abc").hexdigest()
    assert mark(path) == FileMark(bytes=3, sha256=digest) and mark(path, content=False) == FileMark(bytes=3, sha256="")


def test_a_fingerprint_is_of_names_lengths_and_contents(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.bin").write_bytes(b"one")
    (folder / "inner" / "b.bin").write_bytes(b"two")
    first = fingerprint(folder)
    assert first == fingerprint(folder) and len(first) == 64
    (folder / "link.bin").symlink_to(folder / "a.bin")
    linked = fingerprint(folder)
    (folder / "link.bin").unlink()
    (folder / "link.bin").write_bytes(b"one")
    assert linked == fingerprint(folder) != first, "what a link leads to counts"
    (folder / "link.bin").unlink()
    (folder / "a.bin").rename(folder / "c.bin")
    assert fingerprint(folder) != first
    (folder / "c.bin").rename(folder / "a.bin")
    (folder / "a.bin").write_bytes(b"onetwo")
    (folder / "inner" / "b.bin").write_bytes(b"")
    assert fingerprint(folder) != first, "what moves from one file to another"
    assert fingerprint(folder / "a.bin") != fingerprint(folder / "inner" / "b.bin")
    (tmp_path / "d.bin").write_bytes(b"onetwo")
    assert fingerprint(folder / "a.bin") == fingerprint(tmp_path / "d.bin"), "a file alone has no name"


@pytest.mark.parametrize(("size", "counts"), [(WHOLE * BLOCK, True), (WHOLE * BLOCK + 1, False)])
def test_of_a_long_file_each_64th_block_counts(tmp_path: Path, size: int, counts: bool) -> None:
    path = tmp_path / "weights.bin"
    with path.open("wb") as file:
        file.truncate(size)  # takes no room on the disk
    before = fingerprint(path)

    def changed_at(place: int) -> str:
        with path.open("r+b") as file:
            file.seek(place)
            file.write(b"x")
        return fingerprint(path)

    assert (changed_at(BLOCK) != before) is counts, "in the second block"
    if not counts:
        assert changed_at(BLOCK - 1) != before, "in the first"
        before = fingerprint(path)
        assert changed_at(WHOLE * BLOCK) != before, "in the 65th"

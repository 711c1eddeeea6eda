"""What people say about an episode: what makes no sense is refused, and what was said last counts."""

from __future__ import annotations

import pytest

from homie.data.recording.notes import NOTES, add_note, analyses, is_discarded, mark_of, note, read_notes
from homie.kernel.errors import BadInput


@pytest.mark.parametrize(
    ("kind", "text", "round", "sentence"),
    [
        ("mark", "fine", None, r"^An episode is marked 'success' or 'failure' \(got 'fine'\)\.$"),
        ("mark", "", None, r"\(got ''\)"),
        ("analysis", "it is shut", None, r"^An analysis is of a round: say which\.$"),
        ("analysis", "  ", 3, r"^The note is empty: write what is to be remembered\.$"),
        ("remark", "", None, r"^The note is empty"),
        ("analysis", "it is shut", 0, r"^The note cannot be kept: round"),
        ("remark", "x" * 10_001, None, r"^The note cannot be kept: text"),
        ("shout", "x", None, r"^The note cannot be kept: kind"),
    ],
)
def test_what_means_nothing_is_refused(kind, text, round, sentence):
    with pytest.raises(BadInput, match=sentence):
        note(kind, text, round=round)


def test_what_is_kept():
    message = note("analysis", "  it is shut \n", round=3, stamp=0.0)
    assert (message.kind, message.text, message.round, message.stamp) == ("analysis", "it is shut", 3, 0.0)
    assert message.at.endswith("+00:00") and "." in message.at
    assert note("remark", "x" * 10_000).text == "x" * 10_000
    for kind in ("discard", "keep"):
        assert note(kind).text == ""
    with pytest.raises(BadInput, match="stamp"):
        note("remark", "x", stamp=-0.1)


def test_what_was_said_last_counts(tmp_path):
    assert read_notes(tmp_path) == () and mark_of(()) is None and not is_discarded(())
    reported = [
        note("mark", "failure"),
        note("discard"),
        note("analysis", "first", round=1),
        note("analysis", "second", round=2),
        note("remark", "success"),
    ]
    for each in reported:
        add_note(tmp_path, each)
    notes = read_notes(tmp_path)
    assert list(notes) == reported
    assert mark_of(notes) == "failure" and is_discarded(notes)
    assert analyses(notes) == {1: "first", 2: "second"}
    for each in (note("mark", "success"), note("keep"), note("analysis", "better", round=1)):
        add_note(tmp_path, each)
    notes = read_notes(tmp_path)
    assert mark_of(notes) == "success" and not is_discarded(notes)
    assert analyses(notes) == {1: "better", 2: "second"}


def test_a_last_line_that_a_kill_has_torn_is_left_out_with_a_warning(tmp_path):
    add_note(tmp_path, note("mark", "success"))
    path = tmp_path / NOTES
    path.write_bytes(path.read_bytes() + b'{"kind": "mark", "te')
    torn = rf"^{path}: left out a last line that a kill has torn \(20 bytes\)\.$"
    with pytest.warns(UserWarning, match=torn):
        assert mark_of(read_notes(tmp_path)) == "success"
    with pytest.warns(UserWarning, match=torn):
        add_note(tmp_path, note("mark", "failure"))
    assert mark_of(read_notes(tmp_path)) == "failure" and len(read_notes(tmp_path)) == 2
    assert path.read_bytes().endswith(b"}\n") and path.read_bytes().count(b"\n") == 2


def test_a_whole_last_line_without_its_line_feed_is_kept(tmp_path):
    add_note(tmp_path, note("discard"))
    path = tmp_path / NOTES
    path.write_bytes(path.read_bytes()[:-1])
    assert is_discarded(read_notes(tmp_path))
    add_note(tmp_path, note("remark", "so it is"))
    assert is_discarded(read_notes(tmp_path)) and len(read_notes(tmp_path)) == 2


@pytest.mark.parametrize("line", [b'{"kind": "disc', b"\0" * 40, b'{"kind": "discarded"}', b"[" * 100])
def test_a_damaged_line_is_refused_for_it_may_be_a_discard(tmp_path, line):
    for _ in range(2):
        add_note(tmp_path, note("mark", "success"))
    path = tmp_path / NOTES
    first, second = path.read_bytes().splitlines(keepends=True)
    for damaged, number in ((line + b"\n" + second, 1), (first + line + b"\n", 2)):
        path.write_bytes(damaged)
        with pytest.raises(
            BadInput, match=rf"^{path} is damaged in line {number} \(.*\): restore the file from a copy"
        ):
            read_notes(tmp_path)


def test_half_a_character_in_a_file_is_the_fault_of_the_file(tmp_path):
    (tmp_path / NOTES).write_text('{"kind": "remark", "text": "go \\udcc3"}\n')
    with pytest.raises(BadInput) as excinfo:
        read_notes(tmp_path)
    why = "text is text that cannot be written: its character 4 is \\udcc3, which is half of one"
    assert str(excinfo.value).startswith(f"{tmp_path / NOTES} is damaged in line 1 ({why}): restore")


def test_a_note_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / NOTES).mkdir()
    with pytest.raises(BadInput, match=rf"^Cannot write the note into {tmp_path}/{NOTES}: Is a directory\.$"):
        add_note(tmp_path, note("mark", "success"))

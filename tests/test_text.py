"""What strangers say, made safe to show."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.support.text import format_count, json_safe, printable

FORBIDDEN = set(map(chr, [*range(32), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)])) - {
    "\n",
    "\t",
}


@given(st.text(st.characters()))
def test_nothing_that_moves_a_cursor_is_left(text):
    printed = printable(text)
    assert not FORBIDDEN & set(printed)
    printed.encode("utf-8")
    assert printable(printed) == printed


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("apple\x1b[31m", r"apple\x1b[31m"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b2J", r"\x9b2J"),
        ("top\rbottom", r"top\rbottom"),
        ("elppa\u202e", r"elppa\u202e"),
        ("plain: Äpfel, りんご\tand\nlines", "plain: Äpfel, りんご\tand\nlines"),
    ],
)
def test_escapes_are_written_out(text, printed):
    assert printable(text) == printed


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_for_a_terminal_says_the_same(text):
    printed = json_safe(json.dumps({"said": text}, ensure_ascii=False))
    assert json.loads(printed) == {"said": text}
    assert not FORBIDDEN & set(printed)


def test_numbers_agree_with_their_nouns():
    assert [format_count(n, "round") for n in (0, 1, 2)] == ["0 rounds", "1 round", "2 rounds"]
    assert format_count(2, "try", "tries") == "2 tries"
    assert format_count(1, "try", "tries") == "1 try" and format_count(-1, "s") == "-1 ss"
    assert json_safe('"\x1b"') == r'"\u001b"'

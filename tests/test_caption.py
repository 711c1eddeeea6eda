"""The panel under the pictures of a video, against pictures of it that a person has looked at (tests/golden/captions).

Where Pillow or the design has changed, write them anew and look at them: python tests/test_caption.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture
from PIL import ImageFont

from homie.kernel.types import Image
from homie.runtime import caption
from homie.runtime.caption import Caption, draw_caption, label, wrap

GOLDEN = Path(__file__).parent / "golden" / "captions"
STEPS = ("[Go to, fridge]", "[Open, fridge]", "[Go to, kitchen counter]", "[Pick, tomato soup can]", "[Close, fridge]")
CAPTIONS = {
    "nothing": Caption(),
    "short": Caption(
        task="put the ball in the box",
        round=3,
        decision="[Pick, ball]",
        analysis="The ball is in front of me.",
        model="octo",
        state="success",
        tone="good",
        inventory="ball",
        history=(("[Go to, ball]", True), ("[Pick, ball]", False)),
        clock=7.26,
    ),
    "long": Caption(
        task="find the tomato can, open the fridge, put the can on its upper shelf, close the fridge and wait here",
        round=12,
        decision="[Go to, kitchen counter], [Pick, tomato soup can], [Go to, fridge], [Put, tomato soup can, fridge]",
        analysis=" ".join(["The can stands on the counter beside the sink, and the fridge is open."] * 4),
        model="RT-1-X",
        state="attempt 2 with classical/pick: the object was lost on the way, and then for a while nothing could be "
        "seen of it from where the robot stood, so that it had to go round the table to look for it again",
        tone="bad",
        inventory="a potted meat can that is far too long for its line",
        history=tuple((f"({number}) {text}", number % 3 > 0) for number, text in enumerate(STEPS * 3, 1)),
        clock=1234.56,
        speed=4.0,
    ),
    "unbroken": Caption(
        task="x" * 200,
        decision="y" * 150,
        analysis="z" * 300,
        state="w" * 90,
        history=((("v" * 40), True),),
        speed=2.5,
    ),
}


def pictures() -> dict[str, Image]:
    """What is compared, by name."""
    drawn = {name: draw_caption(each) for name, each in CAPTIONS.items()}
    ground = np.full((34, 190, 3), 60, np.uint8)
    return {**drawn, "label": label(ground, "robot's head camera")}


@pytest.mark.parametrize("name", [*CAPTIONS, "label"])
def test_it_looks_as_it_did_when_somebody_looked(name: str) -> None:
    drawn = pictures()[name].astype(int)
    golden = np.asarray(Picture.open(GOLDEN / f"{name}.png").convert("RGB")).astype(int)
    assert drawn.shape == golden.shape
    ink = np.abs(golden - caption.BACKGROUND).sum()
    # Another FreeType may draw an edge a shade darker; a line that is one pixel off makes more than this.
    assert np.abs(drawn - golden).sum() <= 0.004 * ink


def test_the_clock_alone_changes_from_frame_to_frame() -> None:
    first, later = (draw_caption(CAPTIONS["short"].change(clock=clock)) for clock in (7.26, 9.0))
    rows, columns = np.nonzero((first != later).any(axis=2))
    assert len(rows) and rows.max() < 40 and columns.min() > caption.WIDTH - 200


def test_a_short_decision_leaves_two_lines_for_the_analysis() -> None:
    words = "The can stands on the counter beside the sink, and the fridge is open. " * 6
    panel = draw_caption(Caption(decision="[Pick, can]", analysis=words))
    ink = (panel[:, : caption.COLUMN] != caption.BACKGROUND).any(axis=(1, 2))
    starts = np.nonzero(ink & ~np.roll(ink, 1))[0]
    assert [int(start) for start in starts if start > 70] == pytest.approx([82, 108], abs=5)


def wide(width: int, size: int, letters: str = "m") -> str:
    """A text of exactly so many pixels: letters, then points as narrow as it takes."""
    font = ImageFont.load_default(size)
    text = letters * int((width - 60) // font.getlength(letters))
    for narrow in range(20):
        for middling in range(20):
            longer = text + "x" * middling + "." * narrow
            if font.getlength(longer) == width:
                return longer
    raise AssertionError("no such text")


def test_a_line_is_full_when_it_is_full() -> None:
    font = ImageFont.load_default(18)
    assert isinstance(font, ImageFont.FreeTypeFont)
    full = wide(816, 18)
    assert wrap(full, font, 816) == [full] and wrap(f"{full[:9]} {full[10:]}", font, 900)[1:] == []
    assert wrap("ab cd", font, int(font.getlength("ab cd"))) == ["ab cd"]
    assert wrap("WWWW", font, int(font.getlength("WW"))) == ["WW", "WW"]
    assert wrap("WWW", font, int(font.getlength("WW"))) == ["WW", "W"]
    assert wrap("WWWW", font, int(font.getlength("WW")) - 1) == ["W"] * 4


def test_what_is_too_long_ends_with_points_and_keeps_all_that_fits() -> None:
    font = ImageFont.load_default(18)
    for letter in "mWx":
        most = max(n for n in range(40, 100) if font.getlength(letter * n + " ...") <= 816)
        shortened, short = (draw_caption(Caption(task=text)) for text in (letter * 150, letter * most + " ..."))
        assert (shortened == short).all()
    exact = wide(816 - round(font.getlength("m ...") - font.getlength("m")), 18) + " ..."
    assert font.getlength(exact) == 816
    assert (draw_caption(Caption(task=exact[:-4] + "m" * 90)) == draw_caption(Caption(task=exact))).all()


def test_the_history_takes_what_fits_on_two_lines_and_no_more() -> None:
    def drawn(*texts: str) -> Image:
        return draw_caption(Caption(history=tuple((text, True) for text in texts)))

    def rows(*texts: str) -> list[bool]:
        """Whether something stands on the upper and on the lower line."""
        panel = drawn(*texts)[:, : caption.COLUMN]
        green = (panel == caption.TONES["good"]).all(axis=2).any(axis=1)
        return [bool(green[caption.STRIP + start : caption.STRIP + start + 28].any()) for start in (0, 34)]

    half = "m"  # with its box and the gap behind it as near to half of a line as can be
    while ImageFont.load_default(17).getlength(half + ".") <= 380:
        half += "."
    assert rows(half) == rows(half, half) == [True, False], "two halves are a line"
    assert rows(half + "mm", half) == rows(half, half, half) == [True, True]
    upper = (drawn(half, half, half, half)[caption.STRIP : caption.STRIP + 28] == caption.TONES["good"]).all(axis=2)
    assert np.nonzero(upper.any(axis=0))[0].max() > 700, "the older two fill their line"
    assert (drawn("first", half, half, half, half) == drawn(half, half, half, half)).all()
    assert (drawn("first", half, half, half) != drawn(half, half, half)).any()
    assert (drawn(half, half + "mm", half, half) == drawn(half + "mm", half, half)).all()


def test_the_columns_are_parted_by_a_line() -> None:
    column = draw_caption(Caption())[:, caption.COLUMN]
    drawn = (column != caption.BACKGROUND).any(axis=1)
    assert (np.nonzero(drawn)[0] == np.arange(14, 195)).all() and (column[drawn] == (60, 64, 72)).all()


def test_the_name_of_a_picture_stands_on_a_ground_of_its_own() -> None:
    ground = np.full((60, 300, 3), 200, np.uint8)
    named = label(ground, "from outside")
    font = ImageFont.load_default(18)
    left, top, right, bottom = (round(side) for side in font.getbbox("from outside"))
    changed = (named != 200).all(axis=2)
    rows, columns = (np.nonzero(changed.any(axis=axis))[0] for axis in (1, 0))
    assert (rows.min(), rows.max()) == (12 + top - 4, 12 + bottom + 4)
    assert (columns.min(), columns.max()) == (16 + left - 6, 16 + right + 6)
    assert (ground == 200).all(), "the picture itself is left as it is"


if __name__ == "__main__":
    for name, picture in pictures().items():
        Picture.fromarray(picture).save(GOLDEN / f"{name}.png", optimize=True)

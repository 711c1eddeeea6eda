"""The text panel under the pictures of a video, and their names.

The font comes with Pillow, so every machine draws the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, Literal

import numpy as np
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from homie.kernel.types import Image

WIDTH, HEIGHT = 1280, 208
COLUMN = 832
MARGIN = 16
STRIP = HEIGHT - 54
"""Where the history begins: two lines of what was done."""
BACKGROUND = (18, 20, 24)
WHITE, GREY = (238, 238, 238), (150, 156, 166)
TONES = {"good": (96, 211, 120), "bad": (255, 110, 98), "plain": (240, 200, 90)}


@dataclass(frozen=True, slots=True)
class Caption:
    """What the panel says. history: subtasks and whether they succeeded. clock: seconds of robot time; speed: how many
    of them pass in one second of video."""

    task: str = ""
    round: int = 0
    decision: str = ""
    analysis: str = ""
    model: str = ""
    state: str = ""
    tone: Literal["good", "bad", "plain"] = "plain"
    inventory: str = "nothing"
    history: tuple[tuple[str, bool], ...] = ()
    clock: float = 0.0
    speed: float = 1.0

    def change(self, **fields: Any) -> Caption:
        """The caption with some fields replaced."""
        return replace(self, **fields)


def draw_caption(caption: Caption) -> Image:
    """The panel, (HEIGHT, WIDTH, 3)."""
    panel = _still(replace(caption, clock=0.0)).copy()
    draw = ImageDraw.Draw(panel)
    clock = f"{caption.clock:.1f} s  ·  {caption.speed:g}x"
    draw.text((WIDTH - MARGIN, 10), clock, font=_font(18), fill=GREY, anchor="ra")
    return np.asarray(panel)


def label(picture: Image, text: str) -> Image:
    """A picture (H, W, 3) with its name in the upper left corner."""
    drawn = Picture.fromarray(picture)
    draw = ImageDraw.Draw(drawn)
    left, top, right, bottom = draw.textbbox((MARGIN, 12), text, font=_font(18))
    draw.rectangle((left - 6, top - 4, right + 6, bottom + 4), fill=BACKGROUND)
    draw.text((MARGIN, 12), text, font=_font(18), fill=GREY)
    return np.asarray(drawn)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)  # Pillow >= 10.1 built with FreeType, as its wheels are
    return font


@lru_cache(maxsize=1)
def _still(caption: Caption) -> Picture.Image:
    """All but the clock: most frames of a video differ from the one before in nothing else."""
    panel = Picture.new("RGB", (WIDTH, HEIGHT), BACKGROUND)
    draw = ImageDraw.Draw(panel)
    left, right, y = MARGIN, COLUMN + MARGIN, 10
    y = _write(draw, (left, y), caption.task, 18, GREY, COLUMN - left, lines=1)
    y = _write(draw, (left, y + 4), caption.decision, 28, WHITE, COLUMN - left, lines=2)
    about = f"{caption.analysis}  ({caption.model})" if caption.model else caption.analysis
    _write(draw, (left, y + 4), about, 18, GREY, COLUMN - left, lines=(STRIP - y) // 23)
    _write_history(draw, caption.history)
    draw.line([(COLUMN, 14), (COLUMN, HEIGHT - 14)], fill=(60, 64, 72), width=1)
    draw.text((right, 10), f"round {caption.round}", font=_font(18), fill=GREY)
    y = _write(draw, (right, 37), f"in the hand: {caption.inventory}", 20, WHITE, WIDTH - right - MARGIN, lines=1)
    _write(draw, (right, y + 8), caption.state, 22, TONES[caption.tone], WIDTH - right - MARGIN, lines=4)
    return panel


def _write(
    draw: ImageDraw.ImageDraw,
    at: tuple[int, int],
    text: str,
    size: int,
    colour: tuple[int, int, int],
    width: int,
    lines: int,
) -> int:
    """Write a text wrapped to `width` pixels and at most `lines` lines; the y below it."""
    font, step = _font(size), round(size * 1.3)
    wrapped = wrap(text, font, width)
    if len(wrapped) > lines:
        wrapped = [*wrapped[: lines - 1], _shorten(wrapped[lines - 1], font, width)]
    for number, line in enumerate(wrapped):
        draw.text((at[0], at[1] + number * step), line, font=font, fill=colour)
    return at[1] + max(1, len(wrapped)) * step


def _write_history(draw: ImageDraw.ImageDraw, history: tuple[tuple[str, bool], ...]) -> None:
    """As many of the last subtasks as fit on two lines, oldest first, green or red."""
    font, step, gap = _font(15), 22, 14
    lines: list[list[tuple[str, bool]]] = [[]]
    used = 0.0
    for text, ok in reversed(history):
        width = font.getlength(text) + gap
        if used + width > COLUMN - 2 * MARGIN:
            if len(lines) == 2:
                break
            lines.append([])
            used = 0.0
        lines[-1].append((text, ok))
        used += width
    for row, line in enumerate(reversed(lines)):
        x = float(MARGIN)
        for text, ok in reversed(line):
            draw.text((x, STRIP + row * step), text, font=font, fill=TONES["good" if ok else "bad"])
            x += font.getlength(text) + gap


def wrap(text: str, font: ImageFont.FreeTypeFont, width: int) -> list[str]:
    """Lines no wider than `width` pixels, broken at blanks, or inside a word that is wider than a line. A letter that
    is wider has a line of its own."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if font.getlength(longer) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        while len(word) > 1 and font.getlength(word) > width:
            cut = next(n for n in range(len(word) - 1, 0, -1) if n == 1 or font.getlength(word[:n]) <= width)
            lines.append(word[:cut])
            word = word[cut:]
        line = word
    return [*lines, line] if line else lines


def _shorten(line: str, font: ImageFont.FreeTypeFont, width: int) -> str:
    while line and font.getlength(f"{line} ...") > width:
        line = line[:-1]
    return f"{line} ..."

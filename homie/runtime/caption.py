"""The text panel below the pictures of a video, and the labels in them.

The font comes with Pillow, so that every machine draws the same.
"""

from __future__ import annotations

from collections.abc import Sequence
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
CHIP = 28
"""Height of a subtask in the history, pixels; the history has two lines."""
STRIP = HEIGHT - 2 * (CHIP + 6) - 4
"""Top of the history, pixels."""
BACKGROUND = (18, 20, 24)
WHITE, GREY = (238, 238, 238), (150, 156, 166)
TONES = {"good": (96, 211, 120), "bad": (255, 110, 98), "plain": (240, 200, 90)}


@dataclass(frozen=True, slots=True)
class Caption:
    """Content of the panel.

    Attributes:
        history: Subtasks and whether they succeeded.
        clock: Robot time, s.
        speed: Seconds of robot time per second of video.
    """

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
        """Return the caption with some fields replaced."""
        return replace(self, **fields)


def draw_caption(caption: Caption) -> Image:
    """Draw the panel, (HEIGHT, WIDTH, 3)."""
    panel = _draw_static_part(replace(caption, clock=0.0)).copy()
    draw = ImageDraw.Draw(panel)
    clock = f"{caption.clock:.1f} s  ·  {caption.speed:g}x"
    draw.text((WIDTH - MARGIN, 10), clock, font=_font(18), fill=GREY, anchor="ra")
    return np.asarray(panel)


def label(picture: Image, text: str) -> Image:
    """Write the name of a picture (H, W, 3) into its upper left corner."""
    image = Picture.fromarray(picture)
    draw = ImageDraw.Draw(image)
    left, top, right, bottom = draw.textbbox((MARGIN, 12), text, font=_font(18))
    draw.rectangle((left - 6, top - 4, right + 6, bottom + 4), fill=BACKGROUND)
    draw.text((MARGIN, 12), text, font=_font(18), fill=GREY)
    return np.asarray(image)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)  # Pillow >= 10.1 built with FreeType, as its wheels are
    return font


@lru_cache(maxsize=1)
def _draw_static_part(caption: Caption) -> Picture.Image:
    """Draw everything except the clock, which is the only difference between most consecutive frames of a video."""
    panel = Picture.new("RGB", (WIDTH, HEIGHT), BACKGROUND)
    draw = ImageDraw.Draw(panel)
    left, right, y = MARGIN, COLUMN + MARGIN, 10
    y = _write(draw, (left, y), caption.task, 19, GREY, COLUMN - left, lines=1)
    y = _write(draw, (left, y + 2), caption.decision, 30, WHITE, COLUMN - left, lines=1)
    analysis_text = f"{caption.analysis}  ({caption.model})" if caption.model else caption.analysis
    _write(draw, (left, y + 2), analysis_text, 20, GREY, COLUMN - left, lines=(STRIP - y) // 26)
    _write_history(draw, caption.history)
    draw.line([(COLUMN, 14), (COLUMN, HEIGHT - 14)], fill=(60, 64, 72), width=1)
    draw.text((right, 10), f"round {caption.round}", font=_font(18), fill=GREY)
    y = _write(draw, (right, 37), f"in the hand: {caption.inventory}", 21, WHITE, WIDTH - right - MARGIN, lines=1)
    _write(draw, (right, y + 8), caption.state, 24, TONES[caption.tone], WIDTH - right - MARGIN, lines=4)
    return panel


def draw_card(picture: Image, title: str, lines: Sequence[str]) -> Image:
    """Darken a picture (H, W, 3) and write a title and lines of text into its middle."""
    height, width = picture.shape[:2]
    image = Picture.fromarray((picture * 0.35).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    texts = [(line, 30, WHITE) for line in wrap(title, _font(30), width - 4 * MARGIN)]
    texts += [(line, 22, GREY) for text in lines for line in wrap(text, _font(22), width - 4 * MARGIN)]
    y = (height - sum(round(size * 1.5) for _, size, _ in texts)) / 2
    for text, size, colour in texts:
        draw.text((width / 2, y), text, font=_font(size), fill=colour, anchor="ma")
        y += round(size * 1.5)
    return np.asarray(image)


def _write(
    draw: ImageDraw.ImageDraw,
    at: tuple[int, int],
    text: str,
    size: int,
    colour: tuple[int, int, int],
    width: int,
    lines: int,
) -> int:
    """Write a text wrapped to `width` pixels and at most `lines` lines; return the y coordinate below it."""
    font, step = _font(size), round(size * 1.3)
    wrapped = wrap(text, font, width)
    if len(wrapped) > lines:
        wrapped = [*wrapped[: lines - 1], _shorten(wrapped[lines - 1], font, width)]
    for number, line in enumerate(wrapped):
        draw.text((at[0], at[1] + number * step), line, font=font, fill=colour)
    return at[1] + max(1, len(wrapped)) * step


def _write_history(draw: ImageDraw.ImageDraw, history: tuple[tuple[str, bool], ...]) -> None:
    """Draw as many of the last subtasks as fit on two lines, oldest first, each in a green or red box."""
    font, pad, gap = _font(17), 10, 8
    rows: list[list[tuple[str, bool]]] = [[]]
    used_width = 0.0
    for text, ok in reversed(history):
        label = text.replace("[", "").replace("]", "")
        width = font.getlength(label) + 2 * pad + gap
        if used_width + width > COLUMN - MARGIN:
            if len(rows) == 2:
                break
            rows.append([])
            used_width = 0.0
        rows[-1].append((label, ok))
        used_width += width
    for row, line in enumerate(reversed(rows)):
        x, y = float(MARGIN), STRIP + row * (CHIP + 6)
        for label, ok in reversed(line):
            width, tone = font.getlength(label) + 2 * pad, TONES["good" if ok else "bad"]
            draw.rounded_rectangle((x, y, x + width, y + CHIP), radius=6, outline=tone, width=1)
            draw.text((x + pad, y + CHIP / 2), label, font=font, fill=tone, anchor="lm")
            x += width + gap


def wrap(text: str, font: ImageFont.FreeTypeFont, width: int) -> list[str]:
    """Wrap a text to lines no wider than `width` pixels, at spaces, or inside a word that is wider than a line. A
    single letter that is wider has a line of its own."""
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

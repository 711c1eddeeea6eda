"""Plots of a report as inline SVG. Colours come from the page's style sheet, for light and dark mode.

Bare numbers in the drawing functions are offsets in units of the view box, chosen for its font size.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from homie.bench.intervals_and_tests import Interval

WIDTH = 460
"""Width of a plot in units of its view box, about its width on the page in pixels."""
LABELS = 150
"""Width of the labels to the left of horizontal bars."""
COUNTS = 50
"""Width of the episode counts behind the shares: `n 1000`."""
LETTER = 6.6
"""Approximate width of a letter in the labels."""
SQUEEZED = 1.25
"""Maximum ratio of a label's length to its space at which it is condensed instead of shortened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A horizontal bar.

    Attributes:
        value: Share, None if its denominator is 0.
        note: Additional text of its tooltip.
        style: CSS class.
        count: Denominator of the share, printed behind it.
    """

    label: str
    value: float | None
    interval: Interval | None = None
    note: str = ""
    style: str = "s0"
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Stack:
    """Stacked bar: amounts by style, in drawing order."""

    label: str
    parts: Mapping[str, float]
    note: str = ""


def share_bars(title: str, bars: Sequence[Bar]) -> Markup:
    """Draw horizontal bars of shares from 0 to 100 %, each with its interval as a whisker.

    A bar without a label belongs to the one above it. If there are several styles, a share of 0 shows its colour left
    of the axis.
    """
    has_styles = len({bar.style for bar in bars}) > 1
    end = WIDTH - (COUNTS if any(bar.count is not None for bar in bars) else 0)
    room, y = end - LABELS - 62, 0
    places = []
    for bar in bars:
        y += 28 if bar.label else 20
        places.append(y - 20)
    bottom = y + 6
    elements = [_axis(room, 4, bottom, [(share, f"{100 * share:.0f} %") for share in (0, 0.25, 0.5, 0.75, 1)])]
    for bar, y in zip(bars, places, strict=True):
        elements.append(_label(bar.label, y + 13))
        if bar.value is None:
            elements.append(_text(LABELS + 6, y + 13, "-"))
            continue
        title_text = f"{bar.label}: {100 * bar.value:.1f} % {bar.note}".strip()
        x, width = (LABELS - 6, 4) if has_styles and not bar.value else (LABELS, bar.value * room)
        elements.append(_rect(x, y, width, 18, bar.style, title_text))
        if bar.interval is not None:
            low, high = (LABELS + share * room for share in bar.interval)
            path = f"M{low:.1f} {y + 5}V{y + 13}M{low:.1f} {y + 9}H{high:.1f}M{high:.1f} {y + 5}V{y + 13}"
            elements.append(Markup('<path class="whisker" d="{}"/>').format(path))
        elements.append(_text(end, y + 13, f"{100 * bar.value:.1f} %", "end"))
        if bar.count is not None:
            elements.append(_text(WIDTH, y + 13, f"n {bar.count}", "end"))
    return _svg(title, bottom + 24, elements)


def stacked_bars(title: str, stacks: Sequence[Stack], unit: str = "") -> Markup:
    """Draw horizontal stacked bars of amounts on a common scale from 0. Parts that are wide enough are labelled
    inside."""
    step, top, room = 26, 8, WIDTH - LABELS - 44
    height = top + step * len(stacks) + 24
    ticks = _ticks(max((sum(stack.parts.values()) for stack in stacks), default=0))
    maximum = ticks[-1]
    elements = [_axis(room, top, height - 24, [(tick / maximum, f"{tick:g}{unit}") for tick in ticks])]
    for index, stack in enumerate(stacks):
        y, x = top + step * index + 4, float(LABELS)
        elements.append(_label(stack.label, y + 13))
        for style, amount in stack.parts.items():
            width = amount / maximum * room
            if amount:
                elements.append(_rect(x, y, width, 18, style, f"{stack.label}: {style} {amount:.4g}{unit}"))
            if width > LETTER * len(style) + 4:
                elements.append(_text(x + width / 2, y + 13, style, "middle", f"on-{_css_class(style)}"))
            x += width
        elements.append(_text(WIDTH, y + 13, stack.note, "end"))
    return _svg(title, height, elements)


def columns(title: str, stacks: Sequence[Stack], label_step: int = 1) -> Markup:
    """Draw vertical stacked columns of counts.

    Args:
        label_step: Distance between two labelled columns.
    """
    left, top, plot_height = 34, 10, 150
    ticks = _ticks(max((sum(stack.parts.values()) for stack in stacks), default=0), integers=True)
    maximum, column_width = ticks[-1], (WIDTH - left - 8) / max(len(stacks), 1)
    elements = []
    for tick in ticks:
        y = top + plot_height * (1 - tick / maximum)
        elements.append(Markup('<path class="grid" d="M{} {:.1f}H{}"/>').format(left, y, WIDTH - 8))
        elements.append(_text(left - 6, y + 4, f"{tick:g}", "end"))
    for index, stack in enumerate(stacks):
        x, y = left + column_width * index, float(top + plot_height)
        for style, amount in stack.parts.items():
            height = amount / maximum * plot_height
            y -= height
            if amount:
                title_text = f"{stack.label}: {style} {amount:g}"
                elements.append(_rect(x + column_width * 0.08, y, column_width * 0.84, height, style, title_text))
        if index % label_step == 0:
            elements.append(_text(x + column_width / 2, top + plot_height + 16, stack.label, "middle"))
    return _svg(title, top + plot_height + 24, elements)


def legend(items: Sequence[tuple[str, str]]) -> Markup:
    """Draw the legend from pairs of style and text."""
    lines = Markup("").join(
        Markup('<li><i class="key {}"></i>{}</li>').format(_css_class(style), text) for style, text in items
    )
    return Markup('<ul class="legend">{}</ul>').format(lines)


def totals(stacks: Sequence[Stack]) -> dict[str, float]:
    """Return the total amounts of all stacks by style, without zeros."""
    added: Counter[str] = Counter()
    for stack in stacks:
        added.update(stack.parts)
    return {style: amount for style, amount in added.items() if amount}


def _ticks(maximum: float, *, integers: bool = False) -> list[float]:
    """Return two to six round numbers from 0 to at least `maximum`."""
    raw_step = (
        maximum if maximum > 1e-9 else 1.0
    ) / 4  # below 1e-9 the ticks would be lost in the rounding to ten digits
    power = 10.0 ** math.floor(math.log10(raw_step))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw_step - 1e-12)
    if integers:
        step = max(1.0, math.ceil(step))
    return [round(number * step, 10) for number in range(max(2, math.ceil(maximum / step - 1e-9) + 1))]


def _svg(title: str, height: float, elements: Sequence[Markup]) -> Markup:
    return Markup('<svg viewBox="0 0 {} {:.0f}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, height, title, Markup("").join(elements)
    )


def _axis(room: float, top: float, bottom: float, marks: Sequence[tuple[float, str]]) -> Markup:
    return Markup("").join(
        Markup('<path class="grid" d="M{:.1f} {}V{}"/>').format(LABELS + share * room, top, bottom)
        + _text(LABELS + share * room, bottom + 16, text, "middle")
        for share, text in marks
    )


def _rect(x: float, y: float, width: float, height: float, style: str, title: str) -> Markup:
    return Markup(
        '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}</title></rect>'
    ).format(_css_class(style), x, y, max(width, 0.0), height, title)


def _label(text: str, y: float) -> Markup:
    """Draw a label to the left of a bar, condensed if slightly too long, else shortened in the middle; its tooltip has
    the full text."""
    place = Markup('x="{}" y="{}" text-anchor="end"').format(LABELS - 8, y)
    room = int((LABELS - 8) / LETTER)
    if room < len(text) <= SQUEEZED * room:
        place += Markup(' textLength="{}" lengthAdjust="spacingAndGlyphs"').format(LABELS - 8)
        room = len(text)
    short = text if len(text) <= room else f"{text[: room - 12]}\u2026{text[-11:]}"
    return Markup("<text {}>{}<title>{}</title></text>").format(place, short, text)


def _text(x: float, y: float, text: str, anchor: str = "start", style: str = "") -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(style, x, y, anchor, text)


def _css_class(style: str) -> str:
    """Return a style as a CSS class: `Go to` is `go-to`."""
    return style.lower().replace(" ", "-")

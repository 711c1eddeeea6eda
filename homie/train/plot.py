"""SVG plot of the loss by step, for browsers and model cards."""

from __future__ import annotations

from collections.abc import Mapping

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 32, 40
"""Margins around the curves in pixels, for the labels."""
LINES = 4
"""Number of grid lines besides the one at 0."""


def loss_plot(losses: Mapping[int, float], held_out: Mapping[int, float]) -> str:
    """Return the loss curves as SVG: of every step, and of held-out lines if they were measured.

    Example:
        >>> "polyline" in loss_plot({1: 2.0, 2: 1.0}, {2: 1.5})
        True
    """
    steps = max([*losses, *held_out, 1])
    max_loss = max([*losses.values(), *held_out.values(), 1e-9])

    def place(step: float, loss: float) -> str:
        x = LEFT + (WIDTH - LEFT - RIGHT) * step / steps
        return f"{x:.1f},{HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * loss / max_loss:.1f}"

    curves = []
    for line in range(LINES + 1):
        value = max_loss * line / LINES
        y = place(0, value).partition(",")[2]
        curves.append(f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        curves.append(f'<text x="{LEFT - 6}" y="{float(y) + 4:.1f}" text-anchor="end">{value:.2g}</text>')
    for name, colour, curve, row in (("train", "#2563eb", losses, 0), ("held out", "#dc2626", held_out, 1)):
        if curve:
            points = " ".join(place(step, loss) for step, loss in sorted(curve.items()))
            curves.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
            curves.append(f'<text x="{LEFT + 90 * row}" y="{TOP - 12}" fill="{colour}">{name}</text>')
    curves.append(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 12}" text-anchor="end">step {steps}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="loss by step" '
        f'font-family="sans-serif" font-size="12"><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
        f"{''.join(curves)}</svg>\n"
    )

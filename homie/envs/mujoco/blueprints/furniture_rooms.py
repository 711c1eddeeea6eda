"""Furniture of bedroom, bathroom and any room: bed, nightstand, shelf, toilet, bathtub, washbasin, plant."""

from __future__ import annotations

import math

from homie.envs.mujoco.blueprints.furniture_kind import FREE_FRONT, FurnitureKind, Style
from homie.envs.mujoco.blueprints.materials import (
    CERAMIC,
    CHROME,
    DARK,
    LEAF,
    LINEN,
    RGB,
    SOIL,
    STEEL,
    shade,
)
from homie.envs.mujoco.blueprints.parts import (
    Blueprint,
    Part,
    SurfacePlan,
    block,
    disc,
    rod,
)


def bed(style: Style) -> Blueprint:
    """A bed with its head at the back; objects can be put on the blanket (the front part)."""
    x, y, h = style.x, style.y, style.height
    frame = (0.45, 0.31, 0.2)
    head = -x + 0.06
    pillows = [
        block((head + 0.06, head + 0.42), (cy - y * 0.4, cy + y * 0.4), (h, h + 0.1), LINEN, finish="fabric")
        for cy in (-y * 0.48, y * 0.48)
    ]
    blanket = shade(style.rgb, 1.0)
    parts = [
        block((-x, head), (-y, y), (0.0, 1.0), frame, finish="grain"),
        block((head, x), (-y, y), (0.12, 0.3), frame, finish="grain"),
        *(block((x - 0.1, x - 0.02), (cy - 0.04, cy + 0.04), (0.0, 0.12), frame) for cy in (-y + 0.06, y - 0.06)),
        block((head, x - 0.01), (-y + 0.01, y - 0.01), (0.3, h - 0.02), LINEN, finish="fabric"),
        block((head + 0.5, x), (-y, y), (h - 0.12, h), blanket, finish="fabric"),
        block((head, head + 0.5), (-y + 0.01, y - 0.01), (h - 0.02, h), LINEN, finish="fabric"),
        block((head + 0.5, head + 0.62), (-y, y), (h, h + 0.003), shade(blanket, 1.35), finish="fabric", solid=False),
        *pillows,
    ]
    blanket_edge = head + 0.62
    surface = SurfacePlan(
        name="blanket", center=((blanket_edge + x) / 2, 0.0, h), half_x=(x - blanket_edge) / 2, half_y=y
    )
    return Blueprint(half_x=x, half_y=y, height=1.0, parts=tuple(parts), surfaces=(surface,), free_front=0.9)


def shelf(style: Style) -> Blueprint:
    """An open shelf: three boards for objects, books at the bottom."""
    x, y, h = style.x, style.y, style.height
    wall = 0.02
    levels = (0.85, 0.45, 1.2)
    tops = (1.2 - wall, 0.85 - wall, h - wall)
    parts = [
        block((-x, x), (-y, -y + wall), (0.0, h), style.rgb, finish="grain"),
        block((-x, x), (y - wall, y), (0.0, h), style.rgb, finish="grain"),
        block((-x, -x + wall), (-y + wall, y - wall), (0.0, h), shade(style.rgb, 0.85), finish="grain"),
    ]
    for z in (0.08, *levels, h):
        parts.append(block((-x + wall, x), (-y + wall, y - wall), (z - wall, z), style.rgb, finish="grain"))
    parts += _books(-x + wall, -y + wall + 0.01, y - wall - 0.12)
    names = ("middle board", "lower board", "upper board")
    surfaces = tuple(
        SurfacePlan(
            name=name,
            center=(wall / 2, 0.0, z),
            half_x=x - wall / 2,
            half_y=y - wall,
            clearance=top - z,
            access="front",
        )
        for name, z, top in zip(names, levels, tops, strict=True)
    )
    return Blueprint(half_x=x, half_y=y, height=h, parts=tuple(parts), surfaces=surfaces, free_front=FREE_FRONT)


def _books(back: float, start: float, end: float) -> list[Part]:
    """A row of books at the bottom, one part per book."""
    covers: tuple[RGB, ...] = (
        (0.55, 0.16, 0.14),
        (0.16, 0.28, 0.42),
        (0.75, 0.66, 0.42),
        (0.2, 0.38, 0.26),
        (0.35, 0.22, 0.38),
    )
    books: list[Part] = []
    y, k = start, 0
    while y < end:
        thick = 0.028 + 0.012 * (k * 7 % 3)
        tall = 0.22 + 0.022 * (k * 5 % 4)
        size = (back + 0.02, back + 0.2), (y, y + thick), (0.08, 0.08 + tall)
        books.append(block(*size, covers[k % 5], label="books"))
        y += thick + 0.002
        k += 1
    return books


def toilet(style: Style) -> Blueprint:
    """A toilet with its cistern at the back."""
    x, y, h = style.x, style.y, style.height
    bowl_x = x - 0.2
    parts = [
        block((-x, -x + 0.18), (-y, y), (0.38, h), CERAMIC, finish="gloss"),
        block((-x, bowl_x), (-0.12, 0.12), (0.0, 0.38), CERAMIC, finish="gloss"),
        disc(bowl_x, 0.0, (0.0, 0.05), 0.15, CERAMIC, finish="gloss"),
        disc(bowl_x, 0.0, (0.05, 0.36), 0.13, CERAMIC, finish="gloss"),
        Part("cylinder", (0.2, 0.025, 0.0), (bowl_x, 0.0, 0.385), CERAMIC, finish="gloss"),
        disc(bowl_x, 0.0, (0.41, 0.43), 0.19, shade(CERAMIC, 0.93), finish="gloss"),
        disc(-x + 0.09, 0.0, (h, h + 0.012), 0.025, CHROME, finish="metal"),
    ]
    return Blueprint(half_x=x, half_y=y, height=h, parts=tuple(parts), free_front=0.6)


def bathtub(style: Style) -> Blueprint:
    """A bathtub along a wall, with water pipes at its left end."""
    x, y, h = style.x, style.y, style.height
    rim, floor = 0.09, 0.18
    inner = shade(CERAMIC, 0.95)
    parts = [
        block((-x, x), (-y, y), (0.0, floor), CERAMIC, finish="gloss"),
        block((-x, -x + rim), (-y, y), (floor, h), CERAMIC, finish="gloss"),
        block((x - rim, x), (-y, y), (floor, h), CERAMIC, finish="gloss"),
        block((-x + rim, x - rim), (-y, -y + rim), (floor, h), CERAMIC, finish="gloss"),
        block((-x + rim, x - rim), (y - rim, y), (floor, h), CERAMIC, finish="gloss"),
        block((-x + rim, x - rim), (-y + rim, y - rim), (floor, floor + 0.002), inner, solid=False, finish="gloss"),
        rod((-0.06, y - 0.03, h + 0.1), (0.06, y - 0.03, h + 0.1), 0.015, CHROME, finish="metal"),
        rod((0.0, y - 0.04, h), (0.0, y - 0.04, h + 0.1), 0.015, CHROME, finish="metal"),
        rod((0.0, y - 0.04, h + 0.09), (0.0, y - 0.16, h + 0.07), 0.012, CHROME, finish="metal"),
    ]
    return Blueprint(half_x=x, half_y=y, height=h, parts=tuple(parts), free_front=0.6)


def washbasin(style: Style) -> Blueprint:
    """A bathroom vanity: basin on the left half, a free top on the right half."""
    x, y, h = style.x, style.y, style.height
    floor = h - 0.12
    split = y - 0.46
    ix, iy = (-x + 0.12, x - 0.05), (split + 0.04, y - 0.05)
    rim = (floor, h)
    parts = [
        block((-x, x - 0.05), (-y + 0.01, y - 0.01), (0.0, 0.12), DARK),
        block((-x, x - 0.01), (-y, y), (0.12, floor - 0.02), style.rgb, finish="grain"),
        block((x - 0.01, x), (-y + 0.005, -0.004), (0.14, floor - 0.03), shade(style.rgb, 1.1), finish="grain"),
        block((x - 0.01, x), (0.004, y - 0.005), (0.14, floor - 0.03), shade(style.rgb, 1.1), finish="grain"),
        block((-x, x), (split, y), (floor - 0.02, floor), CERAMIC, finish="gloss"),
        block((-x, ix[0]), (split, y), rim, CERAMIC, finish="gloss"),
        block((ix[1], x), (split, y), rim, CERAMIC, finish="gloss"),
        block(ix, (split, iy[0]), rim, CERAMIC, finish="gloss"),
        block(ix, (iy[1], y), rim, CERAMIC, finish="gloss"),
        block((-x, x), (-y, split), (floor - 0.02, h), CERAMIC, finish="gloss"),
        disc(0.0, (iy[0] + iy[1]) / 2, (floor, floor + 0.001), 0.02, STEEL, solid=False),
        rod((-x + 0.05, y - 0.23, h), (-x + 0.05, y - 0.23, h + 0.12), 0.012, CHROME, finish="metal"),
        rod((-x + 0.05, y - 0.23, h + 0.12), (-x + 0.14, y - 0.23, h + 0.1), 0.01, CHROME, finish="metal"),
    ]
    surfaces = (
        SurfacePlan(name="top", center=(0.0, (split - y) / 2, h), half_x=x, half_y=(split + y) / 2),
        SurfacePlan(
            name="basin",
            center=(sum(ix) / 2, sum(iy) / 2, floor),
            half_x=(ix[1] - ix[0]) / 2,
            half_y=(iy[1] - iy[0]) / 2,
        ),
    )
    return Blueprint(half_x=x, half_y=y, height=h, parts=tuple(parts), surfaces=surfaces, free_front=FREE_FRONT)


def plant(style: Style) -> Blueprint:
    """A potted plant on the floor."""
    x, h = style.x, style.height
    parts = [
        disc(0.0, 0.0, (0.0, 0.3), x * 0.75, style.rgb),
        disc(0.0, 0.0, (0.3, 0.302), x * 0.68, SOIL, solid=False),
        rod((0.0, 0.0, 0.3), (0.0, 0.0, h - 0.2), 0.012, (0.36, 0.26, 0.14)),
    ]
    for k in range(9):
        turn, tier = k * 2.4, 0.4 + 0.6 * k / 8
        lean, z = x * (1.0 - 0.45 * k / 8), 0.35 + (h - 0.5) * tier
        tip = (lean * math.cos(turn), lean * math.sin(turn), z + 0.1)
        leaf = rod((0.02 * math.cos(turn), 0.02 * math.sin(turn), z - 0.05), tip, 0.03, shade(LEAF, 0.85 + 0.05 * k))
        parts.append(Part("ellipsoid", (0.05, 0.018, lean * 0.75), leaf.pos, leaf.rgb, leaf.quat, solid=False))
    return Blueprint(half_x=x, half_y=x, height=h, parts=tuple(parts))


def nightstand(style: Style) -> Blueprint:
    """A small open bedside table."""
    x, y, h = style.x, style.y, style.height
    parts = [
        block((-x, x), (-y, y), (h - 0.03, h), style.rgb, finish="grain"),
        block((-x, x - 0.02), (-y + 0.015, y - 0.015), (0.1, h - 0.03), shade(style.rgb, 0.9), finish="grain"),
        *(
            block((cx - 0.02, cx + 0.02), (cy - 0.02, cy + 0.02), (0.0, 0.1), shade(style.rgb, 0.7))
            for cx in (-x + 0.03, x - 0.05)
            for cy in (-y + 0.04, y - 0.04)
        ),
    ]
    surface = SurfacePlan(name="top", center=(0.0, 0.0, h), half_x=x, half_y=y)
    return Blueprint(
        half_x=x, half_y=y, height=h, parts=tuple(parts), surfaces=(surface,), free_front=FREE_FRONT, support=h
    )


KINDS = (
    FurnitureKind(
        name="bed",
        plan=bed,
        size=(1.4, 2.05, 0.5),
        colours=("navy", "teal", "gray", "purple"),
        aliases=(),
        least=(0.9, 1.9, 0.4),
        most=(1.8, 2.1, 0.6),
    ),
    FurnitureKind(
        name="nightstand",
        plan=nightstand,
        size=(0.45, 0.42, 0.5),
        colours=("wood", "white", "brown"),
        aliases=("bedside table",),
    ),
    FurnitureKind(
        name="shelf",
        plan=shelf,
        size=(0.8, 0.35, 1.6),
        colours=("wood", "white", "brown"),
        aliases=("bookshelf", "shelves", "bookcase"),
        least=(0.6, 0.3, 1.55),
        most=(1.2, 0.4, 1.8),
    ),
    FurnitureKind(name="toilet", plan=toilet, size=(0.42, 0.66, 0.78), colours=("white",), aliases=("wc",)),
    FurnitureKind(name="bathtub", plan=bathtub, size=(1.6, 0.75, 0.55), colours=("white",), aliases=("bath", "tub")),
    FurnitureKind(
        name="washbasin",
        plan=washbasin,
        size=(0.9, 0.5, 0.85),
        colours=("wood", "white", "gray"),
        aliases=("wash basin", "bathroom sink"),
    ),
    FurnitureKind(
        name="plant",
        plan=plant,
        size=(0.4, 0.4, 1.1),
        colours=("white", "brown", "gray"),
        aliases=("potted plant",),
    ),
)
"""The kinds of this file."""

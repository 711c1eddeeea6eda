"""Furniture of living room, bedroom, study and bathroom."""

from __future__ import annotations

import math

from homie.envs.mujoco.blueprints.furniture_kitchen import FREE_FRONT, Style
from homie.envs.mujoco.blueprints.palette import CERAMIC, CHROME, DARK, LEAF, LINEN, RGB, SCREEN, SOIL, STEEL, shade
from homie.envs.mujoco.blueprints.parts import Blueprint, Part, SurfacePlan, block, button, disc, rod


def table(style: Style) -> Blueprint:
    """A table with four legs."""
    x, y, h = style.x, style.y, style.height
    leg = shade(style.rgb, 0.75)
    inset = 0.05
    legs = [
        block((cx - 0.025, cx + 0.025), (cy - 0.025, cy + 0.025), (0.0, h - 0.035), leg, finish="grain")
        for cx in (-x + inset, x - inset)
        for cy in (-y + inset, y - inset)
    ]
    apron = [
        block((cx - 0.01, cx + 0.01), (-y + 0.07, y - 0.07), (h - 0.095, h - 0.035), leg, finish="grain")
        for cx in (-x + inset, x - inset)
    ]
    top = block((-x, x), (-y, y), (h - 0.035, h), style.rgb, finish="grain")
    surface = SurfacePlan(name="top", center=(0.0, 0.0, h), half_x=x, half_y=y)
    return Blueprint(
        half_x=x, half_y=y, height=h, parts=(*legs, *apron, top), surfaces=(surface,), free_front=FREE_FRONT, support=h
    )


def sofa(style: Style) -> Blueprint:
    """A sofa: seat cushions 0.55 m deep, a back and two arms."""
    x, y, h = style.x, style.y, style.height
    seat, arm = 0.45, 0.16
    cushion = shade(style.rgb, 1.12)
    back_x = x - 0.55
    parts = [
        block((-x + 0.03, x - 0.03), (-y + 0.03, y - 0.03), (0.0, 0.08), DARK),
        block((-x, x - 0.01), (-y, y), (0.08, 0.3), style.rgb, finish="fabric"),
        block((-x, back_x), (-y, y), (0.3, h), style.rgb, finish="fabric"),
        block((back_x, x), (-y, -y + arm), (0.3, 0.62), style.rgb, finish="fabric"),
        block((back_x, x), (y - arm, y), (0.3, 0.62), style.rgb, finish="fabric"),
        block((back_x, x), (-y + arm, -0.004), (0.3, seat), cushion, finish="fabric"),
        block((back_x, x), (0.004, y - arm), (0.3, seat), cushion, finish="fabric"),
        block((back_x, back_x + 0.012), (-y + arm, y - arm), (seat, h - 0.05), cushion, finish="fabric", solid=False),
    ]
    surface = SurfacePlan(name="seat", center=(x - 0.265, 0.0, seat), half_x=0.265, half_y=y - arm)
    return Blueprint(half_x=x, half_y=y, height=h, parts=tuple(parts), surfaces=(surface,), free_front=FREE_FRONT)


def chair(style: Style) -> Blueprint:
    """A chair: seat at 0.45 m, back rest at the rear."""
    x, y, h = style.x, style.y, style.height
    seat, r = 0.45, 0.018
    dark = shade(style.rgb, 0.8)
    parts = [block((-x, x), (-y, y), (seat - 0.03, seat), style.rgb, finish="grain")]
    for cy in (-y + r, y - r):
        parts.append(block((x - 2 * r, x), (cy - r, cy + r), (0.0, seat - 0.03), dark, finish="grain"))
        parts.append(block((-x, -x + 2 * r), (cy - r, cy + r), (0.0, seat - 0.03), dark, finish="grain"))
        parts.append(block((-x, -x + 0.025), (cy - r, cy + r), (seat, h), dark, finish="grain"))
    for z in (0.6, h - 0.14):
        parts.append(block((-x, -x + 0.022), (-y + 2 * r, y - 2 * r), (z, z + 0.12), style.rgb, finish="grain"))
    surface = SurfacePlan(name="seat", center=(0.02, 0.0, seat), half_x=x - 0.02, half_y=y)
    return Blueprint(half_x=x, half_y=y, height=h, parts=tuple(parts), surfaces=(surface,), free_front=0.9)


def tv_stand(style: Style) -> Blueprint:
    """A low sideboard for a television."""
    x, y, h = style.x, style.y, style.height
    front = shade(style.rgb, 1.15)
    third = (2 * y - 0.04) / 3
    parts = [
        block((-x, x - 0.04), (-y + 0.02, y - 0.02), (0.0, 0.06), DARK),
        block((-x, x - 0.015), (-y, y), (0.06, h), style.rgb, finish="grain"),
        *(
            block(
                (x - 0.015, x),
                (-y + 0.02 + k * third + 0.004, -y + 0.02 + (k + 1) * third - 0.004),
                (0.08, h - 0.03),
                front,
                finish="grain",
            )
            for k in range(3)
        ),
    ]
    surface = SurfacePlan(name="top", center=(0.0, 0.0, h), half_x=x, half_y=y)
    return Blueprint(
        half_x=x, half_y=y, height=h, parts=tuple(parts), surfaces=(surface,), free_front=FREE_FRONT, support=h
    )


def tv(style: Style) -> Blueprint:
    """A television on a foot; the screen glows when it is on."""
    x, y, h = style.x, style.y, style.height
    parts = [
        block((-x, x), (-0.18, 0.18), (0.0, 0.015), DARK),
        block((-0.02, 0.02), (-0.03, 0.03), (0.015, 0.1), DARK),
        block((-0.025, 0.02), (-y, y), (0.09, h), DARK, finish="gloss"),
        block(
            (0.02, 0.022),
            (-y + 0.02, y - 0.02),
            (0.12, h - 0.02),
            SCREEN,
            solid=False,
            label="lamp",
            finish="gloss",
            glow=(0.35, 0.65, 0.95),
        ),
    ]
    power = button((0.02, -y + 0.05, 0.105), (0.85, 0.2, 0.15), radius=0.01)
    return Blueprint(half_x=x, half_y=y, height=h, parts=tuple(parts), links=(power,))


def lamp(style: Style) -> Blueprint:
    """A table lamp; the shade glows when it is on."""
    x, h = style.x, style.height
    parts = [
        disc(0.0, 0.0, (0.0, 0.03), x, style.rgb),
        rod((0.0, 0.0, 0.03), (0.0, 0.0, h - 0.12), 0.009, CHROME, finish="metal"),
        disc(0.0, 0.0, (h - 0.15, h), x * 0.95, LINEN, label="lamp", glow=(1.0, 0.87, 0.5)),
    ]
    return Blueprint(
        half_x=x,
        half_y=x,
        height=h,
        parts=tuple(parts),
        links=(button((x - 0.004, 0.0, 0.015), (0.85, 0.2, 0.15), radius=0.01),),
    )


def bed(style: Style) -> Blueprint:
    """A bed with its head at the back; the blanket (the front part) is free."""
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
    near = head + 0.62
    surface = SurfacePlan(name="blanket", center=((near + x) / 2, 0.0, h), half_x=(x - near) / 2, half_y=y)
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
    """A row of books at the bottom, one part a book."""
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

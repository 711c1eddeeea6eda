"""Furniture of living room and study: tables, seats, television, lamp."""

from __future__ import annotations

from homie.envs.mujoco.blueprints.furniture_kind import FREE_FRONT, FurnitureKind, Style
from homie.envs.mujoco.blueprints.materials import (
    CHROME,
    DARK,
    LINEN,
    SCREEN,
    shade,
)
from homie.envs.mujoco.blueprints.parts import (
    Blueprint,
    SurfacePlan,
    block,
    button,
    disc,
    rod,
)


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


KINDS = (
    FurnitureKind(
        name="table",
        plan=table,
        size=(1.1, 0.7, 0.74),
        colours=("wood", "brown", "white", "blue", "yellow", "black"),
        aliases=(),
        least=(0.5, 0.45, 0.4),
        most=(1.6, 0.9, 0.8),
    ),
    FurnitureKind(
        name="desk",
        plan=table,
        size=(1.2, 0.6, 0.74),
        colours=("wood", "white", "black"),
        aliases=("writing desk", "work desk"),
        least=(0.8, 0.5, 0.7),
        most=(1.5, 0.75, 0.78),
    ),
    FurnitureKind(
        name="sofa",
        plan=sofa,
        size=(1.8, 0.85, 0.82),
        colours=("gray", "teal", "beige", "navy"),
        aliases=("couch", "settee"),
        least=(1.3, 0.8, 0.75),
        most=(2.2, 0.95, 0.95),
    ),
    FurnitureKind(
        name="chair",
        plan=chair,
        size=(0.42, 0.42, 0.9),
        colours=("wood", "white", "black", "brown"),
        aliases=("seat",),
    ),
    FurnitureKind(
        name="tv_stand",
        plan=tv_stand,
        size=(1.4, 0.42, 0.5),
        colours=("brown", "white", "wood"),
        aliases=("tv stand", "tv table"),
        least=(1.0, 0.38, 0.4),
        most=(1.8, 0.5, 0.6),
    ),
    FurnitureKind(name="tv", plan=tv, size=(1.0, 0.2, 0.66), colours=("black",), aliases=("television",)),
    FurnitureKind(
        name="lamp",
        plan=lamp,
        size=(0.2, 0.2, 0.42),
        colours=("black", "white", "brown"),
        aliases=("desk lamp", "table lamp"),
    ),
)
"""The kinds of this file."""

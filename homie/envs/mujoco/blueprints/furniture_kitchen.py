"""Kitchen units: counter, sink, stove, drawer unit."""

from __future__ import annotations

from homie.envs.mujoco.blueprints.doors_and_drawers import slide_out
from homie.envs.mujoco.blueprints.furniture_kind import FREE_FRONT, FurnitureKind, Style
from homie.envs.mujoco.blueprints.materials import (
    CHROME,
    DARK,
    GRANITE,
    SCREEN,
    STEEL,
    shade,
)
from homie.envs.mujoco.blueprints.parts import (
    Blueprint,
    Part,
    Span,
    SurfacePlan,
    block,
    button,
    disc,
    rod,
)


def _cupboard(style: Style, top: float) -> list[Part]:
    """A closed base with a plinth, two door lines and a lighter front."""
    x, y = style.x, style.y
    front = shade(style.rgb, 1.1)
    return [
        block((-x, x - 0.06), (-y, y), (0.0, 0.1), DARK),
        block((-x, x - 0.02), (-y, y), (0.1, top), style.rgb),
        block((x - 0.02, x), (-y + 0.005, -0.004), (0.1, top - 0.005), front, finish="gloss"),
        block((x - 0.02, x), (0.004, y - 0.005), (0.1, top - 0.005), front, finish="gloss"),
    ]


def kitchen_counter(style: Style) -> Blueprint:
    """A worktop: with a cupboard below if it stands on the floor, without one if it lies on a drawer unit."""
    x, y, h = style.x, style.y, style.height
    parts = _cupboard(style, h - 0.04) if h > 0.1 else []
    parts.append(block((-x, x + 0.01), (-y, y), (h - 0.04, h), GRANITE, finish="gloss"))
    surface = SurfacePlan(name="top", center=(0.0, 0.0, h), half_x=x, half_y=y)
    return Blueprint(
        half_x=x, half_y=y, height=h, parts=tuple(parts), surfaces=(surface,), free_front=FREE_FRONT, support=h
    )


def sink(style: Style) -> Blueprint:
    """A counter with a steel basin 0.12 m deep, open from above."""
    x, y, h = style.x, style.y, style.height
    inner_x: Span = (-x + 0.13, x - 0.08)
    inner_y: Span = (-y + 0.1, y - 0.1)
    floor = h - 0.12
    rim: Span = (floor, h)
    parts = [
        *_cupboard(style, floor - 0.02),
        block((-x, x), (-y, y), (floor - 0.02, floor), STEEL, finish="metal"),
        block((-x, inner_x[0]), (-y, y), rim, STEEL, finish="metal"),
        block((inner_x[1], x + 0.01), (-y, y), rim, STEEL, finish="metal"),
        block(inner_x, (-y, inner_y[0]), rim, STEEL, finish="metal"),
        block(inner_x, (inner_y[1], y), rim, STEEL, finish="metal"),
        disc(0.0, 0.0, (floor, floor + 0.001), 0.03, DARK, solid=False),
        rod((-x + 0.06, 0.0, h), (-x + 0.06, 0.0, h + 0.2), 0.013, CHROME, finish="metal"),
        rod((-x + 0.06, 0.0, h + 0.2), (-x + 0.15, 0.0, h + 0.17), 0.011, CHROME, finish="metal"),
        rod((-x + 0.06, 0.05, h), (-x + 0.06, 0.09, h + 0.03), 0.009, CHROME, finish="metal"),
    ]
    center = ((inner_x[0] + inner_x[1]) / 2, 0.0, floor)
    basin = SurfacePlan(name="basin", center=center, half_x=(inner_x[1] - inner_x[0]) / 2, half_y=inner_y[1])
    return Blueprint(half_x=x, half_y=y, height=h, parts=tuple(parts), surfaces=(basin,), free_front=FREE_FRONT)


def stove(style: Style) -> Blueprint:
    """An oven front and a glass hob; the four rings glow when it is on."""
    x, y, h = style.x, style.y, style.height
    rings = [
        disc(
            sx * 0.13,
            sy * 0.14,
            (h, h + 0.001),
            radius,
            (0.28, 0.28, 0.30),
            solid=False,
            label="lamp",
            glow=(1.0, 0.25, 0.05),
        )
        for sx, sy, radius in ((-1, -1, 0.08), (-1, 1, 0.095), (1, -1, 0.095), (1, 1, 0.08))
    ]
    parts = [
        block((-x, x - 0.06), (-y, y), (0.0, 0.1), DARK),
        block((-x, x - 0.01), (-y, y), (0.1, h - 0.02), style.rgb, finish="gloss"),
        block((x - 0.01, x), (-y + 0.01, y - 0.01), (0.12, 0.72), shade(style.rgb, 0.8), finish="gloss"),
        block((x, x + 0.002), (-y + 0.08, y - 0.08), (0.3, 0.6), SCREEN, solid=False, finish="gloss"),
        block((-x, x + 0.01), (-y, y), (h - 0.02, h), DARK, finish="gloss"),
        *(rod((x - 0.01, k, 0.8), (x + 0.012, k, 0.8), 0.018, DARK) for k in (-0.05, 0.05, 0.15)),
        *rings,
    ]
    surface = SurfacePlan(name="top", center=(0.0, 0.0, h), half_x=x, half_y=y)
    knob = button((x, -y + 0.1, 0.8), (0.85, 0.2, 0.15))
    return Blueprint(
        half_x=x, half_y=y, height=h, parts=tuple(parts), links=(knob,), surfaces=(surface,), free_front=FREE_FRONT
    )


def drawer(style: Style) -> Blueprint:
    """A unit with one drawer that slides out 0.36 m; its interior is 0.40 m long and 0.135 m deep."""
    x, y, h = style.x, style.y, style.height
    side, panel = 0.02, 0.02
    z0, z1 = h - 0.23, h - 0.024
    front = shade(style.rgb, 1.1)
    carcass = [
        block((-x, x - 0.06), (-y, y), (0.0, 0.1), DARK),
        block((-x, x - panel), (-y, y), (0.1, z0 - 0.015), style.rgb),
        block((x - panel, x), (-y + 0.005, y - 0.005), (0.1, z0 - 0.01), front, finish="gloss"),
        block((-x, x - panel), (-y, -y + side), (z0 - 0.015, h - 0.02), style.rgb),
        block((-x, x - panel), (y - side, y), (z0 - 0.015, h - 0.02), style.rgb),
        block((-x, -x + side), (-y + side, y - side), (z0 - 0.015, h - 0.02), style.rgb),
        block((-x, x), (-y, y), (h - 0.02, h), style.rgb),
    ]
    slide, surface = slide_out(style, (z0, z1), length=0.40, upper=0.36)
    return Blueprint(
        half_x=x,
        half_y=y,
        height=h,
        parts=tuple(carcass),
        links=(slide,),
        surfaces=(surface,),
        free_front=FREE_FRONT,
        support=h,
    )


KINDS = (
    FurnitureKind(
        name="kitchen_counter",
        plan=kitchen_counter,
        size=(0.7, 0.6, 0.9),
        colours=("white", "navy", "beige", "gray"),
        aliases=("counter", "kitchen counter", "countertop", "worktop"),
        least=(0.4, 0.5, 0.04),
        most=(2.4, 0.7, 0.95),
    ),
    FurnitureKind(
        name="sink",
        plan=sink,
        size=(0.7, 0.6, 0.9),
        colours=("white", "navy", "beige", "gray"),
        aliases=("kitchen sink",),
        least=(0.6, 0.55, 0.85),
        most=(0.9, 0.65, 0.95),
    ),
    FurnitureKind(
        name="stove",
        plan=stove,
        size=(0.6, 0.6, 0.9),
        colours=("white", "gray"),
        aliases=("cooker", "oven", "hob"),
    ),
    FurnitureKind(
        name="drawer",
        plan=drawer,
        size=(0.6, 0.6, 0.86),
        colours=("white", "navy", "beige", "gray"),
        aliases=("drawers",),
    ),
)
"""The kinds of this file."""

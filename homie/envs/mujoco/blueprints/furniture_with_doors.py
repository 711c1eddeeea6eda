"""Furniture with one door: fridge, cabinet, microwave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from homie.envs.mujoco.blueprints.doors_and_drawers import hinged_door
from homie.envs.mujoco.blueprints.furniture_kind import FREE_FRONT, FurnitureKind, Style
from homie.envs.mujoco.blueprints.materials import (
    CERAMIC,
    DARK,
    SCREEN,
    shade,
)
from homie.envs.mujoco.blueprints.parts import (
    Blueprint,
    Link,
    Part,
    Span,
    SurfacePlan,
    block,
    button,
)

WALL = 0.02
"""Thickness (m) of the walls and doors of cabinets and wardrobes."""


def two_boards(
    x: Span, half_y: float, *, upper: float, lower: float, thickness: float, roof: float
) -> tuple[SurfacePlan, ...]:
    """The two boards behind a door.

    Args:
        x: Their extent from back to front (m).
        half_y: Their half width (m).
        upper, lower, roof: Heights of their tops and of the underside of the roof (m).
        thickness: Thickness of the upper board (m).
    """
    half_x, middle = (x[1] - x[0]) / 2, (x[1] + x[0]) / 2
    levels = (("upper shelf", upper, roof - upper), ("lower shelf", lower, upper - thickness - lower))
    return tuple(
        SurfacePlan(
            name=name,
            center=(middle, 0.0, height),
            half_x=half_x,
            half_y=half_y,
            clearance=clearance,
            inside=True,
            access="front",
        )
        for name, height, clearance in levels
    )


def behind_door(
    style: Style, parts: Sequence[Part], links: tuple[Link, ...], surfaces: tuple[SurfacePlan, ...], sweep: Span
) -> Blueprint:
    """A piece made of these parts, with the floor in front kept free for its door."""
    return Blueprint(
        half_x=style.x,
        half_y=style.y,
        height=style.height,
        parts=tuple(parts),
        links=links,
        surfaces=surfaces,
        free_front=FREE_FRONT,
        sweep=sweep,
    )


def shelved(style: Style, *, upper: float, lower: float) -> tuple[list[Part], tuple[SurfacePlan, ...]]:
    """The body of a cabinet or wardrobe, open to the front, and its two boards. Doors are as thick as the walls.

    Args:
        upper, lower: Heights of the tops of the boards (m).
    """
    x, y, h, wall = style.x, style.y, style.height, WALL
    back, front = -x + wall, x - wall
    inside = shade(style.rgb, 0.8)
    parts = [
        block((-x, front - 0.03), (-y, y), (0.0, 0.08), DARK),
        block((-x, front), (-y, y), (0.08, lower), style.rgb),
        block((-x, back), (-y, y), (lower, h - wall), inside),
        block((back, front), (-y, -y + wall), (lower, h - wall), style.rgb, finish="grain"),
        block((back, front), (y - wall, y), (lower, h - wall), style.rgb, finish="grain"),
        block((-x, x), (-y, y), (h - wall, h), style.rgb, finish="grain"),
        block((back, front - 0.02), (-y + wall, y - wall), (upper - wall, upper), inside),
    ]
    boards = two_boards((back, front - 0.02), y - wall, upper=upper, lower=lower, thickness=wall, roof=h - wall)
    return parts, boards


def fridge(style: Style) -> Blueprint:
    """A tall fridge: one door over two shelves."""
    x, y, h = style.x, style.y, style.height
    wall, door = 0.05, 0.06
    back, front = -x + wall, x - door
    levels = (0.40, 0.95)
    inside = CERAMIC
    parts = [
        block((-x, front - 0.02), (-y, y), (0.0, 0.06), DARK),
        block((-x, front), (-y, y), (0.06, levels[0] - 0.01), style.rgb, finish="gloss"),
        block((back, front), (-y + wall, y - wall), (levels[0] - 0.01, levels[0]), inside),
        block((-x, back), (-y, y), (levels[0] - 0.01, h - wall), style.rgb),
        block((back, back + 0.002), (-y + wall, y - wall), (levels[0], h - wall), inside, solid=False),
        block((back, front), (-y, -y + wall), (levels[0] - 0.01, h - wall), style.rgb, finish="gloss"),
        block((back, front), (y - wall, y), (levels[0] - 0.01, h - wall), style.rgb, finish="gloss"),
        block((-x, front), (-y, y), (h - wall, h), style.rgb, finish="gloss"),
        block((back, front - 0.04), (-y + wall, y - wall), (levels[1] - 0.02, levels[1]), (0.75, 0.86, 0.92)),
    ]
    for sign in (-1.0, 1.0):
        edge = sign * (y - wall)
        lining: Span = (min(edge, edge - sign * 0.002), max(edge, edge - sign * 0.002))
        parts.append(block((back, front), lining, (levels[0], h - wall), inside, solid=False))
    link, sweep = hinged_door(style, (front, x), (0.06, h), style.width, 0.0, (0.85, 1.25), 8.0, shade(style.rgb, 1.05))
    boards = two_boards((back, front - 0.04), y - wall, upper=levels[1], lower=levels[0], thickness=0.02, roof=h - wall)
    return behind_door(style, parts, (link,), boards, sweep)


def cabinet(style: Style) -> Blueprint:
    """A floor-standing cabinet with one door over two shelves."""
    x, h, wall = style.x, style.height, WALL
    parts, boards = shelved(style, upper=0.75, lower=0.15)
    link, sweep = hinged_door(
        style, (x - wall, x), (0.085, h - wall - 0.003), style.width, 0.0, (0.82, 1.02), 3.0, shade(style.rgb, 1.08)
    )
    return behind_door(style, parts, (link,), boards, sweep)


def microwave(style: Style) -> Blueprint:
    """A large countertop microwave: a door with a window, the control panel beside its free edge."""
    x, y, h = style.x, style.y, style.height
    wall, door, panel = 0.02, 0.025, 0.12
    back, front = -x + wall, x - door
    sign = 1.0 if style.hinge == "left" else -1.0

    def across(start: float, end: float) -> Span:
        """An extent along y for a door with the hinge on the left, mirrored if it is on the right."""
        return (start, end) if sign > 0 else (-end, -start)

    split = -y + panel
    inside = shade(CERAMIC, 0.85)
    parts = [
        block((-x, front), (-y, y), (0.0, wall), style.rgb),
        block((-x, front), (-y, y), (h - wall, h), style.rgb),
        block((-x, back), (-y, y), (wall, h - wall), inside),
        block((back, front), across(y - wall, y), (wall, h - wall), style.rgb),
        block((back, x), across(-y, split), (wall, h - wall), shade(style.rgb, 0.8), finish="gloss"),
        block(
            (x, x + 0.002),
            across(-y + 0.02, split - 0.02),
            (h - 0.11, h - 0.05),
            SCREEN,
            solid=False,
            label="lamp",
            glow=(0.2, 1.0, 0.45),
        ),
    ]
    width, middle = y - split - 0.002, sign * (y + split) / 2
    link, sweep = hinged_door(style, (front, x), (0.003, h - 0.003), width, middle, (0.07, h - 0.07), 1.5, DARK)
    window = block(
        (door, door + 0.002),
        across(-width + 0.1, -0.05),
        (0.06, h - 0.06),
        (0.22, 0.24, 0.28),
        solid=False,
        label="door",
        finish="gloss",
    )
    link = replace(link, parts=(*link.parts, window))
    surface = SurfacePlan(
        name="floor",
        center=((back + front) / 2, sign * (split + y - wall) / 2, wall),
        half_x=(front - back) / 2,
        half_y=(y - wall - split) / 2,
        clearance=h - 2 * wall,
        inside=True,
        access="front",
    )
    start = button((x, sign * (split - y) / 2, 0.1), (0.9, 0.9, 0.9))
    return behind_door(style, parts, (link, start), (surface,), sweep)


KINDS = (
    FurnitureKind(
        name="fridge",
        plan=fridge,
        size=(0.7, 0.7, 1.75),
        colours=("white", "silver"),
        aliases=("refrigerator", "icebox"),
    ),
    FurnitureKind(
        name="cabinet",
        plan=cabinet,
        size=(0.6, 0.45, 1.3),
        colours=("white", "wood", "blue", "green", "brown", "gray"),
        aliases=("cupboard", "closet"),
        least=(0.5, 0.4, 1.25),
        most=(0.8, 0.6, 1.6),
    ),
    FurnitureKind(
        name="microwave",
        plan=microwave,
        size=(0.58, 0.44, 0.36),
        colours=("silver", "black"),
        aliases=("microwave oven",),
    ),
)
"""The kinds of this file."""

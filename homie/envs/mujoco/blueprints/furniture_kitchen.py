"""Kitchen furniture: counter, sink, stove, drawer unit, fridge, cabinet, microwave."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from homie.envs.mujoco.blueprints.palette import CERAMIC, CHROME, DARK, GRANITE, RGB, SCREEN, STEEL, shade
from homie.envs.mujoco.blueprints.parts import (
    Blueprint,
    Link,
    Part,
    Span,
    SurfacePlan,
    block,
    button,
    disc,
    handle,
    rod,
)

FREE_FRONT = 1.25
"""Depth (m) of the floor kept free in front: a robot with its arm extended, and an open door or drawer."""
OPEN_ANGLE = 1.92
"""Angle (rad) of a fully open door: 110 degrees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The properties that differ between pieces of a kind: outer size (m), colour, and the side of the hinge."""

    width: float
    depth: float
    height: float
    rgb: RGB
    hinge: Literal["left", "right"] = "left"

    @property
    def x(self) -> float:
        """Half depth."""
        return self.depth / 2

    @property
    def y(self) -> float:
        """Half width."""
        return self.width / 2


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
    floor = z0 + 0.025
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
    inner_x: Span = (x - panel - 0.40, x - panel)
    inner_y = y - side - 0.015 - 0.012
    inside = shade(style.rgb, 0.75)
    rim: Span = (floor, floor + 0.135)
    tray = (
        block((x - panel, x), (-y + 0.005, y - 0.005), (z0, z1), front, finish="gloss"),
        block((inner_x[0] - 0.012, inner_x[1]), (-inner_y - 0.012, inner_y + 0.012), (floor - 0.012, floor), inside),
        block((inner_x[0] - 0.012, inner_x[0]), (-inner_y - 0.012, inner_y + 0.012), rim, inside),
        block(inner_x, (-inner_y - 0.012, -inner_y), rim, inside),
        block(inner_x, (inner_y, inner_y + 0.012), rim, inside),
        *handle(x, (-0.09, (z0 + z1) / 2), (0.09, (z0 + z1) / 2)),
    )
    slide = Link(
        name="drawer",
        kind="slide",
        pos=(0.0, 0.0, 0.0),
        axis=(1.0, 0.0, 0.0),
        upper=0.36,
        parts=tray,
        mass=3.0,
        frictionloss=5.0,
        damping=12.0,
    )
    surface = SurfacePlan(
        name="tray",
        center=(x - panel - 0.20, 0.0, floor),
        half_x=0.20,
        half_y=inner_y,
        clearance=0.17,
        inside=True,
        link="drawer",
    )
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


def _door(
    style: Style, x: Span, z: Span, width: float, center_y: float, grip: Span, mass: float, rgb: RGB
) -> tuple[Link, Span]:
    """A hinged door over the front at `x`, and the space that it needs beside the piece when it is fully open.

    `width` and `center_y` place the panel; `grip` is the range of heights of the handle bar, on the side away from the
    hinge.
    """
    sign = 1.0 if style.hinge == "left" else -1.0
    hinge_y = center_y + sign * width / 2
    far = -sign * width
    y: Span = (min(0.0, far), max(0.0, far))
    bar_y = far + sign * 0.06
    panel = block((0.0, x[1] - x[0]), y, z, rgb, finish="gloss", label="door")
    bar = handle(x[1] - x[0], (bar_y, grip[0]), (bar_y, grip[1]))
    arm = abs(bar_y)
    link = Link(
        name="door",
        kind="hinge",
        pos=(x[0], hinge_y, 0.0),
        axis=(0.0, 0.0, sign),
        upper=OPEN_ANGLE,
        parts=(panel, *bar),
        mass=mass,
        frictionloss=5.0 * arm,  # 5 N at the handle
        damping=4.0 * arm * arm,  # 4 N per m/s at the handle
    )
    side = width * 0.36 + 0.10  # at 110 degrees a door reaches 0.34 of its width to the side; 0.1 m for handle and hand
    return link, ((side, 0.0) if sign > 0 else (0.0, side))


def _two_boards(
    x: Span, half_y: float, *, upper: float, lower: float, thickness: float, roof: float
) -> tuple[SurfacePlan, ...]:
    """The boards behind a door: from back to front over `x`, with the heights of their tops, of the underside of the
    roof, and the thickness of the upper board (m)."""
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
    link, sweep = _door(style, (front, x), (0.06, h), style.width, 0.0, (0.85, 1.25), 8.0, shade(style.rgb, 1.05))
    boards = _two_boards(
        (back, front - 0.04), y - wall, upper=levels[1], lower=levels[0], thickness=0.02, roof=h - wall
    )
    return Blueprint(
        half_x=x,
        half_y=y,
        height=h,
        parts=tuple(parts),
        links=(link,),
        surfaces=boards,
        free_front=FREE_FRONT,
        sweep=sweep,
    )


def cabinet(style: Style) -> Blueprint:
    """A floor-standing cabinet with one door over two shelves."""
    x, y, h = style.x, style.y, style.height
    wall = 0.02
    back, front = -x + wall, x - 0.02
    levels = (0.75, 0.15)
    inside = shade(style.rgb, 0.8)
    parts = [
        block((-x, front - 0.03), (-y, y), (0.0, 0.08), DARK),
        block((-x, front), (-y, y), (0.08, levels[1]), style.rgb),
        block((-x, back), (-y, y), (levels[1], h - wall), inside),
        block((back, front), (-y, -y + wall), (levels[1], h - wall), style.rgb, finish="grain"),
        block((back, front), (y - wall, y), (levels[1], h - wall), style.rgb, finish="grain"),
        block((-x, x), (-y, y), (h - wall, h), style.rgb, finish="grain"),
        block((back, front - 0.02), (-y + wall, y - wall), (levels[0] - wall, levels[0]), inside),
    ]
    link, sweep = _door(
        style, (front, x), (0.085, h - wall - 0.003), style.width, 0.0, (0.82, 1.02), 3.0, shade(style.rgb, 1.08)
    )
    boards = _two_boards(
        (back, front - 0.02), y - wall, upper=levels[0], lower=levels[1], thickness=wall, roof=h - wall
    )
    return Blueprint(
        half_x=x,
        half_y=y,
        height=h,
        parts=tuple(parts),
        links=(link,),
        surfaces=boards,
        free_front=FREE_FRONT,
        sweep=sweep,
    )


def microwave(style: Style) -> Blueprint:
    """A large microwave to stand on a counter: a door with a window, the control panel beside its free edge."""
    x, y, h = style.x, style.y, style.height
    wall, door, panel = 0.02, 0.025, 0.12
    back, front = -x + wall, x - door
    sign = 1.0 if style.hinge == "left" else -1.0

    def across(start: float, end: float) -> Span:
        """An extent across, for the door on the left, mirrored if it is on the right."""
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
    link, sweep = _door(style, (front, x), (0.003, h - 0.003), width, middle, (0.07, h - 0.07), 1.5, DARK)
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
    return Blueprint(
        half_x=x,
        half_y=y,
        height=h,
        parts=tuple(parts),
        links=(link, start),
        surfaces=(surface,),
        free_front=FREE_FRONT,
        sweep=sweep,
    )

"""Furniture with other openings than one door or one drawer: dishwasher, wardrobe, storage chest, sideboard, and the
three drawers of a chest of drawers."""

from __future__ import annotations

from dataclasses import replace

from homie.envs.mujoco.blueprints.doors_and_drawers import hinged_door, slide_out
from homie.envs.mujoco.blueprints.furniture_kind import FREE_FRONT, FurnitureKind, Style
from homie.envs.mujoco.blueprints.furniture_with_doors import WALL, behind_door, shelved, two_boards
from homie.envs.mujoco.blueprints.materials import CHROME, DARK, RGB, SCREEN, STEEL, shade
from homie.envs.mujoco.blueprints.parts import (
    HANDLE_GAP,
    HANDLE_RADIUS,
    Blueprint,
    Link,
    Part,
    Span,
    SurfacePlan,
    Vec3,
    block,
    handle,
    rod,
)

FLAP_ANGLE, LID_ANGLE = 1.4, 1.5
"""Angles (rad) of a fully open flap (80 degrees: high enough above the floor for a gripper to grasp the bar) and of a
fully open lid (86 degrees)."""
BEYOND = HANDLE_GAP + HANDLE_RADIUS
"""Distance (m) from the free edge of a flap or lid to the axis of its bar. The bar is beyond the edge, not in front of
the panel, so that a gripper of any orientation keeps its grasp while the panel turns."""
PULL, DRAG = 5.0, 4.0
"""Dry friction (N) and damping (N per m/s) at the bar, as for door handles."""


def _level(*, pos: Vec3, up: bool, length: float, parts: tuple[Part, ...], upper: float, mass: float) -> Link:
    """A panel that turns about a horizontal axis across the piece, with its bar `length` metres from the axis. Springs
    carry its weight, as in a dishwasher, so that it stays at any angle."""
    return Link(
        name="lid" if up else "flap",
        kind="hinge",
        pos=pos,
        axis=(0.0, -1.0 if up else 1.0, 0.0),
        upper=upper,
        parts=parts,
        mass=mass,
        frictionloss=PULL * length,
        damping=DRAG * length * length,
        balanced=True,
    )


def _edge_bar(start: Vec3, out: Vec3) -> tuple[Part, ...]:
    """A bar beyond an edge, from `start` (at +y) to its mirror image at -y; `out` is the offset from edge to bar."""
    bar_ends = [(start[0] + out[0], sign * start[1] + out[1], start[2] + out[2]) for sign in (1.0, -1.0)]
    feet = [(start[0], sign * start[1], start[2]) for sign in (1.0, -1.0)]
    bar = rod(bar_ends[0], bar_ends[1], HANDLE_RADIUS, CHROME, label="handle", finish="metal")
    posts = (
        rod(foot, end, 0.007, CHROME, label="handle", finish="metal") for foot, end in zip(feet, bar_ends, strict=True)
    )
    return (bar, *posts)


def dishwasher(style: Style) -> Blueprint:
    """A dishwasher with one rack; its door opens downwards to the front."""
    x, y, h = style.x, style.y, style.height
    wall, door, low = 0.03, 0.04, 0.14
    back, front, edge = -x + wall, x - door, h - 0.16
    steel: RGB = (0.62, 0.65, 0.68)
    level = 0.25
    parts = [
        block((-x, front - 0.04), (-y, y), (0.0, 0.1), DARK),
        block((-x, front), (-y, y), (0.1, low), style.rgb),
        block((-x, front), (-y, y), (low, level - 0.05), steel),
        block((-x, back), (-y, y), (level - 0.05, edge), steel),
        block((back, front), (-y, -y + wall), (level - 0.05, edge), steel, finish="metal"),
        block((back, front), (y - wall, y), (level - 0.05, edge), steel, finish="metal"),
        # The strip with the switches is set back, so that a gripper can close around the bar in front of it.
        block((-x, front - 0.05), (-y, y), (edge, h), style.rgb, finish="gloss"),
        block((front - 0.05, front - 0.048), (-0.08, 0.08), (h - 0.09, h - 0.05), SCREEN, solid=False, finish="gloss"),
        block((back, front - 0.03), (-y + wall + 0.01, y - wall - 0.01), (level - 0.012, level), STEEL, finish="metal"),
    ]
    rim = level + 0.05
    inner: Span = (back + 0.01, front - 0.035)
    for sign in (-1.0, 1.0):
        side = sign * (y - wall - 0.015)
        parts.append(rod((inner[0], side, rim), (inner[1], side, rim), 0.004, CHROME, solid=False, finish="metal"))
        end = inner[0] if sign < 0 else inner[1]
        parts.append(rod((end, -y + wall + 0.015, rim), (end, y - wall - 0.015, rim), 0.004, CHROME, solid=False))
    for k in range(-3, 4):
        at = k * (y - wall - 0.02) / 3.5
        parts.append(rod((inner[0], at, level), (inner[1], at, level), 0.003, CHROME, solid=False, finish="metal"))
    panel = (
        block((0.0, door), (-y + 0.003, y - 0.003), (0.0, edge - low), style.rgb, finish="gloss", label="door"),
        block((-0.002, 0.0), (-y + 0.05, y - 0.05), (0.04, edge - low - 0.04), steel, solid=False, label="door"),
        *_edge_bar((door / 2, 0.16, edge - low), (0.0, 0.0, BEYOND)),
    )
    flap = _level(pos=(front, 0.0, low), up=False, length=edge - low + BEYOND, parts=panel, upper=FLAP_ANGLE, mass=5.0)
    rack = SurfacePlan(
        name="rack",
        center=((back + front - 0.03) / 2, 0.0, level),
        half_x=(front - 0.03 - back) / 2,
        half_y=y - wall - 0.02,
        clearance=edge - level,
        inside=True,
        access="front",
    )
    return Blueprint(
        half_x=x,
        half_y=y,
        height=h,
        parts=tuple(parts),
        links=(flap,),
        surfaces=(rack,),
        free_front=FREE_FRONT,
        support=h,
    )


def chest(style: Style) -> Blueprint:
    """A storage chest; its lid is hinged at the back and opens upwards."""
    x, y, h = style.x, style.y, style.height
    wall, thick, floor = 0.02, 0.03, 0.06
    top = h - thick
    inside = shade(style.rgb, 0.75)
    parts = [
        block((-x, x), (-y, y), (0.02, floor), style.rgb),
        block((-x, -x + wall), (-y, y), (floor, top), style.rgb, finish="grain"),
        block((x - wall, x), (-y, y), (floor, top), style.rgb, finish="grain"),
        block((-x + wall, x - wall), (-y, -y + wall), (floor, top), style.rgb, finish="grain"),
        block((-x + wall, x - wall), (y - wall, y), (floor, top), style.rgb, finish="grain"),
        block((-x + wall, x - wall), (-y + wall, y - wall), (floor, floor + 0.002), inside, solid=False),
        *(
            block((sx * x - 0.02, sx * x + 0.02), (sy * y - 0.02, sy * y + 0.02), (0.0, 0.02), DARK, solid=False)
            for sx in (-0.9, 0.9)
            for sy in (-0.95, 0.95)
        ),
        *(
            block((x, x + 0.004), (sy * y - 0.025, sy * y + 0.025), (0.02, top), shade(style.rgb, 0.6), solid=False)
            for sy in (-0.6, 0.6)
        ),
    ]
    # The hinge is in front of a strip as thick as the lid: otherwise the open lid would penetrate the wall behind.
    long = 2 * x - thick
    parts.append(block((-x, -x + thick), (-y, y), (top, h), shade(style.rgb, 1.08), finish="grain"))
    panel = (
        block((0.0, long), (-y, y), (0.002, thick), shade(style.rgb, 1.08), finish="grain", label="door"),
        *_edge_bar((long, 0.16, thick / 2), (BEYOND, 0.0, 0.0)),
    )
    lid = _level(pos=(-x + thick, 0.0, top), up=True, length=long + BEYOND, parts=panel, upper=LID_ANGLE, mass=4.0)
    surface = SurfacePlan(
        name="bottom",
        center=(0.0, 0.0, floor),
        half_x=x - wall,
        half_y=y - wall,
        clearance=top - floor,
        inside=True,
    )
    return Blueprint(
        half_x=x,
        half_y=y,
        height=h,
        parts=tuple(parts),
        links=(lid,),
        surfaces=(surface,),
        free_front=FREE_FRONT,
    )


def wardrobe(style: Style) -> Blueprint:
    """A wardrobe with double doors over two boards."""
    x, y, h, wall = style.x, style.y, style.height, WALL
    parts, boards = shelved(style, upper=0.85, lower=0.35)
    rail = rod((0.0, -y + wall, h - 0.12), (0.0, y - wall, h - 0.12), 0.012, CHROME, solid=False, finish="metal")
    leaves, sides = [], []
    for sign in (1.0, -1.0):
        width = y - 0.002  # 4 mm between the two, so that they do not touch
        leaf, side = hinged_door(
            replace(style, hinge="left" if sign > 0 else "right"),
            (x - wall, x),
            (0.085, h - wall - 0.003),
            width,
            sign * (y - width / 2),
            (0.88, 1.12),
            4.0,
            shade(style.rgb, 1.08),
        )
        leaves.append(replace(leaf, name="left_door" if sign > 0 else "right_door"))
        sides.append(max(side))
    return behind_door(style, [*parts, rail], tuple(leaves), boards, (sides[0], sides[1]))


def sideboard(style: Style) -> Blueprint:
    """A sideboard of two halves: one front is fixed, the other slides in front of it, to the hinge side of the style.
    Behind the sliding door are two boards."""
    x, y, h = style.x, style.y, style.height
    wall, leaf = 0.02, 0.018
    back, front = -x + wall, x - 2 * leaf - 0.004
    sign = 1.0 if style.hinge == "left" else -1.0
    levels = (0.45, 0.12)
    inside = shade(style.rgb, 0.8)

    sliding = shade(style.rgb, 1.15)

    def across(start: float, end: float) -> Span:
        """An extent along y for a leaf that slides to the left, mirrored if it slides to the right."""
        return (start, end) if sign > 0 else (-end, -start)

    parts = [
        block((-x + 0.03, front - 0.03), (-y + 0.03, y - 0.03), (0.0, 0.06), DARK),
        block((-x, x), (-y, y), (0.06, levels[1]), style.rgb),
        block((-x, back), (-y, y), (levels[1], h - wall), inside),
        block((back, x), (-y, -y + wall), (levels[1], h - wall), style.rgb, finish="grain"),
        block((back, x), (y - wall, y), (levels[1], h - wall), style.rgb, finish="grain"),
        block((-x, x), (-y, y), (h - wall, h), style.rgb, finish="grain"),
        block((back, front), (-wall / 2, wall / 2), (levels[1], h - wall), inside),
        block(
            (front, front + leaf),
            across(-wall / 2, y - wall),
            (levels[1], h - wall),
            shade(style.rgb, 1.08),
            finish="gloss",
        ),
        block((back, front - 0.02), across(-y + wall, -wall / 2), (levels[0] - wall, levels[0]), inside),
    ]
    low, high = levels[1] + 0.003, h - wall - 0.003
    edge = -y + wall + 0.004
    width = y - wall + 0.01
    start = x - leaf
    grip = (0.55 * high - 0.08, 0.55 * high + 0.08)
    bar_y = sign * (edge + 0.06)
    panel = (
        block((start, x), across(edge, edge + width), (low, high), sliding, finish="gloss", label="door"),
        *handle(x, (bar_y, grip[0]), (bar_y, grip[1])),
    )
    slide = Link(
        name="sliding_door",
        kind="slide",
        pos=(0.0, 0.0, 0.0),
        axis=(0.0, sign, 0.0),
        upper=y - wall - 0.03,
        parts=panel,
        mass=3.0,
        frictionloss=PULL,
        damping=12.0,
    )
    boards = two_boards(
        (back, front - 0.02), (y - 1.5 * wall) / 2, upper=levels[0], lower=levels[1], thickness=wall, roof=h - wall
    )
    middle = -sign * (y - wall / 2) / 2
    boards = tuple(replace(board, center=(board.center[0], middle, board.center[2])) for board in boards)
    return behind_door(style, parts, (slide,), boards, (0.0, 0.0))


def _chest_drawer(style: Style, plinth: float, top: float) -> Blueprint:
    """One of the drawers of a chest of drawers: each is a separate piece that stands on the one below."""
    x, y, h = style.x, style.y, style.height
    side, panel = 0.02, 0.02
    z = (plinth + 0.005, h - top - 0.005)
    parts = [
        block((-x, x - panel), (-y, -y + side), (plinth, h - top), style.rgb, finish="grain"),
        block((-x, x - panel), (y - side, y), (plinth, h - top), style.rgb, finish="grain"),
        block((-x, -x + side), (-y + side, y - side), (plinth, h - top), style.rgb),
        block((-x + side, x - panel), (-y + side, y - side), (plinth, plinth + 0.01), style.rgb),
    ]
    if plinth:
        parts.append(block((-x, x - 0.03), (-y, y), (0.0, plinth), shade(style.rgb, 0.6)))
    if top:
        parts.append(block((-x, x + 0.01), (-y, y), (h - top, h), style.rgb, finish="grain"))
    slide, tray = slide_out(style, z, length=style.depth - 0.07, upper=0.34)
    return Blueprint(
        half_x=x,
        half_y=y,
        height=h,
        parts=tuple(parts),
        links=(slide,),
        surfaces=(tray,),
        free_front=FREE_FRONT,
        support=h,
    )


def lower_drawer(style: Style) -> Blueprint:
    """The lowest drawer of a chest of drawers, with the feet of the chest."""
    return _chest_drawer(style, plinth=0.08, top=0.0)


def middle_drawer(style: Style) -> Blueprint:
    """A drawer between two others."""
    return _chest_drawer(style, plinth=0.0, top=0.0)


def upper_drawer(style: Style) -> Blueprint:
    """The uppermost drawer of a chest of drawers, with the top of the chest."""
    return _chest_drawer(style, plinth=0.0, top=0.02)


_WOODS = ("white", "wood", "blue", "green", "brown", "gray")
_WIDTH_DEPTH = 0.8, 0.46

KINDS = (
    FurnitureKind(
        name="dishwasher",
        plan=dishwasher,
        size=(0.6, 0.6, 0.86),
        colours=("white", "silver"),
        aliases=("dish washer",),
    ),
    FurnitureKind(
        name="wardrobe",
        plan=wardrobe,
        size=(1.0, 0.58, 1.9),
        colours=_WOODS,
        aliases=("armoire",),
        least=(0.8, 0.45, 1.5),
        most=(1.2, 0.65, 2.1),
    ),
    FurnitureKind(
        name="chest",
        plan=chest,
        size=(0.9, 0.5, 0.5),
        colours=_WOODS,
        aliases=("storage chest", "trunk"),
        least=(0.7, 0.4, 0.4),
        most=(1.2, 0.6, 0.6),
    ),
    FurnitureKind(
        name="sideboard",
        plan=sideboard,
        size=(1.3, 0.42, 0.8),
        colours=_WOODS,
        aliases=("credenza",),
        least=(1.1, 0.38, 0.75),
        most=(1.6, 0.5, 0.95),
    ),
    FurnitureKind(name="lower_drawer", plan=lower_drawer, size=(*_WIDTH_DEPTH, 0.31), colours=_WOODS),
    FurnitureKind(name="middle_drawer", plan=middle_drawer, size=(*_WIDTH_DEPTH, 0.23), colours=_WOODS),
    FurnitureKind(name="upper_drawer", plan=upper_drawer, size=(*_WIDTH_DEPTH, 0.25), colours=_WOODS),
)
"""The kinds of this file."""

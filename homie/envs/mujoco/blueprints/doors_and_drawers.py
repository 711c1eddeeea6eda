"""Hinged doors and drawers for furniture blueprints."""

from __future__ import annotations

from homie.envs.mujoco.blueprints.furniture_kind import Style
from homie.envs.mujoco.blueprints.materials import RGB, shade
from homie.envs.mujoco.blueprints.parts import Link, Span, SurfacePlan, block, handle

OPEN_ANGLE = 1.92
"""Angle (rad) of a fully open door: 110 degrees."""


def hinged_door(
    style: Style, x: Span, z: Span, width: float, center_y: float, grip: Span, mass: float, rgb: RGB
) -> tuple[Link, Span]:
    """A hinged door over the front at `x`, and the space that it needs beside the piece when it is fully open.

    `width` and `center_y` place the panel; `grip` is the range of heights of the handle bar, on the side away from the
    hinge.
    """
    sign = 1.0 if style.hinge == "left" else -1.0
    hinge_y = center_y + sign * width / 2
    free_edge = -sign * width
    y: Span = (min(0.0, free_edge), max(0.0, free_edge))
    bar_y = free_edge + sign * 0.06
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


def slide_out(style: Style, z: Span, *, length: float, upper: float) -> tuple[Link, SurfacePlan]:
    """A drawer in the front of a unit: its front spans the heights `z`, its tray is `length` metres long and 0.135 m
    deep, and it slides out by `upper` metres."""
    x, y = style.x, style.y
    side, panel, floor = 0.02, 0.02, z[0] + 0.025
    inner_x: Span = (x - panel - length, x - panel)
    inner_y = y - side - 0.015 - 0.012
    inside = shade(style.rgb, 0.75)
    rim: Span = (floor, floor + 0.135)
    tray = (
        block((x - panel, x), (-y + 0.005, y - 0.005), z, shade(style.rgb, 1.1), finish="gloss"),
        block((inner_x[0] - 0.012, inner_x[1]), (-inner_y - 0.012, inner_y + 0.012), (floor - 0.012, floor), inside),
        block((inner_x[0] - 0.012, inner_x[0]), (-inner_y - 0.012, inner_y + 0.012), rim, inside),
        block(inner_x, (-inner_y - 0.012, -inner_y), rim, inside),
        block(inner_x, (inner_y, inner_y + 0.012), rim, inside),
        *handle(x, (-0.09, (z[0] + z[1]) / 2), (0.09, (z[0] + z[1]) / 2)),
    )
    slide = Link(
        name="drawer",
        kind="slide",
        pos=(0.0, 0.0, 0.0),
        axis=(1.0, 0.0, 0.0),
        upper=upper,
        parts=tray,
        mass=3.0,
        frictionloss=5.0,
        damping=12.0,
    )
    surface = SurfacePlan(
        name="tray",
        center=(x - panel - length / 2, 0.0, floor),
        half_x=length / 2,
        half_y=inner_y,
        clearance=0.17,
        inside=True,
        link="drawer",
    )
    return slide, surface

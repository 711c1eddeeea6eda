"""Shapes of cutlery, dishes and pots."""

from __future__ import annotations

import math

from homie.envs.mujoco.blueprints.household.form import (
    bent,
    core,
    cup_of,
    form,
    lathe,
    loop,
    lying_disc,
    oval,
    wall,
)
from homie.envs.mujoco.blueprints.materials import DARK, RGB, STEEL, shade
from homie.envs.mujoco.blueprints.object_kind import ObjectKind
from homie.envs.mujoco.blueprints.objects import tin
from homie.envs.mujoco.blueprints.parts import ObjectPlan, ball, block, disc, rod

_GRIP = ((-0.10, 0.02), (-0.009, 0.009), (0.0, 0.018))
"""Spans (x, y, z) of the handle of cutlery and tools, thicker than in reality for grasps from above."""


def fork(rgb: RGB) -> ObjectPlan:
    """Lies along x: four tines to +x."""
    tines = [rod((0.06, y, 0.012), (0.105, y, 0.012), 0.0022, rgb) for y in (-0.0105, -0.0035, 0.0035, 0.0105)]
    return form(
        [block(*_GRIP, rgb, mass=0.03, finish="metal"), core((0.02, 0.105), (-0.012, 0.012), (0.0, 0.014), rgb, 0.02)],
        [
            block((0.02, 0.045), (-0.004, 0.004), (0.008, 0.014), rgb),
            block((0.045, 0.062), (-0.013, 0.013), (0.009, 0.015), rgb),
            *tines,
        ],
    )


def spoon(rgb: RGB) -> ObjectPlan:
    """Lies along x: an oval bowl to +x, dark inside."""
    return form(
        [block(*_GRIP, rgb, mass=0.03, finish="metal"), core((0.02, 0.09), (-0.014, 0.014), (0.0, 0.014), rgb, 0.02)],
        [
            block((0.02, 0.05), (-0.004, 0.004), (0.008, 0.014), rgb),
            oval((0.072, 0.0, 0.011), (0.032, 0.021, 0.008), rgb),
            oval((0.072, 0.0, 0.0155), (0.025, 0.015, 0.0045), shade(rgb, 0.55)),
        ],
    )


def spatula(rgb: RGB) -> ObjectPlan:
    """Lies along x: a broad blade with three slots to +x."""
    slots = [
        block((0.08, 0.135), (y - 0.004, y + 0.004), (0.0106, 0.0112), (0.85, 0.80, 0.70)) for y in (-0.02, 0, 0.02)
    ]
    return form(
        [block(*_GRIP, rgb, mass=0.05), core((0.02, 0.145), (-0.03, 0.03), (0.0, 0.010), rgb, 0.04)],
        [
            block((0.02, 0.07), (-0.006, 0.006), (0.006, 0.014), STEEL),
            block((0.065, 0.145), (-0.036, 0.036), (0.004, 0.0106), rgb),
            *slots,
        ],
    )


def ladle(rgb: RGB) -> ObjectPlan:
    """Lies along x: a deep round bowl to +x, dark inside."""
    return form(
        [
            block((-0.13, 0.0), (-0.009, 0.009), (0.0, 0.018), rgb, mass=0.06, finish="metal"),
            core((0.0, 0.125), (-0.026, 0.026), (0.0, 0.036), rgb, 0.06),
        ],
        [
            rod((0.0, 0.0, 0.012), (0.06, 0.0, 0.034), 0.0055, rgb),
            *lathe(rgb, (0.0, 0.01, 0.022), (0.01, 0.022, 0.031), (0.022, 0.037, 0.036), x=0.09),
            disc(0.09, 0.0, (0.037, 0.0376), 0.031, shade(rgb, 0.45)),
        ],
    )


def whisk(rgb: RGB) -> ObjectPlan:
    """Lies along x: a balloon of wires to +x."""
    wires = []
    for k in range(4):
        turn, a, b = k * math.pi / 4, 0.055, 0.026
        points = [(0.02, 0.0, 0.026)]
        for step in range(1, 8):
            t = math.pi * step / 4
            bulge = b * math.sin(t)
            points.append((0.075 - a * math.cos(t), bulge * math.cos(turn), 0.026 + bulge * math.sin(turn)))
        wires += bent([*points, points[0]], 0.0016, STEEL)
    return form(
        [
            core((-0.10, 0.02), (-0.011, 0.011), (0.008, 0.042), rgb, 0.06),
            core((0.02, 0.125), (-0.02, 0.02), (0.0, 0.044), rgb, 0.05),
        ],
        [lying_disc((-0.10, 0.02), 0.0, 0.026, 0.012, rgb), *wires],
    )


def chopping_board(rgb: RGB) -> ObjectPlan:
    """A board of wood with stripes of grain and a handle to +x."""
    grain = [block((-0.17, 0.09), (y - 0.004, y + 0.004), (0.02, 0.0206), shade(rgb, 0.75)) for y in (-0.06, 0.0, 0.06)]
    return form(
        [
            block((-0.18, 0.10), (-0.1, 0.1), (0.0, 0.02), rgb, mass=0.65, finish="grain"),
            block((0.10, 0.2), (-0.022, 0.022), (0.0, 0.02), rgb, mass=0.1, finish="grain"),
        ],
        [*grain, disc(0.175, 0.0, (0.02, 0.0207), 0.011, DARK)],
    )


def pan(rgb: RGB) -> ObjectPlan:
    """A low pan 0.2 m across with a long handle to +x."""
    return form(
        [
            *tin(0.0, (0.0, 0.008), 0.085, rgb, mass=0.5),
            *wall(0.1, (0.004, 0.045), 0.006, shade(rgb, 1.25), 0.2, staves=14),
            block((0.097, 0.27), (-0.012, 0.012), (0.024, 0.044), (0.55, 0.1, 0.08), mass=0.2),
        ],
        [disc(0.0, 0.0, (0.008, 0.0095), 0.09, shade(rgb, 1.1)), disc(0.25, 0.0, (0.044, 0.0446), 0.006, DARK)],
    )


def pot(rgb: RGB) -> ObjectPlan:
    """A tall hollow pot with two black handles."""
    radius, height, floor = 0.085, 0.12, 0.008
    ears = []
    for side in (-1.0, 1.0):
        at = [(-0.025, side * radius, 0.085), (-0.02, side * 0.112, 0.088)]
        ears += bent([*at, (0.02, side * 0.112, 0.088), (0.025, side * radius, 0.085)], 0.006, DARK, 0.03)
    return form(
        [
            *tin(0.0, (0.0, floor), radius - 0.004, rgb, mass=0.5),
            *wall(radius, (0.001, height), 0.005, rgb, 0.4, staves=14),
            *ears,
        ],
        [disc(0.0, 0.0, (floor, floor + 0.0006), radius - 0.006, shade(rgb, 0.6))],
        hollow=cup_of(radius, height, floor, 0.005),
    )


def kettle(rgb: RGB) -> ObjectPlan:
    """A low steel kettle with a spout to +x and a black carrying handle."""
    return form(
        [
            *tin(0.0, (0.0, 0.10), 0.075, rgb, mass=0.5, finish="metal"),
            *bent(loop((0.0, 0.0, 0.10), 0.065, (0.15 * math.pi, 0.85 * math.pi), steps=5), 0.009, DARK, 0.15),
        ],
        [
            *lathe(rgb, (0.10, 0.112, 0.062), (0.112, 0.122, 0.042)),
            ball(0.0, 0.0, 0.128, 0.012, DARK),
            rod((0.065, 0.0, 0.06), (0.115, 0.0, 0.105), 0.013, rgb, finish="metal"),
            *bent(loop((0.0, 0.0, 0.10), 0.065, (0.0, math.pi), steps=8), 0.006, STEEL),
        ],
    )


def teapot(rgb: RGB) -> ObjectPlan:
    """A round pot with a spout to +x, a handle to -x, and a lid."""
    ear = loop((-0.066, 0.0, 0.055), 0.028, (0.5 * math.pi, 1.5 * math.pi), steps=5)
    return form(
        [
            core((-0.045, 0.045), (-0.045, 0.045), (0.0, 0.105), rgb, 0.4),
            ball(0.0, 0.0, 0.058, 0.056, rgb, mass=0.2, finish="gloss"),
            *bent(ear, 0.007, rgb, 0.05),
        ],
        [
            *lathe(rgb, (0.0, 0.01, 0.04)),
            oval((0.0, 0.0, 0.057), (0.068, 0.068, 0.053), rgb),
            *bent([(0.05, 0.0, 0.045), (0.085, 0.0, 0.06), (0.1, 0.0, 0.1)], 0.011, rgb),
            oval((0.0, 0.0, 0.105), (0.036, 0.036, 0.012), shade(rgb, 0.8)),
            ball(0.0, 0.0, 0.122, 0.011, (0.85, 0.65, 0.15)),
            *(disc(0.0, 0.0, (z, z + 0.006), 0.0684, (0.85, 0.65, 0.15)) for z in (0.054,)),
        ],
    )


def teacup(rgb: RGB) -> ObjectPlan:
    """A cup of tea on its saucer, with a handle to +x."""
    return form(
        [
            *tin(0.0, (0.0, 0.01), 0.065, rgb, mass=0.15),
            *tin(0.0, (0.01, 0.062), 0.038, rgb, mass=0.12),
            *bent(loop((0.036, 0.0, 0.038), 0.018, (-0.5 * math.pi, 0.5 * math.pi), steps=4), 0.0045, rgb, 0.02),
        ],
        [
            disc(0.0, 0.0, (0.008, 0.0115), 0.07, rgb),
            disc(0.0, 0.0, (0.0115, 0.0121), 0.06, shade(rgb, 0.7)),
            disc(0.0, 0.0, (0.052, 0.0615), 0.0425, rgb),
            disc(0.0, 0.0, (0.0615, 0.0624), 0.037, (0.45, 0.2, 0.05)),
        ],
    )


def glass(rgb: RGB) -> ObjectPlan:
    """A tumbler, hollow."""
    radius, height, floor = 0.036, 0.115, 0.01
    return form(
        [*tin(0.0, (0.0, floor), radius - 0.002, rgb, mass=0.08), *wall(radius, (0.001, height), 0.004, rgb, 0.12)],
        [
            disc(0.0, 0.0, (0.0, 0.012), radius + 0.001, shade(rgb, 0.75)),
            *(
                rod(
                    (0.0365 * math.cos(a), 0.0365 * math.sin(a), 0.02),
                    (0.0365 * math.cos(a), 0.0365 * math.sin(a), 0.07),
                    0.0022,
                    shade(rgb, 1.6),
                )
                for a in (k * math.pi / 3 for k in range(6))
            ),
        ],
        hollow=cup_of(radius, height, floor, 0.004),
    )


def wine_glass(rgb: RGB) -> ObjectPlan:
    """A round bowl with red wine on a thin stem and a foot."""
    glass_rgb = (0.80, 0.88, 0.92)
    return form(
        [
            *tin(0.0, (0.0, 0.008), 0.036, glass_rgb, mass=0.08),
            core((-0.008, 0.008), (-0.008, 0.008), (0.008, 0.09), glass_rgb, 0.04),
            ball(0.0, 0.0, 0.128, 0.038, glass_rgb, mass=0.08, finish="gloss"),
        ],
        [
            rod((0.0, 0.0, 0.008), (0.0, 0.0, 0.09), 0.005, glass_rgb),
            *lathe(glass_rgb, (0.128, 0.172, 0.038)),
            disc(0.0, 0.0, (0.1, 0.145), 0.0384, rgb),
            disc(0.0, 0.0, (0.172, 0.1726), 0.034, shade(rgb, 0.7)),
        ],
    )


def pepper_mill(rgb: RGB) -> ObjectPlan:
    """Tall, of turned wood, with a waist and a steel knob."""
    dark = shade(rgb, 0.7)
    return form(
        tin(0.0, (0.0, 0.20), 0.026, rgb, mass=0.25),
        [
            *lathe(rgb, (0.0, 0.02, 0.032), (0.02, 0.07, 0.029), (0.12, 0.15, 0.029)),
            *lathe(dark, (0.07, 0.075, 0.03), (0.115, 0.12, 0.03)),
            ball(0.0, 0.0, 0.172, 0.03, dark),
            ball(0.0, 0.0, 0.204, 0.01, STEEL, finish="metal"),
        ],
    )


def salt_shaker(rgb: RGB) -> ObjectPlan:
    """A small glass half full of salt, with a perforated steel dome."""
    holes = [ball(0.009 * math.cos(a), 0.009 * math.sin(a), 0.0895, 0.0028, DARK) for a in (0.0, 1.57, 3.14, 4.71)]
    return form(
        tin(0.0, (0.0, 0.075), 0.024, (0.62, 0.80, 0.86), mass=0.12),
        [
            disc(0.0, 0.0, (0.002, 0.042), 0.0245, rgb),
            disc(0.0, 0.0, (0.062, 0.075), 0.026, STEEL, finish="metal"),
            oval((0.0, 0.0, 0.075), (0.025, 0.025, 0.0155), STEEL),
            *holes,
        ],
    )


KINDS = (
    ObjectKind("fork", fork, ("silver",), (), ("dish", "small"), "metal"),
    ObjectKind("spoon", spoon, ("silver",), ("tablespoon",), ("dish", "small"), "metal"),
    ObjectKind("spatula", spatula, ("black", "teal"), ("turner",), ("dish", "small"), "plastic"),
    ObjectKind("ladle", ladle, ("silver",), ("soup ladle",), ("dish", "small"), "metal"),
    ObjectKind("whisk", whisk, ("red", "black"), ("egg whisk",), ("dish", "small"), "plastic"),
    ObjectKind("chopping_board", chopping_board, ("wood",), ("cutting board",), ("dish",), "wood"),
    ObjectKind("pan", pan, ("black",), ("frying pan", "skillet"), ("dish",), "metal"),
    ObjectKind("pot", pot, ("silver", "red"), ("cooking pot", "saucepan"), ("dish",), "metal"),
    ObjectKind("kettle", kettle, ("silver",), ("tea kettle",), ("dish",), "metal"),
    ObjectKind("teapot", teapot, ("white", "blue"), ("tea pot",), ("dish",), "ceramic"),
    ObjectKind("teacup", teacup, ("white", "pink"), ("tea cup",), ("dish",), "ceramic"),
    ObjectKind(
        "glass", lambda c: glass((0.62, 0.80, 0.86)), ("blue",), ("tumbler", "drinking glass"), ("dish",), "glass"
    ),
    ObjectKind(
        "wine_glass", lambda c: wine_glass((0.45, 0.04, 0.10)), ("red",), ("glass of wine",), ("dish",), "glass"
    ),
    ObjectKind("pepper_mill", pepper_mill, ("brown",), ("pepper grinder",), ("food",), "wood"),
    ObjectKind("salt_shaker", salt_shaker, ("white",), ("salt",), ("food", "small"), "ceramic"),
)
"""The kinds of this file."""

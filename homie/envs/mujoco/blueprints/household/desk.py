"""Shapes of objects on desks and shelves: papers, pens, boxes, decoration."""

from __future__ import annotations

import math

from homie.envs.mujoco.blueprints.household.form import (
    ALONG_X,
    bent,
    core,
    form,
    lathe,
    loop,
    lying_disc,
    oval,
    written,
)
from homie.envs.mujoco.blueprints.materials import DARK, LEAF, RGB, STEEL, shade
from homie.envs.mujoco.blueprints.object_kind import ObjectKind
from homie.envs.mujoco.blueprints.objects import tin
from homie.envs.mujoco.blueprints.parts import Hollow, ObjectPlan, Part, ball, block, disc, rod, turned

_PAPER: RGB = (0.95, 0.94, 0.90)
_GOLD: RGB = (0.90, 0.68, 0.20)
_TAPE: RGB = (0.88, 0.76, 0.50)


def book(rgb: RGB) -> ObjectPlan:
    """Stands on its lower edge: coloured covers around white pages, a title and a picture in front, its spine to -y."""
    return form(
        [block((-0.018, 0.018), (-0.07, 0.07), (0.0, 0.2), rgb, mass=0.4)],
        [
            block((-0.0145, 0.0145), (-0.06, 0.0708), (0.004, 0.2008), _PAPER),
            *(
                block((x, x + 0.0012), (-0.06, 0.0711), (0.004, 0.2011), shade(_PAPER, 0.7))
                for x in (-0.009, -0.002, 0.005)
            ),
            block((-0.0186, 0.0186), (-0.045, 0.055), (0.15, 0.175), _GOLD),
            block((-0.0186, 0.0186), (-0.03, 0.04), (0.125, 0.135), _GOLD),
            Part("cylinder", (0.03, 0.0187, 0.0), (0.0, 0.005, 0.075), shade(rgb, 1.5), ALONG_X),
        ],
    )


def newspaper(rgb: RGB) -> ObjectPlan:
    """Folded to a strip along y: a headline, columns and a picture on top."""
    ink = (0.25, 0.25, 0.27)
    columns = [
        part
        for y in (-0.135, -0.045, 0.045)
        for part in written((-0.01, 0.04), (y, y + 0.08), 0.0242, ink, 6)
        if not (y == -0.045 and part.pos[0] > 0.0)
    ]
    return form(
        [block((-0.042, 0.042), (-0.145, 0.145), (0.0, 0.024), (0.88, 0.87, 0.83), mass=0.2)],
        [
            *(
                block((-0.0424, 0.0424), (-0.1453, 0.1453), (z, z + 0.0015), (0.6, 0.6, 0.58))
                for z in (0.005, 0.011, 0.017)
            ),
            block((-0.036, -0.018), (-0.12, 0.12), (0.024, 0.0247), DARK),
            *columns,
            block((0.004, 0.036), (-0.04, 0.03), (0.024, 0.0246), (0.45, 0.47, 0.5)),
        ],
    )


def keys(rgb: RGB) -> ObjectPlan:
    """Three keys on a steel ring, with a red tag."""
    parts = bent(loop((-0.03, 0.0, 0.008), 0.018, steps=12, flat=True), 0.0022, STEEL)
    for angle, colour in ((-0.45, _GOLD), (0.0, rgb), (0.45, (0.75, 0.5, 0.3))):
        c, s = math.cos(angle), math.sin(angle)

        def at(x: float, y: float = 0.0, c: float = c, s: float = s) -> tuple[float, float, float]:
            return (-0.03 + c * x - s * y, s * x + c * y, 0.009)

        parts.append(Part("cylinder", (0.0125, 0.002, 0.0), at(0.028), colour, finish="metal"))
        parts.append(Part("box", (0.02, 0.0035, 0.002), at(0.055), colour, turned(angle), finish="metal"))
        parts += [
            Part("box", (0.002, 0.0035, 0.002), at(k, 0.006), colour, turned(angle)) for k in (0.06, 0.066, 0.072)
        ]
    return form(
        [core((-0.05, 0.045), (-0.018, 0.018), (0.0, 0.014), rgb, 0.06)],
        [
            *parts,
            block((-0.085, -0.047), (-0.013, 0.013), (0.004, 0.012), (0.85, 0.12, 0.12)),
            disc(-0.078, 0.0, (0.012, 0.0125), 0.004, _PAPER),
        ],
    )


def pen(rgb: RGB) -> ObjectPlan:
    """Lies along x: a coloured barrel with a clip, a steel tip at +x."""
    return form(
        [core((-0.07, 0.07), (-0.006, 0.006), (0.0, 0.013), rgb, 0.015)],
        [
            rod((-0.066, 0.0, 0.0065), (0.045, 0.0, 0.0065), 0.0065, rgb),
            lying_disc((0.048, 0.06), 0.0, 0.0065, 0.005, STEEL),
            lying_disc((0.06, 0.072), 0.0, 0.0065, 0.0025, STEEL),
            block((-0.065, -0.025), (-0.0015, 0.0015), (0.0135, 0.0165), _GOLD),
            lying_disc((-0.022, -0.018), 0.0, 0.0065, 0.007, _GOLD),
            rod((-0.072, 0.0, 0.0065), (-0.078, 0.0, 0.0065), 0.0025, _GOLD),
        ],
    )


def pencil(rgb: RGB) -> ObjectPlan:
    """Lies along x: yellow, a wooden point with dark lead at +x, a pink rubber at -x."""
    return form(
        [core((-0.095, 0.085), (-0.006, 0.006), (0.0, 0.012), rgb, 0.012)],
        [
            block((-0.075, 0.065), (-0.006, 0.006), (0.0, 0.012), rgb),
            block((-0.075, 0.065), (-0.002, 0.002), (0.012, 0.0124), shade(rgb, 0.6)),
            lying_disc((-0.083, -0.075), 0.0, 0.006, 0.0065, STEEL),
            lying_disc((-0.098, -0.083), 0.0, 0.006, 0.006, (0.93, 0.50, 0.55)),
            *(
                lying_disc((0.065 + 0.006 * k, 0.071 + 0.006 * k), 0.0, 0.006, 0.0058 - 0.0014 * k, (0.88, 0.70, 0.48))
                for k in range(3)
            ),
            lying_disc((0.083, 0.092), 0.0, 0.006, 0.0016, DARK),
        ],
    )


def scissors(rgb: RGB) -> ObjectPlan:
    """Lie along x, half open: crossed blades to +x, two coloured rings at -x."""
    rings = [bent(loop((-0.065, y, 0.008), 0.022, steps=10, flat=True), 0.0055, rgb) for y in (-0.026, 0.026)]
    blades = [
        Part(
            "box",
            (0.06, 0.006, 0.0025),
            (0.052, side * 0.012, 0.007 + 0.003 * (side > 0)),
            STEEL,
            turned(side * 0.2),
            finish="metal",
        )
        for side in (-1.0, 1.0)
    ]
    shanks = [rod((-0.045, side * 0.02, 0.008), (0.005, -side * 0.003, 0.008), 0.005, rgb) for side in (-1.0, 1.0)]
    return form(
        [core((-0.085, 0.105), (-0.022, 0.022), (0.0, 0.014), rgb, 0.09)],
        [*rings[0], *rings[1], *blades, *shanks, disc(0.006, 0.0, (0.01, 0.0145), 0.006, DARK)],
    )


def alarm_clock(rgb: RGB) -> ObjectPlan:
    """A round clock face towards +x, two bells on top, two feet."""
    z, r = 0.06, 0.045
    ticks = [
        ball(0.0265, 0.035 * math.sin(a), z + 0.035 * math.cos(a), 0.0028, DARK)
        for a in (k * math.pi / 6 for k in range(12))
    ]
    bells = [oval((0.0, side * 0.03, 0.108), (0.02, 0.022, 0.016), _GOLD) for side in (-1.0, 1.0)]
    feet = [rod((0.0, side * 0.025, 0.025), (0.0, side * 0.036, 0.004), 0.005, DARK) for side in (-1.0, 1.0)]
    return form(
        [core((-0.025, 0.025), (-0.04, 0.04), (0.0, 0.115), rgb, 0.2)],
        [
            lying_disc((-0.025, 0.025), 0.0, z, r, rgb),
            lying_disc((0.025, 0.0262), 0.0, z, r * 0.88, _PAPER),
            *ticks,
            rod((0.028, 0.0, z), (0.028, 0.017, z + 0.017), 0.0026, DARK),
            rod((0.028, 0.0, z), (0.028, -0.006, z + 0.028), 0.0022, DARK),
            *bells,
            *feet,
            rod((0.0, 0.0, 0.1), (0.0, 0.0, 0.122), 0.0035, STEEL),
            ball(0.0, 0.0, 0.124, 0.007, STEEL),
        ],
    )


def candle(rgb: RGB) -> ObjectPlan:
    """A thick candle on a brass dish, with a flame."""
    drips = [
        rod(
            (0.026 * math.cos(a), 0.026 * math.sin(a), low),
            (0.026 * math.cos(a), 0.026 * math.sin(a), 0.118),
            0.004,
            rgb,
        )
        for a, low in ((0.5, 0.09), (2.2, 0.075), (4.0, 0.1))
    ]
    return form(
        [*tin(0.0, (0.0, 0.012), 0.045, _GOLD, mass=0.1), *tin(0.0, (0.012, 0.12), 0.026, rgb, mass=0.15)],
        [
            disc(0.0, 0.0, (0.008, 0.0128), 0.05, _GOLD, finish="metal"),
            *drips,
            rod((0.0, 0.0, 0.12), (0.0, 0.0, 0.13), 0.0016, DARK),
            oval((0.0, 0.0, 0.146), (0.008, 0.008, 0.018), (1.0, 0.60, 0.10)),
            oval((0.0, 0.0, 0.141), (0.0086, 0.0086, 0.009), (1.0, 0.88, 0.35)),
        ],
    )


def vase(rgb: RGB) -> ObjectPlan:
    """A bellied vase with a white band and three flowers."""
    flowers = []
    for k, colour in enumerate(((0.95, 0.30, 0.40), (0.98, 0.80, 0.20), (0.75, 0.45, 0.85))):
        a, z = 2.1 * k, 0.25 + 0.02 * k
        x, y = 0.035 * math.cos(a), 0.035 * math.sin(a)
        flowers.append(rod((0.0, 0.0, 0.16), (x, y, z), 0.003, LEAF))
        flowers += [
            ball(x + 0.013 * math.cos(b), y + 0.013 * math.sin(b), z, 0.01, colour)
            for b in (t * 1.2566 for t in range(5))
        ]
        flowers.append(ball(x, y, z + 0.006, 0.009, (0.55, 0.35, 0.10)))
    return form(
        [
            *tin(0.0, (0.0, 0.165), 0.036, rgb, mass=0.6),
            core((-0.02, 0.02), (-0.02, 0.02), (0.165, 0.27), LEAF, 0.03),
        ],
        [
            *lathe(rgb, (0.0, 0.012, 0.032), (0.135, 0.155, 0.022), (0.155, 0.166, 0.03)),
            oval((0.0, 0.0, 0.075), (0.046, 0.046, 0.07), rgb),
            disc(0.0, 0.0, (0.07, 0.082), 0.0464, _PAPER),
            *flowers,
        ],
    )


def picture_frame(rgb: RGB) -> ObjectPlan:
    """Stands upright and faces +x: a hill under the sun in a wooden frame."""
    return form(
        [
            block((-0.012, 0.012), (-0.075, 0.075), (0.0, 0.19), rgb, mass=0.4, finish="grain"),
            core((-0.045, -0.012), (-0.01, 0.01), (0.0, 0.1), rgb, 0.05),
        ],
        [
            block((0.012, 0.013), (-0.056, 0.056), (0.02, 0.17), (0.55, 0.78, 0.95)),
            lying_disc((0.013, 0.0136), 0.028, 0.14, 0.014, (1.0, 0.85, 0.2)),
            block((0.013, 0.0138), (-0.056, 0.056), (0.02, 0.055), (0.25, 0.60, 0.25)),
            Part("ellipsoid", (0.0016, 0.045, 0.045), (0.0132, -0.015, 0.05), (0.20, 0.50, 0.22)),
            rod((-0.012, 0.0, 0.12), (-0.043, 0.0, 0.004), 0.006, shade(rgb, 0.7)),
        ],
    )


def tissue_box(rgb: RGB) -> ObjectPlan:
    """A patterned box with a tissue that sticks out of its slit."""
    dots = [
        Part("ellipsoid", (0.009, 0.009, 0.0008), (-0.025 + 0.05 * i, -0.08 + 0.04 * j, 0.0702), _PAPER)
        for i in range(2)
        for j in range(5)
        if j not in (1, 2, 3)
    ]
    bands = [block((-0.0456, 0.0456), (-0.1056, 0.1056), (z, z + 0.008), _PAPER) for z in (0.015, 0.045)]
    return form(
        [block((-0.045, 0.045), (-0.105, 0.105), (0.0, 0.07), rgb, mass=0.2)],
        [
            *dots,
            *bands,
            Part("ellipsoid", (0.02, 0.06, 0.001), (0.0, 0.0, 0.0702), DARK),
            Part("ellipsoid", (0.006, 0.045, 0.045), (0.0, 0.0, 0.085), (0.99, 0.99, 0.99), turned(0.25)),
            Part("ellipsoid", (0.006, 0.03, 0.04), (0.004, -0.015, 0.095), (0.92, 0.94, 0.97), turned(-0.5)),
        ],
    )


def cardboard_box(rgb: RGB) -> ObjectPlan:
    """An open hollow box of brown cardboard, its flaps out to both sides."""
    x, y, h, t, card = 0.09, 0.13, 0.11, 0.005, (0.74, 0.56, 0.36)
    lean = 0.7
    flaps = [
        Part(
            "box",
            (0.045, y, 0.0015),
            (side * (x + 0.033), 0.0, h - 0.028),
            shade(card, 1.15),
            (math.cos(lean / 2), 0.0, side * math.sin(lean / 2), 0.0),
        )
        for side in (-1.0, 1.0)
    ]
    return form(
        [
            block((-x, x), (-y, y), (0.0, t), card, mass=0.1),
            *(
                block((min(s * x, s * (x - t)), max(s * x, s * (x - t))), (-y, y), (t, h), card, mass=0.05)
                for s in (-1.0, 1.0)
            ),
            *(
                block((-x + t, x - t), (min(s * y, s * (y - t)), max(s * y, s * (y - t))), (t, h), card, mass=0.05)
                for s in (-1.0, 1.0)
            ),
        ],
        [
            *flaps,
            *(block((-0.02, 0.02), (side - 0.0005, side + 0.0005), (0.0, h), _TAPE) for side in (-y, y)),
            block((-x + t, x - t), (-y + t, y - t), (t, t + 0.001), shade(card, 0.7)),
        ],
        hollow=Hollow((0.0, 0.0, t), h - t, x - t, x - t),
    )


KINDS = (
    ObjectKind("book", book, ("red", "navy", "green"), ("novel",), ("anything",), "paper"),
    ObjectKind("newspaper", newspaper, ("white",), ("paper", "folded newspaper"), ("anything",), "paper"),
    ObjectKind("keys", keys, ("silver",), ("key", "keyring", "bunch of keys"), ("anything", "small"), "metal"),
    ObjectKind("pen", pen, ("blue", "black"), ("ballpoint pen",), ("anything", "small"), "plastic"),
    ObjectKind("pencil", pencil, ("yellow",), (), ("anything", "small"), "wood"),
    ObjectKind("scissors", scissors, ("orange", "blue"), ("pair of scissors",), ("anything", "small"), "metal"),
    ObjectKind("alarm_clock", alarm_clock, ("red", "teal"), ("clock",), ("anything",), "device"),
    ObjectKind("candle", candle, ("white", "red"), (), ("anything",), "wax"),
    ObjectKind("vase", vase, ("blue", "teal"), ("vase of flowers", "flower vase"), ("anything",), "ceramic"),
    ObjectKind("picture_frame", picture_frame, ("wood", "black"), ("framed picture", "picture"), ("anything",), "wood"),
    ObjectKind("tissue_box", tissue_box, ("teal", "purple"), ("tissues", "box of tissues"), ("anything",), "paper"),
    ObjectKind("cardboard_box", cardboard_box, ("brown",), ("parcel", "open box"), ("anything",), "paper"),
)
"""The kinds of this file."""

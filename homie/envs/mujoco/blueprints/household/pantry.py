"""Shapes of bottles and cartons, vegetables and cakes."""

from __future__ import annotations

import math

from homie.envs.mujoco.blueprints.household.form import bent, core, form, lathe, loop, lying_disc, oval
from homie.envs.mujoco.blueprints.materials import LEAF, RGB, SOIL, STEM, shade
from homie.envs.mujoco.blueprints.object_kind import ObjectKind
from homie.envs.mujoco.blueprints.objects import tin
from homie.envs.mujoco.blueprints.parts import ObjectPlan, Part, ball, block, disc, rod, turned

_WHITE: RGB = (0.95, 0.95, 0.93)
_GOLD: RGB = (0.90, 0.66, 0.12)


def honey_jar(rgb: RGB) -> ObjectPlan:
    """A low jar of honey with a golden lid and a bee's stripes on its label."""
    label = [
        disc(0.0, 0.0, (z, z + 0.007), 0.0386, colour) for z, colour in ((0.03, SOIL), (0.042, _GOLD), (0.054, SOIL))
    ]
    return form(
        tin(0.0, (0.0, 0.10), 0.036, rgb, mass=0.45),
        [
            *lathe(rgb, (0.0, 0.08, 0.038)),
            disc(0.0, 0.0, (0.022, 0.068), 0.0383, _WHITE),
            *label,
            disc(0.0, 0.0, (0.082, 0.1005), 0.037, _GOLD, finish="metal"),
        ],
    )


def wine_bottle(rgb: RGB) -> ObjectPlan:
    """Tall, dark green, with a red capsule and a cream label."""
    return form(
        [*tin(0.0, (0.0, 0.19), 0.037, rgb, mass=1.0), core((-0.012, 0.012), (-0.012, 0.012), (0.19, 0.3), rgb, 0.2)],
        [
            oval((0.0, 0.0, 0.19), (0.037, 0.037, 0.04), rgb),
            *lathe(rgb, (0.21, 0.3, 0.0145)),
            disc(0.0, 0.0, (0.255, 0.3005), 0.0152, (0.55, 0.05, 0.1)),
            disc(0.0, 0.0, (0.06, 0.15), 0.0374, (0.95, 0.90, 0.75)),
            disc(0.0, 0.0, (0.1, 0.112), 0.0377, (0.55, 0.05, 0.1)),
        ],
    )


def water_bottle(rgb: RGB) -> ObjectPlan:
    """Clear plastic with ridges, a blue label and a white cap."""
    ridges = [disc(0.0, 0.0, (z, z + 0.005), 0.0345, shade(rgb, 0.8)) for z in (0.015, 0.03, 0.045, 0.15)]
    return form(
        tin(0.0, (0.0, 0.17), 0.033, rgb, mass=0.5),
        [
            *ridges,
            disc(0.0, 0.0, (0.065, 0.13), 0.0345, (0.10, 0.30, 0.80)),
            disc(0.0, 0.0, (0.09, 0.1), 0.0348, _WHITE),
            oval((0.0, 0.0, 0.168), (0.032, 0.032, 0.03), rgb),
            *lathe(_WHITE, (0.195, 0.215, 0.016)),
        ],
    )


def milk_carton(rgb: RGB) -> ObjectPlan:
    """A carton with a gabled roof, a blue band and spots of a cow."""
    blue = (0.20, 0.45, 0.85)
    lean = 0.75
    roof = [
        Part(
            "box",
            (0.0265, 0.035, 0.002),
            (side * 0.0185, 0.0, 0.212),
            blue,
            (math.cos(lean / 2), 0.0, side * math.sin(lean / 2), 0.0),
        )
        for side in (-1.0, 1.0)
    ]
    places = [
        lying_disc((-0.0354, 0.0354), y, z, size, SOIL)
        for y, z, size in ((-0.014, 0.155, 0.014), (0.016, 0.13, 0.011), (-0.01, 0.095, 0.01))
    ]
    return form(
        [
            block((-0.035, 0.035), (-0.035, 0.035), (0.0, 0.195), rgb, mass=1.0),
            core((-0.006, 0.006), (-0.035, 0.035), (0.195, 0.25), rgb, 0.03),
        ],
        [
            block((-0.0355, 0.0355), (-0.0355, 0.0355), (0.02, 0.07), blue),
            *roof,
            block((-0.004, 0.004), (-0.035, 0.035), (0.215, 0.25), rgb),
            *places,
        ],
    )


def egg(rgb: RGB) -> ObjectPlan:
    """Lies along x, one end thinner."""
    return form(
        [
            ball(-0.006, 0.0, 0.022, 0.022, rgb, mass=0.04, hidden=True),
            ball(0.007, 0.0, 0.0195, 0.0195, rgb, mass=0.02, hidden=True),
        ],
        [oval((-0.001, 0.0, 0.022), (0.029, 0.022, 0.022), rgb)],
        rolls=True,
    )


def cheese(rgb: RGB) -> ObjectPlan:
    """A yellow wedge with holes, lying with its rind to -x."""
    holes = [(-0.03, -0.012, 0.011), (-0.005, 0.008, 0.009), (-0.04, 0.018, 0.008), (0.02, -0.004, 0.006)]
    round_about = [(-0.02, -1.0, 0.03, 0.01), (0.012, -1.0, 0.022, 0.008), (-0.03, 1.0, 0.028, 0.011)]
    slope, dark = math.atan2(0.04, 0.125), shade(rgb, 0.65)
    sides = [
        Part("box", (0.066, 0.004, 0.026), (0.005, side * 0.0225, 0.026), rgb, turned(-side * slope))
        for side in (-1.0, 1.0)
    ]
    steps = [
        block((-0.055 + 0.0155 * k, -0.055 + 0.0155 * (k + 1)), (-w, w), (0.0, 0.052), rgb)
        for k in range(8)
        for w in (0.0405 - 0.005 * (k + 1),)
    ]
    return form(
        [
            core((-0.055, 0.01), (-0.036, 0.036), (0.0, 0.052), rgb, 0.2),
            core((0.01, 0.06), (-0.014, 0.014), (0.0, 0.052), rgb, 0.05),
        ],
        [
            *sides,
            *steps,
            block((-0.058, -0.053), (-0.043, 0.043), (0.0, 0.052), (0.80, 0.35, 0.10)),
            *(disc(x, y, (0.0516, 0.0524), r, dark) for x, y, r in holes),
            *(
                oval((x, side * (0.0265 - 0.32 * (x - 0.005)), z), (r, 0.0012, r), dark, turned(-side * slope))
                for x, side, z, r in round_about
            ),
        ],
    )


def carrot(rgb: RGB) -> ObjectPlan:
    """Long, tapering to +x, with green leaves at -x."""
    body = [
        rod((-0.07 + 0.028 * k, 0.0, 0.017), (-0.042 + 0.028 * k, 0.0, 0.016), 0.0165 - 0.0028 * k, rgb)
        for k in range(5)
    ]
    leaves = [
        rod((-0.085, 0.0, 0.018), (-0.135, y, 0.02 + 0.2 * abs(y)), 0.004, LEAF) for y in (-0.022, -0.008, 0.008, 0.022)
    ]
    rings = [
        lying_disc((x, x + 0.0015), 0.0, 0.017, r, shade(rgb, 0.75)) for x, r in ((-0.05, 0.0171), (-0.02, 0.0143))
    ]
    return form([core((-0.085, 0.075), (-0.013, 0.013), (0.0, 0.031), rgb, 0.08)], [*body, *leaves, *rings])


def cucumber(rgb: RGB) -> ObjectPlan:
    """Long and dark green, with light stripes and a pale end."""
    dark = (0.10, 0.36, 0.10)
    stripes = [
        rod(
            (-0.08, 0.0215 * math.cos(a), 0.0215 + 0.0215 * math.sin(a)),
            (0.08, 0.0215 * math.cos(a), 0.0215 + 0.0215 * math.sin(a)),
            0.0022,
            (0.45, 0.66, 0.30),
        )
        for a in (0.35, 1.1, 1.9, 2.7)
    ]
    return form(
        [core((-0.1, 0.1), (-0.017, 0.017), (0.0, 0.042), dark, 0.3)],
        [
            rod((-0.085, 0.0, 0.0215), (0.085, 0.0, 0.0215), 0.0215, dark),
            *stripes,
            ball(0.098, 0.0, 0.0215, 0.011, (0.7, 0.8, 0.45)),
            rod((-0.105, 0, 0.0215), (-0.115, 0, 0.023), 0.004, STEM),
        ],
    )


def eggplant(rgb: RGB) -> ObjectPlan:
    """A dark purple club with a green cap at -x."""
    dark = (0.24, 0.08, 0.30)
    leaves = [
        oval((-0.068, 0.016 * math.cos(a), 0.033 + 0.016 * math.sin(a)), (0.02, 0.011, 0.011), LEAF)
        for a in (0.3, 1.57, 2.84, 4.7)
    ]
    return form(
        [
            core((-0.08, 0.0), (-0.02, 0.02), (0.008, 0.05), dark, 0.08),
            core((-0.01, 0.085), (-0.028, 0.028), (0.0, 0.062), dark, 0.17),
        ],
        [
            rod((-0.055, 0.0, 0.033), (0.03, 0.0, 0.033), 0.023, dark),
            oval((0.04, 0.0, 0.034), (0.05, 0.034, 0.034), dark),
            *leaves,
            rod((-0.08, 0.0, 0.034), (-0.105, 0.0, 0.04), 0.006, LEAF),
        ],
    )


def bell_pepper(rgb: RGB) -> ObjectPlan:
    """Four lobes around a green stem."""
    lobes = [
        oval((0.017 * math.cos(a), 0.017 * math.sin(a), 0.042), (0.022, 0.022, 0.042), rgb)
        for a in (0.785 + k * math.pi / 2 for k in range(4))
    ]
    return form(
        [core((-0.03, 0.03), (-0.03, 0.03), (0.0, 0.08), rgb, 0.16)],
        [*lobes, disc(0.0, 0.0, (0.078, 0.083), 0.013, LEAF), rod((0.0, 0.0, 0.08), (0.006, 0.0, 0.103), 0.0055, LEAF)],
    )


def onion(rgb: RGB) -> ObjectPlan:
    """Brown skin in stripes, a pointed top and a beard of roots."""
    skin, r = (0.78, 0.50, 0.22), 0.034
    stripes = []
    for k in range(8):
        a = k * math.pi / 4
        points = [
            (r * math.sin(t) * math.cos(a), r * math.sin(t) * math.sin(a), r - r * math.cos(t))
            for t in (0.5, 1.1, 1.7, 2.3, 2.9)
        ]
        stripes += bent(points, 0.0016, shade(skin, 0.6))
    top = lathe(skin, (0.064, 0.07, 0.014), (0.07, 0.077, 0.009), (0.077, 0.088, 0.005))
    return form(
        [ball(0.0, 0.0, r, r, skin, mass=0.11, finish="gloss")],
        [*stripes, *top, disc(0.0, 0.0, (0.0, 0.002), 0.012, (0.9, 0.85, 0.7))],
        rolls=True,
    )


def mushroom(rgb: RGB) -> ObjectPlan:
    """A thick pale stem under a brown cap."""
    cap = (0.66, 0.48, 0.34)
    return form(
        [core((-0.024, 0.024), (-0.024, 0.024), (0.0, 0.074), cap, 0.025)],
        [
            *lathe(_WHITE, (0.0, 0.05, 0.017), (0.0, 0.008, 0.02)),
            disc(0.0, 0.0, (0.047, 0.052), 0.033, (0.50, 0.38, 0.30)),
            *lathe(cap, (0.052, 0.058, 0.037)),
            oval((0.0, 0.0, 0.057), (0.0365, 0.0365, 0.022), cap),
        ],
    )


def broccoli(rgb: RGB) -> ObjectPlan:
    """A crown of dark green florets on a light stem."""
    dark = (0.10, 0.40, 0.14)
    heads = [(0.0, 0.0, 0.085, 0.03)]
    heads += [(0.034 * math.cos(a), 0.034 * math.sin(a), 0.07, 0.022) for a in (k * math.pi / 3 for k in range(6))]
    bumps = [
        ball(x + 0.6 * r * math.cos(a), y + 0.6 * r * math.sin(a), z + 0.62 * r, 0.009, shade(dark, 1.25))
        for x, y, z, r in heads
        for a in (0.5, 2.6, 4.7)
    ]
    return form(
        [core((-0.035, 0.035), (-0.035, 0.035), (0.0, 0.10), dark, 0.2)],
        [
            *lathe((0.62, 0.76, 0.42), (0.0, 0.06, 0.017)),
            *(
                rod((0.0, 0.0, 0.03), (x * 0.8, y * 0.8, z - 0.01), 0.008, (0.62, 0.76, 0.42))
                for x, y, z, _ in heads[1:]
            ),
            *(ball(x, y, z, r, dark) for x, y, z, r in heads),
            *bumps,
        ],
    )


def corn(rgb: RGB) -> ObjectPlan:
    """A cob with rows of grains to +x, in its husk at -x."""
    grains = []
    for k in range(9):
        for a in (0.25, 0.8, 1.35, 1.8, 2.35, 2.9):
            r = 0.0225 if k < 6 else 0.0225 - 0.004 * (k - 5)
            grains.append(ball(-0.035 + 0.0125 * k, r * math.cos(a), 0.024 + r * math.sin(a), 0.0052, shade(rgb, 1.15)))
    husk = [
        oval((-0.062, 0.016 * math.cos(a), 0.024 + 0.016 * math.sin(a)), (0.052, 0.013, 0.013), (0.45, 0.65, 0.25))
        for a in (0.0, 0.8, 1.57, 2.3, 3.14)
    ]
    return form(
        [core((-0.1, 0.085), (-0.019, 0.019), (0.0, 0.045), rgb, 0.22)],
        [
            rod((-0.06, 0.0, 0.024), (0.06, 0.0, 0.024), 0.021, shade(rgb, 0.8)),
            *grains,
            *husk,
            rod((-0.1, 0.0, 0.024), (-0.125, 0.0, 0.024), 0.007, (0.55, 0.68, 0.35)),
        ],
    )


def pineapple(rgb: RGB) -> ObjectPlan:
    """Stands upright: a scaly brown and yellow body under a crown of leaves."""
    body = (0.80, 0.55, 0.16)
    eyes = []
    for row in range(6):
        z = 0.02 + 0.02 * row
        r = 0.043 * math.sqrt(max(1.0 - ((z - 0.068) / 0.075) ** 2, 0.1))
        eyes += [
            ball(r * math.cos(a), r * math.sin(a), z, 0.0065, (0.50, 0.30, 0.08))
            for a in (2 * math.pi * (k + 0.5 * (row % 2)) / 9 for k in range(9))
        ]
    crown = []
    for k in range(9):
        a, distance = k * 2.4, 0.012 + 0.0035 * k
        crown.append(
            rod((0.0, 0.0, 0.125), (distance * math.cos(a), distance * math.sin(a), 0.215 - 0.006 * k), 0.005, LEAF)
        )
    return form(
        [
            core((-0.033, 0.033), (-0.033, 0.033), (0.0, 0.14), body, 0.85),
            core((-0.01, 0.01), (-0.01, 0.01), (0.14, 0.2), LEAF, 0.05),
        ],
        [oval((0.0, 0.0, 0.068), (0.044, 0.044, 0.072), body), *eyes, *crown],
    )


def donut(rgb: RGB) -> ObjectPlan:
    """A ring with pink icing and sprinkles."""
    dough, ring = (0.80, 0.55, 0.28), 0.03
    sprinkles = []
    for k in range(16):
        a, r = 2.4 * k, ring + 0.009 * math.sin(5.0 * k)
        colour = ((0.2, 0.5, 0.9), (1.0, 0.9, 0.2), (0.98, 0.98, 0.98), (0.2, 0.7, 0.3))[k % 4]
        sprinkles.append(
            Part(
                "capsule",
                (0.0016, 0.0035, 0.0),
                (r * math.cos(a), r * math.sin(a), 0.0345),
                colour,
                (math.cos(0.785), math.sin(0.785) * math.cos(k), math.sin(0.785) * math.sin(k), 0.0),
            )
        )
    points = loop((0.0, 0.0, 0.015), ring, steps=12, flat=True)
    iced = loop((0.0, 0.0, 0.0205), ring, steps=12, flat=True)
    return form(
        [
            core((-0.042, 0.042), (-0.018, 0.018), (0.0, 0.03), dough, 0.04),
            core((-0.018, 0.018), (-0.042, 0.042), (0.0, 0.03), dough, 0.03),
        ],
        [*bent(points, 0.015, dough), *bent(iced, 0.0135, rgb), *sprinkles],
    )


def cupcake(rgb: RGB) -> ObjectPlan:
    """A ribbed paper cup, a swirl of cream and a cherry."""
    paper = (0.30, 0.62, 0.72)
    ribs = [
        rod(
            (0.026 * math.cos(a), 0.026 * math.sin(a), 0.003),
            (0.033 * math.cos(a), 0.033 * math.sin(a), 0.04),
            0.0025,
            shade(paper, 1.4),
        )
        for a in (k * math.pi / 6 for k in range(12))
    ]
    return form(
        [core((-0.024, 0.024), (-0.024, 0.024), (0.0, 0.08), rgb, 0.09)],
        [
            *lathe(paper, (0.0, 0.014, 0.027), (0.014, 0.028, 0.03), (0.028, 0.042, 0.033)),
            *ribs,
            oval((0.0, 0.0, 0.046), (0.037, 0.037, 0.014), rgb),
            oval((0.0, 0.0, 0.06), (0.028, 0.028, 0.012), rgb),
            oval((0.0, 0.0, 0.073), (0.018, 0.018, 0.011), rgb),
            ball(0.0, 0.0, 0.09, 0.0105, (0.80, 0.05, 0.08), finish="gloss"),
        ],
    )


KINDS = (
    ObjectKind("honey_jar", honey_jar, ("orange",), ("honey", "jar", "jar of honey"), ("food",), "glass"),
    ObjectKind(
        "wine_bottle",
        lambda c: wine_bottle((0.07, 0.22, 0.10)),
        ("green",),
        ("wine", "bottle of wine"),
        ("food",),
        "glass",
    ),
    ObjectKind(
        "water_bottle",
        lambda c: water_bottle((0.68, 0.84, 0.93)),
        ("blue",),
        ("bottle of water",),
        ("food",),
        "plastic",
    ),
    ObjectKind("milk_carton", milk_carton, ("white",), ("milk", "carton of milk"), ("food",), "paper"),
    ObjectKind("egg", lambda c: egg((0.93, 0.80, 0.64)), ("beige",), (), ("food", "small"), "produce"),
    ObjectKind("cheese", cheese, ("yellow",), ("piece of cheese",), ("food",), "produce"),
    ObjectKind("carrot", carrot, ("orange",), ("vegetable",), ("fruit",), "produce"),
    ObjectKind("cucumber", cucumber, ("green",), ("vegetable",), ("fruit",), "produce"),
    ObjectKind("eggplant", eggplant, ("purple",), ("aubergine", "vegetable"), ("fruit",), "produce"),
    ObjectKind("bell_pepper", bell_pepper, ("red", "yellow", "green"), ("pepper", "vegetable"), ("fruit",), "produce"),
    ObjectKind("onion", onion, ("brown",), ("vegetable",), ("fruit",), "produce"),
    ObjectKind("mushroom", mushroom, ("brown",), (), ("fruit",), "produce"),
    ObjectKind("broccoli", broccoli, ("green",), ("vegetable",), ("fruit",), "produce"),
    ObjectKind("corn", corn, ("yellow",), ("corn cob", "vegetable"), ("fruit",), "produce"),
    ObjectKind("pineapple", pineapple, ("orange",), ("fruit",), ("fruit",), "produce"),
    ObjectKind("donut", donut, ("pink",), ("doughnut",), ("food", "small"), "bakery"),
    ObjectKind("cupcake", cupcake, ("white", "pink"), ("muffin",), ("food",), "bakery"),
)
"""The kinds of this file."""

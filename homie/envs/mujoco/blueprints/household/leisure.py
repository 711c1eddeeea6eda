"""Shapes of toys, tools and clothes."""

from __future__ import annotations

import math

from homie.envs.mujoco.blueprints.household.form import bent, core, form, loop, lying_disc, oval, wheel
from homie.envs.mujoco.blueprints.materials import DARK, RGB, STEEL, shade
from homie.envs.mujoco.blueprints.object_kind import ObjectKind
from homie.envs.mujoco.blueprints.objects import tin
from homie.envs.mujoco.blueprints.parts import ObjectPlan, Part, ball, block, disc, rod

_WHITE: RGB = (0.95, 0.95, 0.95)
_WOOD: RGB = (0.80, 0.61, 0.38)


def teddy_bear(rgb: RGB) -> ObjectPlan:
    """Sits and faces +x: a round belly, ears, a light snout."""
    fur, light = (0.60, 0.38, 0.18), (0.88, 0.72, 0.50)
    limbs = [oval((0.02, side * 0.058, 0.09), (0.022, 0.02, 0.036), fur) for side in (-1.0, 1.0)]
    limbs += [oval((0.05, side * 0.035, 0.026), (0.042, 0.024, 0.024), fur) for side in (-1.0, 1.0)]
    limbs += [oval((0.088, side * 0.035, 0.026), (0.007, 0.017, 0.017), light) for side in (-1.0, 1.0)]
    face = [ball(0.036, side * 0.016, 0.176, 0.005, DARK) for side in (-1.0, 1.0)]
    ears = [ball(0.0, side * 0.034, 0.2, 0.016, fur) for side in (-1.0, 1.0)]
    ears += [ball(0.008, side * 0.034, 0.2, 0.011, light) for side in (-1.0, 1.0)]
    return form(
        [
            core((-0.035, 0.08), (-0.045, 0.045), (0.0, 0.12), fur, 0.2),
            core((-0.03, 0.035), (-0.033, 0.033), (0.12, 0.205), fur, 0.1),
        ],
        [
            oval((0.0, 0.0, 0.075), (0.045, 0.05, 0.065), fur),
            oval((0.012, 0.0, 0.075), (0.038, 0.036, 0.048), light),
            *limbs,
            ball(0.0, 0.0, 0.165, 0.042, fur),
            oval((0.036, 0.0, 0.156), (0.018, 0.02, 0.015), light),
            ball(0.053, 0.0, 0.161, 0.006, DARK),
            *face,
            *ears,
        ],
    )


def toy_car(rgb: RGB) -> ObjectPlan:
    """Faces +x: four black wheels, a cabin with windows, yellow lights."""
    wheels = [
        wheel(x, (s * 0.03 - 0.006, s * 0.03 + 0.006), 0.014, 0.014, DARK) for x in (-0.035, 0.035) for s in (-1.0, 1.0)
    ]
    hubs = [
        wheel(x, (s * 0.0365 - 0.0005, s * 0.0365 + 0.0005), 0.014, 0.006, STEEL)
        for x in (-0.035, 0.035)
        for s in (-1.0, 1.0)
    ]
    return form(
        [
            core((-0.06, 0.06), (-0.034, 0.034), (0.0, 0.035), rgb, 0.1),
            core((-0.04, 0.02), (-0.027, 0.027), (0.035, 0.058), rgb, 0.03),
        ],
        [
            block((-0.062, 0.062), (-0.031, 0.031), (0.011, 0.036), rgb, finish="gloss"),
            block((-0.04, 0.02), (-0.027, 0.027), (0.036, 0.06), rgb, finish="gloss"),
            block((-0.036, 0.016), (-0.0276, 0.0276), (0.04, 0.054), (0.6, 0.82, 0.95)),
            block((-0.0406, 0.0206), (-0.022, 0.022), (0.04, 0.054), (0.6, 0.82, 0.95)),
            *(lying_disc((0.062, 0.0635), y, 0.025, 0.007, (1.0, 0.9, 0.4)) for y in (-0.02, 0.02)),
            *wheels,
            *hubs,
        ],
    )


def rubber_duck(rgb: RGB) -> ObjectPlan:
    """Faces +x: yellow, an orange beak, an upturned tail."""
    return form(
        [
            core((-0.035, 0.03), (-0.03, 0.03), (0.0, 0.05), rgb, 0.04),
            core((-0.005, 0.04), (-0.02, 0.02), (0.05, 0.09), rgb, 0.02),
        ],
        [
            oval((0.0, 0.0, 0.028), (0.048, 0.036, 0.029), rgb),
            ball(0.022, 0.0, 0.072, 0.026, rgb, finish="gloss"),
            rod((-0.035, 0.0, 0.04), (-0.055, 0.0, 0.058), 0.009, rgb),
            oval((0.051, 0.0, 0.068), (0.014, 0.015, 0.006), (0.98, 0.45, 0.05)),
            *(ball(0.041, s * 0.013, 0.082, 0.005, DARK) for s in (-1.0, 1.0)),
            *(oval((-0.005, s * 0.034, 0.034), (0.024, 0.006, 0.014), shade(rgb, 0.85)) for s in (-1.0, 1.0)),
        ],
    )


def tennis_ball(rgb: RGB) -> ObjectPlan:
    """A ball of bright felt with a white seam."""
    felt_rgb, r = (0.80, 0.92, 0.15), 0.033
    seam = []
    for k in range(25):
        t = 2 * math.pi * k / 24
        a, b = 0.44 * math.pi * math.sin(t) * 0.9, t / 1.0 + 0.35 * math.sin(2 * t)
        seam.append((r * math.cos(a) * math.cos(b), r * math.cos(a) * math.sin(b), r + r * math.sin(a)))
    return form([ball(0.0, 0.0, r, r, felt_rgb, mass=0.058, finish="fabric")], bent(seam, 0.0022, _WHITE), rolls=True)


def puzzle_cube(rgb: RGB) -> ObjectPlan:
    """A cube of nine coloured squares on every side."""
    colours = ((0.85, 0.1, 0.1), (0.98, 0.85, 0.1), (0.1, 0.6, 0.25), (0.98, 0.5, 0.05), (0.12, 0.3, 0.8), _WHITE)
    half, tile, parts = 0.029, 0.0083, []
    for k in range(9):
        u, v = (k % 3 - 1) * 0.0192, (k // 3 - 1) * 0.0192
        for side in (-1.0, 1.0):
            pick = (
                colours[(3 * k + 2 * (side > 0) + k // 2) % 6],
                colours[(2 * k + 3 * (side > 0) + 1) % 6],
                colours[(k * k + k // 3 + 2) % 6],
            )
            outward = side * (half + 0.0002)
            parts += [
                Part("box", (0.0006, tile, tile), (outward, u, half + v), pick[0]),
                Part("box", (tile, 0.0006, tile), (u, outward, half + v), pick[1]),
            ]
            if side > 0:
                parts.append(Part("box", (tile, tile, 0.0006), (u, v, 2 * half + 0.0002), pick[2]))
    return form([block((-half, half), (-half, half), (0.0, 2 * half), DARK, mass=0.1)], parts)


def hammer(rgb: RGB) -> ObjectPlan:
    """Lies along x: a handle with a coloured grip, a steel head with a face and a claw at +x."""
    claw = [rod((0.115, 0.02, 0.017), (0.1, 0.055, 0.015 + 0.003 * k), 0.006, STEEL) for k in (-1, 1)]
    return form(
        [
            core((-0.15, 0.1), (-0.013, 0.013), (0.003, 0.03), _WOOD, 0.2),
            core((0.1, 0.13), (-0.05, 0.045), (0.0, 0.033), STEEL, 0.4),
        ],
        [
            rod((-0.04, 0.0, 0.017), (0.12, 0.0, 0.017), 0.01, _WOOD),
            rod((-0.142, 0.0, 0.017), (-0.04, 0.0, 0.017), 0.0145, rgb),
            wheel(0.115, (-0.035, 0.03), 0.017, 0.013, STEEL),
            wheel(0.115, (-0.055, -0.03), 0.017, 0.017, STEEL),
            *claw,
        ],
    )


def screwdriver(rgb: RGB) -> ObjectPlan:
    """Lies along x: a thick ribbed grip, a thin steel shaft with a flat tip at +x."""
    r = 0.015
    ribs = [
        rod((-0.09, r * math.cos(a), r + r * math.sin(a)), (-0.02, r * math.cos(a), r + r * math.sin(a)), 0.0028, DARK)
        for a in (0.0, 1.05, 2.1, 3.14)
    ]
    return form(
        [
            core((-0.1, 0.0), (-0.013, 0.013), (0.0, 0.03), rgb, 0.08),
            core((0.0, 0.115), (-0.005, 0.005), (0.004, 0.022), STEEL, 0.04),
        ],
        [
            rod((-0.09, 0.0, r), (-0.015, 0.0, r), r, rgb),
            *ribs,
            lying_disc((-0.005, 0.01), 0.0, r, 0.009, _WHITE),
            lying_disc((0.01, 0.1), 0.0, r, 0.0038, STEEL),
            block((0.098, 0.117), (-0.006, 0.006), (r - 0.0015, r + 0.0015), STEEL),
        ],
    )


def shoe(rgb: RGB) -> ObjectPlan:
    """Points to +x: a white sole, a coloured upper with laces, open at the heel."""
    laces = [
        rod((0.02 + 0.02 * k, -0.02, 0.074 - 0.008 * k), (0.02 + 0.02 * k, 0.02, 0.074 - 0.008 * k), 0.0035, _WHITE)
        for k in range(3)
    ]
    return form(
        [
            core((-0.115, 0.125), (-0.038, 0.038), (0.0, 0.045), rgb, 0.25),
            core((-0.11, 0.01), (-0.034, 0.034), (0.045, 0.09), rgb, 0.1),
        ],
        [
            block((-0.105, 0.08), (-0.041, 0.041), (0.0, 0.02), _WHITE),
            oval((0.08, 0.0, 0.01), (0.055, 0.042, 0.0102), _WHITE),
            oval((0.06, 0.0, 0.034), (0.072, 0.039, 0.032), rgb),
            oval((-0.05, 0.0, 0.048), (0.066, 0.039, 0.046), rgb),
            oval((0.01, 0.0, 0.045), (0.06, 0.035, 0.034), rgb),
            oval((-0.052, 0.0, 0.088), (0.045, 0.026, 0.012), DARK),
            *laces,
            block((-0.06, 0.0), (-0.0405, 0.0405), (0.03, 0.04), _WHITE),
        ],
    )


def pillow(rgb: RGB) -> ObjectPlan:
    """A pillow with round piped edges and a button in the middle."""
    x, y, h, edge = 0.14, 0.19, 0.1, 0.028
    corners = [(x, y, h / 2), (-x, y, h / 2), (-x, -y, h / 2), (x, -y, h / 2), (x, y, h / 2)]
    inner = [(0.86 * a, 0.9 * b, c) for a, b, c in corners]
    return form(
        [core((-x, x), (-y, y), (0.0, h * 0.9), rgb, 0.5)],
        [
            *bent(inner, edge, rgb),
            block((-0.86 * x, 0.86 * x), (-0.9 * y, 0.9 * y), (h / 2 - edge, h / 2 + edge), rgb, finish="fabric"),
            Part("ellipsoid", (0.96 * x, 0.96 * y, h * 0.46), (0.0, 0.0, h * 0.5), rgb, finish="fabric"),
            *bent(corners, 0.008, shade(rgb, 0.7)),
            oval((0.0, 0.0, h * 0.96), (0.016, 0.016, 0.006), shade(rgb, 0.55)),
        ],
    )


def watering_can(rgb: RGB) -> ObjectPlan:
    """A tank with a handle at -x and a long spout to +x with a sprinkler head."""
    bow = loop((-0.05, 0.0, 0.085), 0.06, (0.3 * math.pi, 1.35 * math.pi), steps=7)
    return form(
        [
            *tin(0.0, (0.0, 0.13), 0.06, rgb, mass=0.4),
            *bent(bow, 0.008, rgb, 0.1),
            rod((0.05, 0.0, 0.03), (0.15, 0.0, 0.15), 0.011, rgb, mass=0.05),
        ],
        [
            disc(0.01, 0.0, (0.13, 0.1306), 0.035, DARK),
            rod((0.145, 0.0, 0.144), (0.158, 0.0, 0.16), 0.02, shade(rgb, 0.7)),
            disc(0.0, 0.0, (0.02, 0.03), 0.0606, shade(rgb, 0.7)),
            disc(0.0, 0.0, (0.11, 0.12), 0.0606, shade(rgb, 0.7)),
        ],
    )


def dumbbell(rgb: RGB) -> ObjectPlan:
    """Two round weights on a steel bar along y."""
    discs = []
    for s in (-1.0, 1.0):
        discs += [
            wheel(0.0, (s * 0.07 - 0.02, s * 0.07 + 0.02), 0.04, 0.04, rgb),
            wheel(0.0, (s * 0.092 - 0.003, s * 0.092 + 0.003), 0.04, 0.022, STEEL),
        ]
    return form(
        [
            *(
                core((-0.032, 0.032), (min(s * 0.05, s * 0.09), max(s * 0.05, s * 0.09)), (0.0, 0.08), rgb, 0.9)
                for s in (-1.0, 1.0)
            ),
            core((-0.011, 0.011), (-0.05, 0.05), (0.029, 0.051), STEEL, 0.2),
        ],
        [*discs, wheel(0.0, (-0.06, 0.06), 0.04, 0.013, STEEL)],
    )


KINDS = (
    ObjectKind("teddy_bear", teddy_bear, ("brown",), ("teddy", "stuffed bear"), ("anything",), "cloth"),
    ObjectKind("toy_car", toy_car, ("red", "blue", "green"), ("toy",), ("anything",), "plastic"),
    ObjectKind("rubber_duck", rubber_duck, ("yellow",), ("duck", "toy duck"), ("anything", "wash"), "plastic"),
    ObjectKind("tennis_ball", tennis_ball, ("green",), ("ball",), ("anything",), "cloth"),
    ObjectKind("puzzle_cube", puzzle_cube, ("black",), ("magic cube", "cube"), ("anything", "small"), "plastic"),
    ObjectKind("hammer", hammer, ("red",), (), ("anything",), "metal"),
    ObjectKind("screwdriver", screwdriver, ("orange",), (), ("anything", "small"), "plastic"),
    ObjectKind("shoe", shoe, ("blue", "red"), ("sneaker",), ("anything",), "rubber"),
    ObjectKind("pillow", pillow, ("beige", "purple"), ("cushion",), ("anything",), "cloth"),
    ObjectKind("wateringcan", watering_can, ("green",), ("watering can",), ("anything",), "plastic"),
    ObjectKind("dumbbell", dumbbell, ("black", "purple"), ("weight",), ("anything",), "metal"),
)
"""The kinds of this file."""

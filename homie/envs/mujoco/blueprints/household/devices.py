"""Shapes of devices: a laptop, a phone, a camera."""

from __future__ import annotations

import math

from homie.envs.mujoco.blueprints.household.form import (
    bent,
    core,
    form,
    lying_disc,
    oval,
    wheel,
    written,
)
from homie.envs.mujoco.blueprints.materials import DARK, RGB, SCREEN, STEEL, shade
from homie.envs.mujoco.blueprints.object_kind import ObjectKind
from homie.envs.mujoco.blueprints.parts import ObjectPlan, block, disc, rod

_PAPER: RGB = (0.95, 0.94, 0.90)


def laptop(rgb: RGB) -> ObjectPlan:
    """Open: keys on its base, a bright screen at -x that faces +x."""
    keys = [
        block(
            (-0.075 + 0.026 * row, -0.055 + 0.026 * row),
            (-0.125 + 0.023 * k, -0.106 + 0.023 * k),
            (0.016, 0.0175),
            DARK,
        )
        for row in range(4)
        for k in range(11)
    ]
    return form(
        [
            block((-0.11, 0.11), (-0.155, 0.155), (0.0, 0.016), rgb, mass=1.2, finish="metal"),
            block((-0.118, -0.106), (-0.155, 0.155), (0.016, 0.215), rgb, mass=0.4, finish="metal"),
        ],
        [
            *keys,
            block((0.045, 0.095), (-0.04, 0.04), (0.016, 0.0167), shade(rgb, 0.75)),
            block((-0.106, -0.1045), (-0.145, 0.145), (0.028, 0.205), (0.16, 0.45, 0.80)),
            block((-0.1045, -0.1035), (-0.12, 0.02), (0.08, 0.18), (0.93, 0.94, 0.96)),
            block((-0.1035, -0.103), (-0.12, 0.02), (0.165, 0.18), (0.95, 0.55, 0.15)),
            block((-0.1045, -0.1035), (0.045, 0.13), (0.045, 0.125), (0.20, 0.70, 0.45)),
        ],
    )


def phone(rgb: RGB) -> ObjectPlan:
    """Lies along x, the screen up: coloured squares on dark glass."""
    colours = ((0.2, 0.75, 0.35), (0.95, 0.3, 0.25), (0.98, 0.75, 0.15), (0.25, 0.55, 0.95))
    icons = [
        block(
            (-0.052 + 0.025 * row, -0.036 + 0.025 * row),
            (-0.028 + 0.0155 * k, -0.018 + 0.0155 * k),
            (0.0145, 0.0152),
            colours[(row + 2 * k) % 4],
        )
        for row in range(5)
        for k in range(4)
        if row != 3
    ]
    return form(
        [block((-0.075, 0.075), (-0.037, 0.037), (0.0, 0.014), rgb, mass=0.2, finish="gloss")],
        [block((-0.071, 0.071), (-0.034, 0.034), (0.014, 0.0146), SCREEN), *icons],
    )


def remote_control(rgb: RGB) -> ObjectPlan:
    """Lies along x: long and narrow, a red button, a ring and rows of white ones."""
    rows = [
        disc(-0.02 - 0.016 * k, -0.012 + 0.012 * j, (0.02, 0.0222), 0.004, (0.85, 0.85, 0.85))
        for k in range(4)
        for j in range(3)
    ]
    return form(
        [block((-0.095, 0.095), (-0.023, 0.023), (0.0, 0.02), rgb, mass=0.12)],
        [
            *rows,
            disc(0.08, 0.01, (0.02, 0.023), 0.006, (0.9, 0.1, 0.1)),
            disc(0.04, 0.0, (0.02, 0.0215), 0.016, (0.55, 0.57, 0.6)),
            disc(0.04, 0.0, (0.0215, 0.0222), 0.007, DARK),
            block((0.0945, 0.0955), (-0.015, 0.015), (0.006, 0.015), (0.5, 0.05, 0.1)),
        ],
    )


def calculator(rgb: RGB) -> ObjectPlan:
    """Lies along x: a green display at +x, rows of keys, one of them orange."""
    buttons = [
        block(
            (-0.06 + 0.019 * row, -0.047 + 0.019 * row),
            (-0.032 + 0.0175 * k, -0.02 + 0.0175 * k),
            (0.018, 0.0215),
            (0.95, 0.5, 0.1) if (row, k) == (0, 0) else _PAPER,
        )
        for row in range(5)
        for k in range(4)
    ]
    return form(
        [block((-0.07, 0.075), (-0.04, 0.04), (0.0, 0.018), rgb, mass=0.12)],
        [
            *buttons,
            block((0.04, 0.067), (-0.033, 0.033), (0.018, 0.0195), (0.62, 0.76, 0.58)),
            *written((0.046, 0.06), (-0.028, 0.0), 0.0196, DARK, 1),
        ],
    )


def computer_mouse(rgb: RGB) -> ObjectPlan:
    """A rounded hump with a wheel and a cable to +x."""
    return form(
        [core((-0.05, 0.05), (-0.027, 0.027), (0.0, 0.032), rgb, 0.1)],
        [
            oval((0.0, 0.0, 0.016), (0.056, 0.032, 0.018), rgb),
            disc(0.0, 0.0, (0.0, 0.008), 0.03, shade(rgb, 0.7)),
            block((0.008, 0.054), (-0.0008, 0.0008), (0.012, 0.0336), SCREEN),
            wheel(0.03, (-0.004, 0.004), 0.026, 0.009, (0.9, 0.3, 0.1)),
            *bent([(0.054, 0.0, 0.008), (0.08, 0.004, 0.004), (0.1, -0.01, 0.004), (0.12, 0.012, 0.004)], 0.0025, DARK),
        ],
    )


def headphones(rgb: RGB) -> ObjectPlan:
    """Stand on two padded ear cups under a headband."""
    cups = []
    for side in (-1.0, 1.0):
        cups += [
            wheel(0.0, (side * 0.075 - 0.012, side * 0.075 + 0.012), 0.04, 0.038, rgb),
            wheel(0.0, (side * 0.058 - 0.007, side * 0.058 + 0.007), 0.04, 0.034, DARK),
            wheel(0.0, (side * 0.087 - 0.001, side * 0.087 + 0.001), 0.04, 0.02, STEEL),
        ]
    bow = [(0.0, 0.08 * math.cos(a), 0.09 + 0.08 * math.sin(a)) for a in (math.pi * k / 10 for k in range(11))]
    legs = [rod((0.0, side * 0.08, 0.04), (0.0, side * 0.08, 0.09), 0.006, STEEL) for side in (-1.0, 1.0)]
    return form(
        [
            *(
                core((-0.03, 0.03), (min(s * 0.05, s * 0.088), max(s * 0.05, s * 0.088)), (0.0, 0.078), rgb, 0.1)
                for s in (-1.0, 1.0)
            ),
            core((-0.009, 0.009), (-0.06, 0.06), (0.155, 0.18), DARK, 0.05),
        ],
        [*cups, *bent(bow, 0.009, DARK), *legs],
    )


def camera(rgb: RGB) -> ObjectPlan:
    """Faces +x: a black body, a large lens, a flash on top, a red button."""
    return form(
        [
            block((-0.025, 0.025), (-0.06, 0.06), (0.0, 0.075), rgb, mass=0.4),
            core((0.025, 0.06), (-0.028, 0.028), (0.012, 0.066), rgb, 0.2),
        ],
        [
            lying_disc((0.025, 0.06), 0.0, 0.039, 0.031, (0.25, 0.25, 0.27)),
            lying_disc((0.06, 0.0606), 0.0, 0.039, 0.027, STEEL),
            lying_disc((0.0606, 0.0612), 0.0, 0.039, 0.022, (0.20, 0.30, 0.60)),
            block((-0.0256, 0.0256), (-0.0606, 0.0606), (0.056, 0.066), STEEL),
            block((-0.015, 0.02), (-0.02, 0.02), (0.075, 0.092), rgb),
            block((0.02, 0.021), (-0.015, 0.015), (0.078, 0.09), (0.98, 0.98, 0.9)),
            disc(0.0, -0.045, (0.075, 0.083), 0.008, (0.85, 0.1, 0.1)),
            disc(0.0, 0.04, (0.075, 0.085), 0.012, STEEL),
        ],
    )


KINDS = (
    ObjectKind("laptop", laptop, ("silver",), ("notebook computer", "laptop computer"), ("anything",), "device"),
    ObjectKind("phone", phone, ("black",), ("mobile phone", "cell phone", "smartphone"), ("anything",), "device"),
    ObjectKind("remote_control", remote_control, ("black",), ("remote", "tv remote"), ("anything",), "device"),
    ObjectKind("calculator", calculator, ("gray",), ("pocket calculator",), ("anything", "small"), "device"),
    ObjectKind("computer_mouse", computer_mouse, ("gray", "white"), ("mouse",), ("anything", "small"), "device"),
    ObjectKind("headphones", headphones, ("red", "blue"), ("headset",), ("anything",), "device"),
    ObjectKind("camera", camera, ("black",), ("photo camera",), ("anything",), "device"),
)
"""The kinds of this file."""

"""Shapes of objects in bathrooms: soap, towels, brushes."""

from __future__ import annotations

import math

from homie.envs.mujoco.blueprints.household.form import core, form, lathe, oval, wheel
from homie.envs.mujoco.blueprints.materials import DARK, RGB, shade
from homie.envs.mujoco.blueprints.object_kind import ObjectKind
from homie.envs.mujoco.blueprints.objects import tin
from homie.envs.mujoco.blueprints.parts import ObjectPlan, Part, ball, block, disc, rod

_WHITE: RGB = (0.95, 0.95, 0.95)


def toothbrush(rgb: RGB) -> ObjectPlan:
    """Lies along x: a thin handle, white bristles at +x, pointing up."""
    tufts = [
        block(
            (0.062 + 0.006 * k, 0.0665 + 0.006 * k),
            (-0.006, 0.006),
            (0.012, 0.026),
            _WHITE if k % 2 else (0.5, 0.8, 0.95),
        )
        for k in range(5)
    ]
    return form(
        [core((-0.095, 0.095), (-0.007, 0.007), (0.0, 0.016), rgb, 0.02)],
        [
            rod((-0.09, 0.0, 0.008), (-0.01, 0.0, 0.008), 0.008, rgb),
            rod((-0.01, 0.0, 0.008), (0.06, 0.0, 0.009), 0.0045, rgb),
            block((0.058, 0.095), (-0.0065, 0.0065), (0.005, 0.012), rgb),
            *tufts,
            block((-0.07, -0.03), (-0.003, 0.003), (0.0155, 0.0168), _WHITE),
        ],
    )


def toothpaste(rgb: RGB) -> ObjectPlan:
    """A tube lying along x, flat at +x, with a white cap at -x and stripes."""

    def steps(count: int, begins: float, half: float, height: float, colour: RGB) -> list[Part]:
        """Blocks of a tube, each broader and flatter than the previous one."""
        return [
            block(
                (begins + 0.024 * k, -0.036 + 0.024 * k),
                (-half - 0.0012 * k, half + 0.0012 * k),
                (0.0, height - 0.006 * k),
                colour,
            )
            for k in range(count)
        ]

    return form(
        [
            core((-0.085, 0.0), (-0.018, 0.018), (0.0, 0.032), rgb, 0.08),
            core((0.0, 0.065), (-0.02, 0.02), (0.0, 0.014), rgb, 0.04),
        ],
        [
            *steps(5, -0.06, 0.019, 0.034, _WHITE),
            *steps(4, -0.045, 0.0195, 0.0344, rgb),  # stripes that stand out by half a millimetre
            Part(
                "cylinder", (0.014, 0.0125, 0.0), (-0.0725, 0.0, 0.017), rgb, (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
            ),
            block((0.06, 0.068), (-0.026, 0.026), (0.003, 0.008), shade(rgb, 0.8)),
        ],
    )


def soap(rgb: RGB) -> ObjectPlan:
    """A rounded bar on a white dish, with bubbles."""
    bubbles = [
        ball(x, y, 0.041, r, (0.85, 0.93, 1.0))
        for x, y, r in ((0.02, 0.01, 0.006), (0.03, -0.005, 0.004), (0.01, -0.012, 0.005))
    ]
    return form(
        [
            block((-0.05, 0.05), (-0.034, 0.034), (0.0, 0.008), _WHITE, mass=0.1),
            core((-0.038, 0.038), (-0.022, 0.022), (0.008, 0.036), rgb, 0.1),
        ],
        [
            block((-0.053, 0.053), (-0.037, 0.037), (0.006, 0.011), _WHITE),
            oval((0.0, 0.0, 0.024), (0.045, 0.029, 0.0145), rgb),
            block((-0.018, 0.012), (-0.006, 0.006), (0.0355, 0.0388), shade(rgb, 0.7)),
            *bubbles,
        ],
    )


def soap_dispenser(rgb: RGB) -> ObjectPlan:
    """A round bottle with a pump whose nozzle points to +x."""
    return form(
        [
            *tin(0.0, (0.0, 0.12), 0.034, rgb, mass=0.3),
            core((-0.012, 0.012), (-0.012, 0.012), (0.12, 0.17), _WHITE, 0.03),
        ],
        [
            oval((0.0, 0.0, 0.118), (0.033, 0.033, 0.014), rgb),
            *lathe(_WHITE, (0.128, 0.142, 0.015), (0.142, 0.165, 0.005)),
            block((-0.012, 0.045), (-0.008, 0.008), (0.163, 0.172), _WHITE),
            block((0.038, 0.045), (-0.005, 0.005), (0.152, 0.165), _WHITE),
            disc(0.0, 0.0, (0.035, 0.085), 0.0344, _WHITE),
            ball(0.0, -0.03, 0.06, 0.008, rgb),
            ball(0.0, 0.03, 0.06, 0.008, rgb),
            ball(0.03, 0.0, 0.06, 0.008, rgb),
            ball(-0.03, 0.0, 0.06, 0.008, rgb),
        ],
    )


def toilet_paper(rgb: RGB) -> ObjectPlan:
    """A roll lying on its side with a loose sheet and a visible cardboard core."""
    r, y = 0.045, 0.05
    card = (0.66, 0.50, 0.34)
    rings = [
        wheel(0.0, (-y - 0.0004 * k, y + 0.0004 * k), r, radius, colour)
        for k, (radius, colour) in enumerate(
            ((0.036, shade(rgb, 0.85)), (0.034, rgb), (0.021, card), (0.018, DARK)), start=1
        )
    ]
    return form(
        [core((-0.032, 0.032), (-y, y), (0.0, 0.09), rgb, 0.1)],
        [
            wheel(0.0, (-y, y), r, r, rgb),
            *rings,
            block((0.043, 0.0455), (-y, y), (0.002, 0.05), rgb),
            block((0.04, 0.085), (-y, y), (0.001, 0.003), rgb),
            block((0.084, 0.0855), (-y, y), (0.001, 0.0034), shade(rgb, 0.7)),
        ],
    )


def spray_bottle(rgb: RGB) -> ObjectPlan:
    """A bottle with a white trigger head that points to +x."""
    head = [
        block((-0.02, 0.035), (-0.011, 0.011), (0.195, 0.222), _WHITE),
        block((0.035, 0.048), (-0.007, 0.007), (0.2, 0.215), (0.85, 0.2, 0.15)),
        rod((0.018, 0.0, 0.195), (0.032, 0.0, 0.155), 0.006, (0.85, 0.2, 0.15)),
        block((-0.03, -0.01), (-0.01, 0.01), (0.19, 0.218), _WHITE),
    ]
    return form(
        [*tin(0.0, (0.0, 0.13), 0.034, rgb, mass=0.5), core((-0.014, 0.014), (-0.011, 0.011), (0.13, 0.222), rgb, 0.1)],
        [
            oval((0.0, 0.0, 0.13), (0.034, 0.034, 0.035), rgb),
            *lathe(rgb, (0.15, 0.18, 0.013)),
            *lathe(_WHITE, (0.178, 0.197, 0.015)),
            *head,
            disc(0.0, 0.0, (0.04, 0.1), 0.0344, _WHITE),
            disc(0.0, 0.0, (0.06, 0.08), 0.0347, (0.15, 0.6, 0.3)),
        ],
    )


def towel(rgb: RGB) -> ObjectPlan:
    """Folded in layers, with two stripes."""
    layers = [
        oval((0.105, 0.0, z), (0.012, 0.085, 0.009), shade(rgb, f))
        for z, f in ((0.01, 0.9), (0.028, 1.0), (0.046, 0.9))
    ]
    stripes = [block((x, x + 0.012), (-0.0855, 0.0855), (0.0, 0.0565), _WHITE) for x in (-0.075, -0.05)]
    seams = [block((-0.106, 0.1), (-0.0853, 0.0853), (z, z + 0.0025), shade(rgb, 0.6)) for z in (0.018, 0.036)]
    return form(
        [block((-0.105, 0.105), (-0.085, 0.085), (0.0, 0.056), rgb, mass=0.35, finish="fabric")],
        [*layers, *stripes, *seams],
    )


def hairbrush(rgb: RGB) -> ObjectPlan:
    """Lies along x: a handle, and a paddle with dark pins at +x."""
    pins = [
        rod((0.02 + 0.013 * k, -0.018 + 0.012 * j, 0.015), (0.02 + 0.013 * k, -0.018 + 0.012 * j, 0.03), 0.0016, DARK)
        for k in range(6)
        for j in range(4)
    ]
    return form(
        [
            core((-0.12, 0.0), (-0.011, 0.011), (0.0, 0.02), rgb, 0.04),
            core((0.0, 0.1), (-0.028, 0.028), (0.0, 0.016), rgb, 0.05),
        ],
        [
            rod((-0.11, 0.0, 0.01), (0.0, 0.0, 0.01), 0.01, rgb),
            oval((0.052, 0.0, 0.008), (0.055, 0.034, 0.009), rgb),
            oval((0.052, 0.0, 0.0125), (0.047, 0.028, 0.006), (0.90, 0.60, 0.62)),
            *pins,
        ],
    )


def plunger(rgb: RGB) -> ObjectPlan:
    """Stands on its rubber bell, the wooden stick up."""
    wood = (0.80, 0.61, 0.38)
    return form(
        [
            *tin(0.0, (0.0, 0.06), 0.058, rgb, mass=0.25),
            core((-0.011, 0.011), (-0.011, 0.011), (0.06, 0.34), wood, 0.15),
        ],
        [
            *lathe(rgb, (0.0, 0.015, 0.064)),
            oval((0.0, 0.0, 0.058), (0.058, 0.058, 0.03), rgb),
            *lathe(rgb, (0.08, 0.105, 0.019)),
            rod((0.0, 0.0, 0.1), (0.0, 0.0, 0.332), 0.011, wood),
        ],
    )


KINDS = (
    ObjectKind("toothbrush", toothbrush, ("blue", "green"), ("tooth brush",), ("wash", "small"), "plastic"),
    ObjectKind("toothpaste", toothpaste, ("red",), ("tooth paste", "tube of toothpaste"), ("wash", "small"), "plastic"),
    ObjectKind("soap", soap, ("pink", "green"), ("bar of soap", "soap bar"), ("wash", "small"), "soap"),
    ObjectKind("soap_dispenser", soap_dispenser, ("teal", "purple"), ("liquid soap",), ("wash",), "plastic"),
    ObjectKind("toilet_paper", toilet_paper, ("white",), ("toilet roll", "roll of toilet paper"), ("wash",), "paper"),
    ObjectKind("spray_bottle", spray_bottle, ("blue",), ("window cleaner",), ("wash",), "plastic"),
    ObjectKind("towel", towel, ("teal", "pink"), ("hand towel",), ("wash", "anything"), "cloth"),
    ObjectKind("hairbrush", hairbrush, ("purple",), ("hair brush",), ("wash", "small"), "plastic"),
    ObjectKind("plunger", plunger, ("red",), (), ("wash",), "rubber"),
)
"""The kinds of this file."""

"""Regenerate the tables of kinds in docs/scene-spec.md: `python -m benchmarks.pictures.kinds_page`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from benchmarks.speed.section import with_section
from homie.envs.mujoco.blueprints.catalog import FURNITURE, OBJECTS, blueprint, object_plan
from homie.envs.mujoco.blueprints.materials import MATERIALS, TESTED
from homie.envs.mujoco.blueprints.parts import Link

PAGE = Path(__file__).parents[2] / "docs" / "scene-spec.md"
FURNITURE_HEAD = "| kind | size | surfaces | moves |\n|---|---|---|---|\n"
OBJECTS_HEAD = f"{'kind':<17} {'size (mm)':<13} {'mass (g)':<8} colours\n"
MATERIALS_HEAD = "| material | friction | kg/m³ | kinds |\n|---|---|---|---|\n"
BUTTON = "button"


def furniture_rows() -> Iterator[str]:
    """Yield rows of size (m), support surfaces and containers, and moving parts."""
    for name, kind in FURNITURE.items():
        plan = blueprint(name, kind.colours[0])
        groups = groupby(plan.surfaces, lambda surface: surface.inside)
        surfaces = (f"{_names(s.name for s in part)}{' (inside)' if inside else ''}" for inside, part in groups)
        moves = [*map(_moving, plan.articulations), *[BUTTON] * plan.powered]
        size = "x".join(f"{side:g}" for side in kind.size)
        cells = (f"`{name}`", size, ", ".join(surfaces), ", ".join(moves))
        yield f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in cells)}|"


def object_rows() -> Iterator[str]:
    """Yield rows of bounding box (mm), mass (g) and colours."""
    for name, kind in OBJECTS.items():
        plan = object_plan(name, kind.colours[0])
        size = "x".join(f"{2000 * half:.0f}" for half in plan.half)
        mass = f"{1000 * sum(part.mass for part in plan.parts):.0f}"
        yield f"{name:<17} {size:<13} {mass:<8} {','.join(kind.colours)}"


def material_rows() -> Iterator[str]:
    """Yield rows of friction, density, and the kinds of each material."""
    for name, material in MATERIALS.items():
        kinds = _names(kind.name for kind in OBJECTS.values() if kind.material == name)
        yield f"| {name} | {material.friction:g} | {material.density:g} | {kinds} |"
    yield f"| YCB | {TESTED:g} | | {_names(kind.name for kind in OBJECTS.values() if not kind.material)} |"


def update_tables(page: str) -> str:
    """Return the page with regenerated tables."""
    for name, head, rows, fence in (
        ("furniture", FURNITURE_HEAD, furniture_rows(), "{}"),
        ("objects", OBJECTS_HEAD, object_rows(), "```text\n{}```"),
        ("materials", MATERIALS_HEAD, material_rows(), "{}"),
    ):
        page = with_section(page, name, fence.format(head + "".join(f"{row}\n" for row in rows)))
    return page


def _moving(link: Link) -> str:
    """Describe a moving part and its range: `flap (80°)`."""
    far = f"{math.degrees(link.upper):.0f}°" if link.kind == "hinge" else f"{link.upper:g} m"
    return f"{link.name.replace('_', ' ')} ({far})"


def _names(kinds: Iterable[str]) -> str:
    return ", ".join(f"`{kind}`" for kind in kinds)


if __name__ == "__main__":
    PAGE.write_text(update_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

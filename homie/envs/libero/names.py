"""Natural-language names of the objects and places of LIBERO."""

from __future__ import annotations

import re
from importlib.resources import files

from homie.kernel.support.documents import parse_yaml

_KINDS: dict[str, list[str]] = parse_yaml(files(__package__).joinpath("names.yaml").read_text("utf-8"))
_SEVERAL = ("shelf", "caddy", "microwave")
"""Furniture with several compartments that do not open."""
_LAYERS = ("top", "middle", "bottom")


def kind_and_colour(name: str) -> tuple[str, str]:
    """Return kind and colour ("" for none) of an object, of furniture, or of a drawer or another region.

    >>> kind_and_colour("akita_black_bowl_2"), kind_and_colour("wooden_cabinet_1_top_region")
    (('bowl', 'black'), ('top drawer', ''))
    >>> kind_and_colour("kitchen_table_plate_right_region")
    ('plate right', '')
    """
    stem = re.sub(r"_\d+$", "", name)
    if stem in _KINDS:
        kind, *colour = _KINDS[stem]
        return kind, colour[0] if colour else ""
    region = re.fullmatch(r"(.*cabinet)_\d+_(\w+)_region", name)
    if region is not None and region[2] in _LAYERS:
        return f"{region[2]} drawer", ""
    part = re.fullmatch(r"(?:\w+_\d+|\w*?table|floor)_(\w+?)(?:_region)?", name)
    return (part[1] if part is not None else stem).replace("_", " "), ""


def place_of(region: str) -> str:
    """Return the place of a region: its furniture, or the region itself if the furniture has several places.

    >>> place_of("flat_stove_1_cook_region"), place_of("wooden_cabinet_1_top_side")
    ('flat_stove_1', 'wooden_cabinet_1')
    >>> place_of("wooden_cabinet_1_top_region"), place_of("main_table_stove_front_region")
    ('wooden_cabinet_1_top_region', 'main_table_stove_front_region')
    """
    match = re.fullmatch(r"(\w+?_\d+)_\w+", region)
    if match is None or kind_and_colour(region)[0].endswith("drawer") or any(word in match[1] for word in _SEVERAL):
        return region
    return match[1]

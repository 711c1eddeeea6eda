"""What the names of things say of them."""

from __future__ import annotations

import re


def kind_of(entity: str) -> str:
    """What a person calls an entity: `tomato soup can` for `tomato_soup_can_2`."""
    return re.sub(r"[_ ]\d+$", "", entity).replace("_", " ")

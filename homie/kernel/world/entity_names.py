"""Names of entities."""

from __future__ import annotations

import re


def kind_of(entity: str) -> str:
    """Return the common name of an entity: `tomato soup can` for `tomato_soup_can_2`."""
    return re.sub(r"[_ ]\d+$", "", entity).replace("_", " ")

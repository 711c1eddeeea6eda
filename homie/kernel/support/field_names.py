"""The names that a model of pydantic would know where it was given another: what a misspelt one may have meant.

ValidationError --title--> model --the place of the fault, through fields, lists and unions--> names of the fields there
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError


def names_beside(error: ValidationError, place: Sequence[int | str]) -> list[str]:
    """The names of the fields where a name was not known; none where the model cannot be found.

    Args:
        error: Tells the model by its title.
        place: The `loc` of the fault, which ends with the unknown name.
    """
    from pydantic import BaseModel

    roots = [model for model in _all_below(BaseModel) if model.__name__ == error.title]
    for root in roots:
        if names := _names(root, tuple(place)):
            return names
    return []


def _all_below(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for each in model.__subclasses__():
        yield each
        yield from _all_below(each)


def _names(annotation: Any, place: Sequence[int | str]) -> list[str]:
    """The names of the fields at a place inside of a type; a place may have the tags of unions between its names."""
    fields = getattr(annotation, "model_fields", None) if isinstance(annotation, type) else None
    if fields is None:
        inside = [argument for argument in get_args(annotation) if not isinstance(argument, str)]
        ways = (place, place[1:]) if len(place) > 1 else (place,)
        return next((names for way in ways for part in inside if (names := _names(part, way))), [])
    if len(place) == 1:
        return [field.alias or name for name, field in fields.items()]
    name, *rest = place
    if len(rest) > 1 and rest[0] == name:  # the tag of a union, and the field that tells it
        return _names(annotation, rest)
    field = next((field for known, field in fields.items() if name in (known, field.alias)), None)
    return [] if field is None else _names(field.annotation, rest)

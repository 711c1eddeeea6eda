"""Valid field names at the location of an unknown name in a pydantic error, to suggest a correction.

ValidationError --title--> model --location of the error, through fields, lists and unions--> names of the fields there
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError


def names_beside(error: ValidationError, place: Sequence[int | str]) -> list[str]:
    """Return the valid names at the location of an unknown name; none if the model cannot be found.

    Args:
        error: The error, with the name of the model as title.
        place: The `loc` of the error, which ends with the unknown name.
    """
    from pydantic import BaseModel

    roots = [model for model in _descendants(BaseModel) if model.__name__ == error.title]
    for root in roots:
        if names := _field_names(root, tuple(place)):
            return names
    return []


def _descendants(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for subclass in model.__subclasses__():
        yield subclass
        yield from _descendants(subclass)


def _field_names(annotation: Any, place: Sequence[int | str]) -> list[str]:
    """Return the field names at a location inside a type; a location may have tags of unions between its names."""
    fields = getattr(annotation, "model_fields", None) if isinstance(annotation, type) else None
    if fields is None:
        argument_types = [argument for argument in get_args(annotation) if not isinstance(argument, str)]
        paths = (place, place[1:]) if len(place) > 1 else (place,)
        return next((names for path in paths for part in argument_types if (names := _field_names(part, path))), [])
    if len(place) == 1:
        return [field.alias or name for name, field in fields.items()]
    name, *remaining = place
    if len(remaining) > 1 and remaining[0] == name:  # the tag of a union, and the field with that tag
        return _field_names(annotation, remaining)
    field = next((field for field_name, field in fields.items() if name in (field_name, field.alias)), None)
    return [] if field is None else _field_names(field.annotation, remaining)

"""Models that reject true and false for numbers in users' files; pydantic would read them as 1 and 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator
from pydantic_core import PydanticKnownError


class PlainNumbers(BaseModel):
    """Base class of models that reject bools for numbers, in lists and mappings too."""

    model_config = ConfigDict(frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _reject_bool(cls, value: Any, info: ValidationInfo) -> Any:
        if info.field_name is not None and (kind := _number(cls, info.field_name)) and any(_are_bools(value)):
            raise PydanticKnownError("int_type" if kind is int else "float_type")
        return value


@cache
def _number(model: type[BaseModel], name: str) -> type[int | float] | None:
    """Return the type of numbers that a field takes; None if it takes no numbers, or models or bools too."""
    kinds = set(_kinds(model.model_fields[name].annotation))
    if bool in kinds or Any in kinds or any(isinstance(kind, type) and issubclass(kind, BaseModel) for kind in kinds):
        return None
    return int if int in kinds else float if float in kinds else None


def _kinds(annotation: Any) -> Iterator[Any]:
    """Yield the types in an annotation; for a Literal the types of its values."""
    arguments = get_args(annotation)
    if not arguments:
        yield annotation if isinstance(annotation, type) or annotation is Any else type(annotation)
    for part in arguments:
        yield from _kinds(part)


def _are_bools(value: Any) -> Iterator[bool]:
    """Yield for each part of a value whether it is a bool."""
    if isinstance(value, list | tuple):
        for part in value:
            yield from _are_bools(part)
    elif isinstance(value, Mapping):
        yield from _are_bools(list(value.values()))
    else:
        yield isinstance(value, bool)

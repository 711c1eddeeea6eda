"""What all parts that users choose by name have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Protocol

from pydantic import BaseModel

from homie.kernel.errors import BadInput
from homie.kernel.support.old_module_names import renamed, renamed_members


class Configurable:
    """What users choose by a name, made as `cls(argument, settings)`: of NAME:ARGUMENT and of the settings beside it.

    A class whose constructor takes fewer gets fewer: no settings where it has no `Settings`, no argument where none is
    given.
    """

    word: ClassVar[str] = "part"
    """What users call one of its kind."""
    name: str = ""
    Settings: ClassVar[type[BaseModel] | None] = None
    """The model of its settings, or None if it has none."""
    note: ClassVar[str] = ""
    """What its users should know of it before all else, a few words for `homie list`."""
    extra: ClassVar[str] = ""
    """The extra of Homie that brings the packages it needs (`kernel.support.packages.requirements`), "" if none."""

    def __init_subclass__(cls, **arguments: object) -> None:
        super().__init_subclass__(**arguments)
        renamed_members(cls, {"enter": "bind", "looks_at_hand": "uses_wrist_camera"})  # codespell:ignore

    def __init__(self, argument: str = "", settings: BaseModel | None = None) -> None:
        """Raises BadInput for an argument, which a part may take that has a constructor of its own."""
        if argument:
            raise BadInput(f"The {self.word} '{self.name}' takes no argument (got '{argument}').")


class SharedPart(Protocol):
    """What planners in several processes share, such as a process that has loaded their model. Who has it closes it."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables by which they find it."""

    def ensure(self) -> None:
        """Start it, or start it again where it has died. Raises InfrastructureError."""

    def close(self) -> None:
        """End it. Idempotent."""


if not TYPE_CHECKING:
    __getattr__ = renamed(__name__, {"NamedByUsers": "Configurable"})  # codespell:ignore

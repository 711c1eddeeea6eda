"""Base class of planners behind an endpoint, whose argument names the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from pydantic import BaseModel

from homie.kernel.errors import BadInput
from planners.llm.calls.remote import RemoteModel
from planners.llm.model_planner import ModelPlanner
from planners.llm.prompting.settings import PromptSettings

S = TypeVar("S", bound=PromptSettings)


class EndpointPlanner(ModelPlanner):
    """A planner whose model is behind an endpoint. `make_model` creates the model from its name and the settings.

    Raises BadInput without the name of a model.
    """

    @classmethod
    def check(cls, argument: str, settings: BaseModel | None) -> None:
        factory = cast("Callable[[str, BaseModel | None], object]", cls)
        factory(argument, settings)  # fast, and without a request

    def __init__(self, make_model: Callable[[str, S], RemoteModel], argument: str, settings: S) -> None:
        if not argument:
            raise BadInput(f"The {self.name} planner needs a model: --planner {self.name}:MODEL.")
        super().__init__(make_model(argument, settings), settings)

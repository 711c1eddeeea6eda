"""Lookup of respondents to plain questions: by name, or the model of a planner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.interfaces.prompts import Respondent
from homie.runtime.assembly import load_planner

MODEL = "model"
"""The respondent that asks the model of a planner; others are selected by their own name."""


def respondent_of(planner: str, settings: Mapping[str, Any]) -> Respondent:
    """Construct the respondent that `--planner` and `--set` select. Raises BadInput and MissingPart."""
    name, _, argument = planner.partition(":")
    if name != MODEL and name in registry.names("respondents"):
        if settings:
            raise BadInput(f"'{name}' answers questions without settings: leave out --set.")
        respondent: Respondent = registry.load("respondents", name)(argument)
        return respondent
    model_respondent: Respondent = registry.load("respondents", MODEL)(load_planner(planner, settings))
    return model_respondent

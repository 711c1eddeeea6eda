"""What is read from files or handed to others is a value: nobody who holds it can change it for the others."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

from homie.kernel.world.snapshot import ObjectState

ROOT = Path(__file__).parents[1]
ROOMS = ("kernel", "runtime", "conditions", "bench")


def models() -> list[type[BaseModel]]:
    """All pydantic models of these rooms."""
    for room in ROOMS:
        for path in sorted((ROOT / "homie" / room).rglob("*.py")):
            if "BaseModel" in path.read_text(encoding="utf-8"):
                importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    return [
        model for model in descendants(BaseModel) if model.__module__.startswith(tuple(f"homie.{r}" for r in ROOMS))
    ]


def descendants(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for child in model.__subclasses__():
        yield child
        yield from descendants(child)


def test_no_model_can_be_changed() -> None:
    classes = models()
    assert len(classes) > 30
    assert [model for model in classes if not model.model_config.get("frozen")] == []
    apple = ObjectState(kind="apple", relation="on", at="table")
    with pytest.raises(ValidationError, match="frozen"):
        apple.at = "sofa"  # type: ignore[misc]

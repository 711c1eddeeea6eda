"""Models stored as JSON files with a checksum, written atomically."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import seal, unseal
from homie.kernel.support.files import check_regular, reading, write_atomically
from homie.kernel.support.validation_sentences import first_problem

Model = TypeVar("Model", bound=BaseModel)


def contents(path: Path) -> bytes:
    """Read the bytes of a file. Raises BadInput."""
    with reading(path):
        check_regular(path)
        return path.read_bytes()


def read_model(path: Path, model: type[Model]) -> Model:
    """Load a model from a sealed JSON file. Raises BadInput, also if the file is damaged."""
    try:
        return model.model_validate(unseal(contents(path)))
    except ValidationError as error:
        raise BadInput(f"{path} is not a valid {model.__name__}: {first_problem(error)}.") from error
    except ValueError as error:
        raise BadInput(f"{path} is damaged: {error}.") from error


def write_model(path: Path, model: BaseModel) -> None:
    """Write a model to a sealed JSON file (`homie.kernel.support.checksums`), atomically. Raises OSError."""
    write_atomically(path, seal(model.model_dump(mode="json")))


def kind_of(run: Path) -> str:
    """Return the kind of a run folder: `bench`, `run`, or "" if `run.json` cannot be read."""
    try:
        return str(unseal(contents(run / "run.json")).get("kind", "run"))
    except (BadInput, ValueError):
        return ""
